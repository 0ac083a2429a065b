from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.drift import Watch
from calibration.failure import Failure
from calibration.markers import sight_markers
from calibration.view import TableView
from tests.drawing.tokens import HAND_LAID, Card, DrawnTable, camera, draw, tokens

TABLE = DrawnTable(tokens=tokens(HAND_LAID), ruler=Card(430.0, 520.0, 33.0))
PIECES = np.array([[100.0, 100.0], [450.0, 450.0], [800.0, 200.0], [200.0, 850.0]])


@pytest.fixture(scope="module")
def watch() -> Watch:
    view = camera()
    started = Watch.start(draw(TABLE, view), 914.4, 914.4, view.lens)
    assert isinstance(started, Watch), str(started)
    return started


def jump_mm(before: TableView, after: TableView, true_before: TableView, true_after: TableView) -> float:
    """How far resting pieces seem to have moved."""
    first = before.image_to_board(true_before.board_to_image(PIECES))
    second = after.image_to_board(true_after.board_to_image(PIECES))
    return float(np.linalg.norm(second - first, axis=1).max())


def test_an_unchanged_table_is_still(watch: Watch) -> None:
    drift = watch.check(draw(TABLE, camera(), seed=5)[:, :, 0].copy())
    assert drift.state == "still"
    assert drift.shift_px < 0.15


def test_darker_light_is_no_movement(watch: Watch) -> None:
    frame = (draw(TABLE, camera(), seed=5)[:, :, 0] * 0.7).astype(np.uint8)
    assert watch.check(frame).state == "still"


@pytest.mark.parametrize(("tilt", "turn"), [(25.2, 5.0), (25.0, 5.2), (25.4, 4.9)])
def test_a_knocked_camera_is_noticed_and_pieces_stay_where_they_are(watch: Watch, tilt: float, turn: float) -> None:
    moved = camera(tilt, 1750, turn)
    frame = draw(TABLE, moved, seed=6)
    assert watch.check(frame[:, :, 0].copy()).state == "camera_moved"
    again = watch.again(frame)
    assert isinstance(again, Watch), str(again)
    assert jump_mm(watch.view, again.view, camera(), moved) < 0.25
    assert again.check(frame[:, :, 0].copy()).state == "still"


def test_tokens_whose_codes_cannot_be_read_are_followed(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = camera(25.2, 1750, 5.0)
    frame = draw(TABLE, moved, seed=6)
    monkeypatch.setattr("calibration.relocate.sight_markers", lambda gray: sight_markers(gray)[:1])
    again = watch.again(frame)
    assert isinstance(again, Watch), str(again)
    assert jump_mm(watch.view, again.view, camera(), moved) < 0.25
    far = watch.again(draw(TABLE, camera(30.0, 1800, 9.0), seed=7))
    assert isinstance(far, Failure)
    assert "at least three are needed" in str(far)


def test_a_great_knock_is_lost_and_found_again(watch: Watch) -> None:
    moved = camera(30.0, 1800, 9.0)
    frame = draw(TABLE, moved, seed=7)
    assert watch.check(frame[:, :, 0].copy()).state == "lost"
    again = watch.again(frame)
    assert isinstance(again, Watch), str(again)
    assert jump_mm(watch.view, again.view, camera(), moved) < 0.3


def test_a_moved_token_is_named_and_the_frame_stays(watch: Watch) -> None:
    offsets = {**HAND_LAID, 2: (7.0, 9.0, 0.5)}
    frame = draw(DrawnTable(tokens=tokens(offsets), ruler=TABLE.ruler), camera(), seed=8)
    drift = watch.check(frame[:, :, 0].copy())
    assert (drift.state, drift.markers) == ("token_moved", (2,))
    again = watch.again(frame)
    assert isinstance(again, Watch), str(again)
    assert again.view.calibration.tokens == (0, 1, 3)
    assert jump_mm(watch.view, again.view, camera(), camera()) < 0.4
    assert any("token 2 was moved" in note for note in again.view.calibration.notes)


def test_a_hand_over_a_token_is_no_movement(watch: Watch) -> None:
    frame = draw(TABLE, camera(), seed=9)[:, :, 0].copy()
    x, y = watch.view.board_to_image(np.array([[-30.0, -30.0]]))[0].astype(int)
    frame[y - 15 : y + 60, x - 60 : x + 25] = 150
    drift = watch.check(frame)
    assert (drift.state, drift.markers) == ("hidden", (0,))


def test_a_covered_camera_is_lost_and_says_why(watch: Watch) -> None:
    black = np.zeros((720, 1280, 3), np.uint8)
    assert watch.check(black[:, :, 0].copy()).state == "lost"
    assert isinstance(watch.again(black), Failure)


@pytest.mark.parametrize("scale", [0.75, 1.5])
def test_another_picture_size_is_a_camera_that_moved_and_is_measured_anew(watch: Watch, scale: float) -> None:
    size = (round(1280 * scale), round(720 * scale))
    frame = np.asarray(cv2.resize(draw(TABLE, camera(), seed=10), size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    assert watch.check(frame[:, :, 0].copy()).state == "camera_moved"
    again = watch.again(frame)
    assert isinstance(again, Watch), str(again)
    assert (again.view.lens.width, again.view.lens.height) == size
    pixels = (camera().board_to_image(PIECES) + 0.5) * scale - 0.5
    jump = again.view.image_to_board(pixels) - watch.view.image_to_board(camera().board_to_image(PIECES))
    assert np.linalg.norm(jump, axis=1).max() < 0.6


@pytest.mark.parametrize("shape", [(720, 1180), (100, 100), (1, 1)])
def test_a_picture_that_the_camera_file_does_not_fit_says_so(watch: Watch, shape: tuple[int, int]) -> None:
    frame = np.zeros((*shape, 3), np.uint8)
    assert watch.check(frame[:, :, 0].copy()).state == "camera_moved"
    again = watch.again(frame)
    assert isinstance(again, Failure)
    assert "calibrate this size" in again.reason
