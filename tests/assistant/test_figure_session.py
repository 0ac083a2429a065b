"""Figures on a drawn film: pieces keep their names, and what happens to them is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assistant.games.conquest.system import CONQUEST
from assistant.games.firefight.system import FIREFIGHT
from assistant.log.event import Event
from assistant.session import Moment, Session, TableSetting, session_for
from benchmarks.figure_tables import TABLE_MM, Base, Stand, State, film, overhead_view
from vision.look.pieces import Pieces
from vision.types.frame import Frame

FPS = 20
VIEW = overhead_view()


def watched(session: Session, states: list[State]) -> tuple[list[Event], list[Moment]]:
    """The events of a film of those states, and the moments that were new states."""
    events: list[Event] = []
    settled: list[Moment] = []
    for index, bgr in enumerate(film(states, VIEW, seed=7)):
        moment = session.update(Frame(bgr, index, index / FPS))
        events += moment.events
        settled += [moment] if moment.new_state else []
    return events, settled


def told(events: list[Event]) -> list[tuple[Any, ...]]:
    return [(event.type, event.fields.get("piece")) for event in events]


def test_bases_that_move_come_and_go() -> None:
    a, b = Base(300, 300, 32.0, "red", 25.0), Base(360, 300, 32.0, "red", 26.0)
    c, d = Base(600, 600, 40.0, "blue", 27.0), Base(300, 640, 25.0, "green", 24.0)
    states = [
        State(bases=(a, b, c)),
        State(bases=(a, replace(b, x=430.0, y=360.0), c)),
        State(bases=(a, replace(b, x=430.0, y=360.0), d)),
    ]
    session = session_for(TableSetting(FIREFIGHT), Pieces(FIREFIGHT.circles_mm), VIEW.lens, (TABLE_MM, TABLE_MM))
    events, settled = watched(session, states)
    first = {(piece.id, piece.unit) for piece in settled[0].scene.pieces}
    assert len(first) == 3
    mover = next(p.id for p in settled[0].scene.pieces if p.unit == "red" and p.centre[0] > 330)
    gone = next(p.id for p in settled[0].scene.pieces if p.unit == "blue")
    kinds = told(events)
    assert kinds[0] == ("moved", mover)
    assert sorted(kinds[1:]) == [("appeared", "green-4"), ("removed", gone)]
    move = events[0].fields
    assert abs(float(str(move["distance_mm"])) - 92.2) < 2.0
    assert move["allowed"] is True
    assert {p.id for p in settled[-1].scene.pieces} == {name for name, _ in first} - {gone} | {"green-4"}


def test_stands_keep_their_places_in_the_regiment_and_their_turning_is_told() -> None:
    rank = tuple(Stand(400 + 60.0 * n, 400, 60.0, 60.0, 0.0, "red", 22.0 + n) for n in range(3))
    lone = Stand(600, 650, 60.0, 60.0, 0.0, "blue", 30.0)
    ahead = tuple(replace(stand, y=stand.y - 60.0) for stand in rank)
    states = [State(stands=(*rank, lone)), State(stands=(*ahead, replace(lone, facing_deg=90.0)))]
    session = session_for(TableSetting(CONQUEST), Pieces(), VIEW.lens, (TABLE_MM, TABLE_MM))
    events, settled = watched(session, states)
    before = {piece.id: piece for piece in settled[0].scene.pieces}
    after = {piece.id: piece for piece in settled[-1].scene.pieces}
    assert len(before) == 4
    assert before.keys() == after.keys()
    (regiment,) = [event for event in events if event.fields.get("unit") == "red"]
    members: Any = regiment.fields["pieces"]
    assert {member["piece"] for member in members} == {name for name in before if name.startswith("red")}
    assert [event.type for event in events] == ["moved", "moved"]
    for name, piece in before.items():
        if piece.unit == "red":
            assert abs(after[name].centre[0] - piece.centre[0]) < 3.0
            assert abs(after[name].centre[1] - piece.centre[1] + 60.0) < 3.0
    turned = [event.fields["turned_deg"] for event in events if "turned_deg" in event.fields]
    assert len(turned) == 1
    assert abs(float(str(turned[0])) - 90.0) < 3.0
