"""Distances, overlaps and shared areas of footprints."""

from __future__ import annotations

import doctest
import importlib
import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely.geometry.base import BaseGeometry

from assistant.rules.discs import lens_area_mm2, shared_area_mm2
from assistant.rules.measure import (
    completely_within,
    farthest_mm,
    gap_mm,
    nearest_points,
    overlaps,
    signed_gap_mm,
    sticking_out_mm,
    touches,
    wholly_within,
    within,
)
from assistant.rules.shapes import (
    Disc,
    Footprint,
    Outline,
    circle_polygon,
    field_outline,
    geometry,
    is_convex,
    moved,
    rectangle,
)

MODULES = ("answers", "cases", "chance", "discs", "measure", "reach", "shapes", "sight")
coordinate = st.floats(-300, 300)
discs = st.builds(Disc, st.tuples(coordinate, coordinate), st.floats(5, 60))
rectangles = st.builds(
    rectangle, st.tuples(coordinate, coordinate), st.floats(10, 120), st.floats(10, 120), st.floats(0, 360)
)
footprints: st.SearchStrategy[Footprint] = st.one_of(discs, rectangles)
HOOK = Outline(((0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (80.0, 100.0), (80.0, 20.0), (0.0, 20.0)))


@pytest.mark.parametrize("name", MODULES)
def test_every_example_in_a_docstring_holds(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"assistant.rules.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


@given(footprints, footprints)
def test_gap_agrees_with_fine_polygons_and_is_symmetric(a: Footprint, b: Footprint) -> None:
    assert gap_mm(a, b) == pytest.approx(float(geometry(a).distance(geometry(b))), abs=0.05)
    assert signed_gap_mm(a, b) == pytest.approx(signed_gap_mm(b, a), abs=1e-9)


@given(footprints, footprints)
def test_parting_by_the_depth_parts_them(a: Footprint, b: Footprint) -> None:
    depth = -signed_gap_mm(a, b)
    shared = float(geometry(a).intersection(geometry(b)).area)
    if depth > 0.1:
        assert shared > 0
    if depth < -0.1:
        assert shared == 0


@given(footprints, footprints, st.floats(0, 200))
def test_completely_within_is_what_growing_the_first_covers(a: Footprint, b: Footprint, limit: float) -> None:
    margin = limit - farthest_mm(a, b)
    grown = geometry(a).buffer(limit, quad_segs=128)
    if margin > 0.1:
        assert grown.covers(geometry(b))
    if margin < -0.1:
        assert not grown.covers(geometry(b))
    assert completely_within(a, b, limit) <= within(a, b, limit)


@given(discs, rectangles)
def test_wholly_within_a_rectangle_is_what_it_covers(disc: Disc, rect: Outline) -> None:
    out = sticking_out_mm(disc, rect)
    if abs(out) > 0.1:
        assert wholly_within(disc, rect) == geometry(rect).covers(circle_polygon(disc))


def test_a_disc_in_the_hollow_of_a_hook_does_not_touch_it() -> None:
    inside = Disc((40.0, 60.0), 30.0)
    assert gap_mm(inside, HOOK) == pytest.approx(10.0)
    assert not overlaps(inside, HOOK)
    assert not is_convex(HOOK)
    assert overlaps(Disc((40.0, 60.0), 40.5), HOOK)


def test_touching_is_no_overlap_but_is_contact() -> None:
    wall = field_outline(100.0, 100.0)
    beside = Disc((120.0, 50.0), 20.0)
    assert touches(beside, wall)
    assert not overlaps(beside, wall)
    assert touches(rectangle((150.0, 50.0), 40.0, 100.0, 90.0), field_outline(100.0, 100.0))


def test_a_facing_turns_clockwise_from_north() -> None:
    front_left, front_right, *_ = rectangle((0.0, 0.0), 40.0, 20.0, 90.0).points
    assert front_left == pytest.approx((10.0, -20.0))
    assert front_right == pytest.approx((10.0, 20.0))


def test_concave_farthest_walks_the_rim() -> None:
    assert farthest_mm(HOOK, Disc((40.0, 60.0), 10.0)) == pytest.approx(30 + 10 * math.sqrt(2), abs=8)
    far = farthest_mm(HOOK, Disc((-50.0, 10.0), 5.0))
    assert far == pytest.approx(55.0, abs=0.1)


def test_nearest_points_are_the_gap_apart() -> None:
    start, end = nearest_points(Disc((0.0, 0.0), 10.0), HOOK)
    assert start == end or math.dist(start, end) >= 0
    start, end = nearest_points(Disc((0.0, -30.0), 10.0), HOOK)
    assert math.dist(start, end) == pytest.approx(20.0, abs=0.01)


def test_moving_a_footprint_moves_its_gap() -> None:
    a, b = Disc((0.0, 0.0), 10.0), rectangle((50.0, 0.0), 20.0, 20.0, 0.0)
    assert gap_mm(a, moved(b, 5.0, 0.0)) == pytest.approx(gap_mm(a, b) + 5.0)
    assert gap_mm(moved(a, -5.0, 0.0), b) == pytest.approx(gap_mm(a, b) + 5.0)


near = st.floats(-30, 30)


@given(st.lists(st.builds(Disc, st.tuples(near, near), st.floats(5, 40)), min_size=1, max_size=4))
def test_shared_area_agrees_with_fine_polygons(some: list[Disc]) -> None:
    common: BaseGeometry = circle_polygon(some[0], 256)
    for disc in some[1:]:
        common = shapely.intersection(common, circle_polygon(disc, 256))
    assert shared_area_mm2(some) == pytest.approx(float(common.area), abs=0.5)


def test_lens_of_two_equal_discs() -> None:
    lens = lens_area_mm2(Disc((0.0, 0.0), 1.0), Disc((1.0, 0.0), 1.0))
    assert lens == pytest.approx(2 * math.pi / 3 - math.sqrt(3) / 2)
    assert lens_area_mm2(Disc((0.0, 0.0), 1.0), Disc((2.0, 0.0), 1.0)) == 0.0
    assert lens_area_mm2(Disc((0.0, 0.0), 1.0), Disc((0.0, 0.0), 1.0)) == pytest.approx(np.pi)
