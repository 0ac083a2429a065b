from __future__ import annotations

import numpy as np
import pytest

from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.lens import Lens
from calibration.table_solve import solve_from_corners
from calibration.view import TableView
from tests.drawing.tokens import camera

FIELD = field_corners_mm(914.4, 914.4)
GRID = np.stack(np.meshgrid(np.linspace(20, 890, 5), np.linspace(20, 890, 5)), axis=2).reshape(-1, 2)


def solved(corners: np.ndarray[tuple[int, ...], np.dtype[np.float64]], lens: Lens | None = None) -> TableView:
    found = solve_from_corners(corners, (1280, 720), 914.4, 914.4, lens)
    assert isinstance(found, TableView), str(found)
    return found


@pytest.mark.parametrize("tilt", [0.0, 20.0, 50.0])
def test_with_the_lens_the_whole_table_is_right(tilt: float) -> None:
    view = camera(tilt)
    found = solved(view.board_to_image(FIELD), view.lens)
    assert found.calibration.scale_source == "table"
    for height in (0.0, 12.0):
        assert np.allclose(found.image_to_board(view.board_to_image(GRID, height), height), GRID, atol=0.02)


def test_without_a_lens_a_slanting_view_tells_its_focal_length() -> None:
    view = camera(35.0, lens=Lens.pinhole(1280, 720, 1100.0))
    found = solved(view.board_to_image(FIELD))
    assert found.lens.matrix[0, 0] == pytest.approx(1100.0, rel=0.01)
    assert np.allclose(found.image_to_board(view.board_to_image(GRID, 10.0), 10.0), GRID, atol=0.1)


def test_a_picture_from_straight_above_maps_its_own_corners() -> None:
    found = solve_from_corners(np.array([[0, 0], [999, 0], [999, 749], [0, 749.0]]), (1000, 750), 400.0, 300.0)
    assert isinstance(found, TableView)
    pixels = found.board_to_image(np.array([[200.0, 150.0], [0.0, 300.0]]))
    assert np.allclose(pixels, np.array([[499.5, 374.5], [0.0, 749.0]]), atol=0.1)
    raised = found.board_to_image(np.array([[390.0, 290.0]]), 5.0) - found.board_to_image(np.array([[390.0, 290.0]]))
    assert np.abs(raised).max() < 1.0
    assert np.isfinite(found.position_covariance(np.array([[10.0, 10.0]]), 5.0)).all()
    assert any("very far" in note for note in found.calibration.notes)


def test_an_exact_rectangle_from_straight_above_is_never_refused() -> None:
    random = np.random.default_rng(11)
    for _ in range(400):
        width_mm, depth_mm = random.uniform(200, 2000, 2)
        scale = random.uniform(0.2, 5.0)
        right, bottom = round(width_mm * scale), round(depth_mm * scale)
        corners = np.array([[0, 0], [right, 0], [right, bottom], [0, bottom]], dtype=float)
        found = solve_from_corners(corners, (right + 1, bottom + 1), width_mm, depth_mm)
        assert isinstance(found, TableView), f"{corners.tolist()}: {found}"
        off_px = np.abs(found.board_to_image(field_corners_mm(width_mm, depth_mm)) - corners).max()
        assert off_px < 0.1, f"{corners.tolist()}: {off_px:.2f} px off"


@pytest.mark.parametrize(
    ("corners", "words"),
    [
        ([[0, 0], [0, 500], [500, 500], [500, 0]], "wrong way round"),
        ([[0, 0], [500, 500], [500, 0], [0, 500]], "convex"),
        ([[10, 10], [10, 10], [500, 500], [0, 500]], "convex"),
        ([[0, 0], [np.nan, 0], [500, 500], [0, 500]], "finite"),
        ([[0, 0], [900, 0], [900, 500], [0, 500]], "times as wide"),
    ],
)
def test_corners_that_cannot_be_are_refused(corners: list[list[float]], words: str) -> None:
    found = solve_from_corners(np.array(corners, dtype=float), (1280, 720), 914.4, 914.4)
    assert isinstance(found, Failure)
    assert words in found.reason


def test_corners_that_contradict_the_lens_are_refused() -> None:
    view = camera(40.0)
    wrong = Lens.pinhole(1280, 720, 3000.0)
    assert isinstance(solve_from_corners(view.board_to_image(FIELD), (1280, 720), 914.4, 914.4, wrong), Failure)


def test_hand_given_corners_are_less_sure_than_their_clicks_are_apart() -> None:
    view = camera(25.0)
    found = solved(view.board_to_image(FIELD), view.lens)
    sigma = np.sqrt(np.trace(found.position_covariance(GRID), axis1=1, axis2=2))
    assert (sigma > 0.5).all()
    assert (sigma < 6.0).all()
