"""The way of a charge: one wheel, straight forward, a wheel flush to the target, and what stands in it (CQ-15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from assistant.games.conquest.arcs import NAMES, arc_outline
from assistant.games.conquest.clash import contacts
from assistant.games.conquest.ground import flies, grounded
from assistant.games.conquest.marching import Leg, cost_mm, moved, shifted, turned
from assistant.games.conquest.regiments import Regiment, fighting, form, hostile, regiments
from assistant.games.conquest.space import APART_MM
from assistant.rules.checks import Check
from assistant.rules.judged import CONTACT_MM
from assistant.rules.measure import nearest_points, signed_distance_mm
from assistant.rules.shapes import Outline, area_of, geometry, heading, polygon
from assistant.scene.values import MM_PER_INCH, Point, Scene, Terrain

WHEEL_DEG = 90
STEP_DEG = 5
FAR_MM = 3000.0
# How sure it is that a way is free or closed that a shift of so many sigmas would change.
DOUBTS = ((1.0, 0.7), (2.0, 0.94))


@dataclass(frozen=True, slots=True)
class _Obstacle:
    """What a charge may not touch; a friend that is not fighting may be passed through, but not ended on."""

    name: str
    area: BaseGeometry
    friend: bool = False


@dataclass(frozen=True, slots=True)
class Approach:
    """One way of a charge: the wheel it begins with (degrees, left below 0), the way forward, and where it ends."""

    wheel_deg: float
    steps: tuple[Regiment, ...]  # through the wheel; the last one goes straight on
    forward_mm: float
    end: Regiment
    flush: bool  # whether a wheel of up to 90 degrees brought its front against the charged facing

    @property
    def cost_mm(self) -> float:
        """What it takes of the charge distance; the wheel at the end is free."""
        wheel = cost_mm(self.steps[0], Leg("left", abs(self.wheel_deg)))
        return wheel + self.forward_mm


def charge_way(scene: Scene, one: Regiment, other: Regiment, most_mm: float) -> Check:
    """Whether some wheel and straight move brings a regiment to its target before it touches what fails a charge.

    Ways longer than the greatest charge distance count only where all are.
    """
    obstacles = _obstacles(scene, one, other)
    if not obstacles:
        return Check("")
    ways = _affordable(approaches(scene, one, other), most_mm)
    sigma = max(one.sigma_mm, other.sigma_mm)
    blocked = _blockers(ways, obstacles, 0.0)
    certainty = 1.0
    for sigmas, sure in reversed(DOUBTS):
        for shift in (-sigmas * sigma, sigmas * sigma):
            if sigma and bool(_blockers(ways, obstacles, shift)) != bool(blocked):
                certainty = sure
    return Check(f"{' and '.join(blocked)} in the way" if blocked else "", certainty)


def _affordable(ways: list[Approach], most_mm: float) -> list[Approach]:
    return [way for way in ways if way.cost_mm <= most_mm + 1e-6] or ways


def friends_uncleared(scene: Scene, one: Regiment, other: Regiment, most_mm: float) -> list[str]:
    """The friends that a charge would end on whatever way it takes: it fails, and both are broken (CQ-15)."""
    obstacles = _obstacles(scene, one, other)
    blocked = _blockers(_affordable(approaches(scene, one, other), most_mm), obstacles, 0.0)
    return [each.name for each in obstacles if each.friend and each.name in blocked]


def best_approach(scene: Scene, one: Regiment, other: Regiment, reach_mm: float) -> Approach | None:
    """The free way that engages most enemy stands, then most own ones, then with the least wheel.

    Ways within the charge distance go before longer ones: a successful roll reaches by closest points, so a wheel that
    costs more is taken only where no other way leads there.
    """
    obstacles = _grown(_obstacles(scene, one, other), 0.0)
    free = [way for way in approaches(scene, one, other) if not _met(way, obstacles)]

    def worth(way: Approach) -> tuple[bool, bool, int, int, float]:
        own = sum(touch.yes for _, touch in contacts(way.end, other))
        foes = sum(touch.yes for _, touch in contacts(other, way.end))
        return (way.cost_mm <= reach_mm + 1e-6, way.flush, foes, own, -abs(way.wheel_deg))

    return max(free, key=worth, default=None)


def approaches(scene: Scene, one: Regiment, other: Regiment) -> list[Approach]:
    """Every wheel that lets a regiment reach its target straight ahead, in steps of five degrees."""
    area, facing = area_of_regiment(other), charged_facing(one, other)
    solid = [each.area.buffer(-CONTACT_MM) for each in _obstacles(scene, one, other)]
    found = []
    for wheel_deg, steps in _wheels(one, scene, area):
        forward = forward_mm(steps[-1], area)
        if forward is not None:
            reached = moved(steps[-1], Leg("forward", forward / MM_PER_INCH), 1.0, scene)
            end = _aligned(reached, other, facing, scene)
            if end is None or any(_rectangle(end).intersects(each) for each in solid):
                end = None  # no room to wheel: the target comes flush instead
            found.append(Approach(wheel_deg, steps, forward, end or reached, end is not None))
    return found


def _rectangle(one: Regiment) -> BaseGeometry:
    return polygon(Outline(one.rectangle.points))


def charged_facing(one: Regiment, other: Regiment) -> str:
    """The facing of the target in whose arc most of a regiment's stands are (CQ-15); the front where it is even."""
    arcs = {name: arc_outline(other, name) for name in ("front", "rear", "right", "left")}
    lies = Counter(min(arcs, key=lambda name: signed_distance_mm(stand.centre, arcs[name])) for stand in one.stands)
    return max(arcs, key=lambda name: lies[name])


