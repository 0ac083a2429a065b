"""Line of sight: against dense sampling on random tables, and at its edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from assistant.rules.measure import gap_mm, overlaps
from assistant.rules.shapes import Disc, Footprint, Outline, circle_polygon, geometry, polygon, rectangle
from assistant.rules.sight import free_line, standing_in
from assistant.rules.sight_many import Pairs, see

A, B = Disc((0.0, 0.0), 25.0), Disc((300.0, 0.0), 25.0)


def box(x0: float, y0: float, x1: float, y1: float) -> Outline:
    return Outline(((x0, y0), (x1, y0), (x1, y1), (x0, y1)))


def star(rng: np.random.Generator, spread_mm: float = 400.0) -> Outline:
    """A random simple polygon, mostly concave."""
    centre = rng.uniform(-spread_mm, spread_mm, 2)
    count = int(rng.integers(3, 9))
    angles = np.sort(rng.uniform(0, 2 * np.pi, count))
    radii = rng.uniform(8, 130, count)
    corners = centre + radii[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Outline(tuple((float(x), float(y)) for x, y in corners))


def random_disc(rng: np.random.Generator) -> Disc:
    x, y = rng.uniform(-400, 400, 2)
    return Disc((float(x), float(y)), float(rng.choice([19.05, 25.4, 38.1])))


def random_rectangle(rng: np.random.Generator) -> Outline:
    x, y = rng.uniform(-400, 400, 2)
    width, depth, facing = rng.uniform([20, 20, 0], [100, 100, 360]).tolist()
    return rectangle((float(x), float(y)), width, depth, facing)


def sampled(a: Footprint, b: Footprint, blockers: list[Outline], count: int = 72) -> bool:
    """Whether one of thousands of lines from rim to rim is free."""
    rims = []
    for shape in (a, b):
        ring = geometry(shape).exterior
        spots = shapely.line_interpolate_point(ring, np.arange(count) / count, normalized=True)
        rims.append(shapely.get_coordinates(spots))
    lines = np.stack([np.repeat(rims[0], count, axis=0), np.tile(rims[1], (count, 1))], axis=1)
    wall = shapely.union_all([polygon(blocker) for blocker in blockers])
    shapely.prepare(wall)
    met: NDArray[np.bool_] = np.asarray(shapely.intersects(wall, shapely.linestrings(lines)))
    return bool((~met).any())


def table(seed: int, rectangles: bool = False) -> tuple[Footprint, Footprint, list[Outline]]:
    rng = np.random.default_rng(seed)
    make = random_rectangle if rectangles else random_disc
    a, b = make(rng), make(rng)
    while gap_mm(a, b) < 1.0:
        a, b = make(rng), make(rng)
    some = [star(rng) for _ in range(int(rng.integers(1, 8)))]
    valid = [shape for shape in some if shapely.Polygon(shape.points).is_valid and polygon(shape).area > 1.0]
    return a, b, [shape for shape in valid if not overlaps(a, shape) and not overlaps(b, shape)]


@pytest.mark.parametrize("rectangles", [False, True])
def test_sight_agrees_with_dense_sampling(rectangles: bool) -> None:
    blocked = only_exact = 0
    for seed in range(250):
        a, b, blockers = table(seed, rectangles)
        found = free_line(a, b, blockers)
        if found is None:
            blocked += 1
            assert not sampled(a, b, blockers), seed
            continue
        line = shapely.LineString([found.start, found.end])
        assert not any(polygon(blocker).intersects(line) for blocker in blockers), seed
        assert geometry(a).distance(shapely.Point(found.start)) < 0.02, seed
        assert geometry(b).distance(shapely.Point(found.end)) < 0.02, seed
        if not sampled(a, b, blockers):
            only_exact += 1
            assert found.room_mm < 2.0, seed  # sampling may miss a narrow slit, not a wide one
    assert blocked > 20
    assert only_exact < 10


def test_a_free_line_for_one_is_a_free_line_for_the_other() -> None:
    for seed in range(120):
        a, b, blockers = table(1000 + seed)
        assert (free_line(a, b, blockers) is None) == (free_line(b, a, blockers) is None), seed


def test_walls_on_a_grid_where_everything_lines_up() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    for _ in range(80):
        a = Disc((float(rng.integers(0, 6) * 20), float(rng.integers(0, 11) * 20)), 20.0)
        b = Disc((float(240 + rng.integers(0, 4) * 20), float(rng.integers(0, 11) * 20)), 20.0)
        corners = [(rng.integers(3, 13) * 20.0, rng.integers(-2, 11) * 20.0) for _ in range(int(rng.integers(1, 8)))]
        walls = [box(x, y, x + 10.0 * rng.integers(1, 4), y + 20.0 * rng.integers(1, 8)) for x, y in corners]
        walls = [wall for wall in walls if not overlaps(a, wall) and not overlaps(b, wall)]
        found = free_line(a, b, walls)
        if found is None:
            assert not sampled(Disc(a.centre, 19.999), Disc(b.centre, 19.999), walls)
        else:
            line = shapely.LineString([found.start, found.end])
            assert gap_mm(a, b) == 0 or not any(polygon(wall).intersects(line) for wall in walls)
            seen += 1
    assert 20 < seen < 75


def test_a_slit_of_any_width_will_do() -> None:
    for width in (8.0, 0.5, 0.001):
        walls = [box(140, -100, 160, -width / 2), box(140, width / 2, 160, 100)]
        found = free_line(A, B, walls)
        assert found is not None
        assert found.room_mm <= width / 2 + 1e-9
    assert free_line(A, B, [box(140, -100, 160, 0), box(140, 0, 160, 100)]) is None


def test_grazing_a_blocker_is_not_enough() -> None:
    assert free_line(A, B, [box(140, -100, 160, 25.0)]) is None
    assert free_line(A, B, [box(140, -100, 160, 24.99)]) is not None
    assert standing_in(A, B, [box(140, 25.0, 160, 60)]) == []
    assert standing_in(A, B, [box(140, 24.9, 160, 60), box(140, 30, 160, 60)]) == [0]


def test_a_bent_way_is_no_line() -> None:
    staggered = [box(80, -100, 100, 20), box(200, -20, 220, 100)]
    assert free_line(A, B, staggered) is None
    assert free_line(A, B, staggered[:1]) is not None
    assert free_line(A, B, [box(140, -100, 160, 10), box(165, -5, 185, 100)]) is None


def test_overlapping_footprints_always_see_one_another() -> None:
    near = Disc((30.0, 0.0), 25.0)
    found = free_line(A, near, [box(10, -50, 20, 50)])
    assert found is not None
    assert circle_polygon(A).covers(shapely.Point(found.start))
    assert circle_polygon(near).covers(shapely.Point(found.start))


def test_a_blocker_around_the_viewer_blocks() -> None:
    """Games that let terrain underfoot block get it blocked: the line would have to leave the blocker."""
    assert free_line(A, B, [box(-50, -50, 50, 50)]) is None
    assert free_line(A, B, [box(-50, -50, 0, 50)]) is not None
    assert free_line(A, B, [box(-60, -60, 400, 60)]) is None


def test_a_hollow_can_be_looked_into() -> None:
    cup = Outline(((250, -60), (380, -60), (380, 60), (250, 60), (250, 45), (360, 45), (360, -45), (250, -45)))
    assert free_line(A, B, [cup]) is not None
    lid = ((240, 60), (240, -46), (255, -46), (255, 45), (360, 45), (360, -47), (250, -47))
    closed = Outline(((250, -60), (380, -60), (380, 60), *lid))
    assert free_line(A, B, [closed]) is None


def test_many_at_once_agree_with_one_by_one() -> None:
    rng = np.random.default_rng(8)
    blockers: list[Outline] = []
    while len(blockers) < 7:
        shape = star(rng)
        if shapely.Polygon(shape.points).is_valid and polygon(shape).area > 400:
            blockers.append(shape)
    firsts, seconds = [random_disc(rng) for _ in range(300)], [random_disc(rng) for _ in range(300)]
    ignored = np.array(
        [[overlaps(a, shape) or overlaps(b, shape) for shape in blockers] for a, b in zip(firsts, seconds, strict=True)]
    )
    pairs = Pairs(
        np.array([disc.centre for disc in firsts]),
        np.array([disc.radius_mm for disc in firsts]),
        np.array([disc.centre for disc in seconds]),
        np.array([disc.radius_mm for disc in seconds]),
    )
    seen = see(pairs, blockers, ignored)
    for row, (a, b) in enumerate(zip(firsts, seconds, strict=True)):
        counting = [shape for shape, skip in zip(blockers, ignored[row], strict=True) if not skip]
        assert bool(seen.visible[row]) == (free_line(a, b, counting) is not None), row
        if seen.visible[row] and gap_mm(a, b) > 0:
            line = shapely.LineString(seen.lines[row])
            assert not any(polygon(shape).intersects(line) for shape in counting), row
    assert 30 < int(seen.visible.sum()) < 290
    assert math.isfinite(float(seen.lines.sum()))
