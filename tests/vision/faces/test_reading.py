"""Which disk it is: known art is named at any turn, unknown art never."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, back, camera, disk, roster_of
from tests.pins import Pins
from vision.faces.reading import FaceIndex, read_faces, read_owners
from vision.roster.profiles import Roster
from vision.types.sighting import FaceReading, Order

NAMES = {"ants": 1, "bears": 2, "crows": 3, "drakes": 4, "elks": 5, "foxes": 6}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> FaceIndex:
    """Six profiles of the same size; the first three belong to gold, the others to violet."""
    folder: Path = tmp_path_factory.mktemp("roster")
    faces = {
        name: (art(seed, GOLD if seed <= 3 else VIOLET), 50.8, "gold" if seed <= 3 else "violet")
        for name, seed in NAMES.items()
    }
    return FaceIndex.of(roster_of(folder, faces))


def _picture(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return art(NAMES[name], GOLD if NAMES[name] <= 3 else VIOLET)


@pytest.mark.parametrize("tilt_deg", [5.0, 45.0])
@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.6, 0.75)])
def test_all_profiles_are_named_with_their_turn(
    index: FaceIndex, tilt_deg: float, light: tuple[float, float, float], pinned: Pins
) -> None:
    table = Table(camera(tilt_deg))
    pieces, turns = [], []
    for number, name in enumerate(NAMES):
        piece = disk(name, 150 + 200 * (number % 4), 250 + 300 * (number // 4))
        table.lay(piece, _picture(name), 57.0 * number)
        pieces.append(piece)
        turns.append(57.0 * number)
    readings = read_faces(table.take(light), table.view, pieces, [], index)
    assert [reading.profile for reading in readings] == list(NAMES)
    assert all(reading.side == "up" and 0.6 <= reading.confidence <= 1 for reading in readings)
    off = [(reading.rotation_deg - turn + 180) % 360 - 180 for reading, turn in zip(readings, turns, strict=True)]
    assert max(map(abs, off)) < 4
    pinned(readings)


def test_a_disk_a_little_off_its_place_is_still_named(index: FaceIndex) -> None:
    table = Table(camera())
    table.lay(disk("a", 400, 400), _picture("bears"), 200)
    (reading,) = read_faces(table.take(), table.view, [disk("a", 400.9, 399.2)], [], index)
    assert reading.profile == "bears"


def test_copies_of_one_disk_are_all_named(index: FaceIndex) -> None:
    table = Table(camera())
    pieces = [disk(str(i), 250 + 150 * i, 400) for i in range(3)]
    for number, piece in enumerate(pieces):
        table.lay(piece, _picture("drakes"), 100.0 * number)
    assert [r.profile for r in read_faces(table.take(), table.view, pieces, [], index)] == ["drakes"] * 3


def test_art_that_is_not_in_the_roster_stays_unknown(index: FaceIndex, pinned: Pins) -> None:
    table = Table(camera())
    pieces = [disk(str(seed), 120 + 110 * (seed % 7), 200 + 120 * (seed // 7)) for seed in range(28)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(100 + seed, GOLD), 40.0 * seed)
    readings = read_faces(table.take(), table.view, pieces, [], index)
    assert [reading.profile for reading in readings] == [None] * len(pieces)
    assert {reading.side for reading in readings} == {"unknown"}
    pinned(readings)


def test_a_profile_of_another_size_is_never_named(index: FaceIndex) -> None:
    table = Table(camera())
    piece = disk("a", 400, 400, 76.2)
    table.lay(piece, _picture("ants"), 30)
    (reading,) = read_faces(table.take(), table.view, [piece], [], index)
    assert reading.profile is None


def test_a_disk_half_covered_is_named_from_what_is_seen(index: FaceIndex, pinned: Pins) -> None:
    table = Table(camera())
    lower, upper = disk("lower", 400, 400), disk("upper", 422, 405, height_mm=4.0)
    table.lay(lower, _picture("elks"), 75)
    table.lay(upper, _picture("foxes"), 10)
    readings = read_faces(table.take(), table.view, [lower, upper], [Order("upper", "lower", 0.99)], index)
    assert [reading.profile for reading in readings] == ["elks", "foxes"]
    pinned(readings)


def test_a_disk_almost_wholly_covered_is_not_named(index: FaceIndex) -> None:
    table = Table(camera())
    lower, upper = disk("lower", 400, 400), disk("upper", 402, 401, height_mm=4.0)
    table.lay(lower, _picture("elks"), 75)
    table.lay(upper, _picture("foxes"), 10)
    readings = read_faces(table.take(), table.view, [lower, upper], [Order("upper", "lower", 0.99)], index)
    assert readings[0].profile is None


@pytest.mark.parametrize("kind", ["activation", "damage", "empowerment", "wound"])
def test_a_token_on_the_face_does_not_hide_who_it_is(index: FaceIndex, kind: str) -> None:
    table = Table(camera())
    piece = disk("a", 400, 400)
    table.lay(piece, _picture("crows"), 310)
    table.put(piece, kind, 6, -5)
    (reading,) = read_faces(table.take(), table.view, [piece], [], index)
    assert reading.profile == "crows"


def test_a_back_is_a_back_and_has_its_owner(index: FaceIndex, pinned: Pins) -> None:
    table = Table(camera(35))
    pieces = [disk("back", 300, 400), disk("other", 450, 400), disk("known", 600, 400)]
    for piece, face in zip(pieces, (back(VIOLET), back(GOLD), _picture("ants")), strict=True):
        table.lay(piece, face, 33)
    bgr = table.take((0.8, 0.9, 1.0))
    readings = read_faces(bgr, table.view, pieces, [], index)
    assert [(reading.profile, reading.side) for reading in readings] == [(None, "down"), (None, "down"), ("ants", "up")]
    seen = [replace(piece, face=reading) for piece, reading in zip(pieces, readings, strict=True)]
    assert read_owners(bgr, table.view, seen, [], index) == ("violet", "gold", "gold")
    pinned(readings)


def test_rims_alone_make_groups() -> None:
    table = Table(camera())
    pieces = [disk(name, 150 + 120 * i, 400) for i, name in enumerate(NAMES)]
    for piece, name in zip(pieces, NAMES, strict=True):
        table.lay(piece, _picture(name))
    groups = read_owners(table.take(), table.view, pieces, [], None)
    assert groups == ("group-1",) * 3 + ("group-2",) * 3
    assert len(set(read_owners(table.take(), table.view, pieces[:3], [], None))) == 1


def test_no_disks_and_no_art(index: FaceIndex) -> None:
    bgr = Table(camera()).take()
    assert read_faces(bgr, camera(), [], [], index) == ()
    assert read_owners(bgr, camera(), [], [], None) == ()
    empty = FaceIndex.of(Roster(()))
    assert read_faces(bgr, camera(), [disk("a", 400, 400)], [], empty) == (FaceReading(read=True),)