def _aligned(reached: Regiment, other: Regiment, facing: str, scene: Scene) -> Regiment | None:
    """The regiment wheeled about the point of contact until its front lies along the charged facing, if it can."""
    if other.garrison is not None:
        return reached  # as close to flush as its outline lets it
    outwards = other.facing_deg + 90 * NAMES.index(facing)
    turn_deg = (outwards + 180 - reached.facing_deg + 180) % 360 - 180
    pivot = _contact_point(reached, other)
    end = form(reached.name, [turned(stand, pivot, turn_deg) for stand in reached.stands], scene)
    # The front comes to lie on the line of the charged facing, wherever the contact was.
    out = np.array(heading(outwards))
    side = max(float(np.array(corner) @ out) for corner in other.rectangle.points)
    front = min(float(np.array(corner) @ out) for corner in end.rectangle.points)
    gap = (side - front) * out
    end = form(end.name, [shifted(stand, (float(gap[0]), float(gap[1]))) for stand in end.stands], scene)
    if abs(turn_deg) > WHEEL_DEG + 1e-6 or not any(touch.yes for _, touch in contacts(end, other)):
        return None
    return end


def _contact_point(one: Regiment, other: Regiment) -> Point:
    pairs = [nearest_points(a, b) for a in one.body.parts for b in other.body.parts]
    ends = min(pairs, key=lambda pair: float(np.hypot(pair[0][0] - pair[1][0], pair[0][1] - pair[1][1])))
    return ends[0]


def _obstacles(scene: Scene, one: Regiment, other: Regiment) -> list[_Obstacle]:
    """What a charge may not touch: other enemies, fighting friends, garrisons, impassable terrain; friends to clear."""
    known = regiments(scene)
    found = []
    for name, third in known.items():
        if name in (one.name, other.name) or third.garrison is not None:
            continue
        fights = any(touch.yes for _, touch in fighting(third, list(known.values())))
        solid = (hostile(one, third) or fights) and not flies(one)
        found.append(_Obstacle(name, area_of_regiment(third), friend=not solid))
    held = other.garrison.id if other.garrison is not None else None
    return found + [_Obstacle(t.id, polygon(area_of(t))) for t in grounded(one, scene) if t.id != held]


def area_of_regiment(one: Regiment) -> BaseGeometry:
    """What a regiment covers, as one geometry."""
    return shapely.union_all([geometry(part) for part in one.body.parts])


def _wheels(one: Regiment, scene: Scene, target: BaseGeometry) -> list[tuple[float, tuple[Regiment, ...]]]:
    """The regiment through every wheel it may begin with, the last step being where it goes straight on.

    A wheel goes no farther than to its target, where the charge stops.
    """
    inside = target.buffer(-CONTACT_MM)
    ways: list[tuple[float, tuple[Regiment, ...]]] = [(0.0, (one,))]
    for side, sign in (("left", -1.0), ("right", 1.0)):
        steps = [one]
        for angle in range(STEP_DEG, WHEEL_DEG + 1, STEP_DEG):
            wheeled = moved(one, Leg(side, float(angle)), 1.0, scene)
            if area_of_regiment(wheeled).intersects(inside):
                break
            steps.append(wheeled)
            ways.append((sign * angle, tuple(steps)))
    return ways


