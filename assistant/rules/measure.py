"""Distances and shared areas of footprints, in millimetres, from edge to edge.

>>> left, right = Disc((0.0, 0.0), 10.0), Disc((30.0, 0.0), 10.0)
>>> gap_mm(left, right), touches(left, right), overlaps(left, right)
(10.0, False, False)
>>> beside = Disc((20.0, 0.0), 10.0)
>>> gap_mm(left, beside), touches(left, beside), overlaps(left, beside)
(0.0, True, False)
>>> upon = Disc((19.0, 0.0), 10.0)
>>> gap_mm(left, upon), touches(left, upon), overlaps(left, upon)
(0.0, True, True)
"""

from __future__ import annotations

import math

import shapely
from shapely.geometry.base import BaseGeometry

from assistant.rules.shapes import Disc, Footprint, Outline, geometry, is_convex, polygon
from assistant.scene.values import Point

TOUCH_MM = 1e-6  # arithmetic noise: nearer than this is touching


def signed_gap_mm(a: Footprint, b: Footprint) -> float:
    """The gap from edge to edge; below 0 where they overlap, by how far one must shift to part them.

    Exact for discs, for a disc with any outline and for convex outlines; overlapping concave outlines
    give an estimate of the depth.
    """
    if isinstance(a, Disc) and isinstance(b, Disc):
        return math.dist(a.centre, b.centre) - a.radius_mm - b.radius_mm
    if isinstance(a, Disc):
        return signed_distance_mm(a.centre, _as_outline(b)) - a.radius_mm
    if isinstance(b, Disc):
        return signed_distance_mm(b.centre, a) - b.radius_mm
    apart = float(polygon(a).distance(polygon(b)))
    if apart > 0.0:
        return apart
    if is_convex(a) and is_convex(b):
        return min(0.0, max(_widest_parting_mm(a, b), _widest_parting_mm(b, a)))
    shared = polygon(a).intersection(polygon(b))
    return -2 * float(shared.area) / float(shared.length) if shared.area > 0 else 0.0


def gap_mm(a: Footprint, b: Footprint) -> float:
    """The gap from edge to edge; 0 when they touch or overlap."""
    return max(0.0, signed_gap_mm(a, b))


def signed_distance_mm(point: Point, outline: Outline) -> float:
    """How far a point lies from an outline; below 0 inside it."""
    shape, spot = polygon(outline), shapely.Point(point)
    outside = float(shape.distance(spot))
    return outside if outside > 0.0 else -float(shape.exterior.distance(spot))


def touches(a: Footprint, b: Footprint, within_mm: float = TOUCH_MM) -> bool:
    """Whether they share at least a point of their edges: in contact, or overlapping."""
    return signed_gap_mm(a, b) <= within_mm


def overlaps(a: Footprint, b: Footprint) -> bool:
    """Whether one covers some of the other; touching edges alone do not."""
    return signed_gap_mm(a, b) < -TOUCH_MM


def wholly_within(inner: Footprint, outer: Footprint) -> bool:
    """Whether no part of `inner` sticks out of `outer`; touching its edge from inside is within.

    >>> square = Outline(((0.0, 0.0), (40.0, 0.0), (40.0, 40.0), (0.0, 40.0)))
    >>> wholly_within(Disc((20.0, 20.0), 20.0), square), wholly_within(Disc((20.0, 20.1), 20.0), square)
    (True, False)
    """
    return sticking_out_mm(inner, outer) <= TOUCH_MM


def sticking_out_mm(inner: Footprint, outer: Footprint) -> float:
    """How far `inner` reaches out of `outer`; below 0 is the room that is left. Exact unless both are outlines."""
    if isinstance(outer, Disc):
        return farthest_mm(Disc(outer.centre, 0.0), inner) - outer.radius_mm
    if isinstance(inner, Disc):
        return signed_distance_mm(inner.centre, outer) + inner.radius_mm
    corners_out = max(signed_distance_mm(point, outer) for point in inner.points)
    return corners_out if corners_out > 0 or polygon(outer).covers(polygon(inner)) else TOUCH_MM * 2


