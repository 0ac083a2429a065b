"""Who lies on whom, by what is seen in the area that two cards share: a border that goes on, art, or a back's star."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.arrays import ByteImage, FloatArray
from tests.drawing.disks import GOLD, VIOLET, Table, art, back, camera, disk, roster_of
from tests.pins import Pins
from vision.faces.index import FaceIndex
from vision.faces.patch import take_close_ups
from vision.piles.art_order import art_leads
from vision.piles.shallow_order import shallow_leads
from vision.roster.profiles import Roster
from vision.types.sighting import DiskSighting, FaceReading, Order

VIEW = camera(20.0, 700.0)
ANTS = art(11, GOLD)


def _picture(laid: Sequence[tuple[DiskSighting, ByteImage]]) -> ByteImage:
    """A picture of disks laid down one after the other."""
    table = Table(VIEW)
    for piece, face in laid:
        table.lay(piece, face)
    return table.take()


def _shallow(lower: tuple[DiskSighting, ByteImage], upper: tuple[DiskSighting, ByteImage]) -> FloatArray:
    """What is told of two, the first of which is taken for the upper one although it is the lower."""
    told = (Order(lower[0].id, upper[0].id, 0.6),)
    return shallow_leads(_picture([lower, upper]), VIEW, [lower[0], upper[0]], told)


@pytest.mark.parametrize(("overlap_mm", "rim"), [(2.5, VIOLET), (4.0, VIOLET), (7.0, VIOLET), (7.0, GOLD)])
def test_the_border_that_goes_on_belongs_to_the_upper_card(
    overlap_mm: float, rim: tuple[int, int, int], pinned: Pins
) -> None:
    west = disk("a", 440.0, 450.0), art(3, GOLD)
    east = disk("b", 440.0 + 50.8 - overlap_mm, 460.0, height_mm=4.0), art(4, rim)
    lead = _shallow(west, east)
    assert lead[0, 1] < -1
    low, high = (replace(east[0], face_height_mm=2.0), east[1]), (replace(west[0], face_height_mm=4.0), west[1])
    assert _shallow(low, high)[0, 1] < -1
    pinned(lead)


def test_where_two_borders_of_one_colour_share_all_there_is_little_is_told() -> None:
    west, east = disk("a", 440.0, 450.0), disk("b", 488.0, 450.0, height_mm=4.0)
    assert abs(_shallow((west, art(3)), (east, art(4)))[0, 1]) < 4


def test_cards_that_share_much_are_left_to_their_rims() -> None:
    west, east = disk("a", 440.0, 450.0), disk("b", 465.0, 450.0, height_mm=4.0)
    assert not _shallow((west, art(3)), (east, art(4))).any()


def test_an_area_under_a_third_card_tells_nothing_of_two() -> None:
    west, east = disk("a", 440.0, 450.0), disk("b", 486.0, 450.0, height_mm=4.0)
    third = disk("c", 463.0, 450.0, 38.1, height_mm=6.0)
    told = (Order("a", "b", 0.6), Order("c", "a", 0.9), Order("c", "b", 0.9))
    picture = _picture([(west, art(3)), (east, art(4)), (third, art(5))])
    assert shallow_leads(picture, VIEW, [west, east, third], told)[0, 1] == 0


def test_a_star_in_full_view_lies_above_what_it_seemed_to_lie_under() -> None:
    low, star = disk("a", 440.0, 450.0), disk("b", 462.0, 450.0, 38.1, height_mm=4.0)
    told, nobody = (Order("a", "b", 0.9),), FaceIndex.of(Roster(()))
    assert _by_print([(low, art(3)), (star, back())], told, nobody)[1, 0] > 5
    assert _by_print([(star, back()), (low, art(3))], told, nobody)[0, 1] <= 0


def test_art_in_full_view_lies_above_all_that_is_there_though_a_third_seems_to_cover_it(
    tmp_path: Path, pinned: Pins
) -> None:
    lowest, low = disk("a", 445.0, 450.0, 76.2), disk("b", 465.0, 450.0, 76.2, 4.0)
    named = replace(disk("c", 455.0, 450.0, height_mm=6.0), face=FaceReading("ants", "up", 0.0, 0.99, True))
    told = (Order("b", "c", 0.6), Order("a", "c", 0.99), Order("b", "a", 0.99))
    index = FaceIndex.of(roster_of(tmp_path, {"ants": (ANTS, 50.8, "gold")}))
    leads = _by_print([(lowest, art(3)), (low, art(4)), (named, ANTS)], told, index)
    assert leads[2, 0] > 5 and leads[2, 1] > 5
    hidden = _by_print([(named, ANTS), (lowest, art(3)), (low, art(4))], told, index)
    assert hidden[0, 1] <= 0 and hidden[0, 2] <= 0
    pinned([leads, hidden])


def _by_print(laid: Sequence[tuple[DiskSighting, ByteImage]], told: Sequence[Order], index: FaceIndex) -> FloatArray:
    disks = [piece for piece, _ in laid]
    return art_leads(take_close_ups(_picture(laid), VIEW, disks, told), disks, told, index)
