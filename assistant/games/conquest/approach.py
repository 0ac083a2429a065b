"""The way of a charge: one wheel, then straight forward, and what stands in it (CQ-15)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.games.conquest.ground import barriers
from assistant.games.conquest.marching import Leg, moved
from assistant.games.conquest.regiments import Regiment, hostile, regiments
from assistant.rules.checks import Check
from assistant.rules.judged import CONTACT_MM
from assistant.rules.shapes import area_of, geometry, heading, polygon
from assistant.scene.values import Scene

WHEEL_DEG = 90
STEP_DEG = 5
FAR_MM = 3000.0
# How sure it is that a way is free or closed that a shift of so many sigmas would change.
DOUBTS = ((1.0, 0.7), (2.0, 0.94))


@dataclass(frozen=True, slots=True)
class _Obstacle:
    name: str
    area: BaseGeometry


def charge_way(scene: Scene, one: Regiment, other: Regiment) -> Check:
    """Whether some wheel and straight move brings a regiment to its target before it touches what fails a charge."""
    obstacles = _obstacles(scene, one, other)
    if not obstacles:
        return Check("")
    ways = [way for way in _ways(one, scene) if _forward_mm(way, _area(other)) is not None]
    sigma = max(one.sigma_mm, other.sigma_mm)
    blocked = _blockers(ways, other, obstacles, 0.0)
    certainty = 1.0
    for sigmas, sure in reversed(DOUBTS):
        for shift in (-sigmas * sigma, sigmas * sigma):
            if sigma and bool(_blockers(ways, other, obstacles, shift)) != bool(blocked):
                certainty = sure
    return Check(f"{' and '.join(blocked)} in the way" if blocked else "", certainty)


def _obstacles(scene: Scene, one: Regiment, other: Regiment) -> list[_Obstacle]:
    """What a charge may not touch: other enemies, garrisons and impassable terrain."""
    enemies = [
        _Obstacle(name, _area(third))
        for name, third in regiments(scene).items()
        if name not in (one.name, other.name) and hostile(one, third) and third.garrison is None
    ]
    held = other.garrison.id if other.garrison is not None else None
    return enemies + [_Obstacle(t.id, polygon(area_of(t))) for t in barriers(scene) if t.id != held]


def _area(one: Regiment) -> BaseGeometry:
    return shapely.union_all([geometry(part) for part in one.body.parts])


def _ways(one: Regiment, scene: Scene) -> list[Sequence[Regiment]]:
    """The regiment through every wheel it may begin with, the last step being where it goes straight on."""
    ways: list[Sequence[Regiment]] = [(one,)]
    for side in ("left", "right"):
        steps = [one]
        for angle in range(STEP_DEG, WHEEL_DEG + 1, STEP_DEG):
            steps.append(moved(one, Leg(side, float(angle)), 1.0, scene))
            ways.append(tuple(steps))
    return ways


def _forward_mm(way: Sequence[Regiment], area: BaseGeometry) -> float | None:
    """How far straight on a regiment touches an area; None when it never does."""
    one = way[-1]
    left, right, *_ = one.rectangle.points
    ahead = np.array(heading(one.facing_deg))
    corners = np.array([left, right, right, left])
    corners[2:] += FAR_MM * ahead
    strip = shapely.Polygon(corners)
    met = strip.intersection(area)
    if met.is_empty:
        return None
    return float((shapely.get_coordinates(met) @ ahead).min() - np.array(left) @ ahead)


def _blockers(
    ways: Sequence[Sequence[Regiment]], other: Regiment, obstacles: Sequence[_Obstacle], grown_mm: float
) -> list[str]:
    """What closes every way, sorted; empty when a way is free."""
    target = _area(other)
    solid = [_Obstacle(each.name, each.area.buffer(grown_mm - CONTACT_MM)) for each in obstacles]
    found: set[str] = set()
    for way in ways:
        reach = _forward_mm(way, target) or 0.0
        met = {each.name for each in solid for step in way[1:] if _area(step).intersects(each.area)}
        for each in solid:
            ahead = _forward_mm(way, each.area)
            if ahead is not None and ahead < reach:
                met.add(each.name)
        if not met:
            return []
        found |= met
    return sorted(found)
