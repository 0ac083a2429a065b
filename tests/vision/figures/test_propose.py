"""Proposals of plain bases on a drawn table, with the shipped networks."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.figure_tables import Base, Picture, draw
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.propose import Candidate, propose_bases

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


def test_plain_bases_are_proposed_with_place_size_and_confidence(picture: Picture) -> None:
    found = propose_bases(picture.bgr, picture.view, SIZES_MM)
    assert len(found) == len(BASES)
    for base in BASES:
        best = min(found, key=lambda each: _away_mm(each, base))
        assert _away_mm(best, base) < 2.0
        assert best.diameter_mm == base.diameter_mm
        assert 0.3 < best.fitted.sigma_mm < 2.0
    assert [each.confidence for each in found] == sorted((each.confidence for each in found), reverse=True)


def test_no_crown_of_a_tree_is_proposed(picture: Picture) -> None:
    found = propose_bases(_with_crown(picture.bgr, picture.view), picture.view, SIZES_MM)
    assert len(found) == len(BASES)
    assert all(min(_away_mm(each, base) for base in BASES) < 2.0 for each in found)


def test_nothing_is_proposed_on_an_empty_table() -> None:
    empty = draw(42, 30.0, aided=False, size=(1500, 844), ground="planks")
    assert propose_bases(empty.bgr, empty.view, SIZES_MM) == ()
