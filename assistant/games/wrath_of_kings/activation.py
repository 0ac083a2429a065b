"""Who may take part in a combined activation: WK-27."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from assistant.games.wrath_of_kings.areas import sphere_in
from assistant.games.wrath_of_kings.elements import is_leader, model
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import House, QuestionError, Reading
from assistant.rules.judged import Judged, judge_gap, piece_body, together
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.scene.values import MM_PER_INCH, Circle, Piece, Scene

MOST_WORDS = 200
SHARING = Reading(
    "sharing",
    ("all", "pairs"),
    "WK-27",
    "models activated together have one trait common to all; pairs: any two of them share one",
)


def ask_combined(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`combined L M1 M2 ...`: whether leader L may activate those models together."""
    expect_words(words, 2, MOST_WORDS, "combined L M1 M2 ...")
    leader, models = model(scene, words[0]), [model(scene, word) for word in words[1:]]
    against = against_combined(leader, models, house)
    reasons = list(against)
    certainty = 1.0
    if is_leader(leader):
        inside = [near for _, near in judged_inside(leader, models, scene)]
        reasons += [f"{m.id} is outside the sphere" for m, near in zip(models, inside, strict=True) if not near.yes]
        out = [near.certainty for near in inside if not near.yes]
        certainty = 1.0 if against else max(out) if out else together(inside)
    legal = not reasons
    names = listed([m.id for m in models])
    if legal:
        sentence = f"{leader.id} may activate {names} together."
    else:
        sentence = f"{leader.id} may not activate {names} together: {listed(sorted(reasons))}."
    return Ruling(
        kind="activation",
        verdict=verdict(legal, certainty),
        sentence=sentence,
        rule="WK-27",
        pieces=(leader.id, *(m.id for m in models)),
        evidence=(Ring(leader.centre, _reach_mm(leader), Meaning.REACH),) if is_leader(leader) else (),
        certainty=certainty,
        answer=measured({"legal": legal, "reasons": texts(sorted(reasons))}, certainty),
        house=(f"{SHARING.name}={house[SHARING.name]}",) if len(models) > 2 else (),
    )


def judged_inside(leader: Piece, models: Sequence[Piece], scene: Scene) -> list[tuple[Piece, Judged]]:
    """Every model, and whether it is in the leader's sphere."""
    radius_mm, scale = sphere_in(leader) * MM_PER_INCH, scale_sigma(scene)
    return [(m, judge_gap(piece_body(leader), piece_body(m), radius_mm, scale)) for m in models]


def against_combined(leader: Piece, models: Sequence[Piece], house: House) -> list[str]:
    """What speaks against a combined activation without measuring."""
    if is_leader(leader) and "leadership" not in leader.stats:
        raise QuestionError(f"{leader.id} has no leadership: give it stats.leadership")
    reasons = [] if is_leader(leader) else [f"{leader.id} is no leader"]
    if len({m.id for m in models}) < len(models):
        reasons.append("a model is named twice")
    if len({m.id for m in models}) < 2:
        reasons.append("fewer than two models")
    if is_leader(leader) and len(models) > leader.stats["leadership"]:
        reasons.append(f"more than {leader.stats['leadership']:g} models")
    traits = [{trait.lower() for trait in m.traits} for m in models]
    if house[SHARING.name] == "all" and not set.intersection(*traits):
        reasons.append("no trait common to all")
    if house[SHARING.name] == "pairs" and not all(first & second for first, second in combinations(traits, 2)):
        reasons.append("two that share no trait")
    reasons += [f"{m.id} is not of the leader's army" for m in models if m.owner != leader.owner]
    reasons += [f"{m.id} was activated" for m in models if m.tokens.get("activated", 0) > 0]
    return reasons


def _reach_mm(leader: Piece) -> float:
    base_mm = leader.shape.radius_mm if isinstance(leader.shape, Circle) else 0.0
    return sphere_in(leader) * MM_PER_INCH + base_mm
