"""The thresholds of pixel evidence and regions decide where their options say: just inside and just outside."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from tests.drawing.tracks import disk
from vision.tracking.memory import Evidence, Memory, Track
from vision.types.sighting import TableSighting
from vision.watch.pixel_evidence import PixelEvidence
from vision.watch.regions import changed_regions
from vision.watch.template_search import search_nearby

WIDTH, HEIGHT, PX_PER_MM = 960, 540, 1.0
HEIGHT_MM = 1502.0  # of the camera above the cloth: a face 2 mm up is seen with one pixel per millimetre
VIEW = TableView(
    Lens.pinhole(WIDTH, HEIGHT, 1500.0),
    np.eye(3),
    np.array([-WIDTH / 2, -HEIGHT / 2, HEIGHT_MM]),
    float(WIDTH),
    float(HEIGHT),
    Calibration((0, 1, 2, 3), 0.1, "markers", 1e-3),
)
KNOWN = disk("d01", 400.0, 250.0, 80.0)
MEMORY = Memory((Track(KNOWN),), looked=True)
NOTHING = np.zeros((HEIGHT // 2, WIDTH // 2), dtype=np.bool_)


def table(level: int = 60) -> ByteImage:
    return np.full((HEIGHT, WIDTH, 3), level, np.uint8)


def painted(picture: ByteImage, left: float, top: float, right: float, bottom: float, level: float) -> ByteImage:
    """The picture with a rectangle, in pixels from the disk's middle, of another level."""
    (x, y), changed = VIEW.board_to_image(np.array([[400.0, 250.0]]), 2.0)[0], picture.copy()
    rows = slice(round(y + top), round(y + bottom))
    changed[rows, round(x + left) : round(x + right)] = level
    return changed


def evidence(before: ByteImage, after: ByteImage, noise: float = 0.0, held: np.ndarray = NOTHING) -> Evidence:
    return PixelEvidence(before, after, VIEW, noise).evidence(MEMORY, TableSighting((KNOWN,), ()), held, True)


@pytest.mark.parametrize(
    ("level", "by", "noise", "changed"),
    [
        (60, 8.0, 0.0, False),  # at least 9 levels
        (60, 11.0, 0.0, True),
        (200, 17.0, 0.0, False),  # 9 % of the level
        (200, 22.0, 0.0, True),
        (60, 17.0, 2.0, False),  # and five times the noise
        (60, 21.0, 2.0, True),
    ],
)
def test_a_pixel_has_changed_beyond_its_level_and_the_noise(level: int, by: float, noise: float, changed: bool) -> None:
    after = painted(table(level), -50, 0, 50, 15, level + by)
    assert (evidence(table(level), after, noise).same["d01"] < 0.9) == changed


@pytest.mark.parametrize(("side_px", "marked"), [(5, False), (7, True)])
def test_a_spot_of_35_square_millimetres_is_a_token(side_px: int, marked: bool) -> None:
    after = painted(table(), 0, 0, side_px, side_px, 160)
    assert ("d01" in evidence(table(), after).marked) == marked


@pytest.mark.parametrize(("rows_px", "fresh"), [(14, False), (25, True)])
def test_a_detection_is_fresh_where_less_than_75_percent_are_as_before(rows_px: int, fresh: bool) -> None:
    after = painted(table(), -50, -rows_px, 50, 0, 160)
    other = disk("seen", 400.0, 250.0, 80.0)
    found = PixelEvidence(table(), after, VIEW, 0.0)
    result = found.evidence(Memory((), looked=True), TableSighting((other,), ()), NOTHING, True)
    assert ("seen" in result.fresh) == fresh


@pytest.mark.parametrize(("rows", "occluded"), [(0, False), (1, True)])
def test_a_disk_is_occluded_when_any_of_it_is_held(rows: int, occluded: bool) -> None:
    held = NOTHING.copy()
    middle = VIEW.board_to_image(np.array([[400.0, 250.0]]), 2.0)[0] / 2
    top = round(float(middle[1])) - 18
    held[top : top + rows] = True
    assert ("d01" in evidence(table(), table(), held=held).occluded) == occluded


def mask(*places_mm: tuple[float, float]) -> np.ndarray:
    """Small changed spots at these places."""
    changed = np.zeros((HEIGHT // 2, WIDTH // 2), dtype=np.bool_)
    for x, y in VIEW.board_to_image(np.array(places_mm)) / 2:
        changed[round(float(y)), round(float(x))] = True
    return changed


@pytest.mark.parametrize(("apart_mm", "regions"), [(75.0, 1), (95.0, 2)])
def test_regions_nearer_than_60_mm_are_detected_together(apart_mm: float, regions: int) -> None:
    assert len(changed_regions(mask((300.0, 250.0), (300.0 + apart_mm, 250.0)), (), VIEW)) == regions


def test_a_region_reaches_as_far_as_a_bump_around_a_disk_that_has_changed() -> None:
    (region,) = changed_regions(np.zeros((HEIGHT // 2, WIDTH // 2), dtype=np.bool_), MEMORY.tracks, VIEW)
    west, _, east, _ = region.bounds
    assert east - west == pytest.approx(80.0 + 30.0, abs=0.5)


def spotted(x_mm: float, y_mm: float, contrast: float = 1.0) -> ByteImage:
    """A table with a disk that has a picture of its own."""
    picture, dice = table(), np.random.default_rng(5)
    art = cv2.GaussianBlur(dice.normal(0, 1, (80, 80)), (0, 0), 4)
    x, y = (round(float(value)) for value in VIEW.board_to_image(np.array([[x_mm, y_mm]]), 2.0)[0])
    part = np.clip(128 + 700 * contrast * art, 0, 255).astype(np.uint8)[:, :, None]
    inside = np.hypot(*np.mgrid[-40:40, -40:40]) < 40
    picture[y - 40 : y + 40, x - 40 : x + 40][inside] = np.repeat(part, 3, axis=2)[inside]
    return picture


@pytest.mark.parametrize(("shift_mm", "found"), [(14.0, True), (21.0, False)])
def test_a_missed_disk_is_searched_as_far_as_a_bump_goes(shift_mm: float, found: bool) -> None:
    before, after = spotted(400.0, 250.0), spotted(400.0 + shift_mm, 250.0)
    seen = search_nearby(MEMORY.tracks, TableSighting((), ()), before, after, VIEW)
    assert bool(seen) == found
    if found:
        assert seen[0].x_mm == pytest.approx(400.0 + shift_mm, abs=1.0)
        assert seen[0].sigma_mm == pytest.approx(np.hypot(0.2, 0.8), abs=0.02)


@pytest.mark.parametrize(("gain", "found"), [(0.0, False), (0.08, False), (0.13, True)])
def test_a_disk_that_hardly_looks_better_elsewhere_has_not_gone(gain: float, found: bool) -> None:
    """Two places show the disk's texture, each in part: their correlations with it differ by the gain."""
    texture = np.random.default_rng(1).normal(0, 1, (HEIGHT, WIDTH, 1)) * np.ones(3)
    angle = np.pi / 4 + np.arcsin(gain / np.sqrt(2))
    both = np.cos(angle) * texture + np.sin(angle) * np.roll(texture, 8, axis=1)
    before, after = (np.clip(128 + 25 * each, 0, 255).astype(np.uint8) for each in (texture, both))
    assert bool(search_nearby(MEMORY.tracks, TableSighting((), ()), before, after, VIEW)) == found
