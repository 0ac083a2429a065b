"""One item class for every kind of overlay: its strokes and its texts. `ITEMS` joins them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from assistant.scene.values import Point
from assistant.ui.overlays.labels import Tag
from assistant.ui.overlays.model import (
    AreaMark,
    Dash,
    GhostMark,
    HaloMark,
    Ink,
    LineMark,
    Overlay,
    PieceMark,
    RingMark,
    TraceMark,
    VeilMark,
)
from assistant.ui.overlays.projection import Projection
from assistant.ui.overlays.strokes import Stroke, between, circle, closed, spot, straight
from calibration.arrays import FloatArray

_FILL = 0.3
_NOSE_MM = 9.0


class Item(Protocol):
    """What drawing needs of an overlay."""

    @property
    def strokes(self) -> Sequence[Stroke]:
        """Lines and areas in picture pixels."""

    @property
    def tags(self) -> Sequence[Tag]:
        """Texts that want a place."""


class PieceItem:
    """A piece: its outline in its owner's colour (every second owner has a double rim).

    Dotted where it is covered, dash-dotted and with a question mark where it is doubtful.
    """

    def __init__(self, mark: PieceMark, projection: Projection) -> None:
        path = closed([mark.outline], projection, mark.height_mm)
        dash = Dash.DOTTED if mark.hidden else Dash.DASH_DOT if mark.doubtful else Dash.SOLID
        fill = _FILL if mark.filled else 0.10 if mark.held else 0.0
        self.strokes = [Stroke(path, mark.ink, 2.6, dash, 0.75 if mark.hidden else 1.0, fill)]
        if mark.faces:
            self.strokes.append(
                Stroke(closed([_nose(mark)], projection, mark.height_mm), mark.ink, 1.6, dash, fill=0.9)
            )
        if mark.double:
            inner = closed([_shrunk(mark.outline, mark.centre, 0.86)], projection, mark.height_mm)
            self.strokes.append(Stroke(inner, mark.ink, 1.2, dash, 0.85, casing=False))
        if mark.selected:
            outer = closed([_shrunk(mark.outline, mark.centre, 1.09)], projection, mark.height_mm)
            self.strokes.append(Stroke(outer, Ink.SELECTED, 2.4))
        rim = mark.outline[:: max(1, len(mark.outline) // 8)]
        pixels = projection.to_picture(np.asarray((mark.centre, *rim)), mark.height_mm)
        x, y = pixels[0].tolist()
        clear = float(np.abs(pixels[1:, 1] - y).max())
        self.tags: list[Tag] = []
        if mark.name:
            name = f"{mark.name} ?" if mark.doubtful else mark.name
            self.tags.append(Tag(name, x, y, mark.ink, clear, 3 if mark.selected else 1))
        if mark.level is not None:
            self.tags.append(Tag(str(mark.level), x, y, mark.ink, 0.0, 2, strong=True))


class HaloItem:
    """The band around a rim in which the real rim lies, nineteen times out of twenty."""

    def __init__(self, mark: HaloMark, projection: Projection) -> None:
        path = closed([mark.outer, mark.inner], projection, mark.height_mm)
        self.strokes = [Stroke(path, Ink.CLOSE, 1.0, Dash.SOLID, 0.7, 0.45, False)]
        rim = projection.to_picture(np.asarray(mark.outer), mark.height_mm)
        x, y = rim[rim[:, 1].argmax()].tolist()
        self.tags = [Tag(mark.text, x, y, Ink.CLOSE, 2.0)]


class LineItem:
    """A line with its text at the middle."""

    def __init__(self, mark: LineMark, projection: Projection) -> None:
        path = straight(mark.start, mark.end, projection, mark.height_mm, mark.arrow)
        self.strokes = [Stroke(path, mark.ink, 2.6, mark.dash)]
        places = [between(mark.start, mark.end, share) for share in (0.5, 0.25, 0.75)]
        pixels = projection.to_picture(np.asarray(places), mark.height_mm)
        self.tags = [_anchored(mark.text, pixels, mark.ink, 4)] if mark.text else []


class RingItem:
    """A circle on the table; its text stands on the line, at the picture's upper side."""

    def __init__(self, mark: RingMark, projection: Projection) -> None:
        rim = circle(mark.centre, mark.radius_mm)
        self.strokes = [Stroke(closed([rim], projection), mark.ink, 1.8, mark.dash, 0.95, mark.fill)]
        self.tags = [_on_rim(mark.text, rim, projection, mark.ink, upper=True)] if mark.text else []


