"""Markers and who holds them: FF-10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.rules.answers import expect_words, measured, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import held_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import judge_gap, objective_body
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.rules.units import owner_of, unit_body, units_on_field
from assistant.scene.values import MM_PER_INCH, Objective, Piece, Scene

SEIZE_IN = 3.0


@dataclass(frozen=True, slots=True)
class Hold:
    """Who holds a marker after a round's end, whether both sides were there, and how sure that is."""

    holder: str | None
    contested: bool
    certainty: float


def stunned(models: Sequence[Piece]) -> bool:
    """Whether a unit is stunned: none of its models can act."""
    return all("stunned" in model.state for model in models)


def hold_of(scene: Scene, objective: Objective) -> Hold:
    """Who holds a marker: units of one side seize it, of both make it neutral, stunned ones cannot seize."""
    limit_mm = (SEIZE_IN if objective.range_in is None else objective.range_in) * MM_PER_INCH
    scale = scale_sigma(scene)
    judged = [
        (models, judge_gap(objective_body(objective), unit_body(name, models), limit_mm, scale))
        for name, models in units_on_field(scene).items()
        if owner_of(models) is not None
    ]

    def decide(present: Sequence[bool]) -> tuple[str | None, bool]:
        there = [models for (models, _), here in zip(judged, present, strict=True) if here]
        seizing = {owner_of(models) for models in there if not stunned(models)}
        if len({owner_of(models) for models in there}) > 1:
            return None, True
        return next(iter(seizing), objective.holder), False

    near = [close for _, close in judged]
    return Hold(*decide([close.yes for close in near]), held_sure(near, decide))


def objective(scene: Scene, name: str) -> Objective:
    """The marker of that id."""
    for candidate in scene.objectives:
        if candidate.id == name:
            return candidate
    known = ", ".join(sorted(candidate.id for candidate in scene.objectives)) or "none"
    raise QuestionError(f"unknown objective {name!r}; this scene has {known}")


def ask_objective(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`objective O`: who holds a marker at the round's end."""
    del house
    expect_words(words, 1, 1, "objective O")
    return objective_ruling(scene, objective(scene, words[0]))


def objective_ruling(scene: Scene, marker: Objective) -> Ruling:
    """Who holds a marker, as a ruling."""
    hold = hold_of(scene, marker)
    state = "is contested" if hold.contested else f"is held by {hold.holder}" if hold.holder else "is neutral"
    reach_mm = (marker.circle_mm or 0.0) / 2 + (SEIZE_IN if marker.range_in is None else marker.range_in) * MM_PER_INCH
    return Ruling(
        kind="control",
        verdict=verdict(hold.holder is not None, hold.certainty),
        sentence=f"{marker.id} {state}.",
        rule="FF-10",
        pieces=(marker.id,),
        evidence=(Ring((marker.x, marker.y), reach_mm, Meaning.CONTROL, hold.holder or ""),),
        certainty=hold.certainty,
        answer=measured({"holder": hold.holder, "contested": hold.contested}, hold.certainty),
    )
