"""Round pieces that are not cards: sizes known and not, overlaps, prints inside pieces, patterns, thick pieces."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.piece_faces import checker, chip
from benchmarks.piece_worlds import Laid, camera_above, photograph
from calibration.arrays import ByteImage, FloatArray
from calibration.corner_solve import solve_from_corners
from calibration.failure import Failure
from calibration.view import TableView
from tests.pins import Pins
from vision.round_pieces.cloth import repeated
from vision.round_pieces.detect import common_radii, detect_round
from vision.round_pieces.levels import Scale, any_scales, cloth_lattice, known_scales, level_of
from vision.round_pieces.options import ROUND
from vision.types.sighting import DiskSighting, TableSighting

THIN_MM = 0.1  # what is drawn lies in the cloth's plane
Place = tuple[float, float, float]  # x, y and radius


def view_of(bgr: ByteImage, width_mm: float) -> TableView:
    """A photograph from straight above: its own corners."""
    height, width = bgr.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64) - 0.5
    view = solve_from_corners(corners, (width, height), width_mm, width_mm * height / width)
    assert not isinstance(view, Failure)
    return view


def draw(places: list[Place], ring: float = 0.0, ground: ByteImage | None = None) -> ByteImage:
    """Pieces of one grey each on a grey cloth, later ones on top; `ring`: radius of a print in them, in radii."""
    rng = np.random.default_rng(4)
    picture = np.full((480, 640, 3), 120, np.uint8) if ground is None else ground.copy()
    for x, y, radius in places:
        shade = [int(v) for v in rng.integers(150, 250, 3)]
        centre = (round(16 * x), round(16 * y))
        cv2.circle(picture, centre, round(16 * radius), shade, -1, cv2.LINE_AA, 4)
        if ring:
            cv2.circle(picture, centre, round(16 * radius * ring), (40, 40, 160), -1, cv2.LINE_AA, 4)
    noisy = cv2.GaussianBlur(picture, (0, 0), 0.8) + rng.normal(0, 2, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


def nearest(seen: TableSighting, x: float, y: float) -> tuple[float, DiskSighting]:
    """The detection nearest to a place, and how far it is."""
    return min(((float(np.hypot(d.x_mm - x, d.y_mm - y)), d) for d in seen.disks), key=lambda pair: pair[0])


def assert_found(seen: TableSighting, places: list[Place]) -> None:
    """Each place once and nothing else."""
    assert len(seen.disks) == len(places)
    for x, y, radius in places:
        apart, disk = nearest(seen, x, y)
        assert apart < 0.08 * radius
        assert disk.diameter_mm == pytest.approx(2 * radius, rel=0.05)


SCATTERED: list[Place] = [(90, 90, 30), (300, 120, 42), (520, 100, 30), (160, 330, 42), (420, 350, 30)]


def test_pieces_of_known_sizes_are_found_once_with_their_size(pinned: Pins) -> None:
    bgr = draw(SCATTERED)
    seen = detect_round(bgr, view_of(bgr, 640.0), (60.0, 84.0), THIN_MM)
    assert_found(seen, SCATTERED)
    pinned(seen)


def test_sizes_are_measured_and_prints_inside_pieces_are_none(pinned: Pins) -> None:
    bgr = draw(SCATTERED, ring=0.55)
    seen = detect_round(bgr, view_of(bgr, 640.0), None, THIN_MM)
    assert_found(seen, SCATTERED)
    pinned(seen)


def test_deep_overlaps_are_found_and_ordered(pinned: Pins) -> None:
    places: list[Place] = [(200, 200, 40), (230, 220, 40), (450, 300, 40), (510, 300, 40), (480, 350, 40)]
    bgr = draw(places)
    both = [detect_round(bgr, view_of(bgr, 640.0), sizes, THIN_MM) for sizes in ((80.0,), None)]
    for seen in both:
        assert_found(seen, places)
        upper, lower = nearest(seen, 230, 220)[1].id, nearest(seen, 200, 200)[1].id
        assert (upper, lower) in {(order.top, order.bottom) for order in seen.orders}
    pinned(both)


def test_a_printed_grid_of_circles_is_no_piece(pinned: Pins) -> None:
    ground = np.full((480, 640, 3), 120, np.uint8)
    for row in range(6):
        for column in range(8):
            cv2.circle(ground, (40 + 80 * column, 40 + 80 * row), 26, (70, 110, 200), -1, cv2.LINE_AA)
    places: list[Place] = [(180, 190, 34), (430, 300, 34)]
    bgr = draw(places, ring=0.5, ground=ground)
    seen = detect_round(bgr, view_of(bgr, 640.0), None, THIN_MM)
    assert_found(seen, places)
    pinned(seen)


def test_nothing_is_found_on_an_empty_chequered_cloth() -> None:
    y, x = np.mgrid[0:480, 0:640]
    ground = np.where(((x // 40 + y // 40) % 2)[..., None] > 0, 200, 80).astype(np.uint8) * np.ones(3, np.uint8)
    bgr = draw([], ground=np.asarray(ground, dtype=np.uint8))
    assert not detect_round(bgr, view_of(bgr, 640.0), None, THIN_MM).disks


def test_a_table_of_three_hundred_pieces() -> None:
    places: list[Place] = [(22.0 + 42 * i, 22.0 + 41 * j, 17.0) for i in range(25) for j in range(12)]
    rng = np.random.default_rng(5)
    places = [(x + float(rng.uniform(-3, 3)), y + float(rng.uniform(-3, 3)), radius) for x, y, radius in places]
    bgr = draw(places, ground=np.full((510, 1070, 3), 120, np.uint8))
    assert_found(detect_round(bgr, view_of(bgr, 1070.0), (34.0,), THIN_MM), places)


@pytest.mark.parametrize("sizes", [(39.0,), None])
def test_a_thick_piece_seen_aslant_is_one_piece(sizes: tuple[float, ...] | None, pinned: Pins) -> None:
    rng = np.random.default_rng(3)
    view = camera_above(rng, 720, 540, 300.0, 35.0)
    kind = chip(rng, 39.0, 10.0)
    laid = [Laid(kind, x, y, 0.3, 10.0) for x, y in ((80.0, 70.0), (190.0, 120.0), (110.0, 170.0))]
    ground = np.full((540, 720, 3), 0.25, np.float32)
    world = photograph(rng, view, ground, laid)
    seen = detect_round(world.picture, view, sizes, 10.0)
    assert len(seen.disks) == 3
    for piece in laid:
        apart, disk = nearest(seen, piece.x, piece.y)
        assert apart < 1.5
        assert disk.diameter_mm == pytest.approx(39.0, rel=0.03)
        assert disk.face_height_mm == pytest.approx(10.0)
    pinned(seen)


def test_rows_laid_by_hand_are_pieces_and_not_a_print() -> None:
    rng = np.random.default_rng(6)
    laid = [(60.0 + 84 * i, 60.0 + 82 * j, 34.0) for i in range(7) for j in range(5)]
    places: list[Place] = [(x + float(rng.uniform(-4, 4)), y + float(rng.uniform(-4, 4)), r) for x, y, r in laid]
    bgr = draw(places)
    assert_found(detect_round(bgr, view_of(bgr, 640.0), (68.0,), THIN_MM), places)


@pytest.mark.parametrize(("off_px", "exact"), [(0.0, True), (5.0, False)])
def test_edges_belong_to_the_cloth_only_where_they_repeat_exactly(off_px: float, exact: bool) -> None:
    rng = np.random.default_rng(7)
    laid = [(40.0 + 80 * i, 40.0 + 80 * j, 26.0) for i in range(8) for j in range(6)]
    off = rng.uniform(-off_px, off_px, (len(laid), 2)).tolist()
    bgr = draw([(x + dx, y + dy, radius) for (x, y, radius), (dx, dy) in zip(laid, off, strict=True)])
    level = level_of(bgr, view_of(bgr, 640.0), Scale(1.0, np.array([26.0])), THIN_MM, (0, 0, 640, 480), None)
    share = float(repeated(level.edges, np.array([[80.0, 0.0], [0.0, 80.0]])).mean())
    assert share > 0.05 if exact else share == 0


def test_the_steps_of_a_printed_cloth_are_measured() -> None:
    laid: list[Place] = [(40.0 + 80 * i, 35.0 + 70 * j, 26.0) for i in range(8) for j in range(6)]
    bgr = draw(laid)
    steps = cloth_lattice(bgr, view_of(bgr, 640.0), THIN_MM)
    assert steps is not None
    whole = steps @ np.diag([1 / 80, 1 / 70])
    assert whole == pytest.approx(np.rint(whole), abs=0.02)
    assert abs(np.linalg.det(whole)) == pytest.approx(1.0, abs=0.02)
    plain = draw(SCATTERED)
    assert cloth_lattice(plain, view_of(plain, 640.0), THIN_MM) is None


def test_a_print_in_the_middle_of_all_pieces_is_no_size() -> None:
    """Chips whose edges are spotted: the ring printed on them is clearer than their rim."""
    rng = np.random.default_rng(11)
    view = camera_above(rng, 720, 540, 300.0, 20.0)
    kinds = [chip(rng) for _ in range(6)]
    laid = [Laid(kind, 45.0 + 90 * (i % 3), 60.0 + 90 * (i // 3), 0.4 * i, 3.3) for i, kind in enumerate(kinds)]
    world = photograph(rng, view, np.full((540, 720, 3), 0.25, np.float32), laid)
    seen = detect_round(world.picture, view, None, 3.3)
    assert len(seen.disks) == 6
    assert all(disk.diameter_mm == pytest.approx(39.0, rel=0.05) for disk in seen.disks)


@pytest.mark.parametrize("sizes", [(34.0,), None])
def test_the_height_of_a_checker_on_hidden_ones_follows_from_its_size(sizes: tuple[float, ...] | None) -> None:
    rng = np.random.default_rng(12)
    view = camera_above(rng, 900, 675, 300.0, 30.0)
    kind = checker(rng, 34.0, np.array([0.1, 0.2, 0.7]))
    tower = [Laid(kind, 150.0, 60.0, 0.0, kind.thickness_mm * (level + 1)) for level in range(4)]
    single = [Laid(kind, 60.0 + 60 * i, 150.0, 0.0, kind.thickness_mm) for i in range(4)]
    world = photograph(rng, view, np.full((675, 900, 3), 0.3, np.float32), [*tower, *single])
    seen = detect_round(world.picture, view, sizes, kind.thickness_mm)
    assert len(seen.disks) == 5
    apart, top = nearest(seen, 150.0, 60.0)
    assert apart < 4.0
    assert top.face_height_mm == pytest.approx(4 * kind.thickness_mm, abs=0.6 * kind.thickness_mm)


def test_the_working_scale_follows_the_pieces() -> None:
    bgr = np.zeros((3000, 4000, 3), np.uint8)
    (coins,) = known_scales(view_of(bgr, 400.0), (16.25, 25.75), THIN_MM)
    assert coins.px_per_mm * 16.25 / 2 >= 22 and coins.px_per_mm * 25.75 / 2 <= 50
    apart = known_scales(view_of(bgr, 400.0), (10.0, 80.0), THIN_MM)
    assert [round(scale.px_per_mm * size / 2) for scale, size in zip(apart, (10.0, 80.0), strict=True)] == [34, 34]
    for scale in any_scales(view_of(bgr, 400.0)):
        assert scale.px_per_mm**2 * 400 * 300 <= ROUND.most_pixels * 1.01
        assert float(scale.radii_mm.max()) * scale.px_per_mm < 1.1 * ROUND.largest_radius_px


def test_common_sizes_leave_single_strange_ones_out() -> None:
    radii: FloatArray = np.array([*[20.0] * 9, 20.4, 19.7, *[12.0] * 5, 7.0])
    found = common_radii(radii, np.where(radii == 7.0, 0.5, 1.0))
    assert found == pytest.approx([20.0, 12.0], rel=0.01)
