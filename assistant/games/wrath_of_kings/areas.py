"""Spheres of influence and auras: WK-13 and WK-14."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.wrath_of_kings.elements import is_commander, is_leader, model
from assistant.rules.answers import expect_words, listed, measured, number, texts, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.judged import Judged, judge_gap, piece_body, together
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.scene.values import MM_PER_INCH, Circle, Piece, Scene

LEADER_IN = 6.0
COMMANDER_IN = 8.0


def sphere_in(piece: Piece) -> float:
    """How far a leader's sphere of influence reaches."""
    if not is_leader(piece):
        raise QuestionError(f"{piece.id} is no leader and has no sphere of influence")
    return COMMANDER_IN if is_commander(piece) else LEADER_IN


def reached(source: Piece, scene: Scene, inches: float) -> list[tuple[Piece, Judged]]:
    """Every model of both sides, sorted by id, and whether it is within that many inches."""
    return [
        (other, judge_gap(piece_body(source), piece_body(other), inches * MM_PER_INCH, scale_sigma(scene)))
        for other in sorted(scene.on_field(), key=lambda other: other.id)
    ]


def ask_soi(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`soi A`: the models in a leader's sphere of influence."""
    del house
    expect_words(words, 1, 1, "soi A")
    source = model(scene, words[0])
    radius_in = sphere_in(source)
    return _area(source, scene, radius_in, "WK-13", f"the sphere of {source.id}", {"radius_in": radius_in})


def ask_aura(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`aura A INCHES`: the models in an area around A."""
    del house
    expect_words(words, 2, 2, "aura A INCHES")
    source, inches = model(scene, words[0]), number(words[1], "inches")
    if inches < 0:
        raise QuestionError(f"expected inches of 0 or more, got {words[1]}")
    return _area(source, scene, inches, "WK-14", f"the {inches:g} in around {source.id}", {})


def _area(source: Piece, scene: Scene, inches: float, rule: str, name: str, fields: Answer) -> Ruling:
    others = reached(source, scene, inches)
    inside = [other for other, judged in others if judged.yes]
    friendly = [other.id for other in inside if other.id == source.id or other.owner == source.owner]
    hostile = [other.id for other in inside if other.id not in friendly]
    certainty = together(judged for _, judged in others)
    names = [other.id for other in inside]
    radius_mm = inches * MM_PER_INCH + (source.shape.radius_mm if isinstance(source.shape, Circle) else 0.0)
    return Ruling(
        kind="area",
        verdict=verdict(True, certainty),
        sentence=f"In {name}: {listed(names)}.",
        rule=rule,
        pieces=(source.id,),
        evidence=(Ring(source.centre, radius_mm, Meaning.REACH, f"{inches:g} in"),),
        margin_mm=min((judged.margin_mm for other, judged in others if other.id != source.id), default=None),
        certainty=certainty,
        answer=measured(
            {**fields, "models": texts(names), "friendly": texts(friendly), "enemies": texts(hostile)}, certainty
        ),
    )
