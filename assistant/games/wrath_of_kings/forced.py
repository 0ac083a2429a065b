"""Forced movement: toward, away, directly, up to, and what stops it (WK-20 to WK-22)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assistant.games.wrath_of_kings.elements import element, of_model, scenery
from assistant.rules.answers import expect_words, listed, measured, millimetres, number, texts, verdict
from assistant.rules.checks import Check, certainty_of, reasons_of
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, judge
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.legs import Way, way_of
from assistant.rules.measure import gap_mm, signed_gap_mm
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Footprint, centre_of
from assistant.scene.values import MM_PER_INCH, Point, Scene

USAGE = "force A INCHES [toward:B|away:B] [directly] [up-to] X Y ..."
STRAIGHT_MM = 2.0  # a place that far off the line of centres is still meant to lie on it
ENOUGH_MM = 0.5
BEFORE_MM = 3.0  # that near before rough terrain a model was stopped by it: touching it would be entering (WK-21)


def ask_force(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`force A INCHES [toward:B|away:B] [directly] [up-to] X Y ...`: whether a forced movement is as its cause says.

    Its owner steers it. It stops where it meets a model, impassable terrain or a wall, or terrain it cannot pay for;
    otherwise the whole distance is moved, unless it says up to. Forced movement pays nothing for disengaging.
    """
    del house
    expect_words(words, 4, 60, USAGE)
    limit_in = number(words[1], "inches")
    flags = [word for word in words[2:] if not _is_number(word)]
    way = way_of(scene, [words[0], *(word for word in words[2:] if _is_number(word))], USAGE)
    aims = ("toward:", "away:")
    strange = [word for word in flags if word not in ("directly", "up-to") and not word.startswith(aims)]
    if strange:
        raise QuestionError(f"expected {USAGE!r}, got {strange[0]!r}")
    goal = next((word for word in flags if word.startswith(aims)), None)
    cost_in = _terrain_cost_in(way, scene)
    moved_in = way.length_mm / MM_PER_INCH + cost_in
    far = judge(moved_in * MM_PER_INCH, limit_in * MM_PER_INCH + ENOUGH_MM, way.piece.sigma_mm)
    through, stopped = _met(way, scene, limit_in)
    whole = "up-to" in flags or moved_in >= limit_in - ENOUGH_MM / MM_PER_INCH or stopped is not None
    checks = [
        Check("" if far.yes else f"moves {moved_in:.2f} of {limit_in:g} in", far.certainty),
        Check("" if whole else f"moves only {moved_in:.2f} of {limit_in:g} in and nothing stops it"),
        *(Check(f"through {name}") for name in through),
    ]
    if goal is not None:
        checks += _aimed(way, scene, goal, "directly" in flags)
    reasons, certainty = reasons_of(checks), certainty_of(checks)
    told = (
        f"is forced to {way.points[-1][0]:g}, {way.points[-1][1]:g}" if not reasons else f"may not: {listed(reasons)}"
    )
    return Ruling(
        kind="move",
        verdict=verdict(not reasons, certainty),
        sentence=f"{way.piece.id} {told}.",
        rule="WK-20",
        pieces=(way.piece.id,),
        evidence=tuple(Line(a, b, Meaning.REACH) for a, b in zip(way.points[:-1], way.points[1:], strict=True)),
        certainty=certainty,
        answer=measured(
            {
                "legal": not reasons,
                "cost_in": millimetres(moved_in),
                "stopped_by": stopped,
                "reasons": texts(reasons),
            },
            certainty,
        ),
    )


def _is_number(word: str) -> bool:
    return word.lstrip("+-").replace(".", "", 1).isdigit()


def _terrain_cost_in(way: Way, scene: Scene) -> float:
    """What rough terrain costs that the base comes onto (WK-21)."""
    return sum(
        keyword_value(place.keywords, "rough") or 0.0
        for place in scenery(scene)
        if way.clearance_mm(place.shape) <= CONTACT_MM < signed_gap_mm(way.start, place.shape)
    )


def _met(way: Way, scene: Scene, limit_in: float) -> tuple[list[str], str | None]:
    """What the way leads through, and what it ends against."""
    bodies: list[tuple[str, Footprint]] = [
        (other.id, of_model(other).shape) for other in scene.on_field() if other.id != way.piece.id
    ]
    bodies += [(p.id, p.shape) for p in scenery(scene) if has_keyword(p.keywords, "impassable", "wall")]
    through, stopped = [], None
    for name, shape in bodies:
        at_start = signed_gap_mm(way.start, shape)
        if way.clearance_mm(shape) < min(-CONTACT_MM, at_start - CONTACT_MM):
            through.append(name)
        elif signed_gap_mm(way.end, shape) <= CONTACT_MM < at_start:
            stopped = name
    for place in scenery(scene):
        rough = keyword_value(place.keywords, "rough")
        dear = rough is not None and way.length_mm / MM_PER_INCH + rough > limit_in
        if dear and CONTACT_MM < signed_gap_mm(way.end, place.shape) <= BEFORE_MM:
            stopped = place.id
    return through, stopped


def _aimed(way: Way, scene: Scene, goal: str, directly: bool) -> list[Check]:
    """Toward may not end farther away, away may not end closer; directly follows the line of centres."""
    word, _, name = goal.partition(":")
    other = element(scene, name)
    before, after = (gap_mm(disc, other.shape) for disc in (way.start, way.end))
    wrong = after > before + ENOUGH_MM if word == "toward" else after < before - ENOUGH_MM
    checks = [Check(f"ends {'farther from' if word == 'toward' else 'closer to'} {name}" if wrong else "")]
    if directly:
        line = centre_of(other.shape)
        off = max(_off_line(point, way.points[0], line) for point in way.points[1:])
        heads = _towards(way.points[0], way.points[-1], line)
        right = off <= STRAIGHT_MM and (heads >= 0 if word == "toward" else heads <= 0)
        checks.append(Check("" if right else f"not directly {word} {'from ' if word == 'away' else ''}{name}"))
    return checks


def _off_line(point: Point, start: Point, end: Point) -> float:
    length = math.dist(start, end)
    if length == 0.0:
        return 0.0
    return abs((end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])) / length


def _towards(start: Point, end: Point, goal: Point) -> float:
    return (end[0] - start[0]) * (goal[0] - start[0]) + (end[1] - start[1]) * (goal[1] - start[1])
