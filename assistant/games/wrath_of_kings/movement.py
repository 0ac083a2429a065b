"""Maneuvers and sprints: ways, costs and what stops them (WK-19 to WK-23)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.games.wrath_of_kings.contact import contacts
from assistant.games.wrath_of_kings.elements import Element, of_model, scenery
from assistant.rules.answers import expect_words, listed, measured, millimetres, texts, verdict
from assistant.rules.chance import jointly_sure, together_mm
from assistant.rules.checks import Check, certainty_of, check, reasons_of
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, judge, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.legs import Way, way_of
from assistant.rules.measure import TOUCH_MM, signed_gap_mm, sticking_out_mm
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import Disc, field_outline
from assistant.rules.units import enemies
from assistant.scene.values import MM_PER_INCH, Piece, Scene

DISENGAGE_IN = 3.0
SPRINT_IN = 4.0


@dataclass(frozen=True, slots=True)
class Move:
    """What a way costs, and everything that was checked against it."""

    cost_in: float
    checks: tuple[Check, ...]

    @property
    def reasons(self) -> list[str]:
        """What speaks against it, sorted."""
        return reasons_of(self.checks)

    @property
    def certainty(self) -> float:
        """How sure the verdict is."""
        return certainty_of(self.checks)


def judge_move(way: Way, scene: Scene, limit_in: float, sprint: bool) -> Move:
    """The cost of a way and everything that forbids it."""
    moves = way.length_mm > 0.0
    touching = contacts(way.piece, scene)
    engaged = {other.id for other, judged in touching if judged.yes}
    sure_engaged = together(judged for _, judged in touching)
    ground, sure_ground = _terrain_cost(way, scene) if moves else (0.0, 1.0)
    costs = way.length_mm / MM_PER_INCH + ground + (DISENGAGE_IN if engaged and moves else 0.0)
    far = judge(costs * MM_PER_INCH, limit_in * MM_PER_INCH, way.piece.sigma_mm)
    too_far = "" if far.yes else f"costs {costs:.2f} of {limit_in:g} in"
    checks = [Check(too_far, jointly_sure([far.certainty, sure_ground, sure_engaged]))]
    if sprint:
        checks.append(Check("engaged models do not sprint" if engaged else "", sure_engaged))
    checks += _through_models(way, scene) + _stopped_by_terrain(way, scene, sprint)
    if engaged and moves:
        checks += [Check(reason, sure_engaged) for reason in _engages_again(way, scene, engaged)]
    field = field_outline(scene.table.width_mm, scene.table.depth_mm)
    out = max(sticking_out_mm(Disc(point, way.radius_mm), field) for point in way.points[1:])
    checks.append(Check("leaves the table" if out > CONTACT_MM else ""))
    return Move(costs, tuple(checks))


def _terrain_cost(way: Way, scene: Scene) -> tuple[float, float]:
    """What rough and elevated terrain under the moving base costs, once an element, and how sure that is (WK-21)."""
    total, judged = 0.0, []
    for place in scenery(scene):
        rough = keyword_value(place.keywords, "rough")
        height = keyword_value(place.keywords, "elevated")
        if rough is None and height is None:
            continue
        judged.append(judge(way.clearance_mm(place.shape), CONTACT_MM, way.piece.sigma_mm))
        if not judged[-1].yes:
            continue
        total += rough or 0.0
        if height is not None and _climbs(way, place):
            total += height
    return total, together(judged)


def _climbs(way: Way, hill: Element) -> bool:
    """Whether the base comes onto a hill from beside it."""
    on_it = way.gaps_mm(hill.shape) <= CONTACT_MM
    return bool(np.any(on_it[1:] & ~on_it[:-1]))


def _through_models(way: Way, scene: Scene) -> list[Check]:
    """Models in the way, friend or foe: nobody moves through them (WK-19)."""
    checks = []
    for other in scene.on_field():
        if other.id == way.piece.id:
            continue
        element = of_model(other)
        nearest, at_start = way.clearance_mm(element.shape), signed_gap_mm(way.start, element.shape)
        if nearest >= min(0.0, at_start) - TOUCH_MM and at_start <= CONTACT_MM:
            continue  # it stood there in contact already and is only left behind
        clear = judge(-nearest, CONTACT_MM, together_mm(way.piece.sigma_mm, other.sigma_mm))
        checks.append(check(f"{other.id} stands in the way", clear))
    return checks


def _stopped_by_terrain(way: Way, scene: Scene, sprint: bool) -> list[Check]:
    """Impassable terrain and walls in the way (WK-22)."""
    checks = []
    for place in scenery(scene):
        wall = has_keyword(place.keywords, "wall")
        if not wall and not has_keyword(place.keywords, "impassable"):
            continue
        beside = judge(-way.clearance_mm(place.shape), CONTACT_MM, way.piece.sigma_mm)
        checks.append(Check("" if beside.yes else _barred(way.piece, place, sprint), beside.certainty))
        if wall and signed_gap_mm(way.end, place.shape) < -CONTACT_MM:
            checks.append(Check(f"nobody ends on the wall {place.id}", beside.certainty))
    return checks


def _barred(piece: Piece, place: Element, sprint: bool) -> str:
    """Why a model may not move across a barrier; empty when it may."""
    if has_keyword(place.keywords, "impassable"):
        return f"{place.id} is impassable"
    if sprint:
        return f"nobody sprints through the wall {place.id}"
    if place.size is None:
        return ""
    if piece.size is None:
        raise QuestionError(f"{piece.id} has no size: whether it may cross the wall {place.id} depends on it")
    return f"the wall {place.id} is larger than {piece.id}" if place.size > piece.size else ""


def _engages_again(way: Way, scene: Scene, before: set[str]) -> list[str]:
    """A model that disengages comes into contact with no enemy in the same movement (WK-20)."""
    reasons = []
    for other in scene.on_field():
        if not enemies(way.piece, other):
            continue
        touching = way.gaps_mm(of_model(other).shape) <= CONTACT_MM
        came = bool(np.any(touching[1:] & ~touching[:-1])) or (other.id not in before and bool(touching[0]))
        if came:
            reasons.append(f"disengages and touches {other.id}")
    return reasons


def ask_move(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`move A X Y [X Y ...]`: what a maneuver in straight legs costs and whether it is legal."""
    del house
    way = way_of(scene, words, "move A X Y [X Y ...]")
    if "mobility" not in way.piece.stats:
        raise QuestionError(f"{way.piece.id} has no mobility: give it stats.mobility")
    return _ruling(way, judge_move(way, scene, way.piece.stats["mobility"], sprint=False), "moves", "WK-19")


