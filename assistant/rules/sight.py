"""Line of sight, exactly: is there a straight line from any part of one footprint to any part of another?

A line is a direction and an offset. Every corner of a blocker and every rim of the two footprints is a curve in that
plane; the curves cut it into cells in which a line is free or blocked as a whole. Directions in which two curves
cross (lines through two corners, through a corner and touching a rim, touching both rims) are the critical ones:
between two neighbouring critical directions the curves keep their order, so one line for each space between two
curves decides all. Nothing is sampled.

A line that grazes a blocker's edge or corner is blocked; a slit of any width (`SLIT_MM` stands for the computer's
own noise) will do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.rules.measure import nearest_points, overlaps, signed_gap_mm
from assistant.rules.shapes import Disc, Footprint, Outline, centre_of, polygon
from assistant.scene.values import Point

SLIT_MM = 1e-6
Floats = NDArray[np.float64]
UNIT_CIRCLE: Floats = np.array([(math.cos(n * math.pi / 64), math.sin(n * math.pi / 64)) for n in range(128)])


@dataclass(frozen=True, slots=True)
class SightLine:
    """A free line from the one to the other, and how far it can be shifted sideways either way and stay free."""

    start: Point
    end: Point
    room_mm: float


def free_line(a: Footprint, b: Footprint, blockers: Sequence[Outline]) -> SightLine | None:
    """A straight line from `a` to `b` that meets no blocker, or None when every line does.

    >>> wall = Outline(((40.0, -50.0), (60.0, -50.0), (60.0, 0.0), (40.0, 0.0)))
    >>> free_line(Disc((0.0, 0.0), 10.0), Disc((100.0, 0.0), 10.0), [wall]) is None
    False
    >>> free_line(Disc((0.0, -20.0), 10.0), Disc((100.0, -20.0), 10.0), [wall]) is None
    True
    """
    if signed_gap_mm(a, b) <= 0.0:
        middle = _common_point(a, b)
        return SightLine(middle, middle, 0.0)
    window = window_polygon(a, b)
    near = [blocker for blocker in blockers if polygon(blocker).intersects(window)]
    return _widest(a, b, near, window)


def standing_in(a: Footprint, b: Footprint, blockers: Sequence[Outline]) -> list[int]:
    """The indexes of the blockers that reach into the window between two footprints: each crosses some line.

    >>> beside = Outline(((40.0, 10.0), (60.0, 10.0), (60.0, 30.0), (40.0, 30.0)))
    >>> standing_in(Disc((0.0, 0.0), 10.0), Disc((100.0, 0.0), 10.0), [beside])
    []
    """
    window = window_polygon(a, b)
    shapely.prepare(window)
    return [
        index
        for index, blocker in enumerate(blockers)
        if window.intersects(polygon(blocker)) and window.intersection(polygon(blocker)).area > SLIT_MM
    ]


def window_polygon(a: Footprint, b: Footprint) -> shapely.Polygon:
    """The convex hull of two footprints: every line from the one to the other lies in it."""
    corners = [_rim(a), _rim(b)]
    if isinstance(a, Disc) and isinstance(b, Disc):
        corners.append(np.array(outer_tangents(a, b)).reshape(-1, 2))
    hull = shapely.convex_hull(shapely.multipoints(np.concatenate(corners)))
    return hull if isinstance(hull, shapely.Polygon) else shapely.Polygon()


def outer_tangents(a: Disc, b: Disc) -> list[Point]:
    """Where the two outer tangents touch: on `a` and `b` on one side, then on `b` and `a` on the other."""
    apart = math.dist(a.centre, b.centre)
    if apart <= abs(a.radius_mm - b.radius_mm):
        return []
    towards = math.atan2(b.centre[1] - a.centre[1], b.centre[0] - a.centre[0])
    lean = math.acos((a.radius_mm - b.radius_mm) / apart)
    points = []
    for side, first, second in ((1, a, b), (-1, b, a)):
        angle = towards + side * lean
        for disc in (first, second):
            points.append(
                (
                    disc.centre[0] + disc.radius_mm * math.cos(angle),
                    disc.centre[1] + disc.radius_mm * math.sin(angle),
                )
            )
    return points


def _rim(shape: Footprint) -> Floats:
    if isinstance(shape, Outline):
        return np.array(shape.points)
    rim: Floats = np.array(shape.centre) + shape.radius_mm * UNIT_CIRCLE
    return rim


def _common_point(a: Footprint, b: Footprint) -> Point:
    if isinstance(a, Disc) and isinstance(b, Disc):
        apart = math.dist(a.centre, b.centre)
        if apart == 0.0:
            return a.centre
        low, high = max(-a.radius_mm, apart - b.radius_mm), min(a.radius_mm, apart + b.radius_mm)
        share = (low + high) / 2 / apart
        return (
            a.centre[0] + share * (b.centre[0] - a.centre[0]),
            a.centre[1] + share * (b.centre[1] - a.centre[1]),
        )
    return nearest_points(a, b)[0] if not overlaps(a, b) else centre_of(a)


def _widest(a: Footprint, b: Footprint, blockers: Sequence[Outline], window: shapely.Polygon) -> SightLine | None:
    """The free line with the most room to either side."""
    points, radii = _features(a, b, blockers, window)
    start, end = nearest_points(a, b)
    towards = math.atan2(end[1] - start[1], end[0] - start[0])
    angles = _critical_angles(points, radii, towards)
    middles = (angles[1:] + angles[:-1]) / 2
    lines, widths = _spaces(a, b, points, radii, middles)
    if lines.size == 0:
        return None
    leaves, arrives = _span(a, lines)[1], _span(b, lines)[0]
    free = np.ones(len(lines), dtype=bool)
    for blocker in blockers:
        free &= ~_crossed(blocker, lines, leaves, arrives)
    if not free.any():
        return None
    best = int(np.argmax(np.where(free, widths, -1.0)))
    angle, offset = lines[best]
    along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    first, last = offset * across + leaves[best] * along, offset * across + arrives[best] * along
    return SightLine((float(first[0]), float(first[1])), (float(last[0]), float(last[1])), float(widths[best]) / 2)


def _features(
    a: Footprint, b: Footprint, blockers: Sequence[Outline], window: shapely.Polygon
) -> tuple[Floats, Floats]:
    """What a line can be stopped by: points (radius 0) and rims (their radius)."""
    points: list[Point] = []
    radii: list[float] = []
    for shape in (a, b):
        if isinstance(shape, Disc):
            points.append(shape.centre)
            radii.append(shape.radius_mm)
        else:
            points += shape.points
            radii += [0.0] * len(shape.points)
    for blocker in blockers:
        corners = np.asarray(shapely.get_coordinates(polygon(blocker).exterior)[:-1])
        inside = shapely.distance(shapely.points(corners), window) <= SLIT_MM
        found = [(float(x), float(y)) for x, y in corners[inside].tolist()]
        found += _rim_crossings(blocker, a) + _rim_crossings(blocker, b)
        points += found
        radii += [0.0] * len(found)
    return np.array(points), np.array(radii)


def _rim_crossings(blocker: Outline, shape: Footprint) -> list[Point]:
    """Where a blocker's edges cross a footprint's rim: there a line's visible part begins or ends on the blocker."""
    if isinstance(shape, Outline):
        met = polygon(blocker).exterior.intersection(polygon(shape).exterior)
        return [(float(x), float(y)) for x, y in shapely.get_coordinates(met).tolist()]
    found = []
    (cx, cy), radius = shape.centre, shape.radius_mm
    for (x0, y0), (x1, y1) in zip(blocker.points, blocker.points[1:] + blocker.points[:1], strict=True):
        dx, dy, fx, fy = x1 - x0, y1 - y0, x0 - cx, y0 - cy
        square, linear, rest = dx * dx + dy * dy, 2 * (fx * dx + fy * dy), fx * fx + fy * fy - radius * radius
        root = linear * linear - 4 * square * rest
        if square == 0.0 or root < 0.0:
            continue
        for sign in (-1, 1):
            share = (-linear + sign * math.sqrt(root)) / (2 * square)
            if 0.0 <= share <= 1.0:
                found.append((x0 + share * dx, y0 + share * dy))
    return found


