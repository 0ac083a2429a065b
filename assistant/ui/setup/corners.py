"""Corners of a battlefield as people click them, in pixels of the picture. Plain functions, no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from assistant.scene.values import Point
from assistant.ui.overlays.model import AreaMark, Dash, Ink, LineMark, Overlay, RingMark
from assistant.ui.setup.profile import Corners

NAMES = ("NW", "NE", "SE", "SW")
_RING_PX = 9.0


def in_order(clicked: Sequence[Point]) -> Corners:
    """Four corners, clicked in any order, as NW NE SE SW: clockwise, the side at the top of the picture is north.

    >>> in_order([(90.0, 80.0), (10.0, 80.0), (80.0, 20.0), (20.0, 20.0)])
    ((20.0, 20.0), (80.0, 20.0), (90.0, 80.0), (10.0, 80.0))
    """
    x = sum(point[0] for point in clicked) / len(clicked)
    y = sum(point[1] for point in clicked) / len(clicked)
    round_the_middle = sorted(clicked, key=lambda point: math.atan2(point[1] - y, point[0] - x))
    turns = [_turned(round_the_middle, by) for by in range(4)]
    return min(turns, key=lambda corners: corners[0][1] + corners[1][1])


def turned(corners: Corners) -> Corners:
    """The same field with north at the next side: for a table whose long side goes the other way."""
    return _turned(corners, 1)


def nearest_corner(corners: Sequence[Point], place: Point, within_px: float) -> int | None:
    """Which corner is under the pointer."""
    if not corners:
        return None
    near = min(range(len(corners)), key=lambda index: math.dist(corners[index], place))
    return near if math.dist(corners[near], place) <= within_px else None


def corner_marks(
    corners: Sequence[Point], pointer: Point | None, chosen: int | None, table_mm: tuple[float, float], px: float
) -> list[Overlay]:
    """The corners so far; with all four the field with its sides, before that a line to the pointer.

    `px`: pixels of the picture that one pixel of the screen shows.
    """
    marks: list[Overlay] = []
    whole = len(corners) == len(NAMES)
    if whole:
        marks.append(AreaMark(tuple(corners), Ink.MEASURE, "", dash=Dash.DASHED, fill=0.06))
        for index, length in enumerate((*table_mm, *table_mm)):
            text = f"{length:.0f} mm"
            marks.append(LineMark(corners[index], corners[(index + 1) % 4], Ink.MEASURE, text, Dash.DASHED))
    else:
        trail = [*corners, *([pointer] if pointer is not None else [])]
        marks += [LineMark(a, b, Ink.MEASURE, "", Dash.DASHED) for a, b in pairwise(trail)]
    for index, corner in enumerate(corners):
        ink = Ink.CLOSE if index == chosen else Ink.SELECTED
        marks.append(RingMark(corner, _RING_PX * px, ink, NAMES[index] if whole else str(index + 1), fill=0.2))
    return marks


def _turned(corners: Sequence[Point], by: int) -> Corners:
    a, b, c, d = (corners[(index + by) % 4] for index in range(4))
    return (a, b, c, d)
