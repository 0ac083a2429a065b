"""What was written is what is read: scenes, events, rulings, pictures, settings, corrections."""

from __future__ import annotations

import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.games import GAMES
from assistant.log import appending
from assistant.log.entry import Entry, Picture
from assistant.log.errors import EntryError, LogError
from assistant.log.event import EVENT_TYPES, Event
from assistant.log.game_log import GameLog
from assistant.log.resuming import start_or_resume
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.scene.errors import SceneError
from assistant.scene.values import JsonValue, Scene
from tests.assistant.log.pretend import KINDS, moments
from tests.assistant.scene.strategies import json_values, scenes

JPEG = b"\xff\xd8 a picture"


def new_log(path: Path, game: str = "diskwars") -> LogWriter:
    return LogWriter.create(path, Settings(game))


def test_there_is_a_pretend_game_of_every_kind() -> None:
    assert {game.id for game in GAMES} <= set(KINDS)


@pytest.mark.parametrize("game", KINDS)
def test_a_replayed_game_shows_the_scenes_that_were_live(tmp_path: Path, game: str) -> None:
    live: list[tuple[float, Scene]] = []
    happened: list[Event] = []
    writer = new_log(tmp_path / "g.pinpoint", game)
    for entry in moments(game, 40, seed=len(game)):
        assert writer.append(entry).safe
        assert entry.scene is not None
        live.append((entry.t_s, entry.scene))
        happened += entry.events
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        for t_s, scene in live:
            state = log.state_at(t_s + 0.001)
            assert state is not None and state.scene == scene
        assert log.state_at(-1.0) is None
        assert [logged.event for logged in log.events()] == happened
        by_id = {state.id: state.scene for state in log.states()}
        scene_of_time = dict(live)
        for logged in log.events():
            assert logged.state_id is not None
            assert by_id[logged.state_id] == scene_of_time[logged.event.t_s]


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(scenes(), st.dictionaries(st.text(max_size=5).map("f{}".format), json_values, max_size=3)), max_size=4
    )
)
def test_any_scene_and_any_fields_survive(
    tmp_path_factory: pytest.TempPathFactory, played: list[tuple[Scene, dict[str, JsonValue]]]
) -> None:
    path = tmp_path_factory.mktemp("log") / "any.pinpoint"
    writer = new_log(path)
    for number, (scene, fields) in enumerate(played):
        moment = (number / 3, number)
        writer.append(Entry(*moment, (Event(*moment, "note", fields),), scene, (fields,)))
    writer.close()
    with GameLog(path) as log:
        assert [dict(logged.event.fields) for logged in log.events()] == [fields for _, fields in played]
        assert [records.records for records in log.all_rulings()] == [(fields,) for _, fields in played]
        for number, (scene, _) in enumerate(played):
            state = log.state_at(number / 3)
            assert state is not None and state.scene == scene


def test_an_unchanged_scene_is_stored_once(tmp_path: Path) -> None:
    entry = next(moments("diskwars", 1))
    writer = new_log(tmp_path / "g.pinpoint")
    for number in range(5):
        writer.append(replace(entry, t_s=float(number), rulings=({"kind": "x", "n": number},)))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        (state,) = log.states()
        assert [row.records[0]["n"] for row in log.rulings(state.id)] == [0, 1, 2, 3, 4]


