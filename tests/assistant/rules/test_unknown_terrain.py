"""Terrain of unknown kind: a line over it is a close call that names it; one past it is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.games import GAMES
from assistant.rules.game import ask
from assistant.rules.ruling import Verdict
from assistant.scene.values import Circle, Piece, Player, Scene, Table, Terrain

DISKWARS = next(game for game in GAMES if game.id == "diskwars")
BETWEEN = ((380.0, 240.0), (440.0, 240.0), (440.0, 360.0), (380.0, 360.0))
BESIDE = ((380.0, 640.0), (440.0, 640.0), (440.0, 760.0), (380.0, 760.0))


def scene(outline: tuple[tuple[float, float], ...], unknown: bool, keywords: tuple[str, ...] = ()) -> Scene:
    pieces = tuple(
        Piece(name, Circle(50.8), x, 300.0, owner, size=1.0)
        for name, x, owner in (("a", 200.0, "red"), ("b", 600.0, "blue"))
    )
    terrain = Terrain("terrain-1", outline, keywords, extra={"unknown": True} if unknown else {})
    return Scene("diskwars", Table(914.4, 914.4), (Player("red"), Player("blue")), pieces, terrain=(terrain,))


@pytest.mark.parametrize("name", ["diskwars", "firefight", "wrath-of-kings"])  # Conquest asks between regiments
def test_a_line_over_unknown_terrain_is_a_close_call(name: str) -> None:
    system = next(game for game in GAMES if game.id == name)
    ruling = ask(system, replace(scene(BETWEEN, unknown=True), game=system.id), "los a b")
    assert ruling.verdict is Verdict.TOO_CLOSE
    assert ruling.close_call
    assert ruling.answer["close_call"] is True
    assert ruling.answer["unknown_terrain"] == ["terrain-1"]
    assert "terrain-1" in ruling.sentence


def test_unknown_terrain_beside_the_line_does_not_matter() -> None:
    ruling = ask(DISKWARS, scene(BESIDE, unknown=True), "los a b")
    assert ruling.certainty == 1.0
    assert "unknown_terrain" not in ruling.answer


def test_terrain_of_a_hand_written_scene_is_what_it_says() -> None:
    assert ask(DISKWARS, scene(BETWEEN, unknown=False), "los a b").certainty == 1.0


def test_terrain_that_a_person_has_named_decides() -> None:
    ruling = ask(DISKWARS, scene(BETWEEN, unknown=True, keywords=("blocks sight",)), "los a b")
    assert ruling.answer["visible"] is False
    assert not ruling.close_call


def test_a_range_does_not_depend_on_terrain() -> None:
    assert ask(DISKWARS, scene(BETWEEN, unknown=True), "range a b").certainty == 1.0
