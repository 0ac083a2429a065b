"""Where texts stand so that none covers another: plain geometry, no drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.ui.overlays.model import Ink

_GAP = 3.0
_MUST_STAND = 4  # from this priority on a text stands where it belongs, over a piece if need be
_TURNS = (-90.0, 90.0, 0.0, 180.0, -45.0, -135.0, 45.0, 135.0)
_REACH = (0.0, 14.0, 30.0, 52.0, 80.0)


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

    def meets(self, box: Box, also_pieces: bool) -> bool:
        """Whether a box would cover any of it."""
        sides = self._sides[0 if also_pieces else self._first_text : self._count]
        right, bottom = box.left + box.width, box.top + box.height
        met = (sides[:, 0] < right) & (sides[:, 1] < bottom) & (sides[:, 2] > box.left) & (sides[:, 3] > box.top)
        return bool(met.any())


def _free_spot(tag: Tag, size: tuple[float, float], screen: Box, crowd: _Crowd, scale: float) -> Placed | None:
    """The nearest place that is free: beside the pieces where it can be, over them where it must."""
    width, height = size
    if not (screen.left <= tag.x <= screen.left + screen.width and screen.top <= tag.y <= screen.top + screen.height):
        return None
    keeps_off = not tag.strong and tag.priority < _MUST_STAND
    for off_pieces in (True, False) if keeps_off else (False,):
        for reach in _REACH[:3] if off_pieces else _REACH:
            for turn_deg in (None, *_TURNS) if reach == 0.0 and tag.clear_px == 0.0 else _TURNS:
                box = _box_at(tag, width, height, turn_deg, reach * scale)
                if box.inside(screen) and not crowd.meets(box, off_pieces):
                    return Placed(tag, box, reach > 14.0)
    return None


def _box_at(tag: Tag, width: float, height: float, turn_deg: float | None, reach: float) -> Box:
    if turn_deg is None:
        return Box(tag.x - width / 2, tag.y - height / 2, width, height)
    dx, dy = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    away = tag.clear_px + reach + _GAP
    x = tag.x + dx * (away + width / 2 * abs(dx))
    y = tag.y + dy * (away + height / 2 * abs(dy))
    return Box(x - width / 2, y - height / 2, width, height)
