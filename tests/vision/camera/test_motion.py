"""Motion and settling on drawn pictures: what is noticed and what is not."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
import pytest
from shapely import Point

from tests.drawing.film import DrawnFilm, drawn_table
from tests.drawing.simulated_game import DiceGame, Table
from vision.camera.motion import Motion, MotionSense
from vision.camera.options import CAMERA
from vision.camera.settling import Calm, Settling, field_mask
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, Order, TableSighting
from vision.watch.regions import with_whole_piles


def sensed(sense: MotionSense, frames: Iterable[Frame]) -> list[Motion]:
    return [sense.update(frame) for frame in frames]


@pytest.fixture
def table() -> Table:
    return DiceGame(4).table


@pytest.mark.parametrize("noise_levels", [0.5, 2.0, 5.0])
def test_noise_and_light_move_nothing(table: Table, noise_levels: float) -> None:
    film, sense = DrawnFilm(noise_levels=noise_levels), MotionSense()
    sensed(sense, film.still(table, 10))
    sense.remember(next(film.still(table, 1)).bgr)
    frames = [*film.still(table, 6, gain=1.08), *film.still(table, 6, gain=0.75), *film.still(table, 8, flicker=0.05)]
    for motion in sensed(sense, [*frames, *film.shadow(table, 20)]):
        field = field_mask(film.view, motion.moving.shape, motion.px_per_cell)
        assert np.count_nonzero(motion.changed & field) < 6
        assert np.count_nonzero(motion.moving & field) < 6


def test_a_hand_moves_and_a_moved_disk_stays_changed() -> None:
    game = DiceGame(4)
    before = game.table
    while not (told := game.act()) or told[0][0] != "moved":
        before = game.table
    film, sense = DrawnFilm(), MotionSense()
    sensed(sense, film.still(before, 8))
    sense.remember(next(film.still(before, 1)).bgr)
    passing = sensed(sense, film.hand(before, game.table, (450.0, 450.0)))
    assert max(np.count_nonzero(motion.moving) for motion in passing) > 500
    after = sensed(sense, film.still(game.table, 12))[-1]
    assert not after.moving.any()
    for piece in (before.by_id()[str(told[0][1])], game.table.by_id()[str(told[0][1])]):
        x, y = film.view.board_to_image(np.array([[piece.x, piece.y]]))[0] / after.px_per_cell
        assert after.changed[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].any()
    assert np.count_nonzero(after.changed) < 2500


def calms(film: DrawnFilm, frames: Iterable[Frame], sense: MotionSense, settling: Settling) -> list[Calm]:
    found = []
    for frame in frames:
        motion = sense.update(frame)
        found.append(settling.update(frame, motion, field_mask(film.view, motion.moving.shape, motion.px_per_cell)))
    return found


def test_the_field_is_at_rest_only_without_arms(table: Table) -> None:
    film, sense, settling = DrawnFilm(), MotionSense(), Settling()
    calms(film, film.still(table, 12), sense, settling)
    sense.remember(next(film.still(table, 1)).bgr)
    hand = calms(film, film.hand(table, table, (450.0, 300.0), frames=24, rest=30), sense, settling)
    assert all(not calm.at_rest for calm in hand[6:48])
    middle = hand[40]  # the arm lies still by now
    assert middle.still_s > CAMERA.settle_s
    assert middle.held.mean() > 0.03
    assert not middle.something_changed
    gone = calms(film, film.still(table, 14), sense, settling)[-1]
    assert gone.at_rest
    assert not gone.something_changed
    assert gone.rest_frame > film.index - 15 - 8
    assert gone.from_frame < 20


def test_a_thing_that_reaches_in_and_never_stirs_is_no_arm(table: Table) -> None:
    film, sense, settling = DrawnFilm(), MotionSense(), Settling()
    calms(film, film.still(table, 12), sense, settling)
    sense.remember(next(film.still(table, 1)).bgr)
    drawn = drawn_table(table, film.view)
    cv2.rectangle(drawn, (300, 300), (420, 540), (30, 60, 200), -1)
    book = np.clip(drawn, 0, 255).astype(np.uint8)
    frames = [Frame(book, film.index + step, (film.index + step) / 5) for step in range(80)]
    found = calms(film, frames, sense, settling)
    assert not found[10].at_rest
    assert found[-1].at_rest
    assert found[-1].something_changed


def test_who_reaches_in_beside_the_field_is_not_remembered_there(table: Table) -> None:
    film, sense, settling = DrawnFilm(), MotionSense(), Settling()
    calms(film, film.still(table, 12), sense, settling)
    sense.remember(next(film.still(table, 1)).bgr)
    drawn = drawn_table(table, film.view)
    arms = [cv2.rectangle(drawn.copy(), (0, 250), (60 + 20 * step, 300), (120, 145, 190), -1) for step in range(7)]
    frames = [frame for arm in arms for frame in film.shown(arm.astype(np.float32), 1)]
    reaching = calms(film, frames, sense, settling)[-1]
    assert reaching.at_rest
    assert reaching.intruding.any()
    sense.remember(frames[-1].bgr, ~reaching.intruding)
    assert not sensed(sense, film.still(table, 12))[-1].changed.any()


def test_a_pile_is_looked_at_as_a_whole() -> None:
    def disk(name: str, x: float, diameter_mm: float = 50.0) -> DiskSighting:
        return DiskSighting(name, x, 100.0, np.eye(2), diameter_mm, 2.0)

    sighting = TableSighting(
        (disk("a", 100), disk("b", 140), disk("c", 180), disk("far", 400)),
        (Order("a", "b", 0.9), Order("b", "c", 0.9)),
    )
    region, rest = with_whole_piles(Point(80, 100).buffer(10), sighting)
    assert [left.id for left in rest.disks] == ["far"]
    assert rest.orders == ()
    assert region.covers(Point(180, 100).buffer(24))
    assert region.is_valid
