"""Overlooked cards: an edge of a card that no known rim explains gives its card away, an explained one does not."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.arrays import FloatArray
from tests.drawing.disks import GOLD, VIOLET, Table, art, back, camera, disk
from vision.rims.candidates import Rims, circles, judge
from vision.rims.card_edges import ANY, FACINGS, SHRUNK, CardEdges, card_edges
from vision.rims.edges import EdgeField, edge_field
from vision.rims.residual import with_overlooked
from vision.rims.strips import FACING
from vision.types.top_view import top_view

SIZES = (38.1, 50.8, 76.2)
BELOW, ABOVE, ALONE = (400.0, 400.0, 76.2), (415.0, 405.0, 38.1), (650.0, 300.0, 50.8)
VIEW = camera()


@pytest.fixture(scope="module")
def field() -> EdgeField:
    table = Table(VIEW)
    table.lay(disk("below", *BELOW), art(3, VIOLET))
    table.lay(disk("above", *ABOVE, 4.0), back(VIOLET))
    table.lay(disk("alone", *ALONE), art(5, GOLD))
    return edge_field(top_view(table.take(), VIEW, 1.25, 2.0, 48.0))


def _known(field: EdgeField, *places: tuple[float, float, float]) -> Rims:
    at: FloatArray = np.array(places)
    return judge(field, circles(field.top.to_pixels(at[:, :2]), at[:, 2] / 2 * field.top.px_per_mm))


def _told(field: EdgeField, rims: Rims) -> list[tuple[int, int, float]]:
    """Places to ten millimetres, and diameters."""
    at, sizes = field.top.to_board(rims.centres), 2 * rims.radii / field.top.px_per_mm
    return sorted((round(x / 10), round(y / 10), round(float(d), 1)) for (x, y), d in zip(at, sizes, strict=True))


@pytest.mark.parametrize("missing", [ABOVE, ALONE])
def test_a_card_that_was_overlooked_is_found(field: EdgeField, missing: tuple[float, float, float]) -> None:
    others = [place for place in (BELOW, ABOVE, ALONE) if place != missing]
    rims, told = with_overlooked(field, card_edges(field.top.bgr), VIEW, _known(field, *others), SIZES)
    at = field.top.to_board(rims.centres)
    near = np.hypot(*(at - missing[:2]).T) < 2.5
    assert 2 * rims.radii[near] / field.top.px_per_mm == pytest.approx([missing[2]])
    assert len(rims.radii) == len(told.gains) == 3
    assert told.gains[near] > 5


def test_what_is_known_is_not_found_again(field: EdgeField) -> None:
    known = _known(field, BELOW, ABOVE, ALONE)
    rims, _ = with_overlooked(field, card_edges(field.top.bgr), VIEW, known, SIZES)
    assert _told(field, rims) == _told(field, known)


def test_where_no_edges_of_cards_are_seen_nothing_is_added(field: EdgeField) -> None:
    nowhere = CardEdges(np.zeros_like(card_edges(field.top.bgr).maps))
    rims, _ = with_overlooked(field, nowhere, VIEW, _known(field, BELOW), SIZES)
    assert _told(field, rims) == _told(field, _known(field, BELOW))


def test_a_rectangular_card_with_a_picture_on_it_is_no_disk() -> None:
    table = Table(VIEW)
    corners = np.array([[468.0, 406.0], [532.0, 406.0], [532.0, 494.0], [468.0, 494.0]])
    picture = np.array([[478.0, 416.0], [522.0, 416.0], [522.0, 460.0], [478.0, 460.0]])
    table.blot(corners, (200, 205, 205))
    table.blot(picture, (90, 140, 60), seed=8)
    field = edge_field(top_view(table.take(), VIEW, 1.25, 2.0, 48.0))
    nothing = _known(field, ALONE).pick(np.zeros(0, dtype=np.intp))
    rims, told = with_overlooked(field, card_edges(field.top.bgr), VIEW, nothing, SIZES)
    assert len(rims.radii) == len(told.gains) == 0


@pytest.mark.parametrize(("share", "believed"), [(0.55, 0), (0.9, 1)])
def test_a_rim_must_be_seen_as_far_as_its_card_shows(field: EdgeField, share: float, believed: int) -> None:
    maps = np.zeros_like(card_edges(field.top.bgr).maps)
    ring = circles(field.top.to_pixels(np.array([[700.0, 700.0]])), np.array([ALONE[2] / 2 * field.top.px_per_mm]))
    squares = np.rint((ring.points[0] + 0.5) / SHRUNK - 0.5).astype(int)[: round(share * len(FACING))]
    for (x, y), facing in zip(squares, FACING, strict=False):
        for which in ((facing - 1) % FACINGS, facing, (facing + 1) % FACINGS, ANY):
            maps[which, y - 1 : y + 2, x - 1 : x + 2] = 0.9
    rims, _ = with_overlooked(field, CardEdges(maps), VIEW, _known(field, BELOW, ABOVE, ALONE), SIZES)
    assert len(rims.radii) == 3 + believed
