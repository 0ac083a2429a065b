"""The shortest way of a round base around obstacles until it touches another base."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.rules.measure import signed_gap_mm
from assistant.rules.shapes import Disc, Footprint, geometry

Floats = NDArray[np.float64]
SLACK_MM = 0.5  # a base may brush past another: that much of a measured overlap is contact
CORNER_SEGMENTS = 6  # corners a quarter of a rounded obstacle is walked around by
GOAL_POINTS = 48
NOISE_MM = 1e-6


def way_to_contact_mm(mover: Disc, target: Footprint, obstacles: Sequence[Footprint], limit_mm: float) -> float | None:
    """How far the mover's base must go to touch the target; None when no free way within the limit does.

    >>> mover, target = Disc((0.0, 0.0), 10.0), Disc((100.0, 0.0), 10.0)
    >>> way_to_contact_mm(mover, target, [], 200.0)
    80.0
    >>> wall = Disc((50.0, 0.0), 20.0)
    >>> 80.0 < (way_to_contact_mm(mover, target, [wall], 200.0) or 0.0) < 110.0
    True
    """
    gap = signed_gap_mm(mover, target)
    if gap <= 0.0:
        return 0.0
    if gap > limit_mm:
        return None
    start = np.array(mover.centre)
    in_the_way = _grown(mover, obstacles, limit_mm)
    goals = _goals(mover, target)
    free_goals = goals[~_covered(in_the_way, goals)]
    if len(free_goals) == 0:
        return None
    corners = _corners(in_the_way)
    nodes = np.concatenate([start[None, :], corners, free_goals])
    return _shortest(nodes, len(corners) + 1, in_the_way, limit_mm)


def _grown(mover: Disc, obstacles: Sequence[Footprint], limit_mm: float) -> BaseGeometry:
    """Where the mover's centre may not be; an obstacle it stands on already holds it no longer."""
    centre = shapely.Point(mover.centre)
    margin = mover.radius_mm - SLACK_MM
    grown = [_wider(shape, margin) for shape in obstacles if signed_gap_mm(mover, shape) <= limit_mm]
    return shapely.union_all([shape for shape in grown if not shape.contains(centre)])


def _wider(shape: Footprint, margin_mm: float) -> BaseGeometry:
    if isinstance(shape, Disc):
        return shapely.Point(shape.centre).buffer(shape.radius_mm + margin_mm, quad_segs=CORNER_SEGMENTS)
    return geometry(shape).buffer(margin_mm, quad_segs=CORNER_SEGMENTS)


def _goals(mover: Disc, target: Footprint) -> Floats:
    """Where the mover's centre may be when the bases touch, the nearest place first."""
    if isinstance(target, Disc):
        reach = mover.radius_mm + target.radius_mm
        towards = math.atan2(mover.centre[1] - target.centre[1], mover.centre[0] - target.centre[0])
        angles = towards + np.linspace(0.0, 2 * math.pi, GOAL_POINTS, endpoint=False)
        return np.array(target.centre) + reach * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ring = geometry(target).buffer(mover.radius_mm).exterior
    nearest = ring.interpolate(ring.project(shapely.Point(mover.centre)))
    around = shapely.get_coordinates(shapely.segmentize(ring, max(1.0, ring.length / GOAL_POINTS)))
    return np.concatenate([shapely.get_coordinates(nearest), around])


def _covered(area: BaseGeometry, points: Floats) -> NDArray[np.bool_]:
    shapely.prepare(area)
    inside: NDArray[np.bool_] = shapely.contains_xy(area, points[:, 0], points[:, 1])
    return inside


def _corners(area: BaseGeometry) -> Floats:
    if area.is_empty:
        return np.empty((0, 2))
    return np.unique(np.asarray(shapely.get_coordinates(area), dtype=np.float64), axis=0)


def _shortest(nodes: Floats, first_goal: int, area: BaseGeometry, limit_mm: float) -> float | None:
    """Dijkstra over the straight lines between nodes that do not cross the area; its edge may be walked along."""
    inner = area.buffer(-NOISE_MM)
    shapely.prepare(inner)
    best = np.full(len(nodes), math.inf)
    best[0] = 0.0
    done = np.zeros(len(nodes), dtype=bool)
    queue: list[tuple[float, int]] = [(0.0, 0)]
    while queue:
        length, here = heapq.heappop(queue)
        if done[here]:
            continue
        if here >= first_goal:
            return length
        done[here] = True
        reach = length + np.hypot(*(nodes - nodes[here]).T)
        worth = np.nonzero(~done & (reach < best) & (reach <= limit_mm + SLACK_MM))[0]
        ends = np.stack([np.broadcast_to(nodes[here], (len(worth), 2)), nodes[worth]], axis=1)
        crossing = np.asarray(shapely.intersects(inner, shapely.linestrings(ends)), dtype=np.bool_)
        for there in worth[~crossing]:
            best[there] = reach[there]
            heapq.heappush(queue, (float(reach[there]), int(there)))
    return None
