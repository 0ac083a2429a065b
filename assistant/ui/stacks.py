"""Who lies how deep in a stack, and how high a face is above the cloth."""

from __future__ import annotations

from assistant.scene.values import Piece, Scene

CARD_MM = 2.0


def stack_levels(scene: Scene) -> dict[str, int]:
    """For every piece that overlaps another: 1 for the top, 2 for what lies under it, and so on.

    A cycle, which no real table has, ends where it closes.
    """
    over: dict[str, list[str]] = {}
    for top, bottom in scene.above:
        over.setdefault(bottom, []).append(top)
        over.setdefault(top, [])
    levels: dict[str, int] = {}

    def level(identity: str, seen: frozenset[str]) -> int:
        if identity not in levels:
            tops = [top for top in over[identity] if top not in seen]
            levels[identity] = 1 + max((level(top, seen | {identity}) for top in tops), default=0)
        return levels[identity]

    for identity in over:
        level(identity, frozenset())
    return levels


def face_height_mm(piece: Piece, levels: dict[str, int]) -> float:
    """The measured height of the face, or a guess from the stack where none was measured."""
    measured = piece.extra.get("face_height_mm")
    if isinstance(measured, int | float) and not isinstance(measured, bool):
        return float(measured)
    deepest = max(levels.values(), default=1)
    return CARD_MM * (1 + deepest - levels[piece.id]) if piece.id in levels else CARD_MM
