"""A whole look: disks, sizes, order; a second look at a part; disks of any size; a real photograph of coins."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from shapely import box

from calibration.failure import Failure
from calibration.table_solve import solve_from_corners
from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from tests.pins import Pins
from vision.look.pieces import Pieces
from vision.look.pipeline import look, look_for_disks
from vision.look.regions import look_again
from vision.look.scale import scaled_sighting
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

SMARTIES = Path(__file__).parents[4] / "shared" / "photos" / "disks" / "smarties.png"
LAID = (
    ("a", 250.0, 260.0, 50.8, 2.0, GOLD),
    ("b", 620.0, 300.0, 76.2, 2.0, VIOLET),
    ("c", 645.0, 318.0, 38.1, 4.0, GOLD),
    ("d", 420.0, 640.0, 38.1, 2.0, VIOLET),
)


def _table(moved: dict[str, tuple[float, float]] | None = None) -> Table:
    table = Table(camera())
    for number, (name, x, y, diameter, height, rim) in enumerate(LAID):
        x, y = (moved or {}).get(name, (x, y))
        table.lay(disk(name, x, y, diameter, height), art(number + 20, rim))
    return table


@pytest.fixture(scope="module")
def first() -> TableSighting:
    table = _table()
    return look(Frame(table.take(), 0, 0.0), table.view, Pieces())


def _nearest(seen: TableSighting, x: float, y: float) -> tuple[float, float, str]:
    distances = [(float(np.hypot(d.x_mm - x, d.y_mm - y)), d.diameter_mm, d.id) for d in seen.disks]
    return min(distances)


def test_every_disk_is_found_once_with_its_size(first: TableSighting) -> None:
    assert len(first.disks) == len(LAID)
    for _, x, y, diameter, _, _ in LAID:
        apart, size, _ = _nearest(first, x, y)
        assert apart < 0.8 and size == pytest.approx(diameter)


def test_the_one_on_top_is_told(first: TableSighting, pinned: Pins) -> None:
    top, bottom = _nearest(first, 645, 318)[2], _nearest(first, 620, 300)[2]
    assert [(order.top, order.bottom) for order in first.orders] == [(top, bottom)]
    assert first.orders[0].probability > 0.9
    heights = {d.id: d.face_height_mm for d in first.disks}
    assert heights[top] == pytest.approx(4.0, abs=0.3) and heights[bottom] == pytest.approx(2.0, abs=0.3)
    pinned(first)


def test_a_second_look_sees_what_changed_and_keeps_the_rest(first: TableSighting, pinned: Pins) -> None:
    table = _table({"d": (470.0, 700.0)})
    again = look_again(Frame(table.take(), 1, 0.1), table.view, Pieces(), first, box(390, 610, 500, 730))
    assert len(again.disks) == len(LAID)
    assert _nearest(again, 470, 700)[0] < 0.8
    kept = {d.id: d for d in first.disks if d.y_mm < 500}
    assert all(d in kept.values() for d in again.disks if d.y_mm < 500)
    assert again.orders == first.orders
    pinned(again)


def test_a_second_look_at_nothing_changes_nothing(first: TableSighting) -> None:
    table = _table()
    assert look_again(Frame(table.take(), 1, 0.1), table.view, Pieces(), first, box(0, 0, 0, 0).buffer(-1)) is first


def test_an_empty_table_has_no_disks() -> None:
    table = Table(camera())
    assert look(Frame(table.take(), 0, 0.0), table.view, Pieces()).disks == ()


def test_sizes_are_measured_where_they_are_unknown() -> None:
    table = _table()
    seen = look_for_disks(Frame(table.take(), 0, 0.0), table.view, Pieces(None))
    for _, x, y, diameter, _, _ in (LAID[0], LAID[3]):
        apart, size, _ = _nearest(seen, x, y)
        assert apart < 1.0 and size == pytest.approx(diameter, rel=0.04)


def test_measured_diameters_are_as_wide_as_the_cards_at_few_pixels_a_millimetre(pinned: Pins) -> None:
    """Light is blurred before the camera bends it by its gamma, which makes bright cards wider than they are."""
    table = Table(camera(10), (35, 50, 30))
    laid = [(170.0 + 190 * i, 250.0 + 330 * j, (38.1, 50.8, 76.2)[(i + j) % 3]) for i in range(4) for j in range(2)]
    for number, (x, y, diameter) in enumerate(laid):
        table.lay(disk("d", x, y, diameter), art(number, (200, 225, 235)))
    light = cv2.GaussianBlur((table.take(noise=0.0).astype(np.float32) / 255) ** 2.2, (0, 0), 0.5)
    bgr = np.asarray(np.clip(light ** (1 / 2.2) * 255, 0, 255), dtype=np.uint8)
    seen = look_for_disks(Frame(bgr, 0, 0.0), table.view, Pieces(None))
    drawn = 119 / 120  # a face is drawn in a circle of that share of its picture
    errors = [_nearest(seen, x, y)[1] - drawn * diameter for x, y, diameter in laid]
    assert abs(float(np.median(errors))) < 0.4
    assert max(abs(error) for error in errors) < 0.9
    pinned(seen)


def test_scaling_there_and_back_changes_nothing(first: TableSighting) -> None:
    back = scaled_sighting(scaled_sighting(first, 3.0), 1 / 3.0)
    assert back.disks[0].x_mm == pytest.approx(first.disks[0].x_mm)
    assert back.disks[0].covariance == pytest.approx(first.disks[0].covariance)


def test_coins_in_a_photograph_from_above_are_found(pinned: Pins) -> None:
    data = pytest.importorskip("skimage.data", reason="scikit-image brings the photograph")
    bgr = np.asarray(cv2.cvtColor(data.coins(), cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    seen = _look_from_above(bgr)
    assert 22 <= len(seen.disks) <= 26
    rows = sorted(round(d.y_mm / 56) for d in seen.disks)
    assert all(rows.count(row) >= 5 for row in set(rows))
    pinned(seen)


def test_sweets_in_a_photograph_from_above_are_found() -> None:
    if not SMARTIES.exists():
        pytest.skip("the photograph of sweets is not beside the project")
    seen = _look_from_above(np.asarray(cv2.imread(str(SMARTIES)), dtype=np.uint8))
    assert 11 <= len(seen.disks) <= 14
    assert np.std([d.diameter_mm for d in seen.disks]) < 2.5


def _look_from_above(bgr: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> TableSighting:
    height, width = bgr.shape[:2]
    corners = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], dtype=np.float64)
    view = solve_from_corners(corners, (width, height), 300.0, 300.0 * height / width)
    assert not isinstance(view, Failure)
    return look_for_disks(Frame(bgr, 0, 0.0), view, Pieces(None))
