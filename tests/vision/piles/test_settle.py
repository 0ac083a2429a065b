"""How cards lie: their leans by their art, what a lean tells of hidden cards, and of who lies on whom."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.arrays import FloatArray
from tests.drawing.disks import GOLD, VIOLET, Table, art, camera, disk, roster_of
from tests.pins import Pins
from vision.faces.art_pose import ArtPose, art_poses
from vision.faces.index import FaceIndex
from vision.faces.patch import take_close_ups
from vision.piles.resting import Leans, hidden_support, rest, rest_leaning
from vision.piles.settle import lie_down
from vision.search.nearby import found_beside
from vision.terrain.options import TERRAIN
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting, TerrainSighting


def leaning(piece: DiskSighting, slope: tuple[float, float]) -> DiskSighting:
    normal = np.array([-slope[0], -slope[1], 1.0])
    return replace(piece, face_normal=normal / np.linalg.norm(normal))


def shown(piece: DiskSighting, turn_deg: float = 30.0) -> DiskSighting:
    return replace(piece, face=FaceReading("drakes", "up", turn_deg, 0.99))


def measured(piece: DiskSighting, slope: tuple[float, float], sigma: float = 0.003) -> ArtPose:
    return ArtPose(piece, np.array(slope), np.eye(2) * sigma**2, 0.9)


def flat_table(points_mm: FloatArray) -> FloatArray:
    return np.zeros(len(points_mm))


@pytest.mark.parametrize("slope", [(0.0, 0.0), (0.08, 0.0), (-0.05, 0.07), (0.0, -0.1)])
@pytest.mark.parametrize("tilt_deg", [35.0, 50.0])
def test_art_shows_where_a_card_is_and_how_it_leans(slope: tuple[float, float], tilt_deg: float, pinned: Pins) -> None:
    table = Table(camera(tilt_deg, 1200))
    piece = leaning(disk("a", 420, 460, 76.2, 5.0), slope)
    table.lay(piece, art(5), 30)
    told = shown(replace(disk("a", 420.9, 459.3, 76.2, 5.0)), 33.0)
    (pose,) = art_poses(table.take(), table.view, [told], [()], [art(5)])
    assert pose is not None
    assert pose.slope == pytest.approx(slope, abs=0.02)
    assert np.hypot(pose.disk.x_mm - piece.x_mm, pose.disk.y_mm - piece.y_mm) < 0.25
    assert pose.disk.face.rotation_deg == pytest.approx(30, abs=1.0)
    error = pose.slope - np.array(slope)
    assert error @ np.linalg.inv(pose.slope_covariance + 0.007**2 * np.eye(2)) @ error < 16
    pinned(pose)


def test_a_face_that_is_hardly_seen_tells_no_lean() -> None:
    table = Table(camera())
    piece, cover = shown(disk("a", 400, 400, 38.1)), disk("b", 402, 401, 76.2, 4.0)
    assert art_poses(table.take(), table.view, [piece], [(cover,)], [art(5)]) == [None]
    assert art_poses(table.take(), table.view, [], [], []) == []


def test_art_explains_nothing_where_there_is_nothing_to_see() -> None:
    table = Table(camera())
    dark = np.zeros_like(table.take())
    (pose,) = art_poses(dark, table.view, [shown(disk("a", 400, 400, 76.2))], [()], [art(5)])
    assert pose is not None
    assert pose.explained == pytest.approx(0)


def test_a_lean_that_nothing_seen_explains_lifts_a_card() -> None:
    centres, radii, above = np.array([[0.0, 0.0]]), np.array([25.4]), np.zeros((1, 1), dtype=bool)
    leans = Leans(np.array([[0.05, 0.0]]), np.eye(2)[None] / 0.007**2)
    (height,) = rest_leaning(centres, radii, above, 2.0, leans, flat_table).poses.heights_mm
    assert height == pytest.approx(2.0 + 25.4 * 0.05)
    doubtful = Leans(leans.slopes, np.eye(2)[None] / 0.03**2)
    laid = rest_leaning(centres, radii, above, 2.0, doubtful, flat_table)
    assert laid.poses.heights_mm == pytest.approx([2.0])
    assert laid.strains == pytest.approx([0.05**2 / 0.03**2])


def test_the_leans_of_two_cards_turn_a_doubtful_order() -> None:
    centres, radii = np.array([[0.0, 0.0], [35.0, 0.0]]), np.array([25.4, 25.4])
    truly = rest(centres, radii, np.array([[False, True], [False, False]]), 2.0)
    view = camera(0.0)
    first = replace(disk("first", 450, 450), face_height_mm=float(truly.heights_mm[0]))
    second = disk("second", 485, 450)
    by_art = {
        "first": measured(first, (float(truly.slopes[0, 0]), float(truly.slopes[0, 1]))),
        "second": measured(second, (0.0, 0.0)),
    }
    for told, expected in ((0.7, "first"), (0.995, "second")):
        seen = TableSighting((first, second), (Order("second", "first", told),))
        (order,) = lie_down(view, seen, by_art).orders
        assert order.top == expected
        assert 0.5 <= order.probability <= max(told, 0.95)


def test_cards_on_terrain_and_on_one_another_are_where_their_pixels_show_them(pinned: Pins) -> None:
    view = camera(45.0)
    outline = np.array([[300.0, 300.0], [600.0, 300.0], [600.0, 600.0], [300.0, 600.0]])
    low, high = disk("low", 450, 450, 76.2), disk("high", 452, 450, 38.1, 2.0)
    seen = TableSighting((low, high), (Order("high", "low", 0.99),), (TerrainSighting("t", outline),))
    lying = lie_down(view, seen, {})
    assert [piece.face_height_mm for piece in lying.disks] == pytest.approx(
        [2 + TERRAIN.height_mm, 4 + TERRAIN.height_mm]
    )
    for before, after in zip(seen.disks, lying.disks, strict=True):
        pixels = [
            view.board_to_image(np.array([[piece.x_mm, piece.y_mm]]), piece.face_height_mm) for piece in (before, after)
        ]
        assert pixels[0] == pytest.approx(pixels[1], abs=1e-6)
    kept = lie_down(view, seen, {}, {"low"})
    assert kept.disks[0] is low
    assert kept.disks[1].face_height_mm == pytest.approx(4.0)
    pinned(lying)


def test_a_face_beside_the_place_it_was_looked_for_is_found_and_a_strange_one_is_not(
    tmp_path: Path, pinned: Pins
) -> None:
    faces = {f"p{seed}": (art(seed, GOLD if seed % 2 else VIOLET), 50.8, "gold") for seed in range(8)}
    index = FaceIndex.of(roster_of(tmp_path, faces))
    table = Table(camera(40.0, 1300))
    table.lay(disk("known", 300, 400), art(3, GOLD), 70)
    table.lay(disk("strange", 600, 400), art(77, GOLD), 70)
    unsure = FaceReading(None, "unknown", 0.0, 0.1, True)
    told = [replace(disk("known", 303, 398), face=unsure), replace(disk("strange", 603, 398), face=unsure)]
    close = take_close_ups(table.take(), table.view, told, [])
    known, strange = found_beside(close, told, [0, 1], index)
    assert known.face.profile == "p3"
    assert np.hypot(known.x_mm - 300, known.y_mm - 400) < 0.5
    assert (strange.x_mm, strange.y_mm, strange.face) == (603, 398, replace(unsure, sought=True))
    assert found_beside(close, [known, strange], [0, 1], index) == [known, strange]
    pinned(known)


def test_a_lean_that_all_cards_share_is_the_lens_s_and_no_card_is_lifted_by_it() -> None:
    view = camera(30.0)
    disks = tuple(disk(f"d{i}", 200 + 90 * i, 450) for i in range(6))
    by_art = {piece.id: measured(piece, (0.04, -0.02)) for piece in disks[:5]}
    by_art["d5"] = measured(disks[5], (0.04 + 0.06, -0.02))
    heights = [piece.face_height_mm for piece in lie_down(view, TableSighting(disks, ()), by_art).disks]
    assert heights[:5] == pytest.approx([2.0] * 5)
    assert heights[5] == pytest.approx(2.0 + 25.4 * 0.06, abs=0.01)


def test_a_card_that_appears_higher_lies_on_hidden_support(pinned: Pins) -> None:
    view = camera(40.0)
    below, above = shown(disk("a", 400, 400, 76.2)), shown(disk("b", 447, 400, 38.1, 3.0))
    orders = (Order("b", "a", 0.99),)

    def lying(height_mm: float, sigma_mm: float, by_appearance: bool = True) -> TableSighting:
        raised = replace(below, apparent_height_mm=height_mm, apparent_height_sigma_mm=sigma_mm)
        return lie_down(view, TableSighting((raised, above), orders), {}, by_appearance=by_appearance)

    flat, high = lying(2.0, 0.3), lying(6.0, 0.3)
    assert flat.disks[0].face_height_mm == pytest.approx(2.0, abs=0.1)
    assert high.disks[0].face_height_mm == pytest.approx(6.0, abs=0.1)
    assert high.disks[1].face_height_mm > flat.disks[1].face_height_mm + 2.5
    unclear = lying(4.0, 2.0).disks[0]
    assert 2.3 < unclear.face_height_mm < 4.0  # between what is seen below and what it appears
    assert np.trace(unclear.covariance) > np.trace(flat.disks[0].covariance) + 0.1
    assert lying(6.0, 0.3, by_appearance=False).disks[0].face_height_mm == pytest.approx(2.0)
    pixels = [
        view.board_to_image(np.array([[piece.x_mm, piece.y_mm]]), piece.face_height_mm)
        for piece in (below, high.disks[0])
    ]
    assert pixels[0] == pytest.approx(pixels[1], abs=1e-6)
    pinned([flat, high, unclear, lying(4.0, 0.5)])


def test_hidden_support_is_expected_by_what_appears_and_how_surely() -> None:
    assert hidden_support(2.0, 2.0, 0.2, 2.0)[:2] == pytest.approx((0.0, 0.0), abs=0.05)
    mean, variance, fits = hidden_support(2.0, 8.0, 0.2, 2.0)
    assert mean == pytest.approx(6.0, abs=0.1)
    assert variance < 0.1
    unlikely, wide, _ = hidden_support(2.0, 3.5, 1.5, 2.0)
    assert 0.2 < unlikely < 1.5
    assert wide > 0.5
    likely, wider, _ = hidden_support(2.0, 6.0, 1.5, 2.0)
    assert 1.0 <= likely <= 4.0
    assert wider > wide
    nothing_known = hidden_support(2.0, 9.0, math.inf, 2.0)
    assert nothing_known.lift_mm == 0.0
    assert nothing_known.variance_mm2 > 1.0
    assert nothing_known.strain == 0.0
    assert hidden_support(8.0, 2.0, 0.5, 2.0).strain > 10 * fits > 0  # nothing lowers a card


def test_what_only_seemed_to_lie_on_a_raised_card_lies_beside_it(pinned: Pins) -> None:
    view = camera(50.0)
    seeming = replace(disk("a", 457, 300, 76.2), apparent_height_mm=4.0, apparent_height_sigma_mm=0.2)
    behind = shown(disk("b", 457, 300 - 38.1 - 19.05 + 1.5, 38.1, 3.0))
    seen = TableSighting((seeming, behind), (Order("b", "a", 0.995),))  # too sure to be turned
    raised = lie_down(view, seen, {"b": measured(behind, (0.0, 0.0), 0.01)}, by_appearance=True)
    assert raised.disks[0].face_height_mm > 3.8
    assert raised.disks[1].face_height_mm == pytest.approx(2.0)
    assert not raised.orders
    squarely = replace(behind, y_mm=behind.y_mm + 12)
    kept = lie_down(view, replace(seen, disks=(seeming, squarely)), {}, by_appearance=True)
    assert [order.top for order in kept.orders] == ["b"]
    assert kept.disks[1].face_height_mm > 3.5
    pinned([raised, kept])
