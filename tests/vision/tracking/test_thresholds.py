"""The thresholds of tracking decide where their options say: each is met just inside and just outside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shapely.geometry import box

from tests.drawing.tracks import disk, started, table
from vision.tracking.assignment import anchored, assigned, could_be
from vision.tracking.changes import moves_and_bumps
from vision.tracking.confirmation import agree, alike, sure
from vision.tracking.corrections import missed_disk
from vision.tracking.memory import Appeared, Bumped, Change, Evidence, Memory, Moved, Noticed, Removed, Track
from vision.tracking.orders import orders_after, with_visibility
from vision.tracking.stacks import at_height_overhead, with_heights
from vision.tracking.tracker import follow
from vision.types.disc_overlap import overlap_area_mm2
from vision.types.sighting import DiskSighting, FaceReading, Order, TerrainSighting


def track(name: str, x: float, y: float = 100.0, size_mm: float = 50.8, profile: str | None = "orcs") -> Track:
    return Track(disk(name, x, y, size_mm, profile))


def at(x: float, size_mm: float = 50.8, profile: str | None = "orcs") -> DiskSighting:
    return disk("seen", x, 100.0, size_mm, profile)


def kinds(memory: Memory, evidence: Evidence, *seen: DiskSighting) -> list[type[Change]]:
    return [type(change) for change in follow(memory, table(*seen), evidence)[1]]


@pytest.mark.parametrize(("off_mm", "same"), [(4.5, True), (5.5, False)])
def test_an_unchanged_disk_is_anchored_within_5_mm(off_mm: float, same: bool) -> None:
    assert bool(anchored([track("a", 100.0)], [at(100.0 + off_mm)])) == same


@pytest.mark.parametrize(("size_mm", "same"), [(54.8, True), (56.8, False)])
def test_sizes_agree_within_a_tenth(size_mm: float, same: bool) -> None:
    assert could_be(track("a", 100.0), at(100.0, size_mm)) == same


@pytest.mark.parametrize(("off_mm", "same"), [(4.5, True), (5.5, False)])
def test_two_passes_show_one_disk_within_5_mm(off_mm: float, same: bool) -> None:
    assert alike(at(100.0), at(100.0 + off_mm)) == same


@pytest.mark.parametrize(
    ("confidence", "face", "believed"),
    [
        (0.93, FaceReading(), True),
        (0.87, FaceReading(), False),
        (0.65, FaceReading("orcs", "up", 0.0, 0.97), True),
        (0.55, FaceReading("orcs", "up", 0.0, 0.97), False),
        (0.65, FaceReading("orcs", "up", 0.0, 0.9), False),
    ],
)
def test_one_pass_is_enough_from_a_confidence_of_0_9_or_a_known_face(
    confidence: float, face: FaceReading, believed: bool
) -> None:
    assert sure(replace(at(100.0), confidence=confidence, face=face)) == believed


@pytest.mark.parametrize(("confidence", "expected"), [(0.82, [Appeared]), (0.78, [])])
def test_a_disk_appears_from_a_confidence_of_0_8(confidence: float, expected: list[type[Change]]) -> None:
    new = replace(disk("n", 500, 500, profile=None), confidence=confidence)
    memory = started(disk("a", 100, 100))
    assert kinds(memory, Evidence({"d01": 1.0}, fresh=frozenset({"n"})), disk("a", 100, 100), new) == expected


@pytest.mark.parametrize(("off_mm", "expected"), [(9.0, []), (11.0, [Noticed])])
def test_a_duplicate_lies_within_10_mm_of_a_detected_disk(off_mm: float, expected: list[type[Change]]) -> None:
    memory = started(disk("a", 100, 100))
    seen = disk("a", 100, 100), disk("b", 100 + off_mm, 100, 76.2, "trolls")
    memory, _ = follow(memory, table(*seen), Evidence({"d01": 1.0}))
    assert kinds(memory, Evidence({"d01": 1.0}), *seen) == expected


@pytest.mark.parametrize(("same", "moved"), [(0.95, False), (0.9, True)])
def test_a_disk_is_untouched_from_93_percent_of_equal_pixels(same: float, moved: bool) -> None:
    memory = started(disk("a", 100, 100))
    after, _ = follow(memory, table(disk("x", 110, 100)), Evidence({"d01": same}, fresh=frozenset({"x"})))
    assert (after.by_id()["d01"].place != (100, 100)) == moved


@pytest.mark.parametrize(("same", "expected"), [(0.65, []), (0.55, [Removed])])
def test_a_disk_that_no_pass_shows_is_there_from_60_percent_of_equal_pixels(
    same: float, expected: list[type[Change]]
) -> None:
    assert kinds(started(disk("a", 100, 100)), Evidence({"d01": same})) == expected


@pytest.mark.parametrize(("shift_mm", "expected"), [(1.8, []), (3.2, [Bumped]), (7.5, [Bumped]), (8.5, [Moved])])
def test_one_disk_alone_is_bumped_from_3_mm_and_moved_from_8(shift_mm: float, expected: list[type[Change]]) -> None:
    moved, bumped = moves_and_bumps([Moved("a", (100.0, 100.0), (100.0 + shift_mm, 100.0))])
    assert [type(change) for change in (*moved, *bumped)] == expected


@pytest.mark.parametrize(("shift_mm", "count"), [(1.8, 0), (2.2, 2), (14.0, 2), (16.0, 0)])
def test_several_are_bumped_by_2_to_15_mm(shift_mm: float, count: int) -> None:
    shifts = [Moved(name, (100.0, 100.0), (100.0 + shift_mm, 100.0)) for name in "ab"]
    assert sum(len(bump.shifts) for bump in moves_and_bumps(shifts)[1]) == count


@pytest.mark.parametrize(("sigma_mm", "shift_mm", "stays"), [(0.4, 1.6, True), (0.4, 1.8, False), (0.1, 0.9, True)])
def test_a_shift_within_three_sigmas_is_jitter(sigma_mm: float, shift_mm: float, stays: bool) -> None:
    unsure = replace(disk("a", 100, 100), covariance=sigma_mm**2 * np.eye(2))
    seen = replace(unsure, id="x", x_mm=100 + shift_mm)
    after, _ = follow(started(unsure), table(seen), Evidence({"d01": 0.7}, fresh=frozenset({"x"})))
    assert (after.by_id()["d01"].place == (100, 100)) == stays


def overlapping(area_mm2: float) -> tuple[Track, Track]:
    """Two disks that overlap by about this area."""
    gaps = np.linspace(0.0, 4.0, 400)
    pairs = [(track("a", 100.0), track("b", 100.0 + 50.8 - gap)) for gap in gaps]
    return min(pairs, key=lambda pair: abs(overlap_area_mm2(pair[0].disk, pair[1].disk) - area_mm2))


@pytest.mark.parametrize(("area_mm2", "count"), [(2.5, 0), (3.6, 1)])
def test_disks_overlap_from_3_square_millimetres(area_mm2: float, count: int) -> None:
    pair = overlapping(area_mm2)
    assert len(orders_after([], pair, {"a"}, {"a"}, [])) == count


@pytest.mark.parametrize(("probability", "top"), [(0.85, "b"), (0.75, "a")])
def test_a_detected_order_counts_from_0_8(probability: float, top: str) -> None:
    pair = (track("a", 100.0), track("b", 130.0))
    (order,) = orders_after([], pair, {"a"}, {"a"}, [Order("b", "a", probability)])
    assert order.top == top
    if top == "a":
        assert order.probability == pytest.approx(0.97)


@pytest.mark.parametrize(("before", "after", "top"), [(0.85, 0.95, "b"), (0.85, 0.87, "a"), (0.93, 0.97, "a")])
def test_an_order_of_untouched_disks_is_overruled_across_0_9(before: float, after: float, top: str) -> None:
    pair = (track("a", 100.0), track("b", 130.0))
    (order,) = orders_after([Order("a", "b", before)], pair, (), (), [Order("b", "a", after)])
    assert order.top == top


@pytest.mark.parametrize(("size_mm", "hidden"), [(40.0, True), (49.0, True), (52.5, False)])
def test_a_disk_is_hidden_when_hardly_anything_is_left_of_it(size_mm: float, hidden: bool) -> None:
    top, low = track("top", 100.0, 100.0, 50.8), track("low", 100.0, 100.0, size_mm)
    tracks = with_visibility([top, low], [Order("top", "low", 1.0)], ())
    assert tracks[1].visible != hidden


@pytest.mark.parametrize(("higher_mm", "corrected"), [(0.8, False), (1.2, True)])
def test_a_height_is_corrected_from_half_a_card(higher_mm: float, corrected: bool) -> None:
    hidden = replace(track("low", 100.0), visible=False)
    top = replace(track("top", 100.0), disk=replace(disk("top", 100, 100), face_height_mm=4.0 - higher_mm))
    tracks = with_heights([hidden, top], [Order("top", "low", 1.0)], {"top"}, at_height_overhead)
    assert (tracks[1].disk.face_height_mm == 4.0) == corrected


def test_a_missed_disk_is_taken_to_lie_below_with_0_6() -> None:
    memory = started(disk("a", 100, 100))
    assert [order.probability for order in missed_disk(memory, disk("n", 120, 100)).orders] == [pytest.approx(0.6)]


def terrain(width_mm: float) -> TerrainSighting:
    return TerrainSighting("t", np.array(box(0, 0, width_mm, 100).exterior.coords)[:-1])


@pytest.mark.parametrize(("width_mm", "same"), [(65.0, True), (55.0, False)])
def test_terrain_is_the_same_from_60_percent_of_the_common_area(width_mm: float, same: bool) -> None:
    assert agree((terrain(100.0),), (terrain(width_mm),)) == same


@pytest.mark.parametrize(
    ("confidence", "unsure", "matched"),
    [(0.8, False, True), (0.87, False, False), (0.48, True, True), (0.52, True, False)],
)
def test_another_name_costs_more_than_a_new_and_a_lost_disk_when_it_is_read_surely(
    confidence: float, unsure: bool, matched: bool
) -> None:
    """A disk that may be there unseen is lost at a fifth of the cost."""
    known = replace(disk("a", 100, 100), face=FaceReading("orcs", "up", 0.0, 1.0))
    seen = replace(at(108.0), face=FaceReading("goblins", "up", 0.0, confidence))
    found = assigned([Track(known)], [seen], [], {"a"} if unsure else (), {"seen"})
    assert bool(found) == matched


@pytest.mark.parametrize(("off_mm", "expected"), [(4.5, "near"), (5.5, "far")])
def test_lying_within_5_mm_of_the_old_place_outweighs_a_name_that_is_not_read(off_mm: float, expected: str) -> None:
    """Two unnamed detections: one at the old place, one of the right owner elsewhere costs the same otherwise."""
    known = replace(disk("a", 100, 100, profile=None), owner=None)
    near = replace(at(100.0 + off_mm, profile="orcs"), id="near", face=FaceReading("goblins", "up", 0.0, 0.3))
    far = replace(at(160.0, profile=None), id="far")
    named = replace(known, face=FaceReading("orcs", "up", 0.0, 0.3))
    found = assigned([Track(named)], [near, far], [], (), {"near", "far"})
    assert found["a"].id == expected
