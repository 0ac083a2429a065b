"""What a person says goes into the tracker's memory, holds there, and can be taken back."""

from __future__ import annotations

from dataclasses import replace

from tests.drawing.tracks import disk, started, table
from vision.tracking.corrections import FalsePositive, Identified, MemoryCorrection, Reordered, corrected, missed_disk
from vision.tracking.memory import Appeared, Evidence, Memory, Moved
from vision.tracking.tracker import follow
from vision.types.sighting import FaceReading, Order


def after(memory: Memory, word: MemoryCorrection) -> tuple[Memory, MemoryCorrection]:
    told, back = corrected(memory, word)
    assert back is not None
    return told, back


def test_a_disk_called_by_another_name_keeps_it_though_looks_misread_it() -> None:
    memory = started(replace(disk("a", 100, 100, profile="goblins"), owner="north"))
    word = Identified("d01", FaceReading("orcs", "up", 0.0, 1.0, read=True), "south", {}, ("goblins", "north"))
    told, back = after(memory, word)
    seen = table(replace(disk("x", 300, 100, profile="goblins"), owner="north"))
    moved, changes = follow(told, seen, Evidence({"d01": 0.1}, fresh=frozenset({"x"})))
    assert changes == (Moved("d01", (100, 100), (300, 100)),)
    assert moved.tracks[0].disk.face.profile == "orcs"
    assert moved.tracks[0].disk.owner == "south"
    undone, _ = after(told, back)
    assert undone.tracks[0].disk.face.profile == "goblins"
    assert undone.tracks[0].disk.owner == "north"


def test_an_order_that_was_said_is_not_overruled_by_a_look() -> None:
    memory = started(disk("a", 100, 100), disk("b", 130, 100), orders=(("a", "b"),))
    told, back = after(memory, Reordered(Order("d02", "d01", 1.0)))
    seen = table(disk("a", 100, 100), disk("b", 130, 100), orders=(("a", "b"),))
    kept, changes = follow(told, seen, Evidence({"d01": 1.0, "d02": 1.0}))
    assert changes == ()
    assert [(order.top, order.bottom) for order in kept.orders] == [("d02", "d01")]
    assert after(kept, back)[0].orders == memory.orders


def test_what_is_no_disk_stays_away_until_something_is_put_there() -> None:
    memory = started(disk("a", 100, 100), disk("coaster", 500, 500))
    told, back = after(memory, FalsePositive("d02"))
    seen = table(disk("a", 100, 100), disk("coaster", 500, 500))
    now = told
    for _ in range(5):
        now, changes = follow(now, seen, Evidence({"d01": 1.0}))
        assert changes == ()
        assert [track.id for track in now.tracks] == ["d01"]
    _, changes = follow(now, seen, Evidence({"d01": 1.0}, fresh=frozenset({"coaster"})))
    assert changes == (Appeared("d03", (500, 500)),)
    assert {track.id for track in after(told, back)[0].tracks} == {"d01", "d02"}


def test_a_disk_that_was_missed_is_there_and_is_followed() -> None:
    memory = started(disk("a", 100, 100))
    told, back = after(memory, missed_disk(memory, disk("said", 130, 100, 38.1, "goblins")))
    assert told.orders == (Order("d01", "d02", 0.6),)
    now = told
    for _ in range(12):
        now, changes = follow(now, table(disk("a", 100, 100)), Evidence({"d01": 1.0, "d02": 1.0}))
        assert changes == ()
    seen = table(disk("a", 100, 100), disk("x", 400, 400, 38.1, "goblins"))
    _, changes = follow(now, seen, Evidence({"d01": 1.0, "d02": 0.1}, fresh=frozenset({"x"})))
    assert Moved("d02", (130, 100), (400, 400)) in changes
    undone, _ = after(told, back)
    assert undone.tracks == memory.tracks
    assert undone.false_positives == ()


def test_a_word_about_nobody_changes_nothing() -> None:
    memory = started(disk("a", 100, 100))
    assert corrected(memory, FalsePositive("d09")) == (memory, None)


def test_what_the_machine_infers_is_not_confirmed_by_a_person() -> None:
    memory = started(disk("a", 200, 200))
    seen = disk("x", 500, 500)
    inferred, _ = corrected(memory, missed_disk(memory, seen, confirmed=False))
    said, _ = corrected(memory, missed_disk(memory, seen))
    assert [track.by_person for track in inferred.tracks if track.id == "d02"] == [False]
    assert [track.by_person for track in said.tracks if track.id == "d02"] == [True]
