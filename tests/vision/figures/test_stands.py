"""Stands in regiments with figures on them, drawn with exact truth."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.figure_tables import Picture, draw, regiment
from vision.figures.stands import find_stands
from vision.types.frame import Frame

_RNG = np.random.default_rng(7)
STANDS = (
    *regiment(_RNG, 300.0, 250.0, 30.0, 3, 5, "red"),
    *regiment(_RNG, 620.0, 620.0, 185.0, 2, 4, "blue"),
)


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(51, 16.0, stands=STANDS, ground="marble")


def test_every_stand_in_contact_is_found_with_its_facing(picture: Picture) -> None:
    found = find_stands(Frame(picture.bgr, 0, 0.0), picture.view, sizes_mm=((60.0, 60.0),))
    assert len(found) == len(STANDS)
    for stand in STANDS:
        nearest = min(found, key=lambda seen: np.hypot(seen.x_mm - stand.x, seen.y_mm - stand.y))
        assert np.hypot(nearest.x_mm - stand.x, nearest.y_mm - stand.y) < 1.0
        assert abs((nearest.facing_deg - stand.facing_deg + 180) % 360 - 180) < 2.0
        assert nearest.colour == stand.colour
        assert 0.05 < nearest.sigma_mm < 1.0


def test_a_bare_table_has_no_stands() -> None:
    empty = draw(52, 16.0, size=(960, 540), ground="planks")
    assert find_stands(Frame(empty.bgr, 0, 0.0), empty.view, sizes_mm=((60.0, 60.0),)) == ()


def test_without_cards_nothing_is_claimed() -> None:
    plain = draw(53, 16.0, stands=STANDS, aided=False, size=(960, 540), ground="marble")
    assert find_stands(Frame(plain.bgr, 0, 0.0), plain.view, sizes_mm=((60.0, 60.0),)) == ()
