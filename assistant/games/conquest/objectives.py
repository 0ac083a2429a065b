"""Seizing objectives: CQ-29, CQ-30, CQ-35 and CQ-55."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from assistant.games.conquest.regiments import CLASSES
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import held_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import judge_gap, objective_body, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Objective, Piece, Scene

RANGE_IN = 3.0
MONSTER = 3


@dataclass(frozen=True, slots=True)
class Hold:
    """Who holds an objective, whether both sides are there, and how sure that is."""

    holder: str | None
    contested: bool
    certainty: float
    also: tuple[str, ...]  # other objectives in reach of the holder's regiments, of which each seizes one


def weight(stand: Piece) -> int:
    """What a stand counts for: a monster three."""
    return MONSTER if has_keyword(stand.types, "monster") else 1


def scores(stand: Piece) -> bool:
    """Whether a stand can seize: medium and heavy ones do, light ones only deny."""
    if not has_keyword(stand.traits, *CLASSES):
        raise QuestionError(f"{stand.id} has no class: give it the trait light, medium or heavy")
    return not has_keyword(stand.traits, "light")


def reach_in(objective: Objective) -> float:
    """How far an objective reaches from its edge."""
    return RANGE_IN if objective.range_in is None else objective.range_in


def hold_of(scene: Scene, objective: Objective) -> Hold:
    """A player holds an objective if his scoring stands outnumber all enemy stands there.

    A regiment seizes one objective a round: one that carries the state `seized X` scores at X alone (CQ-29).
    """
    limit_mm, scale = reach_in(objective) * MM_PER_INCH, scale_sigma(scene)
    owned = [stand for stand in scene.on_field() if stand.owner is not None]
    judged = [judge_gap(objective_body(objective), piece_body(stand), limit_mm, scale) for stand in owned]

    def decide(present: Sequence[bool]) -> tuple[str | None, bool]:
        there = [stand for stand, here in zip(owned, present, strict=True) if here]
        return _holder(there, objective.id), len({stand.owner for stand in there}) > 1

    seen = [near.yes for near in judged]
    holder, contested = decide(seen)
    own = {unit_name(stand) for stand, here in zip(owned, seen, strict=True) if here and stand.owner == holder}
    return Hold(holder, contested, held_sure(judged, decide), _choices(scene, objective, own))


def _holder(there: Sequence[Piece], objective: str) -> str | None:
    counting = [stand for stand in there if "broken" not in stand.state]
    for player in sorted({str(stand.owner) for stand in counting}):
        enemies = [stand for stand in counting if stand.owner != player]
        own = [stand for stand in counting if stand.owner == player and not _spent(stand, objective)]
        scoring = sum(weight(stand) for stand in own if scores(stand))
        denied = any(has_keyword(stand.keywords, "unyielding") for stand in enemies)
        if scoring > sum(weight(stand) for stand in enemies) and not denied:
            return player
    return None


def _spent(stand: Piece, objective: str) -> bool:
    """Whether a stand's regiment has seized another objective this round."""
    seized = [state.partition(" ")[2] for state in stand.state if state.startswith("seized ")]
    return bool(seized) and objective not in seized


def _choices(scene: Scene, objective: Objective, regiments: Collection[str]) -> tuple[str, ...]:
    """The other objectives that those regiments reach too: they seize only one of all."""
    stands = [stand for stand in scene.on_field() if unit_name(stand) in regiments and not _spent(stand, objective.id)]
    return tuple(
        other.id
        for other in sorted(scene.objectives, key=lambda other: other.id)
        if other.id != objective.id
        and any(judge_gap(objective_body(other), piece_body(s), reach_in(other) * MM_PER_INCH).yes for s in stands)
    )


def ask_objective(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`objective O`: who seizes an objective."""
    del house
    expect_words(words, 1, 1, "objective O")
    for objective in scene.objectives:
        if objective.id == words[0]:
            return objective_ruling(scene, objective)
    known = ", ".join(sorted(objective.id for objective in scene.objectives)) or "none"
    raise QuestionError(f"unknown objective {words[0]!r}; this scene has {known}")


def objective_ruling(scene: Scene, objective: Objective) -> Ruling:
    """Who holds an objective, as a ruling."""
    hold = hold_of(scene, objective)
    who = f"{hold.holder} holds {objective.id}" if hold.holder else f"nobody holds {objective.id}"
    choice = f"; its regiments also reach {listed(hold.also)} and seize one of them" if hold.also else ""
    reach_mm = (objective.circle_mm or 0.0) / 2 + reach_in(objective) * MM_PER_INCH
    return Ruling(
        kind="control",
        verdict=verdict(hold.holder is not None, hold.certainty),
        sentence=f"{who}{', contested' if hold.contested else ''}{choice}.",
        rule="CQ-29",
        pieces=(objective.id,),
        evidence=(Ring((objective.x, objective.y), reach_mm, Meaning.CONTROL, hold.holder or ""),),
        certainty=hold.certainty,
        answer=measured({"holder": hold.holder, "contested": hold.contested, "also": texts(hold.also)}, hold.certainty),
    )
