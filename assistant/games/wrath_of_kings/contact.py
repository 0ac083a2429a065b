"""Contact and engagement: WK-5 and WK-6."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.wrath_of_kings.elements import model
from assistant.rules.answers import expect_words, listed, measured, texts, verdict
from assistant.rules.game import House
from assistant.rules.judged import Judged, contact, piece_body, together
from assistant.rules.measure import nearest_points
from assistant.rules.ruling import Line, Meaning, Ruling
from assistant.rules.shapes import footprint
from assistant.rules.units import enemies
from assistant.scene.values import Piece, Scene


def contacts(piece: Piece, scene: Scene) -> list[tuple[Piece, Judged]]:
    """Every enemy model, sorted by id, and whether it touches this one."""
    others = sorted((other for other in scene.on_field() if enemies(piece, other)), key=lambda other: other.id)
    return [(other, contact(piece_body(piece), piece_body(other))) for other in others]


def engaged_with(piece: Piece, scene: Scene) -> list[Piece]:
    """The enemies in contact with a model."""
    return [other for other, judged in contacts(piece, scene) if judged.yes]


def ask_engaged(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`engaged A`: the enemies A is in contact with."""
    del house
    expect_words(words, 1, 1, "engaged A")
    return engagement(model(scene, words[0]), scene)


def engagement(piece: Piece, scene: Scene) -> Ruling:
    """Whether a model is engaged, and with whom."""
    touching = contacts(piece, scene)
    found = [other for other, judged in touching if judged.yes]
    certainty = together(judged for _, judged in touching)
    names = [other.id for other in found]
    how = f"is engaged with {listed(names)}" if found else "is not engaged"
    return Ruling(
        kind="engagement",
        verdict=verdict(bool(found), certainty),
        sentence=f"{piece.id} {how}.",
        rule="WK-6",
        pieces=(piece.id, *names),
        evidence=tuple(
            Line(*nearest_points(footprint(piece), footprint(other)), Meaning.ENGAGEMENT) for other in found
        ),
        margin_mm=min((judged.margin_mm for _, judged in touching), default=None),
        certainty=certainty,
        answer=measured({"engaged": bool(found), "with": texts(names)}, certainty),
    )
