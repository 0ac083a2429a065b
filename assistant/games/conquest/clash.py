"""Clashes: who is engaged, who supports, how many attacks (CQ-23 to CQ-26, CQ-55)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assistant.games.conquest.regiments import Regiment, hostile, regiment, regiments, touching
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.bodies import Body
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import CONTACT_MM, Judged, contact, piece_body, together
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.ruling import Area, Meaning, Ruling
from assistant.rules.shapes import Outline, footprint, heading
from assistant.scene.values import Piece, Scene


def contacts(one: Regiment, other: Regiment) -> list[tuple[Piece, Judged]]:
    """Every stand of a regiment and whether it fights the other as an engaged stand."""
    if one.garrison is not None or other.garrison is not None:
        met = touching(one, other)
        return [(stand, met if stand in one.front else Judged(False, 1.0, 0.0)) for stand in one.stands]
    # The gaps of an incomplete rank are fought across as if they were filled (CQ-26).
    filled = (other.rectangle,) if other.incomplete else ()
    target = Body(other.name, (*other.body.parts, *filled), (*other.body.sigmas_mm, *(other.sigma_mm for _ in filled)))
    return [(stand, contact(piece_body(stand), target)) for stand in one.stands]


def in_contact(one: Regiment, other: Regiment) -> Judged:
    """Whether two regiments fight each other, across the gaps of incomplete ranks too."""
    found = [judged for _, judged in (*contacts(one, other), *contacts(other, one))]
    touched = [judged for judged in found if judged.yes]
    if touched:
        return max(touched, key=lambda judged: judged.certainty)
    return min(found, key=lambda judged: judged.certainty)


def fought_from_behind(one: Regiment, scene: Scene) -> bool:
    """Whether an enemy touches a regiment elsewhere than at its front."""
    forward = np.array(heading(one.facing_deg))
    front = float(np.array(one.rectangle.points[0]) @ forward)
    for other in regiments(scene).values():
        if not hostile(one, other) or other.garrison is not None:
            continue
        for stand in other.stands:
            shape = footprint(stand)
            if contact(one.body, piece_body(stand)).yes and isinstance(shape, Outline):
                rear = min(float(np.array(corner) @ forward) for corner in shape.points)
                if rear < front - CONTACT_MM - 1e-6:
                    return True
    return False


def _engaged_elsewhere(one: Regiment, other: Regiment, scene: Scene) -> set[str]:
    """The stands in contact with other enemies only: each attacks one of those it touches (CQ-27)."""
    thirds = [third for name, third in regiments(scene).items() if name != other.name and hostile(one, third)]
    return {stand.id for third in thirds for stand, touch in contacts(one, third) if touch.yes}


def attacks_of(stand: Piece, engaged: bool, behind: bool) -> int:
    """A stand's attacks: all of them when engaged, else its support."""
    if not engaged:
        support = keyword_value(stand.keywords, "support")
        return int(support) if support is not None and not behind else 1
    if "attacks" not in stand.stats:
        raise QuestionError(f"{stand.id} has no attacks: give it stats.attacks")
    return int(stand.stats["attacks"]) + (1 if has_keyword(stand.keywords, "leader") else 0)


def ask_clash(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`clash R S`: the stands of R that are engaged with S, those that support, and their attacks."""
    del house
    expect_words(words, 2, 2, "clash R S")
    one, other = regiment(scene, words[0]), regiment(scene, words[1])
    return clash_ruling(scene, one, other)


def clash_ruling(scene: Scene, one: Regiment, other: Regiment) -> Ruling:
    """One side of a clash as a ruling."""
    judged = contacts(one, other)
    met = in_contact(one, other)
    fights = met.yes and hostile(one, other)
    engaged = sorted(stand.id for stand, touch in judged if touch.yes and fights)
    elsewhere = _engaged_elsewhere(one, other, scene) if fights else set()
    supporting = sorted(stand.id for stand in one.stands if fights and stand.id not in {*engaged, *elsewhere})
    behind = fought_from_behind(one, scene) if fights else False
    striking = [stand for stand in one.stands if stand.id in {*engaged, *supporting}]
    attacks = sum(attacks_of(stand, stand.id in engaged, behind) for stand in striking)
    certainty = together([met, *(touch for _, touch in judged)])
    if fights:
        sentence = f"{one.name} strikes at {other.name} with {attacks} attacks: {listed(engaged)} engaged."
    else:
        sentence = f"{one.name} and {other.name} do not fight: no contact."
    return Ruling(
        kind="engagement",
        verdict=verdict(fights, certainty),
        sentence=sentence,
        rule="CQ-25",
        pieces=(one.name, other.name),
        evidence=tuple(
            Area(shape.points, Meaning.ENGAGEMENT)
            for stand in one.stands
            if stand.id in engaged and isinstance(shape := footprint(stand), Outline)
        ),
        margin_mm=met.margin_mm,
        certainty=certainty,
        answer=measured({"engaged": texts(engaged), "supporting": texts(supporting), "attacks": attacks}, certainty),
    )