def ask_sprint(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`sprint A X Y`: the same for a sprint of up to 4 inches."""
    del house
    expect_words(words, 3, 99, "sprint A X Y [X Y ...]")
    way = way_of(scene, words, "sprint A X Y [X Y ...]")
    return _ruling(way, judge_move(way, scene, SPRINT_IN, sprint=True), "sprints", "WK-23")


def _ruling(way: Way, move: Move, does: str, rule: str) -> Ruling:
    legal = not move.reasons
    end = f"{way.points[-1][0]:g}, {way.points[-1][1]:g}"
    if legal:
        sentence = f"{way.piece.id} {does} to {end} for {move.cost_in:.2f} in."
    else:
        sentence = f"{way.piece.id} may not go to {end}: {listed(move.reasons)}."
    legs = zip(way.points[:-1], way.points[1:], strict=True)
    return Ruling(
        kind="move",
        verdict=verdict(legal, move.certainty),
        sentence=sentence,
        rule=rule,
        pieces=(way.piece.id,),
        evidence=tuple(Line(a, b, Meaning.FREE if legal else Meaning.BLOCKED) for a, b in legs),
        certainty=move.certainty,
        answer=measured(
            {"legal": legal, "cost_in": millimetres(move.cost_in), "reasons": texts(move.reasons)}, move.certainty
        ),
    )
