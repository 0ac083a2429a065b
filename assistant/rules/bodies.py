"""What a question's id stands for on the table, and the distance between two such things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.rules.chance import apart_below, gap_below, normal_below, together_mm
from assistant.rules.doubt import Variant, beyond, together, variants
from assistant.rules.game import QuestionError
from assistant.rules.measure import farthest_mm, nearest_points, signed_gap_mm
from assistant.rules.shapes import Disc, Footprint, area_of, around, footprint, marker
from assistant.scene.errors import SceneError
from assistant.scene.values import Piece, Point, Scene


@dataclass(frozen=True, slots=True)
class Body:
    """One piece, all models of a unit, a terrain piece or a marker: its parts and each part's sigma.

    `ways` are the ways each part may lie, where that is more than a normal error of its sigma.
    """

    id: str
    parts: tuple[Footprint, ...]
    sigmas_mm: tuple[float, ...]
    ways: tuple[tuple[Variant, ...], ...] = ()

    @staticmethod
    def of(identity: str, pieces: Sequence[Piece]) -> Body:
        """Pieces as one thing to measure from."""
        return Body(
            identity,
            tuple(footprint(piece) for piece in pieces),
            tuple(piece.sigma_mm for piece in pieces),
            tuple(variants(piece) for piece in pieces),
        )

    def ways_of(self, part: int) -> tuple[Variant, ...]:
        """The ways one part may lie."""
        return self.ways[part] if self.ways else (Variant(1.0, 0.0, self.sigmas_mm[part]),)


@dataclass(frozen=True, slots=True)
class Gap:
    """The distance of two bodies, by their nearest parts: signed (below 0 when overlapping), and as measured."""

    signed_mm: float
    sigma_mm: float
    first: Footprint
    second: Footprint
    ways: tuple[Variant, ...] = ()

    @property
    def line(self) -> tuple[Point, Point]:
        """The shortest line from one to the other; a point where they are the same thing."""
        if self.first is self.second:
            return (_middle(self.first), _middle(self.first))
        return nearest_points(self.first, self.second)

    @property
    def mm(self) -> float:
        """The distance, 0 when they touch or overlap."""
        return max(0.0, self.signed_mm)

    def chance_within(self, limit_mm: float) -> float:
        """The chance that the true gap is at most the limit."""
        if not self.ways:
            return gap_below(limit_mm, self.first, self.second, self.sigma_mm)
        if beyond(self.signed_mm - limit_mm, self.ways):
            return float(self.signed_mm < limit_mm)
        return sum(
            way.share * gap_below(limit_mm + way.wider_mm, self.first, self.second, way.sigma_mm) for way in self.ways
        )


def body(scene: Scene, identity: str) -> Body:
    """The thing of that id: a piece, a unit (every model on the field), terrain, or an objective."""
    for piece in scene.pieces:
        if piece.id == identity:
            return Body.of(identity, (piece,))
    models = [piece for piece in scene.on_field() if piece.unit == identity]
    if models:
        return Body.of(identity, models)
    for terrain in scene.terrain:
        if terrain.id == identity:
            return Body(identity, (area_of(terrain),), (0.0,))
    for objective in scene.objectives:
        if objective.id == identity:
            return Body(identity, (marker(objective),), (0.0,))
    if any(piece.unit == identity for piece in scene.pieces):
        raise QuestionError(f"{identity} has no model on the field, so nothing to measure from")
    known = sorted(
        {piece.id for piece in scene.pieces}
        | {piece.unit for piece in scene.pieces if piece.unit}
        | {terrain.id for terrain in scene.terrain}
        | {objective.id for objective in scene.objectives}
    )
    raise SceneError("", f"unknown id {identity!r}; this scene has {', '.join(known[:12]) or 'none'}")


def gap_between(a: Body, b: Body, scale_sigma: float = 0.0) -> Gap:
    """The gap of the nearest parts. A thing is at distance 0 from itself.

    `scale_sigma` is the relative error of the whole table's scale: it is common to all, so it grows with the distance.
    """
    if a.id == b.id:
        return Gap(0.0, 0.0, a.parts[0], a.parts[0])
    signed, i, j = nearest_parts(a, b)
    of_scale = scale_sigma * max(0.0, signed)
    sigma = together_mm(a.sigmas_mm[i], b.sigmas_mm[j], of_scale)
    return Gap(signed, sigma, a.parts[i], b.parts[j], together(a.ways_of(i), b.ways_of(j), of_scale))


def nearest_parts(a: Body, b: Body) -> tuple[float, int, int]:
    """The signed gap of the nearest two parts, and their places.

    Two parts are at least as far apart as the circles around them, so only those whose circles are near are measured.
    """
    if len(a.parts) == len(b.parts) == 1:
        return signed_gap_mm(a.parts[0], b.parts[0]), 0, 0
    rounds = [around(part) for part in b.parts]
    pairs = []
    for i, part in enumerate(a.parts):
        (x, y), radius = around(part)
        pairs += [(math.hypot(x - u, y - v) - radius - other, i, j) for j, ((u, v), other) in enumerate(rounds)]
    best = (math.inf, 0, 0)
    for least, i, j in sorted(pairs):
        if least > best[0]:
            break
        best = min(best, (signed_gap_mm(a.parts[i], b.parts[j]), i, j))
    return best


def farthest_between_mm(a: Body, b: Body) -> float:
    """How far the farthest point of `b` lies from `a`: every model of a unit counts."""
    return max(min(farthest_mm(part, other) for part in a.parts) for other in b.parts)


def chance_completely_within(a: Body, b: Body, limit_mm: float, gap: Gap) -> float:
    """The chance that all of `b` is within the limit of `a`; `gap` is that of their nearest parts."""
    farthest = farthest_between_mm(a, b)
    if not gap.ways or beyond(farthest - limit_mm, gap.ways):
        return _chance_of_farthest(a, b, farthest, limit_mm, 0.0 if gap.ways else gap.sigma_mm)
    return sum(
        way.share * _chance_of_farthest(a, b, farthest, limit_mm - way.wider_mm, way.sigma_mm) for way in gap.ways
    )


def _chance_of_farthest(a: Body, b: Body, farthest: float, limit_mm: float, sigma_mm: float) -> float:
    first, second = a.parts[0], b.parts[0]
    if len(a.parts) == len(b.parts) == 1 and isinstance(first, Disc) and isinstance(second, Disc):
        spread = second.radius_mm - first.radius_mm
        return apart_below(limit_mm - spread, farthest - spread, sigma_mm) if farthest > 0.0 else 1.0
    return normal_below(limit_mm, farthest, sigma_mm)


def scale_sigma(scene: Scene) -> float:
    """The relative error of the table's scale, where the calibration states it."""
    value = scene.calibration.get("scale_sigma")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _middle(shape: Footprint) -> Point:
    return shape.centre if isinstance(shape, Disc) else shape.points[0]
