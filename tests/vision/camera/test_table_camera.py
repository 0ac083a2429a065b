"""A camera over a table: it finds the table in one frame and knows it better from a picture at rest."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.view import TableView
from tests.drawing.film import DrawnFilm
from tests.drawing.simulated_game import TABLE_MM, DiceGame
from vision.camera.options import CAMERA
from vision.camera.table_camera import COVERED, TableCamera, Watched
from vision.types.frame import Frame

Nothing = Watched[None, None]


def off_px(view: TableView | None, truth: TableView | None) -> float:
    """How far a view is from another one, over the whole field."""
    assert view is not None
    assert truth is not None
    across = np.stack(np.meshgrid(*[np.linspace(0, TABLE_MM, 5)] * 2), axis=-1).reshape(-1, 2)
    return float(np.abs(view.board_to_image(across) - truth.board_to_image(across)).mean())


def test_the_mean_of_pictures_at_rest_tells_better_where_the_table_lies() -> None:
    """Over eight films; in a single one the fit of a token may happen to be worse."""
    first, later = [], []
    for seed in range(8):
        film, table = DrawnFilm(noise_levels=4.0, seed=seed), DiceGame(4).table
        camera, clear = (TableCamera((TABLE_MM, TABLE_MM), film.view.lens) for _ in range(2))
        clear.update(next(DrawnFilm(noise_levels=0.0).still(table, 1)))
        for frame in film.still(table, 12):
            sight = camera.update(frame)
        assert sight is not None
        assert sight.calm.at_rest
        assert sight.calm.still_s >= CAMERA.settle_s
        first.append(off_px(camera.view, clear.view))
        assert camera.check(camera.take(frame, sight.calm)) == "same"
        later.append(off_px(camera.view, clear.view))
    assert sum(later) < 0.5 * sum(first)
    assert sum(after < 0.7 * before for before, after in zip(first, later, strict=True)) >= 7


def test_a_covered_camera_keeps_what_is_known() -> None:
    film, table = DrawnFilm(), DiceGame(4).table
    camera = TableCamera((TABLE_MM, TABLE_MM), film.view.lens)
    unfound: Nothing = camera.out_of_sight(None, ("a",))
    assert (unfound.view, unfound.held) == (None, ())
    frames = list(film.still(table, 8))
    for frame in frames:
        camera.update(frame)
    camera.sense.remember(frames[-1].bgr)
    dark = [camera.update(frame) for frame in film.shown(np.full((540, 960, 3), 2.0, np.float32), 20)]
    assert dark[-1] is None
    covered: Nothing = camera.out_of_sight(None, ("a",))
    assert covered.notice == COVERED
    assert covered.held == ("a",)


@pytest.mark.parametrize("size", [(640, 360), (1280, 720)])
def test_another_picture_size_is_measured_anew_in_the_same_board_frame(size: tuple[int, int]) -> None:
    film, table = DrawnFilm(), DiceGame(4).table
    camera = TableCamera((TABLE_MM, TABLE_MM), film.view.lens)
    for frame in film.still(table, 8):
        sight = camera.update(frame)
    assert sight is not None
    assert camera.check(camera.take(frame, sight.calm)) == "same"
    before = camera.view
    resized = Frame(
        np.asarray(cv2.resize(frame.bgr, size, interpolation=cv2.INTER_LINEAR), np.uint8),
        frame.index + 1,
        frame.time_s + 1,
    )
    sight = camera.update(resized)
    assert sight is not None
    assert sight.knocked
    assert camera.check(camera.take(resized, sight.calm)) == "moved"
    assert camera.view is not None and before is not None
    assert (camera.view.lens.width, camera.view.lens.height) == size
    points = np.array([[100.0, 100.0], [TABLE_MM - 100, 300.0]])
    pixels = (before.board_to_image(points) + 0.5) * size[0] / 960 - 0.5
    assert np.abs(camera.view.image_to_board(pixels) - points).max() < 2.0  # an enlarged picture is soft at the tokens


def test_a_size_that_the_camera_file_does_not_fit_is_told_and_the_table_kept() -> None:
    film, table = DrawnFilm(), DiceGame(4).table
    camera = TableCamera((TABLE_MM, TABLE_MM), film.view.lens)
    for frame in film.still(table, 8):
        sight = camera.update(frame)
    assert sight is not None
    camera.check(camera.take(frame, sight.calm))
    cut = Frame(np.ascontiguousarray(frame.bgr[:, :700]), frame.index + 1, frame.time_s + 1)
    sight = camera.update(cut)
    assert sight is not None
    assert camera.check(camera.take(cut, sight.calm)) == "unknown"
    after: Nothing = camera.out_of_sight(None, ("a",))
    assert "size has changed" in after.notice
    assert camera.update(Frame(cut.bgr, cut.index + 1, cut.time_s + 0.1)) is None
