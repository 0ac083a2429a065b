"""A camera over a table: it finds the table in one frame and knows it better from a picture at rest."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.view import TableView
from tests.drawing.film import DrawnFilm
from tests.drawing.simulated_game import TABLE_MM, DiceGame
from vision.camera.settling import SETTLE_S
from vision.camera.table_camera import COVERED, TableCamera, Watched

Nothing = Watched[None, None]


def off_px(view: TableView | None, truth: TableView | None) -> float:
    """How far a view is from another one, over the whole field."""
    assert view is not None
    assert truth is not None
    across = np.stack(np.meshgrid(*[np.linspace(0, TABLE_MM, 5)] * 2), axis=-1).reshape(-1, 2)
    return float(np.abs(view.board_to_image(across) - truth.board_to_image(across)).mean())


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_the_first_picture_at_rest_tells_better_where_the_table_lies(seed: int) -> None:
    film, table = DrawnFilm(noise_levels=4.0, seed=seed), DiceGame(4).table
    camera, clear = (TableCamera((TABLE_MM, TABLE_MM), film.view.lens) for _ in range(2))
    clear.update(next(DrawnFilm(noise_levels=0.0).still(table, 1)))
    for frame in film.still(table, 12):
        sight = camera.update(frame)
    assert sight is not None
    assert sight.calm.at_rest
    assert sight.calm.still_s >= SETTLE_S
    found_at = off_px(camera.view, clear.view)
    assert camera.check(camera.take(frame, sight.calm)) == "same"
    assert off_px(camera.view, clear.view) < 0.7 * found_at


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
