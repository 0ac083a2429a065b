"""Fewest steps round what ends a move, against a search over a fine grid."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from assistant.rules.reach import Ground, Stop, fewest_steps, reachable
from assistant.scene.values import Point

ROOM = shapely.box(-200.0, -200.0, 200.0, 200.0)
GRID_MM = 8.0


def circle(x: float, y: float, radius: float) -> shapely.Polygon:
    return shapely.Point(x, y).buffer(radius, quad_segs=128)


def grid_steps(start: Point, target: Point, ground: Ground, slack_mm: float) -> int | None:
    """Breadth first over a grid: with no slack too many steps at most, with slack too few at most.

    With slack a landing counts as inside a stop only when it is that deep inside, and steps are that much longer.
    """
    axis = np.arange(-200.0, 200.0 + GRID_MM, GRID_MM)
    spots = np.array(list(itertools.product(axis, axis)))
    before, landed = _labels(spots, ground, 0.0), _labels(spots, ground, slack_mm)
    tree = cKDTree(spots)
    step = ground.step_mm + 2 * slack_mm
    if math.dist(start, target) <= step:
        return 1
    spares = {stop.id for stop in ground.stops if stop.forgivable} if ground.spare else set()
    reached: set[tuple[int, bool]] = set()
    frontier = _landings(tree.query_ball_point(start, step), ground.inside_at_start, False, landed, spares)
    for steps in range(2, 60):
        if any(math.dist(spots[index], target) <= step for index, _ in frontier):
            return steps
        reached |= frontier
        grown: set[tuple[int, bool]] = set()
        for index, used in frontier:
            grown |= _landings(tree.query_ball_point(spots[index], step), before[index], used, landed, spares)
        frontier = grown - reached
        if not frontier:
            return None
    return None


def _labels(spots: NDArray[np.float64], ground: Ground, slack_mm: float) -> list[frozenset[str]]:
    inside = {
        stop.id: np.asarray(shapely.contains_xy(stop.region.buffer(-slack_mm), spots[:, 0], spots[:, 1]))
        for stop in ground.stops
    }
    return [frozenset(name for name, hit in inside.items() if hit[index]) for index in range(len(spots))]


def _landings(
    near: list[int], label: frozenset[str], used: bool, landed: list[frozenset[str]], spares: set[str]
) -> set[tuple[int, bool]]:
    found = set()
    for index in near:
        fresh = landed[index] - label
        if not fresh:
            found.add((index, used))
        elif not used and fresh <= spares:
            found.add((index, True))
    return found


def random_ground(seed: int) -> tuple[Point, Point, Ground]:
    rng = np.random.default_rng(seed)
    step = float(rng.choice([38.1, 50.8, 76.2]))
    while True:
        blobs = [
            circle(*rng.uniform([-150, -150, 30], [150, 150, 80]).tolist()) for _ in range(int(rng.integers(2, 7)))
        ]
        start, target = (tuple(map(float, rng.uniform(-180, 180, 2))) for _ in range(2))
        begin, end = (start[0], start[1]), (target[0], target[1])
        if not any(blob.contains(shapely.Point(begin)) for blob in blobs):
            stops = tuple(Stop(str(index), blob) for index, blob in enumerate(blobs))
            return begin, end, Ground(step, ROOM, stops)


@pytest.mark.parametrize("seed", range(24))
def test_fewest_steps_lie_between_two_grids(seed: int) -> None:
    start, target, ground = random_ground(seed)
    way = fewest_steps(start, target, ground)
    most, least = grid_steps(start, target, ground, 0.0), grid_steps(start, target, ground, GRID_MM)
    if way is None:
        assert most is None
        return
    assert least is not None
    assert least <= way.steps
    if most is not None:
        assert way.steps <= most


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("spare", [False, True])
def test_with_stops_to_spare_or_stood_in_it_lies_between_them_too(seed: int, spare: bool) -> None:
    start, target, ground = random_ground(500 + seed)
    near = Stop("under", circle(start[0] + 10, start[1], 45.0))
    stops = tuple(Stop(stop.id, stop.region, forgivable=int(stop.id) % 2 == 0) for stop in ground.stops)
    mixed = Ground(ground.step_mm, ROOM, (*stops, near), frozenset({"under"}), spare)
    way = fewest_steps(start, target, mixed)
    most, least = grid_steps(start, target, mixed, 0.0), grid_steps(start, target, mixed, GRID_MM)
    if way is None:
        assert most is None
        return
    assert least is not None
    assert least <= way.steps
    if most is not None:
        assert way.steps <= most


@pytest.mark.parametrize("seed", range(40))
def test_the_way_it_names_can_be_walked(seed: int) -> None:
    start, target, ground = random_ground(100 + seed)
    way = fewest_steps(start, target, ground)
    if way is None:
        return
    assert len(way.landings) == way.steps + 1
    assert way.landings[0] == start
    assert way.landings[-1] == target
    for here, there in itertools.pairwise(way.landings):
        assert math.dist(here, there) <= ground.step_mm + 0.05
    for landing in way.landings[1:-1]:
        for stop in ground.stops:
            assert not stop.region.buffer(-0.05).contains(shapely.Point(landing))


def test_an_open_table_counts_exactly() -> None:
    plain = Ground(50.8, ROOM, ())
    for distance, steps in ((50.8, 1), (50.9, 2), (101.6, 2), (152.4, 3), (152.41, 4), (0.001, 1)):
        way = fewest_steps((-100.0, 0.0), (-100.0 + distance, 0.0), plain)
        assert way is not None
        assert way.steps == steps, distance


def test_a_belt_cannot_be_hopped_but_can_be_landed_on() -> None:
    belt = Ground(50.8, ROOM, (Stop("belt", shapely.box(-30.0, -300.0, 30.0, 300.0)),))
    assert fewest_steps((-100.0, 0.0), (100.0, 0.0), belt) is None
    landing = fewest_steps((-100.0, 0.0), (0.0, 0.0), belt)
    assert landing is not None
    assert landing.steps == 2


def test_leaving_what_one_stands_in_is_no_stop_but_entering_again_is() -> None:
    blob = Stop("blob", circle(0.0, 0.0, 80.0))
    inside = Ground(30.0, ROOM, (blob,), inside_at_start=frozenset({"blob"}))
    across = fewest_steps((-70.0, 0.0), (70.0, 0.0), inside)
    assert across is not None
    assert across.steps == 5
    outside = Ground(30.0, ROOM, (blob,))
    around = fewest_steps((-85.0, 0.0), (85.0, 0.0), outside)
    assert around is not None
    assert around.steps > 6


def test_a_stop_that_always_stops_holds_one_who_stands_in_it() -> None:
    swamp = Stop("swamp", circle(0.0, 0.0, 80.0), always=True)
    ground = Ground(30.0, ROOM, (swamp,), inside_at_start=frozenset({"swamp"}))
    through = fewest_steps((-70.0, 0.0), (70.0, 0.0), ground)
    assert through is not None
    assert through.steps == 9  # all round the rim, where five would do straight through
    out = fewest_steps((-70.0, 0.0), (-110.0, 0.0), ground)
    assert out is not None
    assert out.steps == 2


def test_one_stop_to_spare_is_passed_once() -> None:
    belts = {"one": shapely.box(-80, -400, -20, 400), "two": shapely.box(0, -400, 60, 400)}
    start, between, beyond = (-100.0, 0.0), (-10.0, 0.0), (70.0, 0.0)
    wide = tuple(Stop(name, belt, forgivable=True) for name, belt in belts.items())
    spare = Ground(50.0, ROOM, wide, spare=True)
    assert fewest_steps(start, between, Ground(50.0, ROOM, wide)) is None
    once = fewest_steps(start, between, spare)
    assert once is not None
    assert once.steps == 2
    landed = fewest_steps(start, (20.0, 0.0), spare)
    assert landed is not None
    assert landed.steps == 3
    assert fewest_steps(start, beyond, spare) is None


def test_reach_in_the_open_is_a_circle_and_grows_with_steps() -> None:
    plain = Ground(50.8, ROOM, ())
    region = reachable((0.0, 0.0), plain, 3)
    corners = shapely.get_coordinates(region)
    assert float(np.hypot(corners[:, 0], corners[:, 1]).max()) == pytest.approx(152.4, abs=0.005)
    assert float(region.area) == pytest.approx(math.pi * 152.4**2, rel=1e-3)
    assert reachable((0.0, 0.0), plain, 0).area == 0.0


@pytest.mark.parametrize("seed", range(8))
def test_reach_holds_just_what_few_steps_get_to(seed: int) -> None:
    start, _, ground = random_ground(300 + seed)
    region = reachable(start, ground, 3)
    rng = np.random.default_rng(seed)
    for x, y in rng.uniform(-200, 200, (25, 2)).tolist():
        if region.boundary.distance(shapely.Point(x, y)) > 0.1:
            way = fewest_steps(start, (x, y), ground)
            assert region.contains(shapely.Point(x, y)) == (way is not None and way.steps <= 3)
