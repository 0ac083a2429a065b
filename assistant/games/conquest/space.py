"""Keeping an inch away: CQ-9."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assistant.games.conquest.regiments import Regiment, hostile, regiments, touching
from assistant.rules.answers import expect_words, listed, measured, pairs, verdict
from assistant.rules.bodies import gap_between, scale_sigma
from assistant.rules.game import House
from assistant.rules.judged import Judged, contact, judge_gap, terrain_body, together
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.scene.values import MM_PER_INCH, Scene, Terrain

# An inch apart is far enough: only what is nearer by more than the computer's own noise counts.
APART_MM = MM_PER_INCH - 1e-5


def violations(scene: Scene) -> tuple[list[tuple[str, str]], list[Judged]]:
    """[regiment, regiment] and [regiment, terrain] that are too near, sorted, and the judgements that rests on."""
    known, scale = regiments(scene), scale_sigma(scene)
    found: list[tuple[str, str]] = []
    used: list[Judged] = []
    for (first, one), (second, other) in combinations(known.items(), 2):
        # Who is in a garrison is where the garrison is, which is kept off on its own account.
        if not hostile(one, other) or one.garrison is not None or other.garrison is not None:
            continue
        met, near = touching(one, other), judge_gap(one.body, other.body, APART_MM, scale)
        used += [met, near]
        if near.yes and not met.yes:
            found.append((first, second))
    for name, one in known.items():
        for terrain in scene.terrain:
            close, judged = _too_near(one, terrain, scale)
            used += judged
            if close:
                found.append((name, terrain.id))
    return sorted(found), used


def _too_near(one: Regiment, terrain: Terrain, scale: float) -> tuple[bool, list[Judged]]:
    """Whether a regiment is too near to terrain: impassable, or a garrison it neither holds nor touches."""
    garrison, solid = has_keyword(terrain.keywords, "garrison"), has_keyword(terrain.keywords, "impassable")
    if not garrison and not solid:
        return False, []
    if one.garrison is not None and one.garrison.id == terrain.id:
        return False, []
    near = judge_gap(one.body, terrain_body(terrain), APART_MM, scale)
    if not garrison:
        return near.yes, [near]
    met = contact(one.body, terrain_body(terrain))
    return near.yes and not met.yes, [near, met]


def ask_separation(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`separation`: regiments too near to enemies, garrisons or impassable terrain."""
    del house
    expect_words(words, 0, 0, "separation")
    found, used = violations(scene)
    certainty = together(used)
    known, terrain = regiments(scene), {piece.id: piece for piece in scene.terrain}
    marks = []
    for first, second in found:
        other = known[second].body if second in known else terrain_body(terrain[second])
        marks.append(Line(*gap_between(known[first].body, other).line, Meaning.VIOLATION, "under 1 in"))
    told = listed([f"{first} and {second}" for first, second in found])
    return Ruling(
        kind="violation",
        verdict=verdict(bool(found), certainty),
        sentence=f"Nearer than an inch: {told}." if found else "No regiment stands too near to what it must keep off.",
        rule="CQ-9",
        pieces=tuple(sorted({name for pair in found for name in pair})),
        evidence=tuple(marks),
        margin_mm=min((judged.margin_mm for judged in used), default=None),
        certainty=certainty,
        answer=measured({"violations": pairs(found)}, certainty),
    )
