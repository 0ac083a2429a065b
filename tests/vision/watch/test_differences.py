"""Disks that no look showed are found by what changed between two pictures."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.view import TableView
from tests.drawing import disks as drawn_disks
from tests.drawing.film import HEIGHT, WIDTH, overhead_view
from tests.drawing.tracks import disk
from tests.pins import Pins
from vision.faces.index import FaceIndex
from vision.watch.differences import Undetected, recognised, undetected_disks

SIZES_MM = (38.1, 50.8, 76.2)


def checked_table(*disks: tuple[float, float, float], card: tuple[float, float] | None = None) -> ByteImage:
    """A chequered cloth, the worst ground for finding rims, with spotted disks on it."""
    view = overhead_view()
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    cloth = np.where((x // 14 + y // 14) % 2, 190, 70).astype(np.uint8)
    picture = np.repeat(cloth[:, :, None], 3, axis=2)
    for x_mm, y_mm, size_mm in disks:
        centre, radius = _spot(view, x_mm, y_mm), round(size_mm / 2 * 760 / 1498)
        cv2.circle(picture, centre, radius, (40, 60, 220), -1, cv2.LINE_AA)
        cv2.circle(picture, centre, radius // 2, (60, 200, 60), -1, cv2.LINE_AA)
    if card is not None:
        left, top = _spot(view, *card)
        cv2.rectangle(picture, (left - 24, top - 17), (left + 24, top + 17), (230, 90, 90), -1)
    return cv2.blur(picture, (3, 3)).astype(np.uint8)


def _spot(view: TableView, x_mm: float, y_mm: float) -> tuple[int, int]:
    x, y = view.board_to_image(np.array([[x_mm, y_mm]]), 2.0)[0]
    return round(float(x)), round(float(y))


def undetected(before: ByteImage, after: ByteImage, *explained: tuple[float, float, float]) -> Undetected:
    known = [disk(f"k{number}", *place) for number, place in enumerate(explained)]
    return undetected_disks(before, after, overhead_view(), known, SIZES_MM, 1.0)


def test_a_disk_that_moved_unseen_went_and_came(pinned: Pins) -> None:
    start, end = (300.0, 400.0, 50.8), (600.0, 450.0, 50.8)
    found = undetected(checked_table(start), checked_table(end))
    ((came,), (went,)) = (found.came, found.went)
    assert math.dist((came.x_mm, came.y_mm), end[:2]) < 2.0
    assert math.dist((went.x_mm, went.y_mm), start[:2]) < 2.0
    assert came.diameter_mm == went.diameter_mm == 50.8
    pinned(found)


def test_what_is_explained_is_no_news() -> None:
    start, end = (300.0, 400.0, 76.2), (600.0, 450.0, 76.2)
    found = undetected(checked_table(start), checked_table(end), start, end)
    assert found.came == found.went == ()
    found = undetected(checked_table(start), checked_table(end), start)
    assert [round(seen.x_mm, -1) for seen in found.came] == [600]
    assert found.went == ()


def test_a_card_and_another_light_are_no_disks() -> None:
    before = checked_table((300.0, 400.0, 50.8))
    found = undetected(before, checked_table((300.0, 400.0, 50.8), card=(600.0, 450.0)))
    assert found.came == found.went == ()
    found = undetected(before, (before * 0.8).astype(np.uint8))
    assert found.came == found.went == ()


def test_a_patch_whose_face_nobody_knows_is_no_disk(tmp_path: Path) -> None:
    known, strange = drawn_disks.disk("known", 300, 400), drawn_disks.disk("strange", 600, 450)
    photo = drawn_disks.Table(drawn_disks.camera())
    photo.lay(known, drawn_disks.art(1))
    photo.lay(strange, drawn_disks.art(7))
    roster = drawn_disks.roster_of(tmp_path, {"orcs": (drawn_disks.art(1), 50.8, "red")})
    picture = photo.take()
    told = recognised(picture, photo.view, (known, strange), FaceIndex.of(roster))
    assert [seen.face.profile for seen in told] == ["orcs"]
    assert len(recognised(picture, photo.view, (known, strange), FaceIndex.build((), ()))) == 2
