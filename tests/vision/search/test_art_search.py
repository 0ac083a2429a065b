"""Disks whose rims tell nothing are found by their art, and only where that art is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk, roster_of
from tests.pins import Pins
from vision.faces.index import art_edge
from vision.faces.patch import cut_patch, take_close_ups
from vision.faces.polar import observe_bare
from vision.faces.reading import read_closely
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.piles.art_order import art_leads
from vision.piles.settle import lie_down
from vision.search.accounted import explained_by
from vision.search.hypotheses import Looked, lay_art
from vision.search.options import SEARCH
from vision.search.placed_by_art import poses_by_art
from vision.types.frame import Frame
from vision.types.sighting import FaceReading, Order, TableSighting
from vision.types.top_view import top_view

CLOTH = (70, 110, 80)
FACES = {
    "ants": (art(1, CLOTH), 50.8, "gold"),
    "bears": (art(2, CLOTH), 38.1, "gold"),
    "crows": (art(3, VIOLET), 76.2, "violet"),
    "drakes": (art(4, GOLD), 50.8, "gold"),
}


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    folder: Path = tmp_path_factory.mktemp("roster")
    roster = roster_of(folder, FACES)
    return Pieces(roster.sizes_mm(), roster)


@pytest.mark.parametrize("tilt_deg", [5.0, 40.0])
def test_borders_of_the_tables_colour_hide_no_known_face(pieces: Pieces, tilt_deg: float, pinned: Pins) -> None:
    table = Table(camera(tilt_deg), CLOTH)
    places = {"ants": (250.0, 300.0), "bears": (600.0, 520.0), "crows": (420.0, 700.0)}
    for number, (name, (x_mm, y_mm)) in enumerate(places.items()):
        table.lay(disk(name, x_mm, y_mm, FACES[name][1]), FACES[name][0], 70.0 * number)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces).disks
    assert {piece.face.profile: piece.diameter_mm for piece in seen} == {name: FACES[name][1] for name in places}
    for piece in seen:
        assert piece.face.profile is not None
        assert np.hypot(*np.subtract((piece.x_mm, piece.y_mm), places[piece.face.profile])) < 1.5
    pinned(seen)


def test_a_card_squarely_on_another_of_the_same_border_is_found(pieces: Pieces, pinned: Pins) -> None:
    table = Table(camera(), (150, 150, 160))
    table.lay(disk("lower", 400, 400, 50.8), FACES["ants"][0], 30)
    table.lay(disk("upper", 402, 401, 38.1, 4.0), FACES["bears"][0], 200)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces)
    assert sorted(piece.diameter_mm for piece in seen.disks) == [38.1, 50.8]
    (order,) = seen.orders
    assert {piece.id: piece.diameter_mm for piece in seen.disks}[order.top] == 38.1
    pinned(seen)


@pytest.mark.parametrize("slope", [(0.1, 0.1), (0.1, -0.05)])
def test_art_is_laid_on_with_its_lean_from_a_flat_place_beside(
    pieces: Pieces, slope: tuple[float, float], pinned: Pins
) -> None:
    view = camera(50.0)
    table = Table(view, CLOTH)
    normal = np.array([-slope[0], -slope[1], 1.0]) / np.linalg.norm([*slope, 1.0])
    piece = replace(disk("ants", 450, 430, 50.8, 8.0), face_normal=normal)
    table.lay(piece, FACES["ants"][0], 130.0)
    table.lay(disk("drakes", 700, 430, 50.8, 8.0), art(77, GOLD))
    close = take_close_ups(table.take(), view, [], [])
    starts = [disk("", 451.5, 429, 50.8, 8.0), disk("", 700, 430, 50.8, 8.0)]
    looked = [Looked([start], [observe_bare(cut_patch(close.bgr, view, start, ()))], ()) for start in starts]
    laid, strange = lay_art(close, looked, pieces.faces, 2)
    known = laid[0].disk
    assert known.face.profile == "ants"
    assert np.hypot(known.x_mm - piece.x_mm, known.y_mm - piece.y_mm) < 0.5
    assert known.face_normal == pytest.approx(normal, abs=0.02)
    assert laid[0].explained > 0.8 > max((pose.explained for pose in strange), default=0.0)
    pinned([laid, strange])


def test_places_are_compared_where_no_face_is_known_yet(pieces: Pieces, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.search.candidates.SEARCH", replace(SEARCH, most_compared=12))
    table = Table(camera(), CLOTH)
    for number in range(4):
        table.lay(disk("drakes", 200.0 + 150 * number, 250.0), FACES["drakes"][0], 40.0 * number)
    table.lay(disk("ants", 500, 600), FACES["ants"][0], 25.0)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces).disks
    assert sorted(piece.face.profile or "" for piece in seen) == ["ants", *["drakes"] * 4]


@pytest.mark.parametrize("turn_deg", [0.0, 140.0])
def test_a_face_half_below_a_back_that_nobody_knows_is_found(pieces: Pieces, turn_deg: float) -> None:
    table = Table(camera(20.0), CLOTH)
    table.lay(disk("ants", 400, 400), FACES["ants"][0], turn_deg)
    table.lay(disk("back", 424, 406, 50.8, 4.0), np.full((240, 240, 3), (60, 30, 90), np.uint8))
    table.lay(disk("crows", 650, 600, 76.2), FACES["crows"][0])
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces)
    (half,) = (piece for piece in seen.disks if piece.face.profile == "ants")
    assert np.hypot(half.x_mm - 400, half.y_mm - 400) < 2
    assert any(order.bottom == half.id for order in seen.orders)


def test_art_that_is_not_in_the_roster_is_not_searched_for(pieces: Pieces) -> None:
    table = Table(camera(), CLOTH)
    table.lay(disk("stranger", 300, 300), art(77, CLOTH))
    table.lay(disk("drakes", 600, 500), FACES["drakes"][0], 10)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces).disks
    assert [piece.face.profile for piece in seen if piece.face.profile] == ["drakes"]


def test_a_known_face_explains_itself_but_not_what_lies_on_it(pieces: Pieces) -> None:
    view = camera()
    table = Table(view, CLOTH)
    lower = disk("lower", 400, 400, 76.2)
    table.lay(lower, FACES["crows"][0])
    table.lay(disk("upper", 415, 400, 38.1, 4.0), FACES["bears"][0])
    picture = table.take()
    close = take_close_ups(picture, view, [lower], [])
    readings, strange = read_closely(close, [lower], pieces.faces)
    assert readings[0].profile == "crows"
    top = top_view(picture, view, 1.25, 2.0, 50.0)
    told = explained_by([lower], close.patches, strange, top, view)

    def at(x_mm: float, y_mm: float) -> float:
        column, row = np.rint(top.to_pixels(np.array([[x_mm, y_mm]]))[0]).astype(int)
        return float(told[row - 6 : row + 7, column - 6 : column + 7].mean())

    assert at(380, 400) > 0.8
    assert at(415, 400) < 0.4
    assert at(600, 400) == 0


@pytest.mark.parametrize("share", [0.8, 0.87, 0.94])
def test_the_border_ends_where_it_is_printed(share: float) -> None:
    blots = np.random.default_rng(5).integers(0, 255, (12, 12, 3)).astype(np.uint8)
    picture = cv2.resize(blots, (240, 240), interpolation=cv2.INTER_CUBIC)
    ring = np.full_like(picture, 200)
    cv2.circle(ring, (120, 120), round(120 * share), (0, 0, 0), -1)
    framed = np.where(ring > 0, ring, picture)
    assert art_edge(framed) == pytest.approx(share, abs=0.012)


def test_the_art_in_the_shared_area_tells_the_order(pieces: Pieces, pinned: Pins) -> None:
    view = camera()
    table = Table(view, CLOTH)
    lower, upper = disk("lower", 400, 400, 76.2), disk("upper", 425, 400, 50.8, 4.0)
    table.lay(lower, FACES["crows"][0], 40)
    table.lay(upper, FACES["drakes"][0], 100)
    close = take_close_ups(table.take(), view, [lower, upper], [])
    known = [
        replace(lower, face=FaceReading("crows", "up", 40.0, 0.99)),
        replace(upper, face=FaceReading("drakes", "up", 100.0, 0.99)),
    ]
    leads = art_leads(close, known, [Order("lower", "upper", 0.5)], pieces.faces)
    assert leads[1, 0] > 5
    assert leads[0, 1] < -3
    unnamed = art_leads(close, [lower, upper], [Order("lower", "upper", 0.5)], pieces.faces)
    assert not unnamed.any()
    pinned(leads)


def test_a_known_face_is_moved_to_where_its_art_is_and_a_strange_one_is_not(pieces: Pieces) -> None:
    view = camera()
    table = Table(view, CLOTH)
    table.lay(disk("a", 300, 300), FACES["drakes"][0], 60)
    table.lay(disk("b", 600, 600), art(77), 60)
    seen = [
        replace(disk(name, at + 1.2, at - 0.8), face=FaceReading("drakes", "up", 60.0, 0.99))
        for name, at in (("a", 300), ("b", 600))
    ]
    close = take_close_ups(table.take(), view, seen, [])
    by_art = poses_by_art(close, seen, [0, 1], pieces.faces)
    assert set(by_art) == {"a"}
    by_hand = [replace(piece, face=FaceReading('the "quoted" one', "up", 60.0, 1.0)) for piece in seen]
    assert poses_by_art(close, by_hand, [0, 1], pieces.faces) == {}
    art_at = by_art["a"].disk
    assert np.hypot(art_at.x_mm - 300, art_at.y_mm - 300) < 0.3
    placed, strange = lie_down(view, TableSighting(tuple(seen), ()), by_art).disks
    assert placed.sigma_mm < seen[0].sigma_mm
    assert np.hypot(placed.x_mm - 300, placed.y_mm - 300) < 0.6  # 1.44 before; between rim and print
    assert (strange.x_mm, strange.y_mm) == pytest.approx((seen[1].x_mm, seen[1].y_mm))
