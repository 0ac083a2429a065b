"""States are corrected by what was noticed later: a disk that was there all along, and one that never was."""

from __future__ import annotations

from assistant.log.event import Event
from assistant.log.hindsight import with_hindsight
from assistant.scene.values import Circle, Piece, Scene, Table

TABLE = Table(914.4, 914.4)


def disk(name: str, x: float, y: float = 100.0) -> Piece:
    return Piece(name, Circle(50.8), x, y)


def scene(*pieces: Piece, above: tuple[tuple[str, str], ...] = ()) -> Scene:
    return Scene("diskwars", TABLE, pieces=pieces, above=above)


def note(piece: str, there: bool) -> Event:
    return Event(9.0, 270, "note", {"piece": piece, "there": there})


def test_a_disk_that_was_there_all_along_is_in_every_state_before() -> None:
    top, late = disk("top", 120.0), disk("late", 100.0)
    states = [
        scene(top, disk("mover", 80.0)),
        scene(top, disk("mover", 500.0)),
        scene(top, disk("mover", 500.0), late, above=(("top", "late"),)),
    ]
    first, second, third = with_hindsight(states, [note("late", True)])
    assert [piece.id for piece in first.pieces] == ["top", "mover", "late"]
    assert set(first.above) == {("top", "late"), ("mover", "late")}
    assert second.above == (("top", "late"),)
    assert third is states[2]


def test_a_disk_that_never_was_is_in_no_state() -> None:
    false = scene(disk("a", 100.0), disk("ghost", 130.0), above=(("ghost", "a"),))
    first, second = with_hindsight([false, scene(disk("a", 100.0))], [note("ghost", False)])
    assert first.pieces == second.pieces
    assert first.above == ()


def test_a_disk_that_was_removed_later_is_not_brought_back() -> None:
    states = [scene(disk("a", 1.0)), scene(disk("a", 1.0), disk("late", 300.0)), scene(disk("a", 1.0))]
    shown = [[piece.id for piece in state.pieces] for state in with_hindsight(states, [note("late", True)])]
    assert shown == [["a", "late"], ["a", "late"], ["a"]]


def test_other_notes_change_nothing() -> None:
    states = [scene(disk("a", 1.0)), scene(disk("a", 1.0), disk("b", 300.0))]
    text = Event(9.0, 270, "note", {"text": "round 2"})
    assert list(with_hindsight(states, [text])) == states