def test_a_correction_keeps_both_scenes(tmp_path: Path) -> None:
    seen = next(moments("diskwars", 1)).scene
    assert seen is not None
    right = replace(seen, pieces=(replace(seen.pieces[0], x=12.5), *seen.pieces[1:-1]))
    path = tmp_path / "g.pinpoint"
    writer = new_log(path)
    writer.correct(4.0, 120, seen, right, 'it was "there"')
    writer.correct(5.0, 150, right, right, "looked again, it was right")
    writer.correct(6.0, 180, right, seen, "no, it was not")
    writer.close()
    with GameLog(path) as log:
        first, second, third = log.corrections()
        assert (first.before, first.after, first.why) == (seen, right, 'it was "there"')
        assert (second.before, second.after) == (right, right)
        assert (third.before, third.after) == (right, seen)
        changes = [logged.event.fields["changes"] for logged in log.events()]
        last = seen.pieces[-1].id
        assert changes[1] == []
        assert isinstance(changes[0], list) and len(changes[0]) == 2
        assert {"path": "pieces/a00/x", "before": seen.pieces[0].x, "after": 12.5} in changes[0]
        gone = [change for change in changes[0] if isinstance(change, dict) and change["path"] == f"pieces/{last}"]
        assert gone and gone[0]["after"] is None