def farthest_mm(a: Footprint, b: Footprint) -> float:
    """The distance from `a` to the farthest point of `b`: all of `b` is within R of `a` when this is at most R.

    Exact when `a` is a disc or convex; for a concave `a` the rim of `b` is walked in steps of a millimetre.

    >>> farthest_mm(Disc((0.0, 0.0), 10.0), Disc((30.0, 0.0), 5.0))
    25.0
    """
    if isinstance(a, Disc):
        return max(0.0, _farthest_from_point_mm(a.centre, b) - a.radius_mm)
    if is_convex(a):
        if isinstance(b, Disc):
            return max(0.0, signed_distance_mm(b.centre, a) + b.radius_mm)
        return max(max(0.0, signed_distance_mm(point, a)) for point in b.points)
    rim = shapely.segmentize(geometry(b).exterior, 1.0)
    return float(shapely.distance(shapely.points(shapely.get_coordinates(rim)), polygon(a)).max())


def within(a: Footprint, b: Footprint, limit_mm: float) -> bool:
    """Whether the gap is at most the limit; a gap equal to it is within."""
    return gap_mm(a, b) <= limit_mm + TOUCH_MM


def completely_within(a: Footprint, b: Footprint, limit_mm: float) -> bool:
    """Whether every point of `b` is at most the limit from `a`'s edge."""
    return farthest_mm(a, b) <= limit_mm + TOUCH_MM


def nearest_points(a: Footprint, b: Footprint) -> tuple[Point, Point]:
    """The two ends of the shortest line from edge to edge, for drawing; centres when they overlap."""
    if isinstance(a, Disc) and isinstance(b, Disc):
        apart = math.dist(a.centre, b.centre)
        if apart <= a.radius_mm + b.radius_mm:
            return a.centre, b.centre
        ux, uy = (b.centre[0] - a.centre[0]) / apart, (b.centre[1] - a.centre[1]) / apart
        return (
            (a.centre[0] + ux * a.radius_mm, a.centre[1] + uy * a.radius_mm),
            (b.centre[0] - ux * b.radius_mm, b.centre[1] - uy * b.radius_mm),
        )
    start, end = shapely.get_coordinates(shapely.shortest_line(_located(a), _located(b))).tolist()
    return (float(start[0]), float(start[1])), (float(end[0]), float(end[1]))


def _located(shape: Footprint) -> BaseGeometry:
    """The footprint as a geometry that is never empty: a marker without a size is a point."""
    return shapely.Point(shape.centre) if isinstance(shape, Disc) and shape.radius_mm <= 0.0 else geometry(shape)


def _farthest_from_point_mm(point: Point, b: Footprint) -> float:
    if isinstance(b, Disc):
        return math.dist(point, b.centre) + b.radius_mm
    return max(math.dist(point, corner) for corner in b.points)


def _as_outline(shape: Footprint) -> Outline:
    if isinstance(shape, Outline):
        return shape
    raise TypeError("expected an outline, got a disc")


def _widest_parting_mm(a: Outline, b: Outline) -> float:
    """The greatest separation of `b` from `a` along the outward normals of `a` (convex), below 0 if they overlap."""
    best = -math.inf
    middle = (sum(x for x, _ in a.points) / len(a.points), sum(y for _, y in a.points) / len(a.points))
    for (x0, y0), (x1, y1) in zip(a.points, a.points[1:] + a.points[:1], strict=True):
        length = math.hypot(x1 - x0, y1 - y0)
        if length == 0.0:
            continue
        nx, ny = (y1 - y0) / length, (x0 - x1) / length
        if (middle[0] - x0) * nx + (middle[1] - y0) * ny > 0:
            nx, ny = -nx, -ny
        best = max(best, min((x - x0) * nx + (y - y0) * ny for x, y in b.points))
    return best
