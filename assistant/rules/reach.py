"""Where a piece can get to in steps of a limited length, when some landings end the move.

The places reached after n steps are those reached after n - 1, grown by one step, cut to where a landing does not end
the move. Circles are polygons of 256 corners, so a reach is short by at most a few thousandths of a millimetre a step;
straight ways are counted exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.scene.values import Point

QUAD_SEGS = 64
STEP_SLACK_MM = 0.005  # what the polygons may fall short of a circle, per step
MOST_STEPS = 400  # farther than any table is wide, even for the smallest disk and by the longest detour
LEAST_MM2 = 1e-3  # a step that reaches less than this reaches nothing new
SLIVER_MM2 = 1e-4


@dataclass(frozen=True, slots=True)
class Stop:
    """Centres at which a landing ends the move.

    Landing there from a place already inside it does not (it is nothing new), unless it stops `always`.
    A `forgivable` stop may be passed once by a move that has one such stop to spare.
    """

    id: str
    region: BaseGeometry
    always: bool = False
    forgivable: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """What a move is up against: how long a step is, where the centre may be, and what ends the move."""

    step_mm: float
    room: BaseGeometry
    stops: tuple[Stop, ...]
    inside_at_start: frozenset[str] = frozenset()
    spare: bool = False  # one forgivable stop may be passed


Cell = tuple[frozenset[str], BaseGeometry]  # the stops one is inside of there, and where that is
State = tuple[frozenset[str], bool]  # the stops one is inside of, and whether the spare one is used
Layer = dict[State, BaseGeometry]  # what a step reaches for the first time


@dataclass(frozen=True, slots=True)
class Way:
    """The fewest steps to a place and one way to take them: the landings from the start to the place.

    `shorter_mm` is how much longer a step would have to be to save one, `slack_mm` how much shorter it could be.
    """

    steps: int
    landings: tuple[Point, ...]
    slack_mm: float
    shorter_mm: float = field(default=math.inf)


def fewest_steps(start: Point, target: Point, ground: Ground) -> Way | None:
    """The fewest steps from one place to another; None when no number of steps will do.

    >>> plain = Ground(10.0, shapely.box(-100.0, -100.0, 100.0, 100.0), ())
    >>> way = fewest_steps((0.0, 0.0), (25.0, 0.0), plain)
    >>> way.steps, fewest_steps((0.0, 0.0), (20.0, 0.0), plain).steps, fewest_steps((0.0, 0.0), (0.0, 0.0), plain).steps
    (3, 2, 0)
    """
    straight_mm = math.dist(start, target)
    if straight_mm == 0.0:
        return Way(0, (start,), 0.0)
    least = math.ceil(straight_mm / ground.step_mm - 1e-9)
    if least > MOST_STEPS:
        return None
    straight = _straight_way(start, target, ground, least)
    if straight is not None:
        return straight
    goal = shapely.Point(target)
    layers: list[Layer] = []
    nearest = before = straight_mm
    for steps, layer in enumerate(_layers(start, ground), start=1):
        layers.append(layer)
        before, nearest = nearest, min(nearest, *(float(region.distance(goal)) for region in layer.values()))
        if steps >= least and nearest <= ground.step_mm + STEP_SLACK_MM * steps:
            slack, saved = ground.step_mm - nearest, before - ground.step_mm
            return Way(steps, _trace(start, target, layers, ground), slack, saved)
    return None


def reachable(start: Point, ground: Ground, most_steps: int) -> BaseGeometry:
    """Every centre that can be landed on in that many steps, as one region to draw."""
    regions = reach_by_steps(start, ground, most_steps)
    return regions[-1] if regions else shapely.Point(start)


def reach_by_steps(start: Point, ground: Ground, most_steps: int) -> list[BaseGeometry]:
    """Every centre that can be landed on in at most one, two, three ... steps; ends early where a move has to end.

    >>> plain = Ground(10.0, shapely.box(-100.0, -100.0, 100.0, 100.0), ())
    >>> [round(region.bounds[2]) for region in reach_by_steps((0.0, 0.0), plain, 3)]
    [10, 20, 30]
    """
    regions: list[BaseGeometry] = []
    for layer in _layers(start, ground):
        if len(regions) >= most_steps:
            break
        parts = [region.buffer(ground.step_mm, quad_segs=QUAD_SEGS) for region in layer.values()]
        regions.append(shapely.union_all([*regions[-1:], *parts]))
    return regions


def _layers(start: Point, ground: Ground) -> Iterator[Layer]:
    """What is first reached, without the move having ended, after 0, 1, 2 ... steps, until nothing more is."""
    cells = _cells(ground)
    layer: Layer = {(ground.inside_at_start, False): shapely.Point(start)}
    reached: Layer = {}
    for _ in range(MOST_STEPS):
        yield layer
        for state, region in layer.items():
            reached[state] = shapely.union(reached[state], region) if state in reached else region
        layer = _grown(layer, reached, cells, ground)
        if sum(float(region.area) for region in layer.values()) <= LEAST_MM2:
            return


def _cells(ground: Ground) -> list[Cell]:
    """The room, cut up by which stops a centre is inside of; only cells a move can go on from."""
    always = [stop.region for stop in ground.stops if stop.always]
    room = ground.room.difference(shapely.union_all(always)) if always else ground.room
    closed = [stop.region for stop in ground.stops if not stop.always and not _crossable(stop, ground)]
    room = room.difference(shapely.union_all(closed)) if closed else room
    cells: list[Cell] = [(frozenset(), room)]
    for stop in ground.stops:
        if stop.always or not _crossable(stop, ground):
            continue
        pieces: list[Cell] = []
        for label, region in cells:
            if region.intersects(stop.region):
                pieces.append((label | {stop.id}, region.intersection(stop.region)))
                pieces.append((label, region.difference(stop.region)))
            else:
                pieces.append((label, region))
        cells = [(label, region) for label, region in pieces if not region.is_empty]
    for _, region in cells:
        shapely.prepare(region)
    return cells


def _crossable(stop: Stop, ground: Ground) -> bool:
    return stop.id in ground.inside_at_start or (ground.spare and stop.forgivable)


def _grown(layer: Layer, reached: Layer, cells: Sequence[Cell], ground: Ground) -> Layer:
    """What one more step from the newest places reaches for the first time."""
    forgivable = {stop.id for stop in ground.stops if stop.forgivable}
    parts: dict[State, list[BaseGeometry]] = {}
    for (label, used), region in layer.items():
        around = region.buffer(ground.step_mm, quad_segs=QUAD_SEGS)
        for cell_label, cell in cells:
            state = _after(label, used, cell_label, forgivable, ground.spare)
            if state is not None and cell.intersects(around):
                parts.setdefault(state, []).append(cell.intersection(around))
    grown: Layer = {}
    for state, regions in parts.items():
        fresh = shapely.union_all(regions)
        # A place reached with the spare stop still to spare is as good or better.
        for known in {state, (state[0], False)} & set(reached):
            fresh = fresh.difference(reached[known])
        fresh = _solid(fresh)
        if not fresh.is_empty:
            grown[state] = fresh.simplify(1e-3)
    return grown


def _solid(region: BaseGeometry) -> BaseGeometry:
    """The region without the slivers that arithmetic leaves."""
    parts = [part for part in shapely.get_parts(region) if part.area > SLIVER_MM2]
    return shapely.union_all(parts)


def _after(
    label: frozenset[str], used: bool, landed_in: frozenset[str], forgivable: set[str], spare: bool
) -> State | None:
    """The state after a landing, or None when it ends the move."""
    fresh = landed_in - label
    if not fresh:
        return (landed_in, used)
    if spare and not used and fresh <= forgivable:
        return (landed_in, True)
    return None


def _straight_way(start: Point, target: Point, ground: Ground, steps: int) -> Way | None:
    """The equal steps of the straight line, if no landing before the last ends the move and none is outside."""
    landings = [
        (start[0] + (target[0] - start[0]) * n / steps, start[1] + (target[1] - start[1]) * n / steps)
        for n in range(steps)
    ]
    landings.append(target)
    state: State | None = (ground.inside_at_start, False)
    forgivable = {stop.id for stop in ground.stops if stop.forgivable}
    for landing in landings[1:-1]:
        spot = shapely.Point(landing)
        inside = frozenset(stop.id for stop in ground.stops if _strictly_inside(spot, stop.region))
        stopped = any(stop.always and stop.id in inside for stop in ground.stops)
        if stopped or not ground.room.covers(spot) or state is None:
            return None
        state = _after(state[0], state[1], inside, forgivable, ground.spare)
    if state is None:
        return None
    slack = ground.step_mm - math.dist(start, target) / steps
    saved = math.dist(start, target) / (steps - 1) - ground.step_mm if steps > 1 else math.inf
    return Way(steps, tuple(landings), slack * steps, saved * (steps - 1) if steps > 1 else math.inf)


def _strictly_inside(spot: shapely.Point, region: BaseGeometry) -> bool:
    return bool(region.contains(spot)) and float(region.boundary.distance(spot)) > 1e-6


def _trace(start: Point, target: Point, layers: Sequence[Layer], ground: Ground) -> tuple[Point, ...]:
    """One way of landings, from the last layer back to the first."""
    forgivable = {stop.id for stop in ground.stops if stop.forgivable}
    way = [target]
    state: State | None = None
    for layer in reversed(layers):
        here = shapely.Point(way[-1])
        options = [
            (float(region.distance(here)), sorted(label), used, region)
            for (label, used), region in layer.items()
            if state is None or _after(label, used, state[0], forgivable, ground.spare) == state
        ]
        _, label_list, used, region = min(options, key=lambda option: option[:3])
        nearest = shapely.shortest_line(region, here).coords[0]
        way.append((float(nearest[0]), float(nearest[1])))
        state = (frozenset(label_list), used)
    return (start, *reversed(way[:-1]))
