from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.lens import Lens
from calibration.view import TERMS, TableView
from tests.drawing.tokens import camera

tilts = st.floats(0, 55)
turns = st.floats(-180, 180)
heights = st.floats(0, 60)
places = st.lists(st.tuples(st.floats(0, 914.4), st.floats(0, 914.4)), min_size=1, max_size=8)


@given(tilts, turns, places, heights)
def test_a_board_point_seen_and_read_back_is_itself(
    tilt: float, turn: float, points: list[tuple[float, float]], height: float
) -> None:
    view = camera(tilt, 1750, turn)
    board = np.array(points)
    pixels = view.board_to_image(board, height)
    assert np.allclose(view.image_to_board(pixels, height), board, atol=1e-5)


@given(tilts, turns, places)
def test_without_distortion_the_cloth_maps_by_a_homography(
    tilt: float, turn: float, points: list[tuple[float, float]]
) -> None:
    view = camera(tilt, 1750, turn, Lens.pinhole(1280, 720, 1000.0))
    four = np.array([[0, 0], [900, 0], [900, 900], [0, 900.0]])
    plane = cv2.getPerspectiveTransform(four.astype(np.float32), view.board_to_image(four).astype(np.float32))
    mapped = cv2.perspectiveTransform(np.array(points)[:, None], plane)[:, 0]
    assert np.allclose(view.board_to_image(np.array(points)), mapped, atol=0.01)


@given(tilts, places, heights)
def test_jacobians_are_what_small_steps_show(tilt: float, points: list[tuple[float, float]], height: float) -> None:
    view = camera(tilt)
    board = np.array(points)
    jacobian = view.board_to_image_jacobian(board, height)
    step = 0.05
    for axis, shift in enumerate(np.eye(2) * step):
        moved = (view.board_to_image(board + shift, height) - view.board_to_image(board, height)) / step
        assert np.allclose(jacobian[:, :, axis], moved, atol=1e-3)
    raised = (view.board_to_image(board, height + step) - view.board_to_image(board, height)) / step
    assert np.allclose(jacobian[:, :, 2], raised, atol=1e-3)
    back = view.image_to_board_jacobian(view.board_to_image(board, height), height)
    assert np.allclose(back @ jacobian[:, :, :2], np.eye(2), atol=1e-6)


def test_a_face_above_the_cloth_is_seen_further_out() -> None:
    view = camera(0.0, 1500.0, 0.0)
    corner = np.array([[914.4, 914.4]])
    read_as_cloth = view.image_to_board(view.board_to_image(corner, 10.0), 0.0)
    expected = 457.2 * 10 / (1500 - 10)
    assert np.allclose(read_as_cloth - corner, expected, atol=0.01)


def _unsure(sigmas: dict[int, float]) -> TableView:
    covariance = np.zeros((TERMS, TERMS))
    for term, sigma in sigmas.items():
        covariance[term, term] = sigma**2
    return replace(camera(), covariance=covariance)


def test_an_unsure_pose_makes_positions_unsure_as_drawn_samples_show() -> None:
    view = _unsure({0: 1e-3, 2: 1e-3, 3: 1.0, 6: 2e-3, 9: 0.01})
    points = np.array([[50.0, 80.0], [457.0, 457.0], [900.0, 300.0]])
    pixels = view.board_to_image(points)
    rng = np.random.default_rng(3)
    terms = rng.normal(size=(1500, TERMS)) * np.sqrt(np.diag(view.covariance))
    read = np.array([view.perturbed(change).image_to_board(pixels) for change in terms])
    predicted = view.position_covariance(points)
    for k in range(len(points)):
        drawn = np.cov(read[:, k].T)
        assert np.allclose(np.sqrt(np.diag(drawn)), np.sqrt(np.diag(predicted[k])), rtol=0.12)
    apart = read[:, 1] - read[:, 0]
    gap = np.linalg.norm(apart, axis=1).std()
    assert np.isclose(view.gap_sigma_mm(points[:1], points[1:2])[0], gap, rtol=0.12)


def test_near_points_share_their_error() -> None:
    view = _unsure({3: 1.0, 4: 1.0})
    near = view.pair_covariance(np.array([[400.0, 400.0]]), np.array([[410.0, 400.0]]))
    alone = view.position_covariance(np.array([[400.0, 400.0]]))
    assert np.trace(near[0]) < 0.01 * np.trace(alone[0])


def test_a_sure_view_adds_no_error() -> None:
    assert not camera().position_covariance(np.array([[1.0, 2.0]])).any()


def test_a_resized_view_shows_the_same_table() -> None:
    view = replace(camera(30.0, 1750, 20.0), covariance=np.eye(TERMS) * 1e-4)
    large = view.resized(2 * view.lens.width, 2 * view.lens.height)
    points = np.array([[10.0, 20.0], [400.0, 500.0]])
    assert np.allclose(large.board_to_image(points), 2 * view.board_to_image(points) + 0.5, atol=1e-6)
    assert np.allclose(large.position_covariance(points), view.position_covariance(points), rtol=1e-3)
