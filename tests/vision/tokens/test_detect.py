"""Tokens on disks: counted by kind, and never seen where there are none."""

from __future__ import annotations

from dataclasses import replace

import cv2
import pytest

from tests.drawing.disks import GOLD, VIOLET, Table, art, back, camera, disk, identified, roster_of
from tests.pins import Pins
from vision.faces.index import FaceIndex
from vision.tokens.detect import count_tokens, token_changes
from vision.types.sighting import FaceReading, Order

KINDS = ("activation", "damage", "empowerment", "wound")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> FaceIndex:
    """Eight profiles."""
    faces = {f"p{seed}": (art(seed, GOLD if seed % 2 else VIOLET), 50.8, "gold") for seed in range(8)}
    return FaceIndex.of(roster_of(tmp_path_factory.mktemp("roster"), faces))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.55, 0.6, 0.7)])
def test_a_token_on_a_known_face_is_counted(
    index: FaceIndex, kind: str, light: tuple[float, float, float], pinned: Pins
) -> None:
    table = Table(camera(30))
    pieces = [disk(f"d{seed}", 130 + 190 * (seed % 4), 300 + 250 * (seed // 4)) for seed in range(8)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(seed, GOLD if seed % 2 else VIOLET), 45.0 * seed)
    table.put(pieces[1], kind, 7, 4)
    table.put(pieces[6], kind, -8, 3)
    seen = identified(table.take(light), table, pieces, [], index)
    assert [dict(piece.tokens) for piece in seen] == [{kind: 1} if number in (1, 6) else {} for number in range(8)]
    pinned(seen)


def test_several_tokens_on_one_disk(index: FaceIndex) -> None:
    table = Table(camera(10, 1300))
    piece = disk("a", 450, 450)
    table.lay(piece, art(3, GOLD), 80)
    table.put(piece, "damage", -11, -9, 13)
    table.put(piece, "damage", 11, -9, 13)
    table.put(piece, "activation", 0, 11, 13)
    (seen,) = identified(table.take(), table, [piece], [], index)
    assert seen.tokens == {"activation": 1, "damage": 2}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rim", [GOLD, VIOLET])
def test_a_token_on_a_back_is_counted(index: FaceIndex, kind: str, rim: tuple[int, int, int]) -> None:
    table = Table(camera(15, 1250))
    piece = disk("a", 450, 450)
    table.lay(piece, back(rim), 80)
    table.put(piece, kind, 10, 8, 16)
    (seen,) = identified(table.take(), table, [piece], [], index)
    assert seen.face.side == "down"
    assert seen.tokens == {kind: 1}


def test_a_token_under_another_disk_is_not_counted(index: FaceIndex) -> None:
    table = Table(camera())
    lower, upper = disk("lower", 400, 400), disk("upper", 430, 400, height_mm=4.0)
    table.lay(lower, art(2, VIOLET), 0)
    table.put(lower, "damage", 16, 0)
    table.lay(upper, art(5, GOLD), 0)
    seen = identified(table.take(), table, [lower, upper], [Order("upper", "lower", 0.99)], index)
    assert [dict(piece.tokens) for piece in seen] == [{}, {}]


def test_printed_spots_are_no_tokens(index: FaceIndex) -> None:
    table = Table(camera())
    pieces = [disk(f"d{seed}", 130 + 190 * (seed % 4), 300 + 250 * (seed // 4)) for seed in range(8)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(seed, GOLD if seed % 2 else VIOLET), 20.0 * seed)
    known = [replace(piece, face=FaceReading(f"p{seed}", "up", 20.0 * seed, 1.0)) for seed, piece in enumerate(pieces)]
    assert count_tokens(table.take(), table.view, known, [], index) == ({},) * 8


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_on_a_face_that_nobody_knows_is_counted_by_its_sign(kind: str) -> None:
    table = Table(camera(10, 1100))
    piece = disk("a", 450, 450)
    table.lay(piece, art(11, GOLD), 30)
    table.put(piece, kind, 3, -4, 16)
    (seen,) = identified(table.take(), table, [piece], [], FaceIndex.build((), ()))
    assert seen.face.side == "unknown"
    assert seen.tokens == {kind: 1}


@pytest.mark.parametrize("colour", [(30, 30, 200), (40, 190, 225), (205, 80, 35), (20, 20, 20)])
def test_a_patch_of_a_tokens_colour_on_an_unknown_face_is_no_token(colour: tuple[int, int, int]) -> None:
    table = Table(camera(10, 1100))
    face = art(11, GOLD).copy()
    cv2.circle(face, (130, 100), 36, colour, -1, cv2.LINE_AA)
    piece = disk("a", 450, 450)
    table.lay(piece, face, 30)
    (seen,) = identified(table.take(), table, [piece], [], FaceIndex.build((), ()))
    assert seen.tokens == {}


def test_wounds_on_a_dark_face_are_told_from_its_white_letters(index: FaceIndex) -> None:
    table = Table(camera(20, 1200))
    piece = disk("a", 450, 450)
    table.lay(piece, back(VIOLET), 80)
    table.put(piece, "wound", -10, -8, 15)
    table.put(piece, "wound", 11, 6, 15)
    (seen,) = identified(table.take((0.5, 0.5, 0.55)), table, [piece], [], index)
    assert seen.tokens == {"wound": 2}


def changed(
    before: list[tuple[str, float, float]], after: list[tuple[str, float, float]], turn_deg: float = 80
) -> dict[str, int]:
    """What a back with these tokens on it and then those tells, turned or not in between."""
    known = {kind: [name for name, _, _ in before].count(kind) for kind, _, _ in before}
    piece = replace(disk("a", 450, 450), face=FaceReading(None, "down", read=True), tokens=known)
    pictures = []
    for tokens, turn in ((before, 80.0), (after, turn_deg)):
        table = Table(camera(15, 1250))
        table.lay(piece, back(GOLD), turn)
        for kind, x_mm, y_mm in tokens:
            table.put(piece, kind, x_mm, y_mm, 16)
        pictures.append(table.take())
    first, second = pictures
    (change,) = token_changes(first, second, table.view, [piece], [], FaceIndex.build((), ()))
    return dict(change)


@pytest.mark.parametrize("kind", KINDS)
def test_a_token_in_the_middle_of_a_back_is_told_by_what_changed(kind: str) -> None:
    assert changed([], [(kind, 1, 0)]) == {kind: 1}
    assert changed([(kind, 1, 0)], []) == {kind: -1}
    assert changed([("wound", 10, 8)], [("wound", 10, 8), (kind, -9, -6)]) == {kind: 1}


def test_a_back_that_was_turned_where_it_lies_has_no_new_tokens() -> None:
    assert changed([], [], 100) == {}
