"""What a regiment on the move may not pass through or end on: CQ-7, CQ-9 and CQ-36, each check with its certainty."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assistant.games.conquest.regiments import Regiment, fighting, hostile, regiments
from assistant.games.conquest.space import APART_MM
from assistant.rules.bodies import Body, gap_between, scale_sigma
from assistant.rules.chance import together_mm
from assistant.rules.checks import Check, check
from assistant.rules.judged import CONTACT_MM, Judged, judge, judge_gap, terrain_body
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import TOUCH_MM, signed_gap_mm, sticking_out_mm
from assistant.rules.shapes import field_outline
from assistant.scene.values import Scene, Terrain


def barriers(scene: Scene) -> list[Terrain]:
    """Terrain that no regiment marches into: impassable pieces and garrisons."""
    return [terrain for terrain in scene.terrain if has_keyword(terrain.keywords, "impassable", "garrison")]


def flies(one: Regiment) -> bool:
    """Whether a regiment passes over others and impassable terrain: all its stands have Fly (CQ-54)."""
    return all(has_keyword(stand.keywords, "fly") for stand in one.stands)


def grounded(one: Regiment, scene: Scene) -> list[Terrain]:
    """The barriers that a regiment cannot pass over: one that flies is stopped by garrisons alone."""
    found = barriers(scene)
    return [terrain for terrain in found if has_keyword(terrain.keywords, "garrison")] if flies(one) else found


def passing(way: Sequence[Regiment], scene: Scene, without: Collection[str] = ()) -> list[Check]:
    """The checks of a way, given as the regiment at each step of it.

    Nobody marches through enemies, fighting friends, garrisons or impassable terrain, nor off the table.
    `without` are the terrain pieces that do not count.
    """
    one = way[0]
    known = {} if flies(one) else regiments(scene)
    checks = []
    for name, other in known.items():
        if name == one.name or other.garrison is not None:
            continue
        if hostile(one, other) or any(judged.yes for _, judged in fighting(other, list(known.values()))):
            checks.append(check(f"through {name}", _clear(way, other.body, other.sigma_mm)))
    for terrain in grounded(one, scene):
        if terrain.id not in without:
            checks.append(check(f"through {terrain.id}", _clear(way, terrain_body(terrain), 0.0)))
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    out = max(sticking_out_mm(part, field) for step in way for part in step.body.parts)
    return [*checks, check("off the table", judge(out, CONTACT_MM, one.sigma_mm))]


def _clear(way: Sequence[Regiment], body: Body, sigma_mm: float) -> Judged:
    """Whether a regiment passes a body without overlapping it."""
    nearest = min(gap_between(step.body, body).signed_mm for step in way)
    return judge(-nearest, CONTACT_MM, together_mm(way[0].sigma_mm, sigma_mm))


def keeping_off(way: Sequence[Regiment], scene: Scene, without: Collection[str] = ()) -> list[Check]:
    """The checks that a march stays an inch away from enemies, garrisons and impassable terrain on its whole way.

    Where it begins nearer than that, it may not come nearer still; where it ends is for `ending`.
    """
    one, scale = way[0], scale_sigma(scene)
    foes = [] if flies(one) else [other for other in regiments(scene).values() if hostile(one, other)]
    bodies = [(other.name, other.body, other.sigma_mm) for other in foes if other.garrison is None]
    bodies += [(t.id, terrain_body(t), 0.0) for t in grounded(one, scene) if t.id not in without]
    checks = []
    for name, body, sigma_mm in bodies:
        gaps = [gap_between(step.body, body).signed_mm for step in way]
        nearest = min(gaps)
        if nearest < 0.0 or gaps[-1] < APART_MM:
            continue  # passed through, or ended too near: said elsewhere
        if gaps[0] < APART_MM:  # both gaps have the same error, so comparing them has none
            checks.append(Check(f"comes nearer to {name}" if nearest < gaps[0] - TOUCH_MM else ""))
            continue
        sigma = together_mm(one.sigma_mm, sigma_mm, scale * nearest)
        checks.append(check(f"comes within 1 in of {name}", judge(-nearest, -APART_MM, sigma)))
    return checks


def ending(one: Regiment, scene: Scene, without: Collection[str] = ()) -> list[Check]:
    """The checks of where a regiment ends: on nobody, and an inch from what it must keep off."""
    scale = scale_sigma(scene)
    checks = []
    for name, other in regiments(scene).items():
        if name == one.name:
            continue
        overlap = min(signed_gap_mm(a, b) for a in one.body.parts for b in other.body.parts)
        beside = judge(-overlap, CONTACT_MM, together_mm(one.sigma_mm, other.sigma_mm))
        checks.append(check(f"ends on {name}", beside))
        if hostile(one, other) and beside.yes:
            checks.append(_kept_off(one, other.body, name, scale))
    for terrain in barriers(scene):
        if terrain.id not in without:
            checks.append(_kept_off(one, terrain_body(terrain), terrain.id, scale))
    return checks


def _kept_off(one: Regiment, body: Body, name: str, scale: float) -> Check:
    near = judge_gap(one.body, body, APART_MM, scale)
    return Check(f"ends within 1 in of {name}" if near.yes else "", near.certainty)


def unengaged(one: Regiment, scene: Scene) -> list[Check]:
    """The checks that a regiment is in contact with no enemy."""
    return [
        Check("in contact with an enemy" if judged.yes else "", judged.certainty)
        for _, judged in fighting(one, list(regiments(scene).values()))
    ]


def engaged(one: Regiment, scene: Scene) -> list[Check]:
    """The check that a regiment is in contact with an enemy."""
    met = [judged for _, judged in fighting(one, list(regiments(scene).values()))]
    touching = [judged.certainty for judged in met if judged.yes]
    if touching:
        return [Check("", max(touching))]
    return [Check("in contact with no enemy", min((judged.certainty for judged in met), default=1.0))]
