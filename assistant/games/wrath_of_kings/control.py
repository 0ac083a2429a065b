"""Who controls terrain and objectives: WK-15 and WK-16."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.games.wrath_of_kings.elements import Element, Kind, element, of_objective, of_terrain
from assistant.rules.answers import expect_words, measured, verdict
from assistant.rules.bodies import scale_sigma
from assistant.rules.checks import held_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import Judged, contact, judge_gap, piece_body
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.rules.shapes import centre_of
from assistant.scene.values import MM_PER_INCH, Piece, Scene

OBJECTIVE_IN = 1.0


@dataclass(frozen=True, slots=True)
class Control:
    """Who controls an element (nobody: None), with how many models each, and how sure that is."""

    player: str | None
    models: Counter[str]
    certainty: float


def control_of(scene: Scene, place: Element) -> Control:
    """Terrain is controlled by contact without an enemy in contact, an objective by the most models within an inch."""
    judged = _present(scene, place)

    def player_by(present: Sequence[bool]) -> str | None:
        count = _count(judged, present)
        if place.kind is Kind.TERRAIN:
            return next(iter(count)) if len(count) == 1 else None
        ranked = count.most_common(2)
        alone = len(ranked) == 1 or (len(ranked) == 2 and ranked[0][1] > ranked[1][1])
        return ranked[0][0] if alone else None

    seen = [near.yes for _, near in judged]
    certainty = held_sure([near for _, near in judged], player_by)
    return Control(player_by(seen), _count(judged, seen), certainty)


def _count(judged: Sequence[tuple[Piece, Judged]], present: Sequence[bool]) -> Counter[str]:
    """How many models each player has there."""
    return Counter(
        piece.owner for (piece, _), here in zip(judged, present, strict=True) if here and piece.owner is not None
    )


def _present(scene: Scene, place: Element) -> list[tuple[Piece, Judged]]:
    """Every model and whether it counts for control."""
    if place.kind is Kind.TERRAIN:
        return [(piece, contact(piece_body(piece), place.body)) for piece in scene.on_field()]
    limit, scale = OBJECTIVE_IN * MM_PER_INCH, scale_sigma(scene)
    return [(piece, judge_gap(place.body, piece_body(piece), limit, scale)) for piece in scene.on_field()]


def ask_control(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`control T`: who controls a terrain piece or an objective."""
    del house
    expect_words(words, 1, 1, "control T")
    place = element(scene, words[0])
    if place.kind is Kind.MODEL:
        raise QuestionError(f"{place.id} is a model: only terrain and objectives are controlled")
    return control_ruling(scene, place)


def control_ruling(scene: Scene, place: Element) -> Ruling:
    """Who controls an element, as a ruling."""
    found = control_of(scene, place)
    numbers = ", ".join(f"{player} {count}" for player, count in sorted(found.models.items())) or "no models"
    who = f"{found.player} controls {place.id}" if found.player else f"nobody controls {place.id}"
    return Ruling(
        kind="control",
        verdict=verdict(found.player is not None, found.certainty),
        sentence=f"{who} ({numbers} there).",
        rule="WK-15" if place.kind is Kind.TERRAIN else "WK-16",
        pieces=(place.id,),
        evidence=(Ring(centre_of(place.shape), 10.0, Meaning.CONTROL, found.player or ""),),
        certainty=found.certainty,
        answer=measured({"player": found.player}, found.certainty),
    )


def control_rulings(scene: Scene) -> list[Ruling]:
    """Everything on the table that somebody controls or fights over."""
    places = [*(of_terrain(terrain) for terrain in scene.terrain), *(of_objective(o) for o in scene.objectives)]
    return [control_ruling(scene, place) for place in places if control_of(scene, place).models]
