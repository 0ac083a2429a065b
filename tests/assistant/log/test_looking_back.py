"""Looking back at a game: figures, turns, moments, lines for other programs, rulings judged again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.log.clock import clock_text, moment_text, seconds_of
from assistant.log.entry import Entry, RulingRecord
from assistant.log.errors import EntryError
from assistant.log.event import EVENT_TYPES, Event
from assistant.log.exporting import CSV_COLUMNS, event_lines, position_lines, scene_lines
from assistant.log.game_log import GameLog
from assistant.log.replay import recompute
from assistant.log.settings import Settings
from assistant.log.story import read_story
from assistant.log.summary import Span, rounds_of, summarise, summary_text, turns_of
from assistant.log.telling import ruling_line, sentence
from assistant.log.writer import LogWriter
from assistant.scene.notation import from_notation
from assistant.scene.reading import scene_from_json
from assistant.scene.values import JsonValue, Scene
from tests.assistant.log.pretend import KINDS, moments

SCENE = from_notation(
    """
scene diskwars table=900x900 round=1
player red edge=south
player blue edge=north
piece a circle=50 at=100,800 owner=red profile=orc
piece b circle=50 at=100,100 owner=blue profile=orc
piece c circle=50 at=300,100 owner=blue visible=false
"""
)
ROSTER: JsonValue = {"profiles": [{"id": "orc", "name": "Orc Boyz"}]}


def close(kind: str, *pieces: str, certainty: float = 0.8) -> dict[str, JsonValue]:
    return {
        "kind": kind,
        "pieces": list(pieces),
        "sentence": f"{kind} of {' and '.join(pieces)}",
        "rule": "DW-40",
        "verdict": "too close" if certainty < 0.95 else "yes",
        "certainty": certainty,
        "close_call": certainty < 0.95,
        "margin_mm": 0.25,
        "answer": {},
    }


def moved(t_s: float, piece: str, flips: int) -> Event:
    return Event(t_s, int(t_s * 30), "moved", {"piece": piece, "from": [0, 0], "to": [1, 1], "flips": flips})


@pytest.fixture
def log_path(tmp_path: Path) -> Path:
    path = tmp_path / "g.pinpoint"
    second = replace(SCENE, round=2)
    writer = LogWriter.create(path, Settings("diskwars", started="2026-05-04T10:00:00+00:00", roster=ROSTER))
    writer.append(Entry(10.0, 300, (Event(10.0, 300, "appeared", {"piece": "a"}),), SCENE))
    writer.append(Entry(40.0, 1200, (moved(40.0, "a", 2),), rulings=(close("range", "a", "b"),)))
    writer.append(Entry(50.0, 1500, (moved(50.0, "a", 1),), rulings=(close("range", "a", "b"),)))
    writer.append(Entry(90.5, 2715, (moved(90.5, "b", 3),), second, (close("sight", "a", "b"),)))
    pinned = Event(100.0, 3000, "pinned", {"top": "b", "bottom": "c"})
    writer.append(Entry(100.0, 3000, (pinned,), rulings=(close("range", "a", "b"), close("pin", "b", certainty=1.0))))
    writer.append(Entry(110.0, 3300, (Event(110.0, 3300, "removed", {"piece": "c", "from": [300, 100]}),)))
    writer.append(Entry(130.0, 3900, (moved(130.0, "a", 1),)))
    writer.correct(140.0, 4200, second, replace(second, pieces=second.pieces[:2]), "c was gone")
    writer.close()
    return path


def test_the_figures_of_a_game(log_path: Path) -> None:
    with GameLog(log_path) as log:
        story = read_story(log)
    summary = summarise(story)
    assert rounds_of(story) == (Span("1", 10.0, 90.5), Span("2", 90.5, 140.0))
    assert turns_of(story) == (Span("red", 10.0, 50.0), Span("blue", 50.0, 90.5), Span("red", 90.5, 130.0))
    red, blue = summary.players
    assert (red.player, red.moves, red.flips, red.casualties) == ("red", 3, 4, ())
    assert (blue.player, blue.moves, blue.flips, blue.casualties) == ("blue", 1, 3, ("c",))
    assert red.mean_turn_s == pytest.approx((40.0 + 39.5) / 2)
    assert summary.length_s == 130.0
    assert [call.t_s for call in story.close_calls] == [40.0, 90.5, 100.0]
    assert story.names == {"a": "Orc Boyz (a)", "b": "Orc Boyz (b)", "c": "c"}


def test_the_summary_says_it_in_lines(log_path: Path) -> None:
    with GameLog(log_path) as log:
        lines = summary_text(read_story(log)).splitlines()
    assert lines[0] == "diskwars · 2026-05-04T10:00:00+00:00 · 2:10"
    assert "round 2: 1:30 to 2:20 (0:49)" in lines
    assert "casualties     0     1" in lines
    assert "time per turn  0:39  0:40" in lines
    assert "pins: 1, 0 undone" in lines
    assert "close calls: 3" in lines
    assert "  1:30.5  sight of a and b (DW-40, certainty 80%, margin 0.2 mm, too close to call)" in lines
    assert lines[-1].startswith("  2:20.0  c was gone: pieces/c ")


def test_asked_questions_do_not_end_a_close_call(tmp_path: Path) -> None:
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings("diskwars"))
    asked = {**close("range", "b", "c"), "question": "range b c"}
    for number, records in enumerate(((close("range", "a", "b"),), (asked,), (close("range", "a", "b"),))):
        writer.append(Entry(float(number), number, rulings=records))
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        assert [call.t_s for call in read_story(log).close_calls] == [0.0, 1.0]


@pytest.mark.parametrize("game", KINDS)
def test_exported_events_and_scenes_are_the_contracts(tmp_path: Path, game: str) -> None:
    entries = list(moments(game, 15))
    writer = LogWriter.create(tmp_path / "g.pinpoint", Settings(game))
    for entry in entries:
        writer.append(entry)
    writer.close()
    with GameLog(tmp_path / "g.pinpoint") as log:
        events = [json.loads(line) for line in event_lines(log)]
        scenes = [json.loads(line) for line in scene_lines(log)]
        states = list(log.states())
    assert [Event.from_json(data) for data in events] == [event for entry in entries for event in entry.events]
    assert all({"t", "frame", "type"} <= data.keys() for data in events)
    assert all(data.keys() == {"t", "frame", "scene"} for data in scenes)
    assert [scene_from_json(data["scene"]) for data in scenes] == [state.scene for state in states]


def test_positions_are_a_table(log_path: Path) -> None:
    with GameLog(log_path) as log:
        rows = list(csv.DictReader(io.StringIO("".join(position_lines(log)))))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == 3 + 3 + 2
    assert {key: rows[2][key] for key in ("t", "frame", "piece", "owner", "x", "y", "visible")} == {
        "t": "10.0",
        "frame": "300",
        "piece": "c",
        "owner": "blue",
        "x": "300",
        "y": "100",
        "visible": "0",
    }


def test_rulings_judged_again_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "g.pinpoint"
    settings = Settings("diskwars", readings={"between": "any"})
    writer = LogWriter.create(path, settings)
    second = replace(SCENE, round=2)
    writer.append(Entry(0.0, 0, scene=SCENE, rulings=(close("pin", "a", certainty=1.0), close("range", "a", "b"))))
    writer.append(Entry(1.0, 30, rulings=({**close("range", "b", "c"), "question": "range b c"},)))
    writer.change(2.0, 60, replace(settings, readings={"between": "all"}))
    writer.append(Entry(3.0, 90, scene=second, rulings=(close("pin", "a", certainty=1.0),)))
    writer.close()
    asked: list[tuple[int | None, Mapping[str, str]]] = []

    def as_before(scene: Scene, readings: Mapping[str, str]) -> list[RulingRecord]:
        asked.append((scene.round, readings))
        pin = {**close("pin", "a", certainty=1.0), "sentence": "said better", "evidence": []}
        return [pin] if scene.round == 2 else [close("range", "a", "b"), pin]

    def otherwise(scene: Scene, readings: Mapping[str, str]) -> list[RulingRecord]:
        del readings
        return [close("pin", "b", certainty=1.0), close("range", "a", "b", certainty=1.0)] if scene.round == 1 else []

    with GameLog(path) as log:
        assert list(recompute(log, as_before)) == []
        assert asked == [(1, {"between": "any"}), (2, {"between": "all"})]
        differences = [(d.t_s, d.was and d.was["kind"], d.now and d.now["kind"]) for d in recompute(log, otherwise)]
    assert differences == [(0.0, "pin", None), (0.0, None, "pin"), (0.0, "range", "range"), (3.0, "pin", None)]


@given(st.floats(0, 1e6))
def test_a_shown_moment_finds_what_happened_then(t_s: float) -> None:
    assert t_s - 1e-6 <= seconds_of(moment_text(t_s)) <= t_s + 0.1 + 1e-6
    assert abs(seconds_of(clock_text(t_s)) - t_s) <= 1


@pytest.mark.parametrize("text", ["", "noon", "12:34:", "-3", "1:2:3:4", "12:99", "nan", "1e9"])
def test_a_wrong_moment_is_one_line(text: str) -> None:
    with pytest.raises(EntryError, match="wrong moment"):
        seconds_of(text)


@pytest.mark.parametrize("kind", EVENT_TYPES)
def test_every_event_can_be_told(kind: str) -> None:
    names = {"a": "Orc Boyz", "b": "Fen Trolls"}
    full = Event(1.0, 30, kind, {"piece": "a", "top": "a", "bottom": "b", "flips": 1, "token": "damage", "change": -1})
    assert sentence(full, names)
    assert sentence(Event(1.0, 30, kind, {"piece": 7, "flips": "x", "change": None, "pieces": [None]}), names)
    if kind in ("moved", "pinned", "token", "violation"):
        assert "Orc Boyz" in sentence(full, names)


def test_a_bare_ruling_can_be_told() -> None:
    assert ruling_line({"kind": "pin"}) == "pin"
