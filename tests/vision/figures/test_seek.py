"""Marked bases that walk, stay and are removed, told apart by colour."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.figure_tables import Base, overhead_view, shot
from tests.pins import Pins
from vision.figures.colour_change import colour_changes
from vision.figures.mark import Mark
from vision.figures.outline import Pose, Round
from vision.figures.registration import Shot
from vision.figures.seek import seek, unmoved

VIEW = overhead_view(700, 556)
BASES = tuple(Base(200.0 + 130 * k, 300.0 + 90 * (k % 3), 32.0, "red", 22.0 + k) for k in range(4))
MARKS = [Mark(str(k), Round(32.0), Pose(base.x, base.y), "unit") for k, base in enumerate(BASES)]


def _shot(bases: tuple[Base, ...]) -> Shot:
    return Shot(shot(np.random.default_rng(3), VIEW, 3, bases, (), aided=False, ground="mat"), VIEW)


def test_a_base_that_walks_is_found_and_a_removed_one_is_not(pinned: Pins) -> None:
    walked = replace(BASES[0], x=BASES[0].x + 60.0, y=560.0)
    before, now = _shot(BASES), _shot((walked, *BASES[2:]))
    shots = dict.fromkeys((mark.id for mark in MARKS), before)
    assert [mark.id for mark in MARKS if unmoved(before, now, mark)] == ["2", "3"]
    found = seek(shots, now, MARKS[:2], colour_changes(before.bgr, now.bgr, 0.5), MARKS[2:])
    assert [each.fitted.mark.id for each in found] == ["0"]
    pose = found[0].fitted.pose
    assert np.hypot(pose.x_mm - walked.x, pose.y_mm - walked.y) < 4.0
    pinned(found)


def test_a_shadow_over_a_part_of_a_base_moves_nothing() -> None:
    before = _shot(BASES)
    x, y = VIEW.board_to_image(np.array([[BASES[1].x, BASES[1].y]]))[0].astype(int)
    shaded = before.bgr.copy()
    shaded[y - 30 : y - 3, x - 30 : x + 30] = shaded[y - 30 : y - 3, x - 30 : x + 30] // 4
    assert unmoved(before, Shot(shaded, VIEW), MARKS[1])


def test_a_change_of_colour_alone_is_a_change() -> None:
    before = np.full((300, 480, 3), (90, 100, 110), np.uint8)
    now = before.copy()
    now[100:120, 200:220] = (130, 100, 95)  # as bright as before
    changed = colour_changes(before, now, 0.5)
    assert changed[105:115, 205:215].all()
    assert changed.sum() < 2 * 20 * 20
