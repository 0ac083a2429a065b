"""The window on games with bases and stands: fronts, units, and each game's own questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from assistant.games import GAMES
from assistant.log.entry import Entry
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.pointed import about, between, takes_units
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene
from assistant.ui.overlays.model import AreaMark, GhostMark, Ink, LineMark, PieceMark, RingMark
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import objective_marks
from assistant.ui.overlays.strokes import spot
from assistant.ui.review import ReviewWindow
from tests.assistant.ui import hand

CASES = Path(__file__).parents[2] / "cases"


def scene_of(game: str, case: str) -> Scene:
    """The scene of a conformance case."""
    lines = (CASES / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()
    return scene_from_json(next(data for data in map(json.loads, lines) if data["id"] == case)["scene"])


@pytest.fixture
def conquest(tmp_path: Path, qtbot: QtBot) -> Iterator[ReviewWindow]:
    """A game with two regiments that a third stands between, without a picture."""
    log = LogWriter.create(tmp_path / "game.pinpoint", Settings(game="conquest"))
    log.append(Entry(0.0, 0, (), scene_of("conquest", "cq-los-block"), (), ()))
    log.close()
    shown = ReviewWindow(GameLog(tmp_path / "game.pinpoint"), synchronous=True)
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    shown.close()


def test_a_game_without_pictures_is_drawn(conquest: ReviewWindow) -> None:
    image = conquest.pane.canvas.grab().toImage()
    projection = conquest.model.projection()
    assert projection is not None
    at = conquest.pane.canvas.widget_point(*spot((20.0, 20.0), projection)).toPoint()
    cloth = image.pixelColor(at)
    assert (cloth.red(), cloth.green(), cloth.blue()) == (58, 74, 62)
    x, y = scene_of("conquest", "cq-los-block").piece("r1").centre
    side = conquest.pane.canvas.widget_point(*spot((x - 30.0, y), projection)).toPoint()
    seen = [image.pixelColor(side.x() + dx, side.y()) for dx in range(-3, 4)]
    assert any(abs(pixel.blue() - colour(Ink.OWNER_1).blue()) < 30 for pixel in seen)


def test_stands_show_their_front_and_their_regiment(conquest: ReviewWindow) -> None:
    marks = conquest.model.standing()
    stands = {mark.id: mark for mark in marks if isinstance(mark, PieceMark)}
    assert all(mark.faces and not mark.name for mark in stands.values())
    (ax, ay), (bx, by) = stands["r1"].outline[:2]
    facing = scene_of("conquest", "cq-los-block").piece("r1").facing_deg
    assert facing == 0
    assert (ay + by) / 2 == pytest.approx(stands["r1"].centre[1] - 30)
    assert (ax + bx) / 2 == pytest.approx(stands["r1"].centre[0])
    units = [mark for mark in marks if isinstance(mark, AreaMark)]
    assert sorted(mark.text for mark in units) == ["k", "r", "s"]


def test_a_click_asks_what_that_game_knows(conquest: ReviewWindow) -> None:
    conquest.model.click("r1")
    assert conquest.model.call is not None
    assert {"formation", "sight"} <= {ruling.kind for ruling in conquest.model.call.rulings}
    conquest.model.click("s1")
    said = {ruling.kind: ruling for ruling in conquest.model.call.rulings}
    assert {"range", "sight", "arc", "volley", "charge"} <= set(said)
    assert said["sight"].answer["visible"] is False
    lines = [mark for mark in conquest.model.call.overlays if isinstance(mark, LineMark)]
    assert not [mark for mark in lines if mark.ink is Ink.FREE]


def test_a_stand_is_tried_elsewhere_with_its_own_outline(conquest: ReviewWindow) -> None:
    projection = conquest.model.projection()
    assert projection is not None
    centre = scene_of("conquest", "cq-los-block").piece("r4").centre
    start = conquest.pane.canvas.widget_point(*spot(centre, projection)).toPoint()
    end = conquest.pane.canvas.widget_point(*spot((centre[0], centre[1] + 200.0), projection)).toPoint()
    hand.drag(conquest.pane.canvas, start, end)
    (ghost,) = [mark for mark in conquest.model.asked() if isinstance(mark, GhostMark)]
    assert len(ghost.outline) == 4
    assert ghost.end[1] == pytest.approx(centre[1] + 200.0, abs=2.0)


def test_markers_are_drawn_with_their_holder() -> None:
    marks = objective_marks(scene_of("firefight", "ff-dep-objectives"))
    assert {"o1", "o2", "o3", "o4"} <= {mark.text for mark in marks}
    assert all(isinstance(mark, RingMark) for mark in marks)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.id))
def test_every_game_has_distance_and_sight_between_two_pieces(game: object) -> None:
    system = next(known for known in GAMES if known is game)
    scene = scene_of("conquest", "cq-los-block")
    first, second = scene.piece("r1"), scene.piece("s1")
    words = {asked[0]: asked[1:] for asked in between(system, first, second)}
    assert words["range"] == ("r1", "s1")
    assert words["los"] == (("r", "s") if takes_units(system, "los") else ("r1", "s1"))
    assert "move" not in {asked[0] for asked in about(system, first)}
