from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import camera_board
from calibration.lens import Lens, read_lens, write_lens
from calibration.lens_solve import LensSolve, coverage_of, lacking_parts, reprojection_px, solve_lens
from calibration.lens_views import BoardView, Rejected, find_view

PHOTOS = Path(__file__).resolve().parents[3] / "shared" / "photos" / "chessboard"
TRUE = Lens(
    640, 480, np.array([[610.0, 0, 325.0], [0, 612.0, 236.0], [0, 0, 1]]), np.array([-0.2, 0.05, 0.001, -0.0005, 0])
)


def fine_rays(x_px: FloatArray, y_px: FloatArray) -> FloatArray:
    """The true lens's directions at every point of a grid, through a polynomial: the exact way takes minutes."""
    knots = np.cos(np.pi * (np.arange(20) + 0.5) / 20)
    exact = TRUE.directions(np.stack(np.meshgrid(knots * 325 + 320, knots * 245 + 240), axis=2).reshape(-1, 2))
    fit = np.linalg.pinv(np.polynomial.chebyshev.chebvander(knots, 13))
    across = np.polynomial.chebyshev.chebvander((x_px - 320) / 325, 13)
    down = np.polynomial.chebyshev.chebvander((y_px - 240) / 245, 13)
    layers = [down @ (fit @ exact[:, k].reshape(20, 20) @ fit.T) @ across.T for k in range(2)]
    return np.stack(layers, axis=2).reshape(-1, 2)


def board_picture(
    tilt_deg: float, roll_deg: float, x_mm: float, y_mm: float, z_mm: float, blur_px: float = 0.7
) -> ByteImage:
    """The camera board seen by the true lens: its middle at x, y, z of the camera, tilted about an axis at roll."""
    scale, fine = 5.0, 3
    drawn = camera_board().generateImage((int(272 * scale), int(200 * scale)), marginSize=int(10 * scale))
    steps = [(np.arange(size * fine) - (fine - 1) / 2) / fine for size in (480, 640)]
    rays = fine_rays(steps[1], steps[0])
    axis = np.array([np.cos(np.radians(roll_deg)), np.sin(np.radians(roll_deg)), 0.0]) * np.radians(tilt_deg)
    rotation = np.asarray(cv2.Rodrigues(axis)[0], dtype=np.float64)
    centre = np.array([x_mm, y_mm, z_mm])
    directions = np.column_stack([rays, np.ones(len(rays))]) @ rotation
    start = -centre @ rotation
    local = start + directions * (-start[2] / directions[:, 2])[:, None]
    maps = ((local[:, :2] + [136, 100]) * scale - 0.5).astype(np.float32).reshape(480 * fine, 640 * fine, 2)
    seen = cv2.remap(
        drawn, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=110.0
    )
    soft = cv2.GaussianBlur(cv2.resize(seen, (640, 480), interpolation=cv2.INTER_AREA), (0, 0), blur_px)
    noisy = np.asarray(soft) + np.random.default_rng(int(tilt_deg * 7 + x_mm) + 99).normal(0, 1.5, soft.shape)
    return np.asarray(np.clip(noisy, 0, 255), dtype=np.uint8)


POSES = [
    (28, 10, -60, -40, 430),
    (28, 100, 60, -30, 430),
    (28, 190, 50, 45, 450),
    (28, 280, -50, 40, 450),
    (8, 45, 0, 0, 380),
    (35, 60, 20, 10, 420),
    (35, 150, -70, 20, 480),
    (20, 240, 80, 30, 480),
    (32, 330, 10, -50, 460),
    (15, 0, -90, 55, 520),
]


@pytest.fixture(scope="module")
def views() -> list[BoardView]:
    found: list[BoardView] = []
    for index, pose in enumerate(POSES):
        view = find_view(f"view {index}", board_picture(*pose), found)
        assert isinstance(view, BoardView), view
        found.append(view)
    return found


@pytest.fixture(scope="module")
def solved(views: list[BoardView]) -> LensSolve:
    result = solve_lens(views, (640, 480))
    assert isinstance(result, LensSolve), str(result)
    return result


