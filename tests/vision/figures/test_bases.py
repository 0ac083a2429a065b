"""Round bases with figures on them, drawn with exact truth."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.figure_tables import Base, Picture, draw
from tests.pins import Pins
from vision.figures.bases import find_bases
from vision.types.frame import Frame

SIZES_MM = (30.0, 40.0, 50.0, 80.0)
BASES = (
    Base(200.0, 250.0, 30.0, "red", 24.0),
    Base(230.0, 250.0, 30.0, "red", 26.0),  # in contact with the first
    Base(450.0, 300.0, 40.0, "blue", 30.0),
    Base(700.0, 600.0, 50.0, "magenta", 35.0),
    Base(300.0, 700.0, 30.0, "orange", 20.0),
)


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(41, 14.0, bases=BASES, size=(1500, 844), ground="marble")


def test_every_base_is_found_with_its_colour_and_size(picture: Picture, pinned: Pins) -> None:
    found = find_bases(Frame(picture.bgr, 0, 0.0), picture.view, SIZES_MM)
    assert len(found) == len(BASES)
    for base in BASES:
        nearest = min(found, key=lambda seen: np.hypot(seen.x_mm - base.x, seen.y_mm - base.y))
        assert np.hypot(nearest.x_mm - base.x, nearest.y_mm - base.y) < 1.2
        assert (nearest.colour, nearest.diameter_mm) == (base.colour, base.diameter_mm)
        assert 0.05 < nearest.sigma_mm < 1.0
    pinned(found)


def test_names_count_within_a_colour(picture: Picture) -> None:
    names = {seen.id for seen in find_bases(Frame(picture.bgr, 0, 0.0), picture.view, SIZES_MM)}
    assert {"red-1", "red-2", "blue-1"} <= names


def test_a_bare_table_has_no_bases() -> None:
    empty = draw(42, 14.0, size=(960, 540), ground="planks")
    assert find_bases(Frame(empty.bgr, 0, 0.0), empty.view, SIZES_MM) == ()


def test_without_rings_nothing_is_claimed() -> None:
    plain = draw(43, 14.0, bases=BASES, aided=False, size=(960, 540), ground="marble")
    assert find_bases(Frame(plain.bgr, 0, 0.0), plain.view, SIZES_MM) == ()
