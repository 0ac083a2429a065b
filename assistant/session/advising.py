"""Advice on the picture while a game goes on: asked now and then, told when it holds, one problem at a time."""

from __future__ import annotations

import math

from assistant.scene.values import Circle, Scene
from assistant.session.moment import Moment
from vision.camera.quality import Advice, PieceOutline, advise
from vision.types.frame import Frame

BETWEEN_S = 4.0  # between two checks: one takes as long as a few frames
MOVED_SHOWN_S = 6.0
MOVED = Advice(
    "camera moved", "the camera was moved and the table was measured again: fix its mount, and check the last move"
)


class Advising:
    """The advice that holds now; `update` once per frame. A problem is told when two checks in a row find it."""

    def __init__(self) -> None:
        self._next_s = -math.inf
        self._moved_s = -math.inf
        self._found: Advice | None = None
        self._told: Advice | None = None

    def update(self, frame: Frame, moment: Moment) -> Advice | None:
        """What to tell the players at this frame."""
        if any(event.type == "camera_moved" for event in moment.events):
            self._moved_s = frame.time_s
        if frame.time_s - self._moved_s < MOVED_SHOWN_S:
            return MOVED
        if frame.time_s >= self._next_s and (moment.settled or moment.view is None):
            self._next_s = frame.time_s + BETWEEN_S
            table = moment.scene.table
            size = (table.width_mm, table.depth_mm)
            found = advise(frame.bgr, moment.view, outlines_of(moment.scene), size)
            self._told = found if _same(found, self._found) else None
            self._found = found
        return self._told


def outlines_of(scene: Scene) -> tuple[PieceOutline, ...]:
    """The visible pieces of a scene, as advice on the picture needs them."""
    return tuple(
        PieceOutline(piece.profile or piece.id, piece.x, piece.y, piece.shape.radius_mm)
        for piece in scene.pieces
        if isinstance(piece.shape, Circle) and piece.visible and piece.x is not None and piece.y is not None
    )


def _same(first: Advice | None, second: Advice | None) -> bool:
    return first is not None and second is not None and first.problem == second.problem
