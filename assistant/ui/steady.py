"""Overlays that do not tremble: a piece is drawn where it was until it has really moved."""

from __future__ import annotations

from dataclasses import replace

from assistant.scene.values import Piece, Point, Scene

_LEAST_MM = 0.6
_MOST_MM = 1.5
_SIGMAS = 2.5


class Steadier:
    """Remembers where each piece was drawn; a change within the measuring error is not shown."""

    def __init__(self) -> None:
        self._drawn: dict[str, Point] = {}

    def update(self, scene: Scene) -> Scene:
        """The scene as it is drawn: only for the eye, rulings use the scene itself."""
        steady = tuple(self._steadied(piece) for piece in scene.pieces)
        self._drawn = {piece.id: piece.centre for piece in steady if piece.on_field}
        return replace(scene, pieces=steady)

    def _steadied(self, piece: Piece) -> Piece:
        drawn = self._drawn.get(piece.id)
        if drawn is None or not piece.on_field:
            return piece
        x, y = piece.centre
        off_mm = ((x - drawn[0]) ** 2 + (y - drawn[1]) ** 2) ** 0.5
        still_mm = min(_MOST_MM, max(_LEAST_MM, _SIGMAS * piece.sigma_mm))
        return replace(piece, x=drawn[0], y=drawn[1]) if off_mm <= still_mm else piece
