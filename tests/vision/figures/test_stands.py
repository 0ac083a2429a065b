"""Stands in regiments with figures on them, drawn with exact truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.figure_tables import Picture, draw, regiment
from calibration.kit_trays import inked
from tests.pins import Pins
from vision.figures.cards import find_stands
from vision.figures.kit_colours import colours_in_light
from vision.figures.outline import axes
from vision.types.frame import Frame

_RNG = np.random.default_rng(7)
STANDS = (
    *regiment(_RNG, 300.0, 250.0, 30.0, 3, 5, "red"),
    *regiment(_RNG, 620.0, 620.0, 185.0, 2, 4, "blue"),
)


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(51, 16.0, stands=STANDS, ground="marble")


def test_every_stand_in_contact_is_found_with_its_facing(picture: Picture, pinned: Pins) -> None:
    found = find_stands(Frame(picture.bgr, 0, 0.0), picture.view, sizes_mm=((60.0, 60.0),))
    assert len(found) == len(STANDS)
    for stand in STANDS:
        nearest = min(found, key=lambda seen: np.hypot(seen.x_mm - stand.x, seen.y_mm - stand.y))
        assert np.hypot(nearest.x_mm - stand.x, nearest.y_mm - stand.y) < 1.0
        assert abs((nearest.facing_deg - stand.facing_deg + 180) % 360 - 180) < 2.0
        assert nearest.colour == stand.colour
        assert 0.05 < nearest.sigma_mm < 1.0
    pinned(found)


def test_a_bare_table_has_no_stands() -> None:
    empty = draw(52, 16.0, size=(960, 540), ground="planks")
    assert find_stands(Frame(empty.bgr, 0, 0.0), empty.view, sizes_mm=((60.0, 60.0),)) == ()


def test_without_cards_nothing_is_claimed() -> None:
    plain = draw(53, 16.0, stands=STANDS, aided=False, size=(960, 540), ground="marble")
    assert find_stands(Frame(plain.bgr, 0, 0.0), plain.view, sizes_mm=((60.0, 60.0),)) == ()


def test_the_front_is_told_by_the_corners_where_slot_bases_hide_the_second_band() -> None:
    across, ahead = np.meshgrid(np.linspace(-29.9, 29.9, 120), np.linspace(-29.9, 29.9, 120))
    printed = inked(across, ahead, 60.0, 60.0)
    slots = np.zeros_like(printed)
    for x in (-15.0, 15.0):
        for y in (-15.0, 15.0):
            slots |= np.hypot(across - x, ahead - y) <= 12.5
    shown = printed & ~slots
    corner = (np.abs(across) > 22.0) & (np.abs(ahead) > 22.0) & ~slots
    assert shown[corner & (ahead > 0)].mean() > 0.95
    assert shown[corner & (ahead < 0)].mean() < 0.05


def test_a_regiment_whose_front_is_hidden_is_found_and_its_facing_left_open(picture: Picture, pinned: Pins) -> None:
    covered = picture.bgr.copy()
    for stand in STANDS[:5]:  # white paper where the second band and the corners mark the front
        right, forward = axes(stand.facing_deg)
        middle = np.array([stand.x, stand.y])
        for ahead in (24.5, -24.5):
            for side in (24.5, -24.5):
                spot = middle + ahead * forward + side * right
                ring = [spot + 5.4 * (u * right + v * forward) for u, v in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
                pixels = picture.view.board_to_image(np.array(ring), 3.0)
                cv2.fillPoly(covered, [np.round(pixels).astype(np.int32)], (205, 205, 205))
        strip = [middle + v * forward + u * right for u, v in ((-25, 20.3), (25, 20.3), (25, 25.2), (-25, 25.2))]
        pixels = picture.view.board_to_image(np.array(strip), 3.0)
        cv2.fillPoly(covered, [np.round(pixels).astype(np.int32)], (205, 205, 205))
    found = find_stands(Frame(covered, 0, 0.0), picture.view, sizes_mm=((60.0, 60.0),))
    red = [stand for stand in found if stand.colour == "red"]
    assert len(red) == 5
    assert not any(stand.facing_known for stand in red)
    assert all(stand.facing_known for stand in found if stand.colour == "blue")
    pinned(found)


def test_colours_of_cards_are_compared_jointly(picture: Picture) -> None:
    colours = colours_in_light(picture.bgr, picture.view)
    hues = colours.hues_deg()
    red, orange, blue = (hues[colours.names.index(name)] for name in ("red", "orange", "blue"))
    between = (red + orange) / 2 + 1.0  # nearer to orange, as long as nothing else is known
    assert colours.nearest(np.array([between])) == ("orange",)
    assert colours.nearest(np.array([between, orange + 9.0, blue + 9.0])) == ("red", "orange", "blue")
    assert colours.nearest(np.zeros(0)) == ()
