"""Terrain: its outline on any ordinary table, and nothing where there is none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.drawing.disks import Table, art, camera, disk
from tests.drawing.outlines import blob, overlap
from tests.pins import Pins
from vision.terrain.outlines import find_terrain, flat_table


@pytest.mark.parametrize("tilt_deg", [5.0, 40.0])
def test_pieces_are_outlined_also_beneath_a_disk(tilt_deg: float, pinned: Pins) -> None:
    table = Table(camera(tilt_deg))
    lake, wood = blob(300, 350, 160, 1), blob(640, 560, 200, 2)
    table.blot(lake, (150, 90, 40))
    table.blot(wood, (30, 60, 140))
    on_edge = disk("a", 380, 350, 50.8, 3.5)
    table.lay(on_edge, art(1))
    pieces = find_terrain(table.take(), table.view, [on_edge])
    assert [piece.id for piece in pieces] == ["terrain-1", "terrain-2"]
    assert [piece.kind for piece in pieces] == [None, None]
    assert overlap(pieces[0].outline_mm, wood) > 0.9
    assert overlap(pieces[1].outline_mm, lake) > 0.85
    assert all(0.5 <= piece.confidence <= 1 for piece in pieces)
    pinned([(cv2.contourArea(piece.outline_mm.astype(np.float32)), piece) for piece in pieces])


def test_an_empty_table_and_disks_alone_have_no_terrain() -> None:
    table = Table(camera(25))
    assert find_terrain(table.take(), table.view, []) == ()
    pieces = [disk(str(seed), 150 + 160 * (seed % 4), 200 + 160 * (seed // 4), 76.2) for seed in range(16)]
    for seed, piece in enumerate(pieces):
        table.lay(piece, art(seed))
    assert find_terrain(table.take(), table.view, pieces) == ()


def test_a_ruler_a_card_and_a_coaster_are_no_terrain() -> None:
    table = Table(camera(25))
    table.blot(np.array([[200, 200], [500, 240], [496, 270], [196, 230]], dtype=float), (235, 235, 235))
    table.blot(np.array([[600, 300], [663, 300], [663, 388], [600, 388]], dtype=float), (200, 180, 60))
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    table.blot(np.stack([500 + 47 * np.cos(angle), 600 + 47 * np.sin(angle)], axis=1), (40, 70, 160))
    assert find_terrain(table.take(), table.view, []) == ()


def test_cards_at_any_turn_are_no_terrain() -> None:
    table = Table(camera(35))
    for number in range(6):
        turn = np.radians(13.0 * number + 7)
        cos, sin = np.cos(turn), np.sin(turn)
        corners = np.array([[-32, -44], [32, -44], [32, 44], [-32, 44]]) @ np.array([[cos, sin], [-sin, cos]])
        middle = np.array([200.0 + 250 * (number % 3), 280.0 + 330 * (number // 3)])
        table.blot(corners + middle, (60 + 30 * number, 60, 190))
    assert find_terrain(table.take(), table.view, []) == ()


@pytest.mark.parametrize(("area_mm2", "found"), [(2050.0, 0), (3100.0, 1)])
def test_what_is_smaller_than_a_hand_is_no_terrain(area_mm2: float, found: int) -> None:
    table = Table(camera(10))
    outline = blob(450.0, 450.0, 100.0, 1)
    scale = np.sqrt(area_mm2 / cv2.contourArea(outline.astype(np.float32)))
    table.blot((outline - [450, 450]) * scale + [450, 450], (150, 90, 40))
    assert len(find_terrain(table.take(), table.view, [])) == found


def test_what_runs_off_the_field_is_no_terrain() -> None:
    table = Table(camera(10))
    table.blot(
        np.array([[300, -60], [420, -60], [520, 400], [500, 980], [380, 980], [400, 420]], dtype=float), (150, 90, 40)
    )
    assert find_terrain(table.take(), table.view, []) == ()


def test_with_a_picture_of_the_bare_table_terrain_of_its_own_colours_is_found(pinned: Pins) -> None:
    view = camera(20)
    mat, laid = Table(view), Table(view)
    rng = np.random.default_rng(4)
    for number in range(70):
        x_mm, y_mm = rng.uniform(0, 914, 2)
        patch = blob(float(x_mm), float(y_mm), 130, number)
        colour = tuple(int(v) for v in rng.integers(40, 200, 3))
        for table in (mat, laid):
            table.blot(patch, (colour[0], colour[1], colour[2]), number)
    hill = blob(450, 470, 180, 3)
    laid.blot(hill, (105, 120, 125))
    pieces = find_terrain(laid.take((0.9, 0.9, 0.9)), view, [], bare=flat_table(mat.take(seed=5), view))
    assert len(pieces) == 1
    assert overlap(pieces[0].outline_mm, hill) > 0.75
    pinned([(cv2.contourArea(piece.outline_mm.astype(np.float32)), piece) for piece in pieces])


def test_a_piece_of_a_checked_cloths_own_colours_takes_its_pattern_away(pinned: Pins) -> None:
    table = Table(camera(15))
    for row in range(31):
        for column in range(31):
            if (row + column) % 2:
                square = 30.0 * (np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([column, row]))
                table.blot(square, (120, 150, 130), row * 31 + column)
    assert find_terrain(table.take(), table.view, []) == ()
    wood = blob(450, 470, 200, 3)
    table.blot(wood, (70, 110, 80))
    pieces = find_terrain(table.take(), table.view, [])
    assert len(pieces) == 1
    assert overlap(pieces[0].outline_mm, wood) > 0.7
    pinned([(cv2.contourArea(piece.outline_mm.astype(np.float32)), piece) for piece in pieces])
