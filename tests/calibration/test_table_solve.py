from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage, FloatArray
from calibration.board_frame import rigid_fit
from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.lens import Lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from tests.drawing.tokens import HAND_LAID, Card, DrawnTable, camera, draw, tokens

SIZE = 914.4
RULER = Card(430.0, 520.0, 33.0)


def solved(picture: ByteImage, view: TableView, known: bool = True) -> TableView:
    found = solve_table(picture, SIZE, SIZE, view.lens if known else None)
    assert isinstance(found, TableView), str(found)
    return found


def distance_errors(found: TableView, view: TableView, table: DrawnTable) -> FloatArray:
    truth = table.inner_corners()
    measured = found.image_to_board(view.board_to_image(truth))
    pairs = list(combinations(range(len(truth)), 2))
    true = np.array([np.linalg.norm(truth[i] - truth[j]) for i, j in pairs])
    read = np.array([np.linalg.norm(measured[i] - measured[j]) for i, j in pairs])
    return np.asarray(read / true - 1, dtype=np.float64)


@pytest.mark.parametrize("tilt", [3.0, 25.0, 42.0])
def test_distances_are_true_though_tokens_lie_askew(tilt: float) -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID), ruler=RULER)
    matrix = np.array([[1520.0, 0, 965.0], [0, 1520.0, 533.0], [0, 0, 1]])
    view = camera(tilt, 1750, 5.0, Lens(1920, 1080, matrix, np.array([-0.1, 0.01, 0.0002, -0.0003, 0.0])))
    found = solved(draw(table, view), view)
    assert found.calibration.scale_source == "ruler"
    assert found.calibration.tokens == (0, 1, 2, 3)
    assert found.calibration.rms_px < 0.3
    assert np.abs(distance_errors(found, view, table)).max() < 0.0015


def test_one_picture_has_one_view_whatever_memory_its_solve_gets() -> None:
    view = camera(25.0, 1750, 5.0)
    picture = draw(DrawnTable(tokens=tokens(HAND_LAID)), view)
    found = []
    for odd in range(4):
        held = [np.ones(odd * 7 + size) for size in range(40)]  # other places for the arrays of the solve
        found.append(solved(picture, view))
        del held
    assert all(np.array_equal(each.rotation, found[0].rotation) for each in found)
    assert all(np.array_equal(each.translation, found[0].translation) for each in found)


def test_without_a_ruler_the_markers_give_the_scale() -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID))
    view = camera()
    found = solved(draw(table, view), view)
    assert found.calibration.scale_source == "markers"
    assert np.abs(distance_errors(found, view, table)).max() < 0.004
    assert 0.0005 < found.calibration.scale_sigma < 0.005


def test_without_a_camera_file_less_is_sure_and_a_note_says_so() -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID), ruler=RULER)
    view = camera(30.0)
    picture = draw(table, view)
    known, unknown = solved(picture, view), solved(picture, view, known=False)
    assert np.abs(distance_errors(unknown, view, table)).max() < 0.004
    middle = np.array([[200.0, 700.0]])
    assert np.trace(unknown.position_covariance(middle)[0]) > np.trace(known.position_covariance(middle)[0])
    assert any("no camera file" in note for note in unknown.calibration.notes)


def test_the_board_frame_is_the_rigid_fit_of_the_nominal_field() -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID), ruler=RULER)
    view = camera()
    found = solved(draw(table, view), view)
    measured = found.image_to_board(view.board_to_image(table.inner_corners()))
    turn, shift = rigid_fit(field_corners_mm(SIZE, SIZE), measured)
    assert abs(np.degrees(turn)) < 0.02
    assert np.linalg.norm(shift) < 0.3


def test_predicted_errors_are_honest_over_many_tables() -> None:
    rng = np.random.default_rng(11)
    grid = np.stack(np.meshgrid(np.linspace(50, 860, 4), np.linspace(50, 860, 4)), axis=2).reshape(-1, 2)
    normalised = []
    for seed in range(6):
        offsets = {t: (rng.normal(0, 3), rng.normal(0, 3), rng.normal(0, 2)) for t in range(4)}
        table = DrawnTable(
            tokens=tokens(offsets), ruler=Card(rng.uniform(300, 600), rng.uniform(300, 600), rng.uniform(0, 360))
        )
        view = camera(rng.uniform(2, 45), 1850, rng.uniform(-20, 20))
        found = solved(draw(table, view, seed=seed), view)
        turn, shift = rigid_fit(field_corners_mm(SIZE, SIZE), table.inner_corners())
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        error = found.image_to_board(view.board_to_image(grid @ spin.T + shift)) - grid
        covariance = found.position_covariance(grid)
        normalised.append(np.mean(np.einsum("ni,nij,nj->n", error, np.linalg.inv(covariance), error)) / 2)
    assert np.mean(normalised) < 2.0


