"""How wide is the widest free corridor between two footprints, past round and angular blockers?

The lines of one direction that meet both footprints form a band; every connected part of a blocker that stands in the
window between the two covers a stretch of that band, its shadow. What is left uncovered is a corridor. Directions are
looked at in steps and the best ones again more closely. The width is signed: below 0 it says by how much the shadows
overlap where they come nearest to letting a line through, so it tells how sure a sight is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from assistant.rules.measure import nearest_points, signed_gap_mm
from assistant.rules.shapes import Disc, Footprint, geometry
from assistant.scene.values import Point

Floats = NDArray[np.float64]
NARROWEST_MM = 0.02  # a grazing line is no sight
OPEN_MM = 1000.0  # room enough for any doubt: nothing stands in the way
STEPS = 721
SPECK_MM2 = 1e-3
SPECK_MM = 1e-3
BESIDE_MM = 20.0  # more than any doubt: so far beside the window blockers are looked at


@dataclass(frozen=True, slots=True)
class Corridor:
    """The widest corridor: its signed width and the line in its middle."""

    width_mm: float
    start: Point
    end: Point

    @property
    def free(self) -> bool:
        """Whether a line passes."""
        return self.width_mm > NARROWEST_MM


def window(a: Footprint, b: Footprint) -> BaseGeometry:
    """The convex hull of two footprints, in which every line from the one to the other lies."""
    return shapely.MultiPoint(np.concatenate([_corners(a), _corners(b)])).convex_hull


def reaches_into(shape: Footprint, view: BaseGeometry) -> bool:
    """Whether part of a footprint lies in a window; touching its edge is beside it."""
    area = geometry(shape)
    return bool(view.intersects(area)) and float(view.intersection(area).area) > SPECK_MM2


def widest_corridor(a: Footprint, b: Footprint, blockers: Sequence[Footprint]) -> Corridor:
    """The widest corridor from `a` to `b` (both convex) past the blockers.

    >>> viewer, target = Disc((0.0, 0.0), 15.0), Disc((300.0, 0.0), 15.0)
    >>> round(widest_corridor(viewer, target, [Disc((150.0, 18.0), 15.0)]).width_mm, 1)
    18.0
    >>> widest_corridor(viewer, target, [Disc((150.0, 0.0), 15.0)]).free
    False
    >>> round(widest_corridor(viewer, target, [Disc((150.0, 0.0), 25.0)]).width_mm, 1)
    -10.0
    """
    start, end = nearest_points(a, b) if not _line_like(a, b) else (_middle(a), _middle(b))
    if not blockers or (not _line_like(a, b) and signed_gap_mm(a, b) <= 0.0):
        return Corridor(OPEN_MM, start, end)
    shadows = _standing_between(a, b, blockers)
    if not shadows:
        return Corridor(OPEN_MM, start, end)
    first, last = _corners(a), _corners(b)
    low, high = _directions(first, last)
    step = (high - low) / (STEPS - 1)
    angles = np.linspace(low, high, STEPS)
    widths, offsets = _widths(angles, first, last, shadows)
    for _ in range(3):
        best = float(angles[int(np.argmax(widths))])
        angles = np.linspace(max(low, best - step), min(high, best + step), 81)
        step = 2 * step / 80
        widths, offsets = _widths(angles, first, last, shadows)
    best_index = int(np.argmax(widths))
    angle, offset = float(angles[best_index]), float(offsets[best_index])
    line = _line(a, b, angle, offset)
    return Corridor(float(widths[best_index]), *line)


def _corners(shape: Footprint) -> Floats:
    if isinstance(shape, Disc):
        if shape.radius_mm == 0.0:
            return np.array([shape.centre])
        return np.asarray(shapely.get_coordinates(geometry(shape))[:-1], dtype=np.float64)
    return np.array(shape.points, dtype=np.float64)


def _line_like(*shapes: Footprint) -> bool:
    """Whether one of them is only a line or a point, which no polygon can be made of."""
    return any(not isinstance(shape, Disc) and len(shape.points) < 3 for shape in shapes)


def _middle(shape: Footprint) -> Point:
    x, y = _corners(shape).mean(axis=0)
    return (float(x), float(y))


@dataclass(frozen=True, slots=True, eq=False)
class _Shadow:
    """The corners of a connected part of a blocker in the window, and of the same part with what is just beside it."""

    inside: Floats
    beyond: Floats


def _standing_between(a: Footprint, b: Footprint, blockers: Sequence[Footprint]) -> list[_Shadow]:
    """Every connected part of a blocker in the window, outside the two footprints."""
    view = window(a, b)
    around = view.buffer(BESIDE_MM)
    own = [shapely.MultiPoint(_corners(shape)).convex_hull for shape in (a, b)]
    found = []
    for blocker in blockers:
        area = geometry(blocker)
        if not view.intersects(area):
            continue
        part = view.intersection(area)
        for shape in own:
            part = part.difference(shape)
        wider = shapely.get_parts(around.intersection(area))
        for piece in shapely.get_parts(part):
            if piece.area > SPECK_MM2:
                beyond = max(wider, key=lambda whole: float(whole.intersection(piece).area))
                found.append(_Shadow(_hull(piece), _hull(beyond)))
    return found


def _hull(area: BaseGeometry) -> Floats:
    return np.asarray(shapely.get_coordinates(area.convex_hull), dtype=np.float64)


def _directions(first: Floats, last: Floats) -> tuple[float, float]:
    """The range of directions from any point of the one to any point of the other."""
    towards = last.mean(axis=0) - first.mean(axis=0)
    main = math.atan2(float(towards[1]), float(towards[0]))
    apart = last[None, :, :] - first[:, None, :]
    turned = np.arctan2(apart[..., 1], apart[..., 0]) - main
    turned = (turned + math.pi) % (2 * math.pi) - math.pi
    return main + float(turned.min()), main + float(turned.max())


def _widths(angles: Floats, first: Floats, last: Floats, shadows: Sequence[_Shadow]) -> tuple[Floats, Floats]:
    """For each direction the widest corridor's signed width, and the offset of its middle."""
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    ends = [(across @ corners.T) for corners in (first, last)]
    low = np.maximum(ends[0].min(axis=1), ends[1].min(axis=1))
    high = np.minimum(ends[0].max(axis=1), ends[1].max(axis=1))
    reach = [across @ shadow.inside.T for shadow in shadows]
    beyond = [across @ shadow.beyond.T for shadow in shadows]
    begins = np.stack([part.min(axis=1) for part in reach], axis=1)
    stops = np.stack([part.max(axis=1) for part in reach], axis=1)
    # Where a shadow covers the band's edge, what stands beside the window tells by how much.
    over_low, over_high = begins <= low[:, None] + SPECK_MM, stops >= high[:, None] - SPECK_MM
    begins = np.where(over_low, np.stack([part.min(axis=1) for part in beyond], axis=1), begins)
    stops = np.where(over_high, np.stack([part.max(axis=1) for part in beyond], axis=1), stops)
    order = np.argsort(begins + stops, axis=1)
    begins, stops = np.take_along_axis(begins, order, axis=1), np.take_along_axis(stops, order, axis=1)
    # Every shadow lies left or right of the corridor: try each split of the shadows in their order.
    left = np.concatenate([low[:, None], np.maximum(np.maximum.accumulate(stops, axis=1), low[:, None])], axis=1)
    nearest = np.minimum.accumulate(begins[:, ::-1], axis=1)[:, ::-1]
    right = np.concatenate([np.minimum(nearest, high[:, None]), high[:, None]], axis=1)
    spaces = right - left
    best = np.argmax(spaces, axis=1)
    rows = np.arange(len(angles))
    return spaces[rows, best], (left + right)[rows, best] / 2


def _line(a: Footprint, b: Footprint, angle: float, offset: float) -> tuple[Point, Point]:
    """The part of a line that runs from the one footprint to the other."""
    along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    reach = 1e5
    line = shapely.LineString([offset * across - reach * along, offset * across + reach * along])
    ends: list[Point] = []
    for shape, pick in ((a, max), (b, min)):
        hull = shapely.MultiPoint(_corners(shape)).convex_hull
        met = np.asarray(shapely.get_coordinates(line.intersection(hull)), dtype=np.float64)
        spot = pick(met, key=lambda point: float(point @ along)) if len(met) else np.array(_middle(shape))
        ends.append((float(spot[0]), float(spot[1])))
    return ends[0], ends[1]