def _critical_angles(points: Floats, radii: Floats, towards: float) -> Floats:
    """The directions, sorted, at which two features line up, in the half turn about the way from one to the other."""
    first, second = np.triu_indices(len(points), 1)
    delta = points[second] - points[first]
    length = np.hypot(delta[:, 0], delta[:, 1])
    apart = length > 0.0
    first, second, delta, length = first[apart], second[apart], delta[apart], length[apart]
    bearing = np.arctan2(delta[:, 1], delta[:, 0])
    found = [np.array([towards - math.pi / 2, towards + math.pi / 2])]
    for sign_first in (-1, 1):
        for sign_second in (-1, 1):
            ratio = (sign_first * radii[first] - sign_second * radii[second]) / length
            real = np.abs(ratio) <= 1.0
            lean = np.arcsin(ratio[real])
            found += [bearing[real] - lean, bearing[real] + lean]
    angles = np.concatenate(found)
    turned = towards - math.pi / 2 + np.mod(angles - towards + math.pi / 2, math.pi)
    ordered = np.unique(np.concatenate([turned, found[0]]))
    distinct: Floats = ordered[np.concatenate([[True], np.diff(ordered) > 1e-12])]
    return distinct


def _spaces(a: Footprint, b: Footprint, points: Floats, radii: Floats, angles: Floats) -> tuple[Floats, Floats]:
    """One line (angle, offset) for each space between neighbouring curves that meets both footprints; the widths."""
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    offsets = across @ points.T
    rims = radii > 0.0
    curves = np.sort(
        np.concatenate([offsets[:, ~rims], offsets[:, rims] - radii[rims], offsets[:, rims] + radii[rims]], axis=1),
        axis=1,
    )
    low_a, high_a = _shadow(a, across)
    low_b, high_b = _shadow(b, across)
    low, high = np.maximum(low_a, low_b)[:, None], np.minimum(high_a, high_b)[:, None]
    middles, widths = (curves[:, 1:] + curves[:, :-1]) / 2, np.diff(curves, axis=1)
    useful = (widths > SLIT_MM) & (middles > low) & (middles < high)
    rows, columns = np.nonzero(useful)
    return np.stack([angles[rows], middles[rows, columns]], axis=1), widths[rows, columns]


