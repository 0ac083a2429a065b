"""Footprints: what a piece, a terrain piece or a marker covers, seen from above."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import shapely

from assistant.scene.values import Circle, Objective, Piece, Point, Terrain, Zone


@dataclass(frozen=True, slots=True)
class Disc:
    """A full circle: a disk, a round base, a marker; radius 0 is a point."""

    centre: Point
    radius_mm: float


@dataclass(frozen=True, slots=True)
class Outline:
    """A simple polygon by its corners, in order, either way round; it may be concave."""

    points: tuple[Point, ...]


Footprint = Disc | Outline


def footprint(piece: Piece) -> Footprint:
    """What a piece covers; a piece off the field is an error."""
    if isinstance(piece.shape, Circle):
        return Disc(piece.centre, piece.shape.radius_mm)
    return rectangle(piece.centre, piece.shape.width_mm, piece.shape.depth_mm, piece.facing_deg)


def marker(objective: Objective) -> Disc:
    """What an objective covers: its circle, or the point it stands on."""
    return Disc((objective.x, objective.y), (objective.circle_mm or 0.0) / 2)


def area_of(place: Terrain | Zone) -> Outline:
    """What terrain or a zone covers."""
    return Outline(place.outline)


def field_outline(width_mm: float, depth_mm: float) -> Outline:
    """The battlefield itself."""
    return Outline(((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm)))


def heading(facing_deg: float) -> Point:
    """The unit vector of a facing: clockwise from north, y pointing south.

    >>> x, y = heading(90.0)
    >>> round(x, 9), round(y, 9)
    (1.0, -0.0)
    """
    angle = math.radians(facing_deg)
    return (math.sin(angle), -math.cos(angle))


@lru_cache(maxsize=4096)
def rectangle(centre: Point, width_mm: float, depth_mm: float, facing_deg: float) -> Outline:
    """A stand's corners: front left, front right, rear right, rear left, as its models see it.

    >>> rectangle((0.0, 0.0), 40.0, 20.0, 0.0).points
    ((-20.0, -10.0), (20.0, -10.0), (20.0, 10.0), (-20.0, 10.0))
    """
    forward_x, forward_y = heading(facing_deg)
    right_x, right_y = -forward_y, forward_x
    corners = ((-0.5, 0.5), (0.5, 0.5), (0.5, -0.5), (-0.5, -0.5))
    return Outline(
        tuple(
            (
                centre[0] + across * width_mm * right_x + along * depth_mm * forward_x,
                centre[1] + across * width_mm * right_y + along * depth_mm * forward_y,
            )
            for across, along in corners
        )
    )


def around(shape: Footprint) -> tuple[Point, float]:
    """A circle around a footprint: its centre and radius."""
    return (shape.centre, shape.radius_mm) if isinstance(shape, Disc) else _around(shape)


@lru_cache(maxsize=4096)
def _around(outline: Outline) -> tuple[Point, float]:
    xs, ys = [x for x, _ in outline.points], [y for _, y in outline.points]
    middle = ((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2)
    return middle, max(math.dist(middle, point) for point in outline.points)


def moved(shape: Footprint, dx_mm: float, dy_mm: float) -> Footprint:
    """The same footprint, shifted."""
    if isinstance(shape, Disc):
        return Disc((shape.centre[0] + dx_mm, shape.centre[1] + dy_mm), shape.radius_mm)
    return Outline(tuple((x + dx_mm, y + dy_mm) for x, y in shape.points))


def centre_of(shape: Footprint) -> Point:
    """The middle of a footprint: a disc's centre, an outline's centroid."""
    if isinstance(shape, Disc):
        return shape.centre
    middle = polygon(shape).centroid
    return (middle.x, middle.y)


@lru_cache(maxsize=4096)
def polygon(outline: Outline) -> shapely.Polygon:
    """The outline as a valid, prepared shapely polygon (the largest part where the outline crosses itself)."""
    shape = shapely.Polygon(outline.points)
    if not shape.is_valid:
        parts = [part for part in shapely.get_parts(shapely.make_valid(shape)) if isinstance(part, shapely.Polygon)]
        shape = max(parts, key=lambda part: part.area, default=shapely.Polygon())
    shapely.prepare(shape)
    return shape


def circle_polygon(disc: Disc, quad_segs: int = 64) -> shapely.Polygon:
    """A disc as a polygon whose corners lie on its rim, for drawing and for areas."""
    return shapely.Point(disc.centre).buffer(disc.radius_mm, quad_segs=quad_segs)


def geometry(shape: Footprint) -> shapely.Polygon:
    """Any footprint as a shapely polygon; a disc by 256 corners."""
    return circle_polygon(shape) if isinstance(shape, Disc) else polygon(shape)


def is_convex(outline: Outline) -> bool:
    """Whether no corner points inwards."""
    points = outline.points
    turns = [_cross(points[i - 2], points[i - 1], points[i]) for i in range(len(points))]
    return all(turn >= -1e-9 for turn in turns) or all(turn <= 1e-9 for turn in turns)


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
