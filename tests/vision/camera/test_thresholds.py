"""The thresholds of motion, settling and advice decide where their options say: just inside and just outside."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from vision.camera.motion import Mask, Motion, MotionSense, Small, SmallGrey, difference, differs, is_covered
from vision.camera.quality import PieceOutline, advise, edge_width_px, glaring_pieces
from vision.camera.settling import Calm, Settling, field_mask
from vision.camera.table_camera import RunningMean
from vision.types.frame import Frame

CELLS = (270, 480)
EVERYWHERE = np.ones(CELLS, dtype=np.bool_)


def view_at(px_per_mm: float, size_px: tuple[int, int] = (960, 540)) -> TableView:
    """A camera straight above a table that fills its picture, without tokens."""
    wide, deep = size_px[0] / px_per_mm, size_px[1] / px_per_mm
    height_mm = 1500.0 / px_per_mm
    placed = np.array([-wide / 2, -deep / 2, height_mm])
    return TableView(Lens.pinhole(*size_px, 1500.0), np.eye(3), placed, wide, deep, Calibration((), 0.1, "table", 1e-3))


def bars(sigma_px: float, rows: int = 540, period: int = 60) -> ByteImage:
    """Black and white bars with edges of this blur."""
    line = np.where(np.arange(960) // (period // 2) % 2, 200, 60).astype(np.float32)
    picture = np.repeat(line[None, :], rows, axis=0)
    if sigma_px:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), dtype=np.float32)
    return np.repeat(picture.astype(np.uint8)[:, :, None], 3, axis=2)


def problem(picture: ByteImage, view: TableView | None = None) -> str | None:
    said = advise(picture, view)
    return said.problem if said else None


@pytest.mark.parametrize(("level", "dark"), [(58, True), (66, False)])
def test_a_picture_is_too_dark_below_a_level(level: int, dark: bool) -> None:
    assert (problem(np.full((540, 960, 3), level, np.uint8)) == "too dark") == dark


@pytest.mark.parametrize(("share", "dark"), [(0.02, True), (0.045, False)])
def test_a_few_percent_of_light_paper_are_enough(share: float, dark: bool) -> None:
    picture = np.full((540, 960, 3), 30, np.uint8)
    picture[: round(540 * share)] = 200
    assert (problem(picture) == "too dark") == dark


@pytest.mark.parametrize(("sigma_px", "soft"), [(1.6, False), (2.2, True)])
def test_a_picture_is_out_of_focus_from_edges_two_pixels_soft(sigma_px: float, soft: bool) -> None:
    assert (problem(bars(sigma_px)) == "out of focus") == soft


@pytest.mark.parametrize(("px_per_mm", "soft"), [(1.95, True), (2.4, False)])
def test_soft_edges_that_are_narrow_on_the_table_do_no_harm(px_per_mm: float, soft: bool) -> None:
    assert (problem(bars(2.8), view_at(px_per_mm)) == "out of focus") == soft


@pytest.mark.parametrize(("sharp_rows", "sharp"), [(65, False), (100, True)])
def test_the_focus_is_that_of_the_sharpest_edges(sharp_rows: int, sharp: bool) -> None:
    picture = bars(2.2)
    picture[:sharp_rows] = bars(0.8)[:sharp_rows]
    width = edge_width_px(np.ascontiguousarray(picture[:, :, 0]))
    assert width is not None and (width < 1.5) == sharp


@pytest.mark.parametrize(("rows", "measured"), [(12, False), (30, True)])
def test_a_few_edges_say_nothing_of_the_focus(rows: int, measured: bool) -> None:
    picture = np.full((540, 960), 60, np.uint8)
    picture[: rows * 3, 480:] = 200
    picture[rows * 3 :, :] = np.linspace(60, 60, 960).astype(np.uint8)
    picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), dtype=np.uint8)[:, 400:560]
    found = edge_width_px(np.ascontiguousarray(picture[: rows * 3 - 6]))
    assert (found is not None and found < 1.5) == measured


@pytest.mark.parametrize(("px_per_mm", "far"), [(0.64, True), (0.76, False)])
def test_a_table_is_too_far_away_below_0_7_pixels_per_millimetre(px_per_mm: float, far: bool) -> None:
    assert (problem(bars(0.8), view_at(px_per_mm)) == "too far away") == far


@pytest.mark.parametrize(
    ("level", "share", "glaring"), [(255, 0.12, False), (255, 0.19, True), (246, 0.5, False), (250, 0.5, True)]
)
def test_a_piece_glares_when_a_seventh_of_it_is_overexposed(level: int, share: float, glaring: bool) -> None:
    view, picture = view_at(1.0), np.full((540, 960, 3), 90, np.uint8)
    side = round(100 * np.sqrt(np.pi / 4 * share))
    picture[270 - side // 2 : 270 - side // 2 + side, 480 - side // 2 : 480 - side // 2 + side] = level
    piece = PieceOutline("orcs", view.width_mm / 2, view.depth_mm / 2, 50.0, 0.0)
    assert bool(glaring_pieces(picture, view, [piece])) == glaring


def grey(level: float) -> SmallGrey:
    return np.full(CELLS, level, np.float32)


@pytest.mark.parametrize(
    ("by", "noise", "moved"), [(5.0, 0.0, False), (7.5, 0.0, True), (10.0, 1.0, False), (13.0, 1.0, True)]
)
def test_a_cell_differs_beyond_a_level_and_the_noise(by: float, noise: float, moved: bool) -> None:
    after = grey(100.0)
    after[100:104, 200:204] += by
    found = differs(difference(Small.of_grey(grey(100.0)), Small.of_grey(after)), noise)
    assert bool(found[101:103, 201:203].all()) == moved


@pytest.mark.parametrize(("gain", "covered"), [(0.66, False), (0.5, True), (1.45, False), (1.8, True)])
def test_light_of_another_strength_is_a_cover(gain: float, covered: bool) -> None:
    after = grey(100.0)
    after[100:180, 200:280] *= gain
    _, mask = difference(Small.of_grey(grey(100.0)), Small.of_grey(after))
    assert bool(mask[140, 240]) == covered


@pytest.mark.parametrize(("share", "dark"), [(0.1, True), (0.15, False)])
def test_it_is_dark_below_an_eighth_of_the_light(share: float, dark: bool) -> None:
    before = grey(150.0) + np.random.default_rng(1).normal(0, 20, CELLS).astype(np.float32)
    assert is_covered(Small.of_grey(before), Small.of_grey(share * before)) == dark


@pytest.mark.parametrize(
    ("detail", "alike", "covered"), [(0.35, 0.0, True), (0.45, 0.0, False), (0.35, 0.16, True), (0.35, 0.24, False)]
)
def test_a_lens_is_covered_when_little_detail_is_left_and_it_is_another(
    detail: float, alike: float, covered: bool
) -> None:
    dice = np.random.default_rng(2)
    old, other = (dice.normal(0, 20, CELLS).astype(np.float32) for _ in range(2))
    new = detail * (alike * old + np.float32(np.sqrt(1 - alike**2)) * other)
    assert is_covered(Small.of_grey(128 + old), Small.of_grey((128 + new).astype(np.float32))) == covered


def test_the_noise_is_learnt_in_half_a_second_and_bounded() -> None:
    sense, dice = MotionSense(), np.random.default_rng(3)
    levels = []
    for index in range(46):
        noise = dice.normal(0, 16 if index < 40 else 60, (540, 960, 1)).repeat(3, axis=2)
        sense.update(Frame(np.clip(128 + noise, 0, 255).astype(np.uint8), index, index / 30))
        levels.append(sense.noise_levels)
    seen = levels[39]
    assert 0.4 < (levels[14] - 1) / (seen - 1) < 0.75
    for index in range(46, 140):
        noise = dice.normal(0, 60, (540, 960, 1)).repeat(3, axis=2)
        sense.update(Frame(np.clip(128 + noise, 0, 255).astype(np.uint8), index, index / 30))
    assert sense.noise_levels == pytest.approx(5.0, abs=0.3)


def calm_after(settling: Settling, moving: Mask, changed: Mask, index: int, time_s: float) -> Calm:
    motion = Motion(moving, changed, 2.0)
    return settling.update(Frame(np.zeros((540, 960, 3), np.uint8), index, time_s), motion, EVERYWHERE)


@pytest.mark.parametrize(("cells", "moving"), [(5, False), (7, True)])
def test_fewer_than_six_cells_are_noise(cells: int, moving: bool) -> None:
    mask = np.zeros(CELLS, dtype=np.bool_)
    mask[100, 200 : 200 + cells] = True
    assert calm_after(Settling(), mask, mask, 0, 0.0).at_rest != moving


def test_what_moves_is_held_with_three_cells_around_it_and_an_arm_with_twelve() -> None:
    mask = np.zeros(CELLS, dtype=np.bool_)
    mask[100:120, 200:230] = True
    rows, columns = np.nonzero(calm_after(Settling(), mask, mask, 0, 0.0).held)
    assert (int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1) == (20 + 6, 30 + 6)
    mask[:, :] = False
    mask[0:120, 200:230] = True  # from the picture's edge
    rows, columns = np.nonzero(calm_after(Settling(), mask, mask, 0, 0.0).held)
    assert (int(np.ptp(rows)) + 1, int(np.ptp(columns)) + 1) == (120 + 12, 30 + 24)


@pytest.mark.parametrize(("since_s", "held"), [(0.9, True), (1.1, False)])
def test_beside_a_hand_a_place_is_held_for_a_second(since_s: float, held: bool) -> None:
    settling, spot, hand = Settling(), np.zeros(CELLS, dtype=np.bool_), np.zeros(CELLS, dtype=np.bool_)
    spot[100:110, 100:110] = True
    hand[200:220, 300:330] = True
    calm_after(settling, spot | hand, spot | hand, 0, 0.0)
    calm = calm_after(settling, hand, spot | hand, 1, since_s)
    assert bool(calm.held[105, 105]) == held


def test_motion_counts_25_mm_around_the_field() -> None:
    view = view_at(2.0, (1920, 1080))
    inner = TableView(
        view.lens, np.eye(3), view.translation + np.array([100.0, 100.0, 0.0]), 760.0, 340.0, view.calibration
    )
    rows, columns = np.nonzero(field_mask(inner, (270, 480), 4.0))
    assert np.ptp(columns) * 2 == pytest.approx(760 + 50, abs=5)
    assert np.ptp(rows) * 2 == pytest.approx(340 + 50, abs=5)


def test_the_mean_is_of_eight_frames() -> None:
    mean = RunningMean()
    for level in (*[100] * 8, *[200] * 4):
        mean.add(np.full((4, 4, 3), level, np.uint8))
    assert mean.count == 8
    assert int(mean.picture().max()) == 100
