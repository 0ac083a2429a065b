"""A face is read where cells vote for its disk, whatever unknown things lie on it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk, roster_of
from vision.faces.patch import take_close_ups
from vision.faces.reading import faces_of
from vision.look.pieces import Pieces
from vision.rims.cell_network import contrast, read_cells
from vision.search.own_cells import read_by_cells
from vision.types.sighting import FaceReading
from vision.types.top_view import top_view

FACES = {name: (art(seed, VIOLET), 76.2, "violet") for name, seed in (("crows", 3), ("drakes", 14), ("elks", 21))}


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Pieces:
    folder: Path = tmp_path_factory.mktemp("roster")
    roster = roster_of(folder, FACES)
    return Pieces(roster.sizes_mm(), roster)


@pytest.mark.parametrize("side_mm", [-18.0, 21.0])
def test_what_lies_on_a_face_unseen_does_not_hide_its_name(pieces: Pieces, side_mm: float) -> None:
    view = camera(10.0)
    table = Table(view, (70, 110, 80))
    lower = disk("lower", 400, 400, 76.2)
    table.lay(lower, FACES["crows"][0], 40.0)
    for number, y_mm in enumerate((380, 424)):
        table.lay(disk("upper", 400 + side_mm, y_mm, 50.8, 4.0), art(77 + number, GOLD), 10.0)
    picture = table.take()
    top = top_view(picture, view, 1.25, 2.0, 40.0)
    cells = read_cells(contrast(top.bgr), top, view)
    close = take_close_ups(picture, view, [lower], [])
    unread = replace(lower, face=faces_of(close, [lower], pieces.faces)[0])
    assert unread.face.profile is None
    (face,) = read_by_cells(close, [unread], cells, top, pieces.faces)
    assert (face.profile, face.side) == ("crows", "up")
    assert np.cos(np.radians(face.rotation_deg - 40)) > 0.99


def test_known_faces_and_backs_are_left_as_they_are(pieces: Pieces) -> None:
    view = camera(10.0)
    table = Table(view, (70, 110, 80))
    table.lay(disk("a", 400, 400, 76.2), FACES["crows"][0])
    picture = table.take()
    top = top_view(picture, view, 1.25, 2.0, 40.0)
    faces = FaceReading("elks", "up", 0.0, 0.9, True), FaceReading(side="down", read=True)
    disks = [replace(disk(str(i), 400, 400, 76.2), face=face) for i, face in enumerate(faces)]
    close = take_close_ups(picture, view, disks, [])
    assert read_by_cells(close, disks, read_cells(contrast(top.bgr), top, view), top, pieces.faces) == faces
