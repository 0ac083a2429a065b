"""How likely a disk that seems to lie directly on another does: a third may lie hidden between them.

A single picture cannot know what is wholly covered. The chance is a logistic model of few features, fitted by
`benchmarks/fit_contact.py`; a disk that was seen being laid down is known to lie on what was there before.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from functools import cache
from importlib import resources

from assistant.rules.discs import shared_area_mm2
from assistant.rules.shapes import Disc
from assistant.scene.values import Circle, JsonValue, Piece, Scene
from vision.types.sighting import CARD_THICKNESS_MM

FEATURES = ("room", "covered", "others", "pile", "height", "confidence")
SURELY = 0.9999  # of a disk that was seen being laid down


def features(scene: Scene, top: str, bottom: str) -> tuple[float, ...]:
    """What speaks for or against a hidden disk between two of a detected scene, in the order of `FEATURES`.

    room: by how many mm a disk of the smallest size could slide unseen under the upper one; covered: the share of
    the lower disk that is not visible; others: further disks that overlap both; pile: how
    many more disks the pile has; height: by how many cards the upper
    face lies higher than directly on the lower one; confidence: log-odds that both are disks at all.
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
    sure = min(_number(upper, "confidence", 1.0), _number(lower, "confidence", 1.0))
    sure = min(max(sure, 0.05), 0.999)
    return (
        discs[top].radius_mm - smallest,
        1.0 - _number(lower, "visible_fraction", 1.0),
        float(others),
        float(len(_pile(scene, top)) - 2),
        higher_mm / CARD_THICKNESS_MM - 1.0,
        math.log(sure / (1.0 - sure)),
    )


def _pile(scene: Scene, name: str) -> set[str]:
    """All disks that are connected with one by overlaps."""
    found, waiting = {name}, [name]
    while waiting:
        here = waiting.pop()
        near = {other for pair in scene.above if here in pair for other in pair} - found
        found |= near
        waiting += near
    return found


def contact_certainty(scene: Scene, laid_in_sight: Collection[str] = ()) -> list[JsonValue]:
    """For every pair of `above` how likely nothing lies between: the scene's field `contact_certainty`."""
    weights = _weights()
    found: list[JsonValue] = []
    for top, bottom in scene.above:
        chance = SURELY
        if top not in laid_in_sight:
            values = (1.0, *features(scene, top, bottom))
            names = ("one", *FEATURES)
            odds = sum(weights[name] * value for name, value in zip(names, values, strict=True))
            chance = 1.0 / (1.0 + math.exp(-odds))
        entry: dict[str, JsonValue] = {"top": top, "bottom": bottom, "certainty": round(chance, 4)}
        found.append(entry)
    return found


@cache
def _weights() -> Mapping[str, float]:
    text = resources.files("assistant.session").joinpath("data/contact.json").read_text(encoding="utf-8")
    weights: dict[str, float] = json.loads(text)["weights"]
    return weights


def _disc(piece: Piece) -> Disc:
    if not isinstance(piece.shape, Circle):
        raise TypeError(f"{piece.id} is no disk")
    return Disc(piece.centre, piece.shape.radius_mm)


def _number(piece: Piece, name: str, default: float) -> float:
    value = piece.extra.get(name)
    return float(value) if isinstance(value, int | float) else default
