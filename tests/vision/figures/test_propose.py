"""Proposals of plain bases and stands on a drawn table, with the shipped networks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.figure_tables import Base, Picture, Stand, draw, overhead_view, regiment, shot
from calibration.arrays import ByteImage
from calibration.view import TableView
from tests.pins import Pins
from vision.figures.outline import Oblong
from vision.figures.propose import Candidate, propose_bases
from vision.figures.propose_stands import propose_stands

SIZES_MM = (25.0, 28.5, 32.0, 40.0, 50.0)  # of a game
BASES = (
    Base(250.0, 250.0, 32.0, "red", 24.0),
    Base(330.0, 260.0, 32.0, "red", 26.0),
    Base(290.0, 330.0, 32.0, "red", 25.0),
    Base(640.0, 700.0, 50.0, "blue", 30.0),
)
CROWN_MM = (650.0, 300.0)


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(41, 22.0, bases=BASES, aided=False, size=(1500, 844), ground="marble")


def _with_crown(bgr: ByteImage, view: TableView) -> ByteImage:
    """The picture with a tree's crown, a ball six to nine centimetres above the cloth."""
    shown = bgr.copy()
    turns = np.linspace(0, 2 * np.pi, 40)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    for height in np.linspace(60, 90, 25):
        ring = circle * np.sqrt(max(1.0, 16.0**2 - (height - 75.0) ** 2)) + CROWN_MM
        shade = int(40 + 2.5 * (height - 60))
        cv2.fillPoly(shown, [np.round(view.board_to_image(ring, height)).astype(np.int32)], (30, shade, 35))
    return shown


def _away_mm(proposal: Candidate, base: Base) -> float:
    return float(np.hypot(proposal.fitted.pose.x_mm - base.x, proposal.fitted.pose.y_mm - base.y))


def test_plain_bases_are_proposed_with_place_size_and_confidence(picture: Picture, pinned: Pins) -> None:
    found = propose_bases(picture.bgr, picture.view, SIZES_MM)
    assert len(found) == len(BASES)
    for base in BASES:
        best = min(found, key=lambda each: _away_mm(each, base))
        assert _away_mm(best, base) < 2.0
        assert best.diameter_mm == base.diameter_mm
        assert 0.3 < best.fitted.sigma_mm < 2.0
    assert [each.confidence for each in found] == sorted((each.confidence for each in found), reverse=True)
    pinned(found)


def test_no_crown_of_a_tree_is_proposed(picture: Picture) -> None:
    found = propose_bases(_with_crown(picture.bgr, picture.view), picture.view, SIZES_MM)
    assert len(found) == len(BASES)
    assert all(min(_away_mm(each, base) for base in BASES) < 2.0 for each in found)


def test_nothing_is_proposed_on_an_empty_table() -> None:
    empty = draw(42, 30.0, aided=False, size=(1500, 844), ground="planks")
    assert propose_bases(empty.bgr, empty.view, SIZES_MM) == ()


def test_plain_stands_are_proposed_with_their_size_and_face_the_middle() -> None:
    stands = regiment(np.random.default_rng(3), 420.0, 250.0, 200.0, 2, 4, "red")
    view = overhead_view()
    picture = shot(np.random.default_rng(43), view, 43, (), tuple(stands), aided=False, ground="marble")
    blocks = propose_stands(picture, view, ((60.0, 60.0), (60.0, 120.0), (100.0, 100.0)))
    found = [each for block in blocks for each in block.stands]
    assert len(found) >= 2
    for each in found:
        assert min(_off_mm(each.pose.x_mm, each.pose.y_mm, stand) for stand in stands) < 2.0
        assert each.mark.footprint == Oblong(60.0, 60.0)
        assert abs((each.pose.facing_deg - 200.0 + 180.0) % 360.0 - 180.0) < 3.0


def _off_mm(x: float, y: float, stand: Stand) -> float:
    return float(np.hypot(x - stand.x, y - stand.y))