def _shadow(shape: Footprint, across: Floats) -> tuple[Floats, Floats]:
    """The offsets of the lines in each direction that meet a footprint."""
    if isinstance(shape, Disc):
        middle = across @ np.array(shape.centre)
        return middle - shape.radius_mm, middle + shape.radius_mm
    reach = across @ np.array(shape.points).T
    return reach.min(axis=1), reach.max(axis=1)


def _span(shape: Footprint, lines: Floats) -> tuple[Floats, Floats]:
    """Where along each line a convex footprint begins and ends."""
    along = np.stack([np.cos(lines[:, 0]), np.sin(lines[:, 0])], axis=1)
    if isinstance(shape, Disc):
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        centre = np.array(shape.centre)
        aside = lines[:, 1] - across @ centre
        half = np.sqrt(np.maximum(0.0, shape.radius_mm**2 - aside**2))
        middle = along @ centre
        return middle - half, middle + half
    met, crosses = _meetings(np.array(shape.points), lines)
    return np.where(crosses, met, np.inf).min(axis=1), np.where(crosses, met, -np.inf).max(axis=1)


def _meetings(corners: Floats, lines: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Where along each line each edge of an outline is met, and whether it is."""
    along = np.stack([np.cos(lines[:, 0]), np.sin(lines[:, 0])], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    aside, forward = across @ corners.T - lines[:, 1:2], along @ corners.T
    next_aside, next_forward = np.roll(aside, -1, axis=1), np.roll(forward, -1, axis=1)
    crosses = (aside < 0.0) != (next_aside < 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        met = forward + (next_forward - forward) * aside / (aside - next_aside)
    return met, crosses


def _crossed(blocker: Outline, lines: Floats, leaves: Floats, arrives: Floats) -> NDArray[np.bool_]:
    """Which lines meet a blocker between leaving the one footprint and arriving at the other."""
    corners = np.asarray(shapely.get_coordinates(polygon(blocker).exterior)[:-1])
    met, crosses = _meetings(corners, lines)
    before = crosses & (met <= leaves[:, None])
    between = crosses & (met > leaves[:, None]) & (met < arrives[:, None])
    crossed: NDArray[np.bool_] = between.any(axis=1) | (before.sum(axis=1) % 2 == 1)
    return crossed
