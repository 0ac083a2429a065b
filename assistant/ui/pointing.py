"""What the players point at: plain values, and what a click makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.scene.values import Circle, Piece, Point, Scene
from assistant.ui.overlays.projection import Projection
from assistant.ui.stacks import face_height_mm, stack_levels


@dataclass(frozen=True, slots=True)
class Pointing:
    """The piece under the pointer, the one or two that are asked about, and where a ghost of the first is held."""

    hover: str | None = None
    first: str | None = None
    second: str | None = None
    ghost: Point | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """The pieces the question is about."""
        return tuple(identity for identity in (self.first, self.second) if identity is not None)


def clicked(pointing: Pointing, identity: str | None) -> Pointing:
    """A first click asks about a piece, a second about the pair; the same piece or the bare table ends the question."""
    if identity is None or identity == pointing.first:
        return replace(pointing, first=None, second=None, ghost=None)
    if pointing.first is None:
        return replace(pointing, first=identity, second=None, ghost=None)
    return replace(pointing, second=None if identity == pointing.second else identity, ghost=None)


def still_there(pointing: Pointing, scene: Scene) -> Pointing:
    """Without the pieces that have left the table."""
    there = {piece.id for piece in scene.on_field()}
    first = pointing.first if pointing.first in there else None
    return Pointing(
        pointing.hover if pointing.hover in there else None,
        first,
        pointing.second if first and pointing.second in there else None,
        pointing.ghost if first else None,
    )


def piece_at(scene: Scene, projection: Projection, x_px: float, y_px: float) -> str | None:
    """The piece under a pixel; in a stack the one whose face is highest."""
    levels = stack_levels(scene)
    best: tuple[float, str] | None = None
    for piece in scene.on_field():
        height_mm = face_height_mm(piece, levels)
        x, y = projection.to_board(np.array([[x_px, y_px]]), height_mm)[0].tolist()
        if _covers(piece, x, y) and (best is None or height_mm > best[0]):
            best = (height_mm, piece.id)
    return best[1] if best else None


def next_piece(scene: Scene, current: str | None, step: int) -> str | None:
    """The next piece in reading order, for the keyboard."""
    order = reading_order(scene.on_field())
    if not order:
        return None
    if current not in order:
        return order[0 if step > 0 else -1]
    return order[(order.index(current) + step) % len(order)]


def reading_order(pieces: Sequence[Piece]) -> list[str]:
    """Ids from north-west to south-east, in rows of a hand's width."""
    return [piece.id for piece in sorted(pieces, key=lambda piece: (round(piece.centre[1] / 80), piece.centre[0]))]


def _covers(piece: Piece, x: float, y: float) -> bool:
    dx, dy = x - piece.centre[0], y - piece.centre[1]
    if isinstance(piece.shape, Circle):
        return dx * dx + dy * dy <= piece.shape.radius_mm**2
    turn = np.radians(piece.facing_deg)
    across, along = dx * np.cos(turn) + dy * np.sin(turn), -dx * np.sin(turn) + dy * np.cos(turn)
    return bool(abs(across) <= piece.shape.width_mm / 2 and abs(along) <= piece.shape.depth_mm / 2)