def test_settings_change_and_stay_on_record(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    start = Settings("diskwars", source="table.mp4", started="2026-01-02T03:04:05", roster={"profiles": []})
    writer = LogWriter.create(path, start)
    later = replace(start, readings={"between": "all"}, calibration={"rms_px": 0.2})
    writer.change(60.0, 1800, later)
    assert writer.settings == later
    writer.close()
    with GameLog(path) as log:
        assert log.settings == later
        assert log.settings_at(59.9) == start
        assert log.settings_at(60.0) == later


def test_a_game_cut_off_is_resumed_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = new_log(path)
    entries = list(moments("diskwars", 6))
    for entry in entries[:3]:
        writer.append(entry)
    cut_off = tmp_path / "cut off.pinpoint"
    shutil.copy(path, cut_off)
    writer.close()
    with GameLog(cut_off) as log:
        assert not log.ended
        assert log.end() == (entries[2].t_s, entries[2].frame)
    resumed = LogWriter(cut_off)
    for entry in entries[3:]:
        resumed.append(entry)
    resumed.close()
    with GameLog(cut_off) as log:
        assert log.ended
        assert [state.scene for state in log.states()] == _distinct([entry.scene for entry in entries])
        left_off_s, left_off_frame = entries[2].t_s, entries[2].frame
        assert log.end() == (left_off_s + entries[-1].t_s, left_off_frame + entries[-1].frame)
        happened = [logged.event for logged in log.events()]
        assert happened[-1].t_s == left_off_s + entries[-1].events[-1].t_s
        assert sorted(happened, key=lambda event: event.t_s) == happened


def test_a_log_that_is_there_is_offered_and_resumed_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    today = Settings("diskwars", source="0", version="2")
    writer = start_or_resume(path, Settings("diskwars", source="1", started="2026-01-01", calibration={"a": 1}), False)
    first = replace(next(moments("diskwars", 1)), t_s=754.4, frame=22000)
    writer.append(first)
    cut_off = tmp_path / "cut off.pinpoint"
    shutil.copy(path, cut_off)
    writer.close()
    with pytest.raises(LogError, match="an unfinished game of 12:34; go on with it by --resume"):
        start_or_resume(cut_off, today, False)
    with pytest.raises(LogError, match="a finished game of 12:34; go on with it by --resume"):
        start_or_resume(path, today, False)
    with pytest.raises(LogError, match="it holds a game of diskwars; choose another name"):
        start_or_resume(path, Settings("firefight"), True)
    resumed = start_or_resume(cut_off, today, True)
    resumed.append(Entry(2.0, 60, (Event(2.0, 60, "note", {"from_frame": 50}),)))
    resumed.close()
    with GameLog(cut_off) as log:
        assert [row.event for row in log.events()][-1] == Event(756.4, 22060, "note", {"from_frame": 22050})
        assert log.settings == replace(today, started="2026-01-01", calibration={"a": 1})
        assert log.settings_at(754.0).source == "1"


def _distinct(live: list[Scene | None]) -> list[Scene]:
    kept: list[Scene] = []
    for scene in live:
        if scene is not None and (not kept or kept[-1] != scene):
            kept.append(scene)
    return kept


def test_a_game_is_only_added_to(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = new_log(path)
    writer.append(next(moments("diskwars", 1)))
    writer.close()
    connection = sqlite3.connect(path)
    for table in ("settings", "state", "event", "sitting"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            connection.execute(f"DELETE FROM {table}")
    with pytest.raises(sqlite3.IntegrityError, match="only added to"):
        connection.execute("UPDATE event SET t_s = 0")
    connection.close()


def test_pictures_stay_in_their_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "PICTURE_BUDGET_BYTES", 5 * len(JPEG))
    path = tmp_path / "g.pinpoint"
    writer = new_log(path)
    for number in range(12):
        writer.append(Entry(float(number), number, pictures=(Picture(JPEG, f"№ {number}", key=number in (1, 4)),)))
    assert writer.health.pictures_given_up == 7
    writer.close()
    with GameLog(path) as log:
        pictures = list(log.pictures())
        assert [picture.caption for picture in pictures] == ["№ 1", "№ 4", "№ 9", "№ 10", "№ 11"]
        assert log.jpeg(pictures[0].id) == JPEG
        with pytest.raises(LogError, match="no picture 1"):
            log.jpeg(1)


def test_a_plain_picture_never_drives_out_a_key_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(appending, "PICTURE_BUDGET_BYTES", 2 * len(JPEG))
    writer = new_log(tmp_path / "g.pinpoint")
    for number, key in enumerate((True, True, False, True)):
        writer.append(Entry(float(number), number, pictures=(Picture(JPEG, str(number), key),)))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        assert [picture.caption for picture in log.pictures()] == ["1", "3"]


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "precious.pinpoint"
    path.write_text("something else")
    with pytest.raises(LogError, match="already there"):
        new_log(path)
    assert path.read_text() == "something else"
    assert list(tmp_path.iterdir()) == [path]


def test_the_tail_of_a_deleted_game_does_not_leak_into_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    old = new_log(path)
    old.append(next(moments("firefight", 1)))
    tail = (tmp_path / "g.pinpoint-wal").read_bytes()
    old.close()
    path.unlink()
    (tmp_path / "g.pinpoint-wal").write_bytes(tail)
    new_log(path).close()
    with GameLog(path) as log:
        assert list(log.events()) == []


def test_the_file_alone_is_the_whole_game(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    writer = new_log(path)
    entries = list(moments("diskwars", 5, picture=JPEG))
    for entry in entries:
        writer.append(entry)
    copy = tmp_path / "copy.pinpoint"
    copy.write_bytes(path.read_bytes())
    writer.close()
    with GameLog(copy) as log:
        assert len(list(log.events())) == sum(len(entry.events) for entry in entries)


def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"no new game log in .*nowhere"):
        new_log(tmp_path / "nowhere" / "g.pinpoint")


def test_wrong_events_pictures_and_scenes_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match="unknown event type"):
        Event(0.0, 0, "exploded")
    with pytest.raises(EntryError, match="'frame' is no field"):
        Event(0.0, 0, "note", {"frame": 3})
    with pytest.raises(EntryError, match="frame number of a game"):
        Event(float("nan"), 0, "note")
    with pytest.raises(SceneError, match="finite"):
        Event(0.0, 0, "note", {"x": float("inf")})
    with pytest.raises(EntryError, match="JPEG"):
        Picture(b"GIF89a")
    scene = next(moments("diskwars", 1)).scene
    assert scene is not None
    writer = new_log(tmp_path / "g.pinpoint")
    with pytest.raises(SceneError, match="pieces"):
        writer.append(Entry(0.0, 0, scene=replace(scene, pieces=(replace(scene.pieces[0], x=float("nan")),))))
    assert writer.health.safe
    writer.close()


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_events_are_the_contracts_lines(kind: str) -> None:
    event = Event(1.5, 45, kind, {"piece": "<b>"})
    assert event.to_json() == {"t": 1.5, "frame": 45, "type": kind, "piece": "<b>"}
    assert Event.from_json(event.to_json()) == event