def test_the_lens_is_found_within_its_stated_error(solved: LensSolve) -> None:
    lens = solved.lens
    off = np.array([lens.matrix[0, 0] - 610, lens.matrix[1, 1] - 612, lens.matrix[0, 2] - 325, lens.matrix[1, 2] - 236])
    assert solved.rms_px < 0.3
    assert np.abs(off).max() < 6
    assert (np.abs(off) < 5 * np.maximum(solved.sigma[:4], 0.3)).all()


def test_a_view_that_was_not_used_fits(views: list[BoardView]) -> None:
    without = solve_lens(views[:-1], (640, 480))
    assert isinstance(without, LensSolve)
    assert reprojection_px(without.lens, views[-1]) < 0.5


def test_a_blurred_view_is_rejected_with_a_reason() -> None:
    found = find_view("soft", board_picture(*POSES[0], blur_px=4.0))
    assert isinstance(found, Rejected)
    assert "blurred" in found.reason or "no camera board" in found.reason


def test_the_same_view_twice_is_rejected(views: list[BoardView]) -> None:
    found = find_view("again", board_picture(28, 10, -59.5, -40, 430), views)
    assert isinstance(found, Rejected)
    assert "same view as view 0" in found.reason


def test_a_picture_without_a_board_is_rejected() -> None:
    found = find_view("nothing", np.full((480, 640), 90, np.uint8))
    assert isinstance(found, Rejected)


def test_too_few_views_are_a_failure_with_the_reasons(views: list[BoardView]) -> None:
    failure = solve_lens(views[:2], (640, 480), [Rejected("x.jpg", "blurred")])
    assert isinstance(failure, Failure)
    assert "x.jpg: blurred" in failure.reason


def test_a_misread_view_is_left_out_and_named(views: list[BoardView]) -> None:
    shifted = views[3].pixels + np.random.default_rng(4).normal(0, 4, views[3].pixels.shape)
    bad = BoardView("bad", views[3].numbers, views[3].board_mm, shifted, views[3].edge_px)
    result = solve_lens([*views[:3], bad, *views[4:]], (640, 480))
    assert isinstance(result, LensSolve)
    assert [view.name for view in result.rejected] == ["bad"]


def test_coverage_names_the_parts_without_views(views: list[BoardView]) -> None:
    counts = coverage_of(views, (640, 480))
    assert counts.sum() == sum(len(view.pixels) for view in views)
    assert "top far left" in lacking_parts(np.zeros((4, 4), dtype=np.int64))
    assert lacking_parts(np.ones((4, 4), dtype=np.int64)) == ()


def test_a_camera_file_is_for_one_size_or_an_exact_resize(tmp_path: Path) -> None:
    write_lens(TRUE, tmp_path / "camera.json")
    lens = read_lens(tmp_path / "camera.json")
    assert lens.for_picture(640, 480, "x") is lens
    double = lens.for_picture(1280, 960, "x")
    point = np.array([[0.1, -0.05, 1.0]])
    assert np.allclose(double.project(point), (lens.project(point) + 0.5) * 2 - 0.5)
    with pytest.raises(InputError, match="made for 640x480 pictures, this one is 640x360"):
        lens.for_picture(640, 360, "x")


@pytest.mark.skipif(not PHOTOS.is_dir(), reason="the real photographs are not beside the project")
def test_real_photographs_give_opencvs_lens_and_predict_a_view_left_out() -> None:
    views: list[BoardView] = []
    for path in sorted(PHOTOS.glob("*.jpg")):
        picture = cv2.imread(str(path))
        assert picture is not None
        view = find_view(path.name, np.asarray(picture, dtype=np.uint8), views)
        assert isinstance(view, BoardView), view
        views.append(view)
    solved = solve_lens(views[1:], (640, 480))
    assert isinstance(solved, LensSolve)
    assert solved.lens.matrix[0, 0] == pytest.approx(535.9, rel=0.01)
    assert solved.lens.matrix[0, 2] == pytest.approx(342.3, abs=3)
    assert solved.lens.matrix[1, 2] == pytest.approx(235.6, abs=3)
    assert reprojection_px(solved.lens, views[0]) < 0.5
