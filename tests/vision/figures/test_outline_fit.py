"""Plain bases and stands, marked some millimetres off, are measured by their outlines."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.figure_tables import Base, Picture, Stand, draw
from tests.pins import Pins
from vision.figures.apart import Choice, set_apart
from vision.figures.blocks import blocks_of
from vision.figures.mark import Mark
from vision.figures.outline import Oblong, Pose, Round, outline_of
from vision.figures.outline_fit import Fitted, fit_outlines

BASES = (
    Base(200.0, 250.0, 30.0, "red", 24.0),
    Base(230.2, 250.0, 30.0, "red", 26.0),  # in contact with the first
    Base(450.0, 300.0, 40.0, "blue", 30.0),
    Base(700.0, 600.0, 50.0, "magenta", 35.0),
)
RANK: tuple[Stand, ...] = tuple(Stand(360 + 60.2 * n, 620.0, 60.0, 60.0, 0.0, "green", 22.0 + n) for n in range(3))
OFF_MM = ((3.0, -2.0), (-1.0, 3.5), (3.5, 2.0), (-4.0, 1.0), (2.0, 2.0), (-3.0, 1.0), (1.0, -3.0))


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(41, 26.0, bases=BASES, stands=RANK, aided=False, size=(1500, 844), ground="marble")


def marks() -> list[Mark]:
    bases = [Mark(f"b{k}", Round(base.diameter_mm), Pose(base.x, base.y), "band") for k, base in enumerate(BASES)]
    stands = [Mark(f"s{k}", Oblong(60.0, 60.0), Pose(s.x, s.y, 0.0), "rank") for k, s in enumerate(RANK)]
    return [
        Mark(m.id, m.footprint, Pose(m.pose.x_mm + dx, m.pose.y_mm + dy, (2.0 * k - 9.0) % 360), m.unit)
        for k, (m, (dx, dy)) in enumerate(zip([*bases, *stands], OFF_MM, strict=True))
    ]


@pytest.fixture(scope="module")
def fitted(picture: Picture) -> tuple[Fitted, ...]:
    return fit_outlines(picture.bgr, picture.view, marks())


def test_marks_snap_to_the_outlines(fitted: tuple[Fitted, ...], pinned: Pins) -> None:
    places = [(thing.x, thing.y) for thing in BASES] + [(thing.x, thing.y) for thing in RANK]
    errors = [float(np.hypot(f.pose.x_mm - x, f.pose.y_mm - y)) for f, (x, y) in zip(fitted, places, strict=True)]
    assert max(errors) < 2.0
    assert np.median(errors) < 0.9
    assert all(0.05 < each.sigma_mm < 1.5 and not each.doubtful for each in fitted)
    pinned(fitted)


def test_stands_of_a_block_face_as_they_stand(fitted: tuple[Fitted, ...]) -> None:
    for each in fitted[len(BASES) :]:
        assert abs((each.pose.facing_deg + 180) % 360 - 180) < 1.0


def test_a_mark_where_nothing_stands_is_doubtful(picture: Picture) -> None:
    empty = [Mark("x", Round(32.0), Pose(800.0, 200.0)), Mark("y", Oblong(60.0, 60.0), Pose(150.0, 780.0))]
    assert [each.doubtful for each in fit_outlines(picture.bgr, picture.view, empty)] == [True, True]


def test_the_far_side_leans_outward_and_the_near_side_inward(picture: Picture) -> None:
    outline = outline_of(Round(40.0), Pose(450.0, 300.0), picture.view)
    away = np.array([450.0, 300.0]) - picture.view.camera_centre[:2]
    assert (np.sign(outline.lean) == np.sign(outline.outward @ away))[np.abs(outline.lean) > 0.05].all()


def test_two_marks_never_choose_one_base() -> None:
    line = np.arange(-12.0, 12.5, 1.0)
    shifts = np.stack([line, 0 * line, 0 * line], axis=1)
    # Two bases of 25 mm stand at x = 0 and 25; both marks, at 8 and 18, come nearest to the one at 25.
    first, second = (
        Choice(np.array([x, 0.0]), shifts, likely, 25.0)
        for x, likely in (
            (12.0, 5.0 * (line == -12) + 6.0 * (line == 12)),
            (18.0, 8.0 * (line == 7)),
        )
    )
    placed = [
        float(choice.places[:, 0][0] + 12 + s[0])
        for choice, s in zip((first, second), set_apart([first, second]), strict=True)
    ]
    assert placed == [0.0, 25.0]


def test_marks_of_a_block_fall_on_a_grid() -> None:
    scattered = [
        Mark(f"{f}{r}", Oblong(60.0, 60.0), Pose(300 + 60 * f + dx, 300 + 60 * r - dx, turn), "u")
        for f, r, dx, turn in ((0, 0, 3.0, 2.0), (1, 0, -2.0, -3.0), (0, 1, -3.0, 1.0), (1, 1, 2.0, 0.0))
    ]
    (block,) = blocks_of(scattered)
    poses = np.array([[pose.x_mm, pose.y_mm] for _, pose in block])
    assert np.allclose(np.linalg.norm(poses[1] - poses[0]), 60.0)
    assert len({round(pose.facing_deg, 6) for _, pose in block}) == 1
    apart = [Mark("a", Oblong(60.0, 60.0), Pose(100, 100), "u"), Mark("b", Oblong(60.0, 60.0), Pose(400, 300), "u")]
    assert [len(block) for block in blocks_of(apart)] == [1, 1]
