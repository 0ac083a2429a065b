"""A piece came onto the table: one that people placed already, or one they are asked about."""

from __future__ import annotations

from assistant.rules.game import quoted
from assistant.rules.ledger import Choice, Need, Seen, renamed, told_before
from assistant.scene.values import Scene

DISMISS = "ok"


def appeared(known: Scene, seen: Seen) -> tuple[Scene, tuple[Need, ...]]:
    """The table after an `appeared` event, and the question which piece it is where that is not known.

    One that was placed by a telling goes on under the name that the camera gives it.
    """
    fresh = next((piece for piece in seen.scene.pieces if piece.id == seen.piece), None)
    if fresh is None:
        return known, ()
    placed = told_before(known, seen.scene, fresh)
    if placed is not None:
        return seen.into(renamed(known, placed, fresh.id)), ()
    table = seen.into(known)
    off = [piece for piece in known.pieces if not piece.on_field and piece.id != fresh.id]
    alike = [piece for piece in off if (piece.owner, piece.unit) == (fresh.owner, fresh.unit)]
    choices = [Choice(f"it is {piece.id}", f"same {quoted(fresh.id)} {quoted(piece.id)}") for piece in alike]
    ask = f"{fresh.id} came onto the table: which piece is it?"
    return table, (Need(fresh.owner or "", ask, (*choices, Choice("leave it as it lies", DISMISS))),)
