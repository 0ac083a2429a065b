"""Tables that are not as they should be: half covered tokens, plain cardboard, real photographs."""

from __future__ import annotations

import re
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration import homography
from calibration.arrays import ByteImage, FloatArray
from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.marker_fit import Print, fit_print
from calibration.plain_corners import propose_corners
from calibration.table_solve import solve_from_corners, solve_table
from calibration.view import TableView
from tests.drawing.tokens import HAND_LAID, DrawnTable, camera, draw, tokens

FIELD = field_corners_mm(914.4, 914.4)
OUTWARDS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
SQUARE = np.array([[0, 0], [50, 0], [50, 50], [0, 50]])
ANGLE = np.array([[0, 0], [0, -60], [25, -60], [25, 25], [-60, 25], [-60, 0]])
ARUCO = Path(__file__).resolve().parents[3] / "shared" / "photos" / "aruco"


@pytest.mark.parametrize(("dx", "dy"), [(8, 8), (3, 8)])
def test_a_half_covered_token_still_helps(dx: int, dy: int) -> None:
    view = camera()
    whole = draw(DrawnTable(tokens=tokens(HAND_LAID)), view)
    x, y = view.board_to_image(np.array([[944.4, 944.4]]))[0].astype(int)
    covered = whole.copy()
    covered[y + dy : y + dy + 40, x + dx : x + dx + 40] = 150
    found = solve_table(covered, 914.4, 914.4, view.lens)
    assert isinstance(found, TableView), str(found)
    assert any("partly clear" in note or "not seen" in note for note in found.calibration.notes)
    reference = solve_table(whole, 914.4, 914.4, view.lens)
    assert isinstance(reference, TableView)
    places = np.array([[100.0, 100.0], [450.0, 450.0], [800.0, 800.0]])
    pixels = view.board_to_image(places)
    apart = np.linalg.norm(found.image_to_board(pixels) - reference.image_to_board(pixels), axis=1)
    sigma = np.sqrt(np.trace(found.position_covariance(places), axis1=1, axis2=2))
    assert (apart < 2.5 * sigma).all()


def cardboard(shape: FloatArray) -> ByteImage:
    view = camera()
    picture = np.full((720, 1280, 3), 90, np.uint8)
    for corner, outwards in zip(FIELD, OUTWARDS, strict=True):
        outline = view.board_to_image(shape * outwards + corner)
        cv2.fillPoly(picture, [np.round(outline * 16).astype(np.int32)], (200, 205, 210), cv2.LINE_AA, 4)
    noise = np.random.default_rng(1).normal(0, 2, picture.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(picture, (0, 0), 0.8) + noise, 0, 255), dtype=np.uint8)


@pytest.mark.parametrize(("shape", "name"), [(SQUARE, "square"), (ANGLE, "L-shaped")])
def test_plain_cardboard_is_proposed_and_never_just_taken(shape: FloatArray, name: str) -> None:
    picture = cardboard(shape)
    found = solve_table(picture, 914.4, 914.4)
    assert isinstance(found, Failure)
    assert name in found.hint
    option = re.search(r'--corners "([^"]+)"', found.hint)
    assert option is not None
    corners = np.array([[float(part) for part in pair.split(",")] for pair in option[1].split()])
    view = camera()
    assert np.abs(corners - view.board_to_image(FIELD)).max() < 5
    assert isinstance(solve_from_corners(corners, (1280, 720), 914.4, 914.4, view.lens), TableView)


def test_a_plain_table_proposes_nothing() -> None:
    assert propose_corners(np.full((480, 640, 3), 120, np.uint8)) is None


@pytest.mark.skipif(not ARUCO.is_dir(), reason="the real photographs are not beside the project")
def test_on_a_real_photograph_drawing_a_marker_predicts_its_neighbours() -> None:
    text = (ARUCO / "tutorial_dict.yml").read_text()
    cells = {
        int(number): np.pad(np.array([int(bit) for bit in bits], dtype=float).reshape(6, 6), 1)
        for number, bits in re.findall(r'marker_(\d+): "([01]+)"', text)
    }
    dictionary = cv2.aruco.Dictionary()
    storage = cv2.FileStorage(str(ARUCO / "tutorial_dict.yml"), cv2.FILE_STORAGE_READ)
    assert dictionary.readDictionary(storage.root())
    picture = cv2.imread(str(ARUCO / "gboriginal.jpg"))
    assert picture is not None
    bgr = np.asarray(picture, dtype=np.uint8)
    quads, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(bgr)
    fitted = {}
    for number, quad in zip(np.asarray(ids).reshape(-1), quads, strict=True):
        printed = Print(int(number), cells[int(number)], 1.0, 0.6)
        fit = fit_print(bgr, printed, np.asarray(quad, dtype=np.float64).reshape(4, 2))
        assert fit is not None
        fitted[int(number)] = fit.corners_px
    assert len(fitted) == 35
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    plan = {number: square + np.array([number % 5, number // 5]) * 1.2 for number in fitted}
    errors = []
    for left_out, corners in fitted.items():
        others = [number for number in fitted if number != left_out]
        plane, _ = cv2.findHomography(
            np.concatenate([plan[number] for number in others]), np.concatenate([fitted[number] for number in others])
        )
        predicted = homography.apply(np.asarray(plane, dtype=np.float64), plan[left_out])
        errors.append(np.linalg.norm(predicted - corners, axis=1))
    assert np.median(errors) < 0.4


def test_a_camera_that_moves_black_and_white_edges_does_not_change_the_scale() -> None:
    view = camera()
    picture = draw(DrawnTable(tokens=tokens(HAND_LAID)), view)
    # Under a tone curve that nobody expects, every blurred edge moves towards the white.
    light = cv2.GaussianBlur(picture.astype(np.float32) / 255, (0, 0), 0.8)
    shrunk = np.asarray(np.clip(np.clip(light, 0, 1) ** 2.0 * 255, 0, 255), dtype=np.uint8)
    scales = []
    for seen in (picture, shrunk):
        found = solve_table(seen, 914.4, 914.4, view.lens)
        assert isinstance(found, TableView), str(found)
        ends = found.image_to_board(view.board_to_image(np.array([[50.0, 50.0], [860.0, 860.0]])))
        scales.append(float(np.linalg.norm(ends[1] - ends[0])) / np.hypot(810, 810))
    assert scales[1] == pytest.approx(scales[0], rel=0.002)


def test_tokens_in_deep_shade_are_read() -> None:
    view = camera()
    picture = draw(DrawnTable(tokens=tokens(HAND_LAID)), view).astype(np.float64)
    rng = np.random.default_rng(3)
    for corner in ((-30.0, -30.0), (944.4, 944.4)):
        x, y = view.board_to_image(np.array([corner]))[0].astype(int)
        low, high = (max(y - 60, 0), max(x - 60, 0)), (y + 60, x + 60)
        shaded = picture[low[0] : high[0], low[1] : high[1]]
        shaded *= 0.035
    picture += rng.normal(0, 0.4, picture.shape)
    found = solve_table(np.clip(picture, 0, 255).astype(np.uint8), 914.4, 914.4, view.lens)
    assert isinstance(found, TableView), str(found)