def test_three_tokens_are_enough_and_the_fourth_corner_is_named() -> None:
    cards = tokens(HAND_LAID)
    del cards[2]
    table = DrawnTable(tokens=cards, ruler=RULER)
    view = camera()
    found = solved(draw(table, view), view)
    assert found.calibration.tokens == (0, 1, 3)
    assert any("south-east token is not seen" in note for note in found.calibration.notes)
    assert np.abs(distance_errors(found, view, table)).max() < 0.002


def test_two_tokens_are_not_enough() -> None:
    cards = {token: card for token, card in tokens().items() if token in (0, 2)}
    view = camera()
    found = solve_table(draw(DrawnTable(tokens=cards), view), SIZE, SIZE, view.lens)
    assert isinstance(found, Failure)
    assert not found
    assert found.seen == (0, 2)
    assert "at least three" in found.reason


def test_an_empty_picture_is_a_failure_that_says_what_to_do() -> None:
    found = solve_table(np.full((480, 640, 3), 120, np.uint8), SIZE, SIZE)
    assert isinstance(found, Failure)
    assert found.seen == ()
    assert "show them whole" in found.hint


def test_swapped_tokens_are_named() -> None:
    cards = tokens()
    cards[1], cards[2] = cards[2], cards[1]
    view = camera()
    found = solve_table(draw(DrawnTable(tokens=cards), view), SIZE, SIZE, view.lens)
    assert isinstance(found, Failure)
    assert "token 1 lies south-east" in found.reason
    assert "token 2 lies north-east" in found.reason


def test_a_token_turned_by_a_quarter_still_marks_its_corner() -> None:
    table = DrawnTable(tokens=tokens({3: (0.0, 0.0, 90.0)}), ruler=RULER)
    view = camera()
    found = solved(draw(table, view), view)
    assert any("south-west token is turned by 90°" in note for note in found.calibration.notes)
    straight = solved(draw(DrawnTable(tokens=tokens(), ruler=RULER), view), view)
    middle = np.array([[640.0, 360.0]])
    assert np.linalg.norm(found.image_to_board(middle) - straight.image_to_board(middle)) < 0.5


def test_tokens_of_a_wrong_size_are_found_out_by_the_ruler() -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID), ruler=RULER, token_scale=0.96)
    view = camera()
    found = solved(draw(table, view), view)
    assert any("printed at 96" in note for note in found.calibration.notes)
    assert np.abs(distance_errors(found, view, table)).max() < 0.003


def test_a_table_of_another_size_is_refused_with_its_size() -> None:
    cards = {t: Card(c.x * 0.8 + 90, c.y * 0.8 + 90) for t, c in tokens().items()}
    view = camera()
    found = solve_table(draw(DrawnTable(tokens=cards, ruler=RULER), view), SIZE, SIZE, view.lens)
    assert isinstance(found, Failure)
    assert "--table" in found.hint


def test_two_tables_in_view_are_refused() -> None:
    near = {t: Card(c.x * 0.45 - 60, c.y * 0.45 + 200) for t, c in tokens().items()}
    far = {t: Card(c.x * 0.45 + 560, c.y * 0.45 + 200) for t, c in tokens().items()}
    view = camera(10.0, 1850, 0.0)
    pictures = [draw(DrawnTable(tokens=cards), view, noise=0.0) for cards in (near, far)]
    found = solve_table(np.asarray(cv2.max(*pictures), dtype=np.uint8), SIZE * 0.45, SIZE * 0.45, view.lens)
    assert isinstance(found, Failure)
    assert "two tables" in found.reason


def test_disk_art_that_reads_as_a_token_does_not_move_the_table() -> None:
    table = DrawnTable(tokens=tokens(HAND_LAID), ruler=RULER)
    view = camera()
    picture = draw(table, view)
    extra = draw(DrawnTable(tokens={1: Card(300.0, 300.0, 40.0)}, token_scale=0.6), view, noise=0.0)
    picture = np.asarray(cv2.max(picture, np.where(extra > 130, extra, 0).astype(np.uint8)), dtype=np.uint8)
    found = solved(picture, view)
    assert np.abs(distance_errors(found, view, table)).max() < 0.0015


@pytest.mark.parametrize("wrong", [0.85, 1.15])
def test_a_camera_file_of_another_lens_is_noticed_and_left_aside(wrong: float) -> None:
    view = camera(35.0)
    table = DrawnTable(tokens=tokens(HAND_LAID))
    picture = draw(table, view)
    matrix = np.array(view.lens.matrix)
    matrix[:2, :2] *= wrong
    found = solve_table(picture, SIZE, SIZE, replace(view.lens, matrix=matrix))
    assert isinstance(found, TableView)
    assert any("camera file does not fit" in note for note in found.calibration.notes)
    assert abs(found.lens.matrix[0][0] / view.lens.matrix[0][0] - 1) < 0.03
    right = solve_table(picture, SIZE, SIZE, view.lens)
    assert isinstance(right, TableView)
    assert not any("does not fit" in note for note in right.calibration.notes)
