"""Round things that are no disks are not told as disks; disks that the roster does not know are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.arrays import ByteImage
from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk, roster_of
from tests.pins import Pins
from vision.confidence.appearance import Appearance, appearances_of
from vision.confidence.by_appearance import disk_log_odds, hidden_by_none, without_traces
from vision.faces.back import BackLook
from vision.faces.patch import take_close_ups
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.rims.candidates import rims_of
from vision.rims.cell_network import contrast, read_cells
from vision.types.frame import Frame
from vision.types.poses import poses_of
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting
from vision.types.top_view import top_view

FACES = {
    "ants": (art(11, GOLD), 50.8, "gold"),
    "bears": (art(12, GOLD), 76.2, "gold"),
    "crows": (art(13, VIOLET), 50.8, "violet"),
    "drakes": (art(14, VIOLET), 76.2, "violet"),
}
PLACES = {"ants": (200.0, 200.0), "bears": (350.0, 700.0), "crows": (700.0, 250.0), "drakes": (720.0, 620.0)}
NAMED = Appearance(FaceReading("ants", "up", 0.0, 0.99, True), 1.0, np.array([10.0, 0.0, 0.0]), 0.2, 1.0, 0.3, 0.0, 60)
UNKNOWN = replace(NAMED, face=FaceReading(read=True))
BACK = replace(NAMED, face=FaceReading(side="down", read=True))
ELSE = np.array([-10.0, 25.0, 5.0])


def told(one: Appearance, known: int = 8, rim: float = 2.0) -> float:
    """Log-odds of one look among so many named ones."""
    return float(disk_log_odds(np.full(known + 1, rim), [one] + [NAMED] * known)[0])


def test_what_a_known_face_shows_is_believed_whatever_else_speaks_against_it() -> None:
    assert told(replace(NAMED, contrast=0.0, border=ELSE)) == told(NAMED) > 4
    assert told(BACK) > 4
    # A border of the terrain's colour has no rim, and its face is known all the same.
    assert told(replace(NAMED, rim_sigma_mm=2.4)) == told(replace(NAMED, rim_sigma_mm=0.7)) > 4


def test_an_unknown_face_is_believed_where_it_is_printed_bordered_and_cut_like_the_others() -> None:
    assert told(UNKNOWN) > 1
    for strange in ({"contrast": 0.02}, {"border": ELSE}, {"off_size_mm": 0.8}, {"rim_sigma_mm": 1.0}, {"owned": 0.1}):
        assert told(replace(UNKNOWN, **strange)) < told(UNKNOWN) - 1
    assert told(replace(UNKNOWN, contrast=0.02, border=ELSE, rim_sigma_mm=0.8)) < -0.5


def test_a_plain_back_is_believed_where_its_rim_is_sure_and_a_ring_printed_on_one_is_not() -> None:
    plain = replace(UNKNOWN, contrast=0.02, owned=0.9)
    assert told(plain) > 1
    assert told(replace(plain, off_centre_mm=0.8), rim=0.0) < 0 < told(plain, rim=0.0)
    assert told(replace(NAMED, off_centre_mm=0.8)) == told(NAMED)


def test_where_nothing_may_be_a_disk_nothing_is_weighed() -> None:
    assert disk_log_odds(np.zeros(0), []).shape == (0,)


def test_the_less_of_a_strange_face_shows_the_less_it_says() -> None:
    plain = replace(UNKNOWN, contrast=0.02, border=ELSE)
    odds = [told(replace(plain, shown=shown)) for shown in (0.3, 0.6, 1.0)]
    assert odds == sorted(odds, reverse=True)


def test_a_disk_of_which_hardly_anything_shows_is_not_told_whatever_is_read_there() -> None:
    face = FaceReading("ants", "up", 0.0, 0.99, True)
    over, trace, clear = (
        replace(disk(name, 300.0 + away, 300.0, 50.8), visible_fraction=shown, face=face)
        for name, away, shown in (("over", 0.0, 1.0), ("trace", 2.0, 0.04), ("clear", 20.0, 0.3))
    )
    orders = (Order("over", "trace", 0.9), Order("over", "clear", 0.9), Order("trace", "clear", 0.6))
    told = without_traces(TableSighting((over, trace, clear), orders))
    assert [piece.id for piece in told.disks] == ["over", "clear"]
    assert told.orders == orders[1:2]


def test_a_trace_of_a_face_that_nobody_knows_is_the_edge_or_the_art_of_what_covers_it() -> None:
    trace = replace(UNKNOWN, shown=0.05)
    assert told(trace) == -np.inf < told(replace(trace, shown=0.2))
    assert told(replace(NAMED, shown=0.05)) == told(NAMED)


@pytest.mark.parametrize("probability", [0.95, 0.55])
def test_what_only_a_doubtful_rim_hides_is_looked_at_once_more(probability: float, pinned: Pins) -> None:
    view = camera()
    disks = [disk("a", 400, 400, 76.2, 4.0), disk("b", 405, 400, 38.1), disk("c", 410, 400, 50.8, 6.0)]
    orders = (Order("a", "b", probability), Order("c", "a", 0.95))
    close = take_close_ups(Table(view).take(), view, disks, orders)
    doubted, likelier = np.array([-1.0, -np.inf, 3.0]), np.array([-3.0, 1.0, 2.0])
    assert hidden_by_none(close, disks, doubted, likelier).tolist() == [False, True, False]
    believed, less_likely = np.array([1.0, -np.inf, 3.0]), np.array([2.0, 1.0, 2.0])
    assert not hidden_by_none(close, disks, believed, likelier).any()
    assert not hidden_by_none(close, disks, doubted, less_likely).any()
    seen = TableSighting(tuple(disks), orders)
    picture = Table(view).take()
    top = top_view(picture, view, 1.25, 2.0, 20.0)
    rims = rims_of(poses_of(disks), view, top)
    looks = appearances_of(close, seen, rims, read_cells(contrast(top.bgr), top, view), top)
    assert looks[1].shown == 0 < looks[2].shown
    pinned(looks)


def test_a_border_that_nobody_has_says_little_where_few_are_known() -> None:
    strange = replace(UNKNOWN, border=ELSE)
    assert told(strange, 0) == told(UNKNOWN, 0)
    assert told(strange, 8) < told(strange, 1) < told(strange, 0)
    assert told(replace(BACK, border=ELSE), 8) < told(replace(BACK, border=ELSE), 1)


def test_pale_spots_are_no_star() -> None:
    assert BackLook(0.6, 0.8, 0.5).is_back
    assert not BackLook(0.56, 0.16, 0.4).is_back
    assert not BackLook(0.49, 0.5, 0.15).is_back


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    folder: Path = tmp_path_factory.mktemp("roster")
    roster = roster_of(folder, FACES)
    return Pieces(roster.sizes_mm(), roster)


def coaster(colour: tuple[int, int, int], ring: tuple[int, int, int], share: float) -> ByteImage:
    """A plain round thing with a ring printed on it."""
    picture = np.full((240, 240, 3), colour, np.uint8)
    cv2.circle(picture, (120, 120), round(share * 120), ring, 5, cv2.LINE_AA)
    return picture


def table_with(thing: ByteImage, diameter_mm: float) -> Table:
    table = Table(camera(15.0))
    for number, (name, (x_mm, y_mm)) in enumerate(PLACES.items()):
        table.lay(disk(name, x_mm, y_mm, FACES[name][1]), FACES[name][0], 80.0 * number)
    table.lay(disk("thing", 450.0, 420.0, diameter_mm), thing)
    return table


def at_the_thing(seen: TableSighting) -> list[DiskSighting]:
    return [piece for piece in seen.disks if np.hypot(piece.x_mm - 450, piece.y_mm - 420) < 30]


@pytest.mark.parametrize(
    ("colour", "ring", "share", "diameter_mm"),
    [
        ((60, 60, 190), (200, 200, 210), 0.8, 95.0),  # the ring is as wide as a disk
        ((150, 200, 90), (60, 90, 30), 0.75, 54.5),
    ],
)
def test_plain_round_things_are_not_told(
    pieces: Pieces,
    colour: tuple[int, int, int],
    ring: tuple[int, int, int],
    share: float,
    diameter_mm: float,
    pinned: Pins,
) -> None:
    table = table_with(coaster(colour, ring, share), diameter_mm)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces)
    assert {piece.face.profile for piece in seen.disks} == set(FACES)
    assert not at_the_thing(seen)
    pinned(seen)


def test_a_plain_thing_cut_like_a_disk_may_be_a_back_that_nobody_enrolled_and_has_no_name(pieces: Pieces) -> None:
    table = table_with(coaster((200, 190, 180), (120, 60, 30), 0.6), 76.2)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces)
    known = [piece for piece in seen.disks if piece.face.profile is not None]
    (thing,) = at_the_thing(seen)
    assert {piece.face.profile for piece in known} == set(FACES)
    assert thing.face.profile is None
    assert thing.confidence < min(piece.confidence for piece in known) - 0.1


def test_without_a_roster_everything_round_of_a_known_size_is_a_disk(pieces: Pieces) -> None:
    table = table_with(coaster((200, 190, 180), (120, 60, 30), 0.6), 76.2)
    assert at_the_thing(look(Frame(table.take(), 0, 0.0), table.view, Pieces(pieces.sizes_mm)))


def test_a_disk_that_is_not_in_the_roster_is_told_without_a_name(pieces: Pieces, pinned: Pins) -> None:
    table = table_with(art(31, GOLD), 50.8)
    seen = look(Frame(table.take(), 0, 0.0), table.view, pieces)
    assert len(seen.disks) == len(FACES) + 1
    (stranger,) = at_the_thing(seen)
    assert stranger.face.profile is None
    assert stranger.diameter_mm == 50.8
    pinned(seen)
