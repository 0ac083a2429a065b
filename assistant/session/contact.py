"""What speaks for a third disk hidden between two that seem to touch: a single picture cannot know what is covered."""

from __future__ import annotations

from assistant.rules.discs import shared_area_mm2
from assistant.rules.shapes import Disc
from assistant.scene.values import Circle, Piece, Scene
from assistant.session.certainty_model import log_odds
from assistant.session.piles import pile_of
from vision.types.sighting import CARD_THICKNESS_MM


def contact_features(scene: Scene, top: str, bottom: str) -> dict[str, float]:
    """Features of two disks of a detected scene, the upper one first.

    room: by how many mm a disk of the smallest size could slide unseen under the upper one; covered: the share of the
    lower disk that is not visible; others: further disks that overlap both; pile: how many more disks the pile has;
    height: by how many cards the upper face lies higher than directly on the lower one; confidence: log-odds that both
    are disks at all.
    """
    upper, lower = scene.piece(top), scene.piece(bottom)
    discs = {piece.id: _disc(piece) for piece in scene.on_field() if isinstance(piece.shape, Circle)}
    smallest = min(disc.radius_mm for disc in discs.values())
    others = sum(
        shared_area_mm2((discs[top], disc)) > 1.0 and shared_area_mm2((discs[bottom], disc)) > 1.0
        for name, disc in discs.items()
        if name not in (top, bottom)
    )
    higher_mm = _number(upper, "face_height_mm", 4.0) - _number(lower, "face_height_mm", 2.0)
    return {
        "room": discs[top].radius_mm - smallest,
        "covered": 1.0 - _number(lower, "visible_fraction", 1.0),
        "others": float(others),
        "pile": float(len(pile_of(scene, top)) - 2),
        "height": higher_mm / CARD_THICKNESS_MM - 1.0,
        "confidence": log_odds(min(_number(piece, "confidence", 1.0) for piece in (upper, lower))),
    }


def _disc(piece: Piece) -> Disc:
    if not isinstance(piece.shape, Circle):
        raise TypeError(f"{piece.id} is no disk")
    return Disc(piece.centre, piece.shape.radius_mm)


def _number(piece: Piece, name: str, default: float) -> float:
    value = piece.extra.get(name)
    return float(value) if isinstance(value, int | float) else default