def forward_mm(one: Regiment, area: BaseGeometry, side: str = "front") -> float | None:
    """How far straight on, or straight to another side, a regiment touches an area; None when it never does."""
    index = NAMES.index(side)
    left, right = one.rectangle.points[index], one.rectangle.points[(index + 1) % 4]
    ahead = np.array(heading(one.facing_deg + 90 * index))
    corners = np.array([left, right, right, left])
    corners[2:] += FAR_MM * ahead
    strip = shapely.Polygon(corners)
    met = strip.intersection(area)
    if met.is_empty:
        return None
    return float((shapely.get_coordinates(met) @ ahead).min() - np.array(left) @ ahead)


def _blockers(ways: Sequence[Approach], obstacles: Sequence[_Obstacle], grown_mm: float) -> list[str]:
    """What closes every way, sorted; empty when a way is free."""
    grown = _grown(obstacles, grown_mm)
    found: set[str] = set()
    for way in ways:
        met = _met(way, grown)
        if not met:
            return []
        found |= met
    return sorted(found)


def _grown(obstacles: Sequence[_Obstacle], grown_mm: float) -> list[_Obstacle]:
    return [_Obstacle(each.name, each.area.buffer(grown_mm - CONTACT_MM), each.friend) for each in obstacles]


def _met(way: Approach, obstacles: Sequence[_Obstacle]) -> set[str]:
    """What one way meets that it may not touch, or ends on."""
    met = {each.name for each in obstacles if _rectangle(way.end).intersects(each.area)}
    wheeled = [area_of_regiment(step) for step in way.steps[1:]]
    for each in obstacles:
        if each.friend:
            continue
        ahead = forward_mm(way.steps[-1], each.area)
        if (ahead is not None and ahead < way.forward_mm) or any(step.intersects(each.area) for step in wheeled):
            met.add(each.name)
    return met


def entry_way(scene: Scene, one: Regiment, shelter: Terrain, march_in: float) -> Check:
    """Whether a march leads a regiment to a garrison, an inch off all it must keep off (CQ-32, CQ-36)."""
    target, march_mm = polygon(area_of(shelter)), march_in * MM_PER_INCH
    solid = _solid(scene, one, shelter)
    costs, met = [], set[str]()
    for wheel_deg, steps in _wheels(one, scene, target):
        for side in NAMES if wheel_deg == 0 else NAMES[:1]:
            length = forward_mm(steps[-1], target, side)
            if length is None:
                continue
            ahead = {each.name: forward_mm(steps[-1], each.area, side) for each in solid}
            hit = {name for name, far in ahead.items() if far is not None and far < length}
            hit |= {
                each.name for each in solid if any(area_of_regiment(step).intersects(each.area) for step in steps[1:])
            }
            met |= hit
            if not hit:
                wheel = cost_mm(one, Leg("left", abs(wheel_deg)))
                costs.append((wheel + length) * (1 if side == "front" else 2))
    if not costs:
        return Check(f"{' and '.join(sorted(met))} in the way" if met else "no march leads there")
    need = min(costs)
    return Check(f"needs {need / MM_PER_INCH:.2f} of {march_in:g} in" if need > march_mm + CONTACT_MM else "")


def _solid(scene: Scene, one: Regiment, shelter: Terrain) -> list[_Obstacle]:
    """What a march keeps an inch off or does not pass, as grown areas; nearer than it stands already is no matter."""
    own = area_of_regiment(one)
    known = regiments(scene)
    found = []
    for name, other in known.items():
        if name == one.name or other.garrison is not None or flies(one):
            continue
        area = area_of_regiment(other)
        if hostile(one, other):
            found.append(_Obstacle(name, area.buffer(min(APART_MM, own.distance(area)) - CONTACT_MM)))
        elif any(touch.yes for _, touch in fighting(other, list(known.values()))):
            found.append(_Obstacle(name, area.buffer(-CONTACT_MM)))
    for terrain in grounded(one, scene):
        if terrain.id != shelter.id:
            area = polygon(area_of(terrain))
            found.append(_Obstacle(terrain.id, area.buffer(min(APART_MM, own.distance(area)) - CONTACT_MM)))
    return found
