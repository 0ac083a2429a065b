"""Strips around rims: what they show of a disk, and what centres and heights follow from what is said of each place."""

from __future__ import annotations

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from vision.rims.cell_network import contrast
from vision.rims.strip_network import (
    EDGE,
    HEIGHT,
    INSIDE_PX,
    SHARE,
    SPREAD,
    UNIT_MM,
    WEIGHT,
    Circles,
    StripReader,
    cut_strips,
    solved,
)
from vision.types.arrays import FloatImage
from vision.types.poses import ANGLES, slant
from vision.types.top_view import top_view

ACROSS = ANGLES // 2  # the place opposite to the first one
FIRST = np.zeros(1, dtype=np.intp)


def _circle(x: float, y: float, radius: float, slants: tuple[float, float] = (0.5, 0.0)) -> Circles:
    return Circles(np.array([[x, y]]), np.array([radius]), np.array([slants]), np.ones(1, dtype=bool))


def _painted(x: float, y: float, radius: float) -> FloatImage:
    rows, columns = np.mgrid[0:200, 0:200]
    inside = np.hypot(columns - x, rows - y) < radius
    return np.repeat(inside[..., None], 3, axis=2).astype(np.float32)


def test_a_strip_shows_the_disk_inside_of_its_rim_and_begins_at_the_camera_s_side() -> None:
    strip = cut_strips(_painted(100, 100, 40), _circle(100, 100, 40), FIRST)[0]
    assert strip[0, : INSIDE_PX - 1].min() == 1
    assert strip[0, INSIDE_PX + 2 :].max() == 0
    # The camera is where things seem to move away from: in the west.
    beyond = _painted(100 - 50, 100, 6)
    strip = cut_strips(beyond, _circle(100, 100, 40), FIRST)[0, 0, INSIDE_PX + 10]
    assert strip[0] == 1
    assert strip[ACROSS] == 0


def test_a_strip_shows_where_other_likely_disks_are() -> None:
    centres, radii = np.array([[100.0, 100.0], [140.0, 100.0], [60.0, 100.0]]), np.array([40.0, 20.0, 20.0])
    likely = np.array([True, True, False])
    circles = Circles(centres, radii, np.full((3, 2), (0.5, 0.0)), likely)
    strips = cut_strips(_painted(100, 100, 40), circles, np.array([0, 2]))
    assert strips[0, 3, INSIDE_PX, ACROSS] == 1  # in the east, away from the camera
    assert strips[0, 3, INSIDE_PX, 0] == 0
    assert strips[1, 3, INSIDE_PX, ACROSS] == 1


def _outputs(edges: np.ndarray, weights: np.ndarray, height: float, spread: float) -> np.ndarray:
    outputs = np.zeros((1, 6, ANGLES))
    outputs[0, EDGE], outputs[0, WEIGHT] = edges, np.log(weights)
    outputs[0, HEIGHT], outputs[0, SHARE], outputs[0, SPREAD] = height / UNIT_MM, 0.0, np.log(spread / UNIT_MM)
    return outputs


def test_places_of_a_shifted_rim_give_its_shift_and_its_height() -> None:
    circle = _circle(100, 100, 40, (0.0, -0.5))  # the camera stands in the south
    turns = np.pi / 2 + np.arange(ANGLES) * (2 * np.pi / ANGLES)
    edges = 1.5 * np.cos(turns) - 0.5 * np.sin(turns)
    found = solved(_outputs(edges, np.full(ANGLES, 20.0), 6.0, 0.5), circle)
    assert found.shifts[0] == pytest.approx((1.5, -0.5), abs=0.01)
    assert found.heights_mm[0] == pytest.approx(6.0)
    assert found.height_sigmas_mm[0] == pytest.approx(0.5 * np.sqrt(2))  # a Student distribution's


def test_a_rim_seen_on_one_side_is_less_sure_along_it() -> None:
    circle = _circle(100, 100, 40)
    turns = np.pi + np.arange(ANGLES) * (2 * np.pi / ANGLES)
    west = np.where(np.cos(turns) < -0.9, 20.0, 1e-3)
    found = solved(_outputs(np.zeros(ANGLES), west, 2.0, 1.0), circle)
    assert found.covariances[0, 1, 1] > 3 * found.covariances[0, 0, 0]
    whole = solved(_outputs(np.zeros(ANGLES), np.full(ANGLES, 20.0), 2.0, 1.0), circle)
    assert np.trace(whole.covariances[0]) < 0.2 * np.trace(found.covariances[0])


def test_drawn_disks_are_measured_from_a_place_beside_theirs() -> None:
    table = Table(camera(35.0))
    table.lay(disk("below", 400.0, 400.0, 76.2), art(3, VIOLET))
    table.lay(disk("above", 440.0, 420.0, 50.8, 4.0), art(4, GOLD))
    table.lay(disk("alone", 600.0, 300.0, 50.8), art(4, GOLD))
    view = table.view
    top = top_view(table.take(), view, 1.25, 2.0, 20.0)
    pixels = view.board_to_image(np.array([[400.0, 400.0], [440.0, 420.0], [600.0, 300.0]]), np.array([2.0, 4.0, 2.0]))
    true = top.to_pixels(view.image_to_board(pixels, 2.0))
    radii = np.array([76.2, 50.8, 50.8]) / 2 * top.px_per_mm
    given = true + np.array([[1.5, 0.0], [-1.0, 1.0], [0.0, -2.0]])
    circles = Circles(given, radii, slant(view, top.to_board(given)), np.ones(3, dtype=bool))
    reader = StripReader(contrast(top.bgr))
    found = reader.measure(circles)
    off_mm = np.linalg.norm(given + found.shifts - true, axis=1) / top.px_per_mm
    assert off_mm.max() < 0.8  # 1.2, 1.1 and 1.6 mm at first
    assert abs(found.heights_mm[1] - found.heights_mm[2] - 2.0) < 1.5
    # The same strips are read once; a strip beside others is another than alone.
    assert len(reader.known) == 3
    assert np.array_equal(reader.measure(circles).shifts, found.shifts)
    assert len(reader.known) == 3
    alone = reader.measure(Circles(given[1:], radii[1:], circles.slants[1:], circles.likely[1:]))
    assert len(reader.known) == 4
    assert np.array_equal(alone.shifts[1], found.shifts[2])


def test_nothing_is_measured_where_nothing_is() -> None:
    none = Circles(np.zeros((0, 2)), np.zeros(0), np.zeros((0, 2)), np.zeros(0, dtype=bool))
    assert len(StripReader(_painted(100, 100, 40)).measure(none).heights_mm) == 0
