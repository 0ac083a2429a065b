"""Where texts stand so that none covers another: plain geometry, no drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assistant.ui.overlays.model import Ink
from calibration.arrays import FloatArray

_GAP = 3.0
_MUST_STAND = 4  # from this priority on a text stands where it belongs, over a piece if need be
_TURNS = np.radians((-90.0, 90.0, 0.0, 180.0, -45.0, -135.0, 45.0, 135.0))
_AROUND = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])
_REACH = (0.0, 14.0, 30.0, 52.0, 80.0, 115.0)
_FAR = 14.0  # from here on a thin line leads back to the anchor


@dataclass(frozen=True, slots=True)
class Tag:
    """A text that wants to stand at an anchor, `clear_px` away from it; 0 means on it."""

    text: str
    x: float
    y: float
    ink: Ink
    clear_px: float = 0.0
    priority: int = 0  # higher is placed first
    strong: bool = False
    elsewhere: tuple[tuple[float, float], ...] = ()  # anchors to take, in this order, where the first is out of sight


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the screen."""

    left: float
    top: float
    width: float
    height: float

    def inside(self, other: Box) -> bool:
        """Whether this one lies wholly in the other."""
        return (
            self.left >= other.left
            and self.top >= other.top
            and self.left + self.width <= other.left + other.width
            and self.top + self.height <= other.top + other.height
        )


@dataclass(frozen=True, slots=True)
class Placed:
    """A text with the box it got; `far` asks for a thin line back to its anchor."""

    tag: Tag
    box: Box
    far: bool


def place(tags: Sequence[Tag], sizes: Sequence[tuple[float, float]], screen: Box, scale: float = 1.0) -> list[Placed]:
    """Boxes that lie inside the screen and do not meet; a text for which there is no room is left out.

    `scale` is how many pixels of this screen make one of an ordinary one.
    """
    bodies = [Box(t.x - t.clear_px, t.y - t.clear_px, 2 * t.clear_px, 2 * t.clear_px) for t in tags if t.clear_px > 4]
    crowd = _Crowd(bodies, len(tags))
    placed: list[Placed] = []
    for index in sorted(range(len(tags)), key=lambda index: (-tags[index].priority, index)):
        spot = _free_spot(tags[index], sizes[index], screen, crowd, scale)
        if spot is not None:
            placed.append(spot)
            crowd.add(spot.box)
    return placed


class _Crowd:
    """What stands on the screen already: texts that must not be met, and pieces that should not be."""

    def __init__(self, bodies: Sequence[Box], room: int) -> None:
        self._sides = np.empty((len(bodies) + room, 4))
        self._first_text = self._count = len(bodies)
        for row, body in enumerate(bodies):
            self._sides[row] = (body.left, body.top, body.left + body.width, body.top + body.height)

    def add(self, box: Box) -> None:
        """One more text, with a hair of air around it."""
        self._sides[self._count] = (
            box.left - 1.0,
            box.top - 1.0,
            box.left + box.width + 1.0,
            box.top + box.height + 1.0,
        )
        self._count += 1

    def met_by(self, corners: FloatArray, size: tuple[float, float], also_pieces: bool) -> NDArray[np.bool_]:
        """Which of the boxes of one size with these left upper corners (N, 2) would cover any of it."""
        sides = self._sides[0 if also_pieces else self._first_text : self._count]
        left, top = corners[:, :1], corners[:, 1:]
        beside = (sides[:, 0] >= left + size[0]) | (sides[:, 2] <= left)
        met = ~beside & (sides[:, 1] < top + size[1]) & (sides[:, 3] > top)
        return np.asarray(met.any(axis=1), dtype=np.bool_)


def _free_spot(tag: Tag, size: tuple[float, float], screen: Box, crowd: _Crowd, scale: float) -> Placed | None:
    """The nearest place that is free: beside the pieces where it can be, over them where it must."""
    if not (screen.left <= tag.x <= screen.left + screen.width and screen.top <= tag.y <= screen.top + screen.height):
        return None
    on_anchor = tag.clear_px == 0.0
    corners = _corners(tag, size, on_anchor, scale)
    least = np.array([screen.left, screen.top])
    most = least + np.array([screen.width, screen.height]) - np.asarray(size)
    fits = np.asarray(((corners >= least) & (corners <= most)).all(axis=1), dtype=np.bool_)
    keeps_off = not tag.strong and tag.priority < _MUST_STAND
    for off_pieces in (True, False) if keeps_off else (False,):
        free = np.flatnonzero(fits & ~crowd.met_by(corners, size, off_pieces))
        if len(free):
            first = int(free[0])
            left, top = corners[first].tolist()
            reach = _REACH[max(0, first - on_anchor) // len(_TURNS)]
            return Placed(tag, Box(left, top, *size), reach > _FAR)
    return None


def _corners(tag: Tag, size: tuple[float, float], on_anchor: bool, scale: float) -> FloatArray:
    """Left upper corners of the places a text may take, the best first: on its anchor, then around it."""
    away = tag.clear_px + np.asarray(_REACH)[:, None, None] * scale + _GAP
    half = np.asarray(size) / 2
    around = (_AROUND * (away + half * np.abs(_AROUND))).reshape(-1, 2)
    middles = np.concatenate([np.zeros((1, 2)), around]) if on_anchor else around
    return np.asarray(middles - half + np.array([tag.x, tag.y]), dtype=np.float64)