class AreaItem:
    """An area, lightly filled, with its text in the middle, or at the picture's lower side of the rim."""

    def __init__(self, mark: AreaMark, projection: Projection) -> None:
        path = closed([mark.outline, *mark.holes], projection)
        self.strokes = [Stroke(path, mark.ink, 1.6, mark.dash, 0.9, mark.fill)]
        self.tags: list[Tag] = []
        if mark.text and mark.text_on_rim:
            self.tags.append(_on_rim(mark.text, mark.outline, projection, mark.ink, upper=False))
        elif mark.text:
            self.tags.append(Tag(mark.text, *spot(_centroid(mark.outline), projection), mark.ink))


class TraceItem:
    """A dotted rim where the piece was or should be, and an arrow along its way."""

    def __init__(self, mark: TraceMark, projection: Projection) -> None:
        self.strokes = [
            Stroke(closed([circle(mark.rim, mark.radius_mm)], projection, 2.0), Ink.NOTE, 1.8, Dash.DOTTED, 0.9),
            Stroke(straight(mark.start, mark.end, projection, 2.0, arrow=True), Ink.NOTE, 2.2),
        ]
        x, y = spot(between(mark.start, mark.end, 0.5), projection, 2.0)
        self.tags = [Tag(mark.text, x, y, Ink.NOTE, 4.0, 3)] if mark.text else []


class GhostItem:
    """A tried move: dashed and green-blue where it is allowed, dotted and red where it is not, and said in words."""

    def __init__(self, mark: GhostMark, projection: Projection) -> None:
        ink = Ink.GHOST if mark.allowed is None else Ink.FREE if mark.allowed else Ink.BLOCKED
        dash = Dash.DOTTED if mark.allowed is False else Dash.DASHED
        self.strokes = [
            Stroke(closed([mark.outline], projection, 2.0), ink, 2.6, dash, 1.0, 0.22),
            Stroke(straight(mark.start, mark.end, projection, 2.0, arrow=True), ink, 2.2, dash),
        ]
        rim = projection.to_picture(np.asarray(mark.outline), 2.0)
        x, y = rim[rim[:, 1].argmin()].tolist()
        self.tags = [Tag(mark.text, x, y, ink, 4.0, 6)]


class VeilItem:
    """A hand is here: what lies under it is remembered, not seen."""

    def __init__(self, mark: VeilMark, projection: Projection) -> None:
        path = closed([mark.outline], projection, 2.0)
        self.strokes = [Stroke(path, Ink.NOTE, 1.4, Dash.DOTTED, 0.9, 0.28)]
        self.tags: list[Tag] = []


ITEMS: dict[type[Overlay], Callable[..., Item]] = {
    PieceMark: PieceItem,
    HaloMark: HaloItem,
    LineMark: LineItem,
    RingMark: RingItem,
    AreaMark: AreaItem,
    TraceMark: TraceItem,
    GhostMark: GhostItem,
    VeilMark: VeilItem,
}


def item_of(mark: Overlay, projection: Projection) -> Item:
    """The item that draws an overlay through a projection."""
    return ITEMS[type(mark)](mark, projection)


def _on_rim(text: str, outline: Sequence[Point], projection: Projection, ink: Ink, upper: bool) -> Tag:
    """A text on an outline, at the picture's upper or lower side, or as near to that as is in sight."""
    pixels = projection.to_picture(np.asarray(outline[:: max(1, len(outline) // 12)]))
    order = pixels[:, 1].argsort()
    return _anchored(text, pixels[order if upper else order[::-1]], ink, 2)


def _anchored(text: str, pixels: FloatArray, ink: Ink, priority: int) -> Tag:
    """A text on the first of these places that is in sight."""
    (x, y), *others = ((x, y) for x, y in pixels.tolist())
    return Tag(text, x, y, ink, 0.0, priority, elsewhere=tuple(others))


def _nose(mark: PieceMark) -> tuple[Point, ...]:
    """A small triangle on the front side that points where the piece looks."""
    (ax, ay), (bx, by) = mark.outline[:2]
    ahead = ((ax + bx) / 2 - mark.centre[0], (ay + by) / 2 - mark.centre[1])
    share = min(0.3, _NOSE_MM / max(math.hypot(*ahead), 1e-6))
    tip = ((ax + bx) / 2 + share * ahead[0], (ay + by) / 2 + share * ahead[1])
    return (between((ax, ay), (bx, by), 0.38), tip, between((ax, ay), (bx, by), 0.62))


def _shrunk(outline: Sequence[Point], centre: Point, factor: float) -> tuple[Point, ...]:
    return tuple((centre[0] + (x - centre[0]) * factor, centre[1] + (y - centre[1]) * factor) for x, y in outline)


def _centroid(outline: Sequence[Point]) -> Point:
    area = cx = cy = 0.0
    for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True):
        cross = x0 * y1 - x1 * y0
        area, cx, cy = area + cross, cx + (x0 + x1) * cross, cy + (y0 + y1) * cross
    if math.isclose(area, 0.0, abs_tol=1e-9):
        return (sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline))
    return (cx / (3 * area), cy / (3 * area))
