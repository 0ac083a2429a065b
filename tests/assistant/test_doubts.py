"""What a detected scene states besides sigma: chances from fitted parameters, and what a followed game knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.games import GAMES
from assistant.rules.doubt import chance_of, variants
from assistant.rules.game import ask
from assistant.scene.values import Player, Scene, Terrain
from assistant.session import TableSetting, scene_of
from assistant.session.certainty_model import Logistic, certainty_model
from assistant.session.disk_following import seen_being_laid
from calibration.view import TableView
from tests.drawing.disks import camera
from vision.tracking.memory import Appeared, Bumped, Moved
from vision.types.sighting import DiskSighting, Order, TableSighting, TerrainSighting

DISKWARS = next(game for game in GAMES if game.id == "diskwars")
SETTING = TableSetting(DISKWARS, (Player("red"), Player("blue")))


def sighted(
    name: str, x: float, confidence: float = 1.0, visible: float = 1.0, owner: str | None = "red"
) -> DiskSighting:
    return DiskSighting(
        name, x, 450.0, 0.49 * np.eye(2), 50.8, 2.0, visible_fraction=visible, owner=owner, confidence=confidence
    )


def scene(
    *disks: DiskSighting,
    order: float | None = None,
    agreement: float | None = None,
    view: TableView | None = None,
    laid: tuple[str, ...] = (),
) -> Scene:
    orders = (Order("b", "a", order, agreement),) if order is not None else ()
    return scene_of(TableSighting(disks, orders), view or camera(25.0), SETTING, laid_in_sight=laid)


def widest(found: Scene, name: str) -> float:
    return max(way.sigma_mm for way in variants(found.piece(name)) if not way.wider_mm)


def test_sigma_stays_the_detectors() -> None:
    assert scene(sighted("a", 300.0)).piece("a").sigma_mm == pytest.approx(0.7)


def test_rare_errors_of_height_are_wider_in_a_slanting_view(monkeypatch: pytest.MonkeyPatch) -> None:
    model = replace(certainty_model(), height_mm=1.5)
    monkeypatch.setattr("assistant.session.doubts.certainty_model", lambda: model)
    above, aslant = (scene(sighted("a", 450.0), view=camera(tilt)) for tilt in (2.0, 50.0))
    rare = [
        sorted(way.sigma_mm for way in variants(found.piece("a")) if not way.wider_mm)[1] for found in (above, aslant)
    ]
    assert rare[1] > rare[0] + 0.1
    assert widest(above, "a") > 2.0


def test_doubtful_detections_are_more_often_false() -> None:
    found = scene(sighted("a", 300.0), sighted("b", 500.0, confidence=0.6))
    assert chance_of(found.piece("a"), "false") < 0.05 < chance_of(found.piece("b"), "false")


def test_covered_disks_have_other_sizes_more_often() -> None:
    found = scene(sighted("a", 300.0), sighted("b", 500.0, visible=0.2))
    other = [sum(way.share for way in variants(found.piece(name)) if way.wider_mm) for name in "ab"]
    assert other[0] < other[1]


def test_an_order_on_which_the_evidence_does_not_agree_is_a_close_call() -> None:
    pair = sighted("a", 300.0, visible=0.6), sighted("b", 330.0)
    found = [scene(*pair, order=0.999, agreement=agreement) for agreement in (30.0, 3.0, -2.0)]
    agreed, hardly, against = (each.above_certainty[0].certainty for each in found)
    assert agreed > 0.99 > 0.95 > hardly >= against >= 0.5


def test_an_order_that_no_picture_tells_is_as_sure_as_it_is_stated() -> None:
    pair = sighted("a", 300.0, visible=0.6), sighted("b", 330.0)
    assert [scene(*pair, order=order).above_certainty[0].certainty for order in (1.0, 0.6)] == [1.0, 0.6]


def test_a_followed_game_knows_what_was_laid_in_sight() -> None:
    pair = sighted("a", 300.0, visible=0.6), sighted("b", 330.0, owner="blue")
    still, followed = scene(*pair, order=1.0), scene(*pair, order=1.0, laid=("a", "b"))
    assert ask(DISKWARS, still, "pins").certainty < 0.95
    assert ask(DISKWARS, followed, "pins").certainty > 0.95
    assert chance_of(followed.piece("b"), "pinned") == 0.0


def test_what_was_seen_being_laid_may_still_be_no_disk() -> None:
    pair = sighted("a", 300.0, visible=0.6), sighted("b", 330.0, owner="blue", confidence=0.6)
    doubtful = scene(*pair, order=1.0, laid=("a", "b"))
    assert chance_of(doubtful.piece("b"), "false") > 0.05
    assert ask(DISKWARS, doubtful, "pins").certainty < 0.95


def test_a_disk_that_came_to_light_or_was_carried_with_its_stack_was_not_seen_being_laid() -> None:
    stack = scene(sighted("a", 300.0), sighted("b", 330.0), order=1.0)
    place = (500.0, 500.0)
    carried = [Moved(name, (0.0, 0.0), place) for name in "ab"]
    assert seen_being_laid(carried, stack) == {"a"}
    assert seen_being_laid(carried[1:], stack) == {"b"}
    assert seen_being_laid([Appeared("c", place), Appeared("d", place, was_under="b")], stack) == {"c"}


def test_nothing_is_seen_being_laid_while_other_disks_are_shifted() -> None:
    bump = Bumped((Moved("a", (300.0, 450.0), (303.0, 450.0)),))
    assert seen_being_laid([Appeared("c", (500.0, 500.0)), bump], scene(sighted("a", 300.0))) == set()


def test_lines_may_be_blocked_by_undetected_terrain_until_people_say_where_it_lies() -> None:
    disks = sighted("a", 200.0), sighted("b", 700.0)
    told = Terrain("wall", ((10.0, 10.0), (60.0, 10.0), (60.0, 60.0)), ("blocks sight",))
    setting = TableSetting(DISKWARS, SETTING.players, terrain=(told,))
    by_people = scene_of(TableSighting(disks, ()), camera(25.0), setting)
    assert 0.95 < ask(DISKWARS, scene(*disks), "los a b").certainty < 1.0
    assert ask(DISKWARS, by_people, "los a b").certainty > 0.999


def test_a_line_over_unknown_terrain_states_how_likely_it_turns() -> None:
    outline = np.array([[430.0, 400.0], [480.0, 400.0], [480.0, 500.0], [430.0, 500.0]])
    seen = TableSighting((sighted("a", 200.0), sighted("b", 700.0)), (), (TerrainSighting("t", outline),))
    ruling = ask(DISKWARS, scene_of(seen, camera(25.0), SETTING), "los a b")
    assert ruling.certainty == pytest.approx(1.0 - certainty_model().turns, abs=0.02)
    assert ruling.close_call


def test_a_logistic_chance() -> None:
    assert Logistic({"one": 0.0, "x": 2.0}).chance({"x": 0.0}) == 0.5
    assert Logistic({"one": -1000.0}).chance({}) == pytest.approx(0.0, abs=1e-9)
