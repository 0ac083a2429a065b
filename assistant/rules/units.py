"""Units and regiments: the models that act as one."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.rules.bodies import Body
from assistant.rules.game import QuestionError
from assistant.scene.errors import SceneError
from assistant.scene.values import Piece, Scene

Units = dict[str, tuple[Piece, ...]]


def unit_name(piece: Piece) -> str:
    """The unit a model belongs to; a model without one is a unit of its own."""
    return piece.unit or piece.id


def units_on_field(scene: Scene) -> Units:
    """Every unit with a model on the table, by name, its models in the scene's order."""
    found: dict[str, list[Piece]] = {}
    for piece in scene.on_field():
        found.setdefault(unit_name(piece), []).append(piece)
    return {name: tuple(found[name]) for name in sorted(found)}


def unit_on_field(scene: Scene, name: str) -> tuple[Piece, ...]:
    """The models of one unit on the table; a unit without any, or an unknown one, is an error."""
    known = units_on_field(scene)
    if name in known:
        return known[name]
    for piece in scene.pieces:
        if piece.id == name and piece.on_field:
            return known[unit_name(piece)]
    if any(unit_name(piece) == name or piece.id == name for piece in scene.pieces):
        raise QuestionError(f"{name} has no model on the field")
    raise SceneError("", f"unknown unit {name!r}; this scene has {', '.join(known) or 'none'}")


def unit_body(name: str, models: Sequence[Piece]) -> Body:
    """A unit as one thing to measure from."""
    return Body.of(name, models)


def owner_of(models: Sequence[Piece]) -> str | None:
    """Whose unit it is."""
    return models[0].owner


def enemies(a: Piece, b: Piece) -> bool:
    """Whether two models belong to different players."""
    return a.owner is not None and b.owner is not None and a.owner != b.owner
