"""Building blocks of the item classes: paths through a projection, and what a pen does with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QPainterPath, QPolygonF

from assistant.scene.values import Point
from assistant.ui.overlays.model import Dash, Ink
from assistant.ui.overlays.projection import Projection
from calibration.arrays import FloatArray

_LINE_STEPS = 17  # a straight line on the table is a curve in the picture of a lens with distortion


@dataclass(frozen=True, slots=True)
class Stroke:
    """A path in picture pixels, its pen in screen pixels, and how strongly it is filled."""

    path: QPainterPath
    ink: Ink
    width: float = 2.0
    dash: Dash = Dash.SOLID
    alpha: float = 1.0
    fill: float = 0.0
    casing: bool = True


def circle(centre: Point, radius_mm: float, steps: int = 72) -> tuple[Point, ...]:
    """A circle on the table as a closed outline."""
    turns = (2 * math.pi * index / steps for index in range(steps))
    return tuple((centre[0] + radius_mm * math.cos(turn), centre[1] + radius_mm * math.sin(turn)) for turn in turns)


def closed(outlines: Sequence[Sequence[Point]], projection: Projection, height_mm: float = 0.0) -> QPainterPath:
    """One path of closed outlines; the first is the outside, the others are holes."""
    path = QPainterPath()
    for outline in outlines:
        points = projection.to_picture(_dense(np.asarray(outline, dtype=np.float64)), height_mm)
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points.tolist()]))
        path.closeSubpath()
    return path


def straight(start: Point, end: Point, projection: Projection, height_mm: float, arrow: bool) -> QPainterPath:
    """A line on the table, with an arrow head that lies on the table too."""
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    path = QPainterPath()
    _add_run(path, projection.to_picture(a + np.linspace(0, 1, _LINE_STEPS)[:, None] * (b - a), height_mm))
    length = float(np.linalg.norm(b - a))
    if arrow and length > 1.0:
        ahead = (b - a) / length
        side = np.array([-ahead[1], ahead[0]])
        barb = min(14.0, length / 3)
        tips = np.array([b - ahead * barb + side * barb * 0.5, b, b - ahead * barb - side * barb * 0.5])
        _add_run(path, projection.to_picture(tips, height_mm))
    return path


def spot(point: Point, projection: Projection, height_mm: float = 0.0) -> tuple[float, float]:
    """The pixel of one board point."""
    x, y = projection.to_picture(np.asarray([point], dtype=np.float64), height_mm)[0].tolist()
    return (x, y)


def between(start: Point, end: Point, share: float) -> Point:
    """That share of the way."""
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def _add_run(path: QPainterPath, points: FloatArray) -> None:
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points.tolist()]))


def _dense(outline: FloatArray) -> FloatArray:
    """More points on long sides, so that they bend with the lens."""
    if len(outline) >= 24:
        return outline
    following = np.roll(outline, -1, axis=0)
    steps = np.linspace(0, 1, 8, endpoint=False)[None, :, None]
    return np.asarray((outline[:, None] * (1 - steps) + following[:, None] * steps).reshape(-1, 2), dtype=np.float64)
