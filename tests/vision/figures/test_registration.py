"""Pieces that stay where they are though the camera is knocked."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from benchmarks.figure_tables import Base, overhead_view, shot
from calibration.view import TableView
from tests.pins import Pins
from vision.figures.mark import Mark
from vision.figures.outline import Pose, Round
from vision.figures.registration import Shot, left_over, shift_of, stayed

BASES = tuple(Base(200.0 + 130 * k, 300.0 + 90 * (k % 3), 32.0, "red", 22.0 + k) for k in range(5))
MARKS = [Mark(str(k), Round(32.0), Pose(base.x, base.y)) for k, base in enumerate(BASES)]


def _shot(view: TableView, bases: tuple[Base, ...]) -> Shot:
    return Shot(shot(np.random.default_rng(3), view, 3, bases, (), aided=False, ground="mat"), view)


def test_a_knock_moves_no_piece_and_hides_no_move(pinned: Pins) -> None:
    view = overhead_view(700, 556)
    turn, _ = cv2.Rodrigues(np.array([0.004, -0.006, 0.01]))
    knocked = replace(view, rotation=turn @ view.rotation, translation=turn @ view.translation)
    moved = (replace(BASES[0], x=BASES[0].x + 5.0), replace(BASES[1], x=BASES[1].x - 90.0, y=500.0), *BASES[2:])
    before, now = _shot(view, BASES), _shot(knocked, moved)
    assert stayed(dict.fromkeys((mark.id for mark in MARKS), before), now, MARKS) == {"2", "3", "4"}
    shifted = shift_of(before, now, MARKS[0])
    assert abs(shifted.dx_mm - 5.0) <= 1.0 and abs(shifted.dy_mm) <= 1.0
    pinned(shifted)


def test_a_shift_that_varies_over_the_table_hides_no_piece_that_was_moved() -> None:
    places = np.array([[x, y] for x in (100.0, 400.0, 800.0) for y in (150.0, 500.0, 750.0)])
    shifts = np.column_stack([places[:, 0] / 150.0, -places[:, 1] / 300.0])  # up to 5 mm
    shifts[4] += [4.0, -3.0]
    left = np.hypot(*left_over(places, shifts).T)
    assert left[4] > 3.0
    assert np.delete(left, 4).max() < 2.0
    assert np.hypot(*left_over(places[:2], np.array([[1.0, 0.0], [1.0, 0.0]])).T).max() < 0.1
