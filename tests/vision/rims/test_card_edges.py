"""The network of card edges: it knows an edge of a card, which way it faces, and what is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk
from vision.rims.candidates import Rims, circles, judge
from vision.rims.card_edges import ANY, FACINGS, SHRUNK, CardEdges, card_edges, contrast
from vision.rims.edges import edge_field
from vision.rims.strips import FACING
from vision.types.arrays import FloatImage
from vision.types.top_view import TopView, top_view

BELOW, ABOVE = (400.0, 400.0, 76.2), (440.0, 400.0, 50.8)


@pytest.fixture(scope="module")
def top() -> TopView:
    table = Table(camera())
    table.lay(disk("below", *BELOW), art(3, VIOLET))
    table.lay(disk("above", *ABOVE, 4.0), art(4, GOLD))
    return top_view(table.take(), table.view, 1.25, 2.0, 20.0)


def _rim(top: TopView, x: float, y: float, diameter: float) -> Rims:
    return circles(top.to_pixels(np.array([[x, y]])), np.array([diameter / 2 * top.px_per_mm]))


def _odds(edges: CardEdges, rim: Rims, turned: int = 0) -> FloatImage:
    x, y = rim.points[0].T.astype(np.float32)
    odds: FloatImage = edges.at(x[None], y[None], (FACING[None] + turned) % FACINGS)[0]
    return odds


def test_an_edge_is_seen_where_it_is_and_faces_outward(top: TopView) -> None:
    edges, rim = card_edges(top.bgr), _rim(top, *ABOVE)
    outward, inward = _odds(edges, rim), _odds(edges, rim, FACINGS // 2)
    assert np.median(outward) > 1
    assert np.median(inward) < -2
    x, y = rim.points[0].T.astype(np.float32)
    assert (edges.at(x[None], y[None], np.full((1, len(x)), ANY))[0] > outward - 0.5).mean() > 0.9


def test_a_card_hides_the_edge_of_what_lies_below(top: TopView) -> None:
    edges, rim = card_edges(top.bgr), _rim(top, *BELOW)
    from_above = np.hypot(*(top.to_board(rim.points[0]) - ABOVE[:2]).T) - ABOVE[2] / 2
    odds = _odds(edges, rim)
    assert np.median(odds[from_above > 4]) > 0.5
    assert np.median(odds[from_above < -6]) < -1


def test_art_and_open_ground_have_no_edges_of_cards(top: TopView) -> None:
    edges = card_edges(top.bgr)
    assert np.median(_odds(edges, _rim(top, *BELOW[:2], 50.8))) < -1
    assert _odds(edges, _rim(top, 700.0, 700.0, 50.8)).max() < -1


def test_half_the_light_shows_the_same_contrast(top: TopView) -> None:
    dim = (top.bgr // 2).astype(np.uint8)
    assert np.abs(contrast(dim) - contrast(top.bgr)).mean() < 0.25
    rim = _rim(top, *ABOVE)
    assert np.median(_odds(card_edges(dim), rim)) > 1


@pytest.mark.parametrize("cut", [(0, 0), (1, 3), (9, 14)])
def test_pictures_of_any_width_are_told_of_as_a_whole(top: TopView, cut: tuple[int, int]) -> None:
    rows, columns = (size - less for size, less in zip(top.bgr.shape, cut, strict=False))
    edges = card_edges(np.ascontiguousarray(top.bgr[:rows, :columns]))
    assert edges.maps.shape[1] * SHRUNK >= rows
    assert edges.maps.shape[2] * SHRUNK >= columns
    assert np.median(_odds(edges, _rim(top, *ABOVE))) > 1


def test_known_edges_are_taken_out_and_others_stay(top: TopView) -> None:
    edges, above, below = card_edges(top.bgr), _rim(top, *ABOVE), _rim(top, *BELOW)
    left = edges.without(above.points[0], FACING)
    assert _odds(left, above).max() < -1
    assert np.median(_odds(left, below) - _odds(edges, below)) == pytest.approx(0)


def test_edges_run_round_the_middle_of_a_card(top: TopView) -> None:
    share = card_edges(top.bgr).circled(ABOVE[2] / 2 * top.px_per_mm)
    x, y = np.rint(top.to_pixels(np.array([ABOVE[:2]]))[0] / SHRUNK).astype(int)
    assert share[y - 1 : y + 2, x - 1 : x + 2].max() > 0.6
    assert np.median(share) < 0.05


def test_evidence_follows_the_edges_that_are_known(top: TopView) -> None:
    field, rim, edges = edge_field(top), _rim(top, *ABOVE), card_edges(top.bgr)
    known, nowhere = replace(field, cards=edges), replace(field, cards=CardEdges(np.zeros_like(edges.maps)))
    assert judge(nowhere, rim).evidence.sum() < judge(known, rim).evidence.sum() - 10
