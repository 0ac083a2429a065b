"""Painting overlays: lines with a dark casing under them, then texts on plates, none over another."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QImage, QPainter, QPen, QTransform

from assistant.ui.design import HALO_PX, base_font, design
from assistant.ui.overlays.items import Item
from assistant.ui.overlays.labels import Box, Placed, Tag, place
from assistant.ui.overlays.model import Dash, Ink
from assistant.ui.overlays.palette import CASING, PLATE, PLATE_TEXT, colour
from assistant.ui.overlays.strokes import Stroke

_PATTERNS: Final = {
    Dash.SOLID: None,
    Dash.DASHED: [5.0, 3.0],
    Dash.DOTTED: [1.4, 2.2],
    Dash.DASH_DOT: [6.0, 2.5, 1.4, 2.5],
}


def paint_items(
    painter: QPainter, items: Sequence[Item], to_screen: QTransform, screen: QRectF, scale: float = 1.0
) -> list[Placed]:
    """Paints everything; `scale` enlarges pens and texts for big pictures. Tells where the texts stand."""
    paint_strokes(painter, items, to_screen, scale)
    return paint_labels(painter, items, to_screen, screen, scale)


def paint_strokes(painter: QPainter, items: Iterable[Item], to_screen: QTransform, scale: float = 1.0) -> None:
    """Paints lines and areas."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setTransform(to_screen)
    for item in items:
        for stroke in item.strokes:
            _paint_stroke(painter, stroke, scale)
    painter.resetTransform()


def paint_labels(
    painter: QPainter, items: Iterable[Item], to_screen: QTransform, screen: QRectF, scale: float = 1.0
) -> list[Placed]:
    """Paints the texts where there is room and tells where they stand; the same text at a place stands once."""
    wanted: dict[tuple[str, float, float], Tag] = {}
    for item in items:
        for tag in item.tags:
            known = wanted.get((tag.text, tag.x, tag.y))
            if known is None or tag.priority > known.priority:
                wanted[tag.text, tag.x, tag.y] = tag
    placed = _placed([_on_screen(tag, to_screen, screen, scale) for tag in wanted.values()], screen, scale)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for label in placed:
        if label.far:
            painter.setPen(QPen(colour(label.tag.ink, 0.8), 1.2 * scale))
            painter.drawLine(QPointF(label.tag.x, label.tag.y), _rect(label.box).center())
    for label in placed:
        plate = _plate(label.tag.text, label.tag.ink, label.tag.strong, scale)
        painter.drawImage(_rect(label.box).topLeft(), plate)
    return placed


def label_font(scale: float, strong: bool) -> QFont:
    """The font of the texts on the table."""
    font = base_font(design().scale)
    font.setPixelSize(max(9, round((12.5 if strong else 12.0) * scale)))
    font.setBold(strong)
    return font


def _paint_stroke(painter: QPainter, stroke: Stroke, scale: float) -> None:
    painter.setBrush(QBrush(colour(stroke.ink, stroke.fill)) if stroke.fill else Qt.BrushStyle.NoBrush)
    if stroke.fill:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawPath(stroke.path)
        painter.setBrush(Qt.BrushStyle.NoBrush)
    if stroke.casing:
        painter.setPen(_pen(CASING, stroke.width + HALO_PX, stroke.dash, scale))
        painter.drawPath(stroke.path)
    painter.setPen(_pen(colour(stroke.ink, stroke.alpha), stroke.width, stroke.dash, scale))
    painter.drawPath(stroke.path)


def _pen(ink: QColor, width: float, dash: Dash, scale: float) -> QPen:
    pen = QPen(ink, width * scale)
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)  # a circle has many corners: round ones take twice as long
    pattern = _PATTERNS[dash]
    if pattern is None:
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    else:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([step * 2.4 / width for step in pattern])
    return pen


def _on_screen(tag: Tag, to_screen: QTransform, screen: QRectF, scale: float) -> Tag:
    anchors = [to_screen.map(QPointF(x, y)) for x, y in ((tag.x, tag.y), *tag.elsewhere)]
    at = next((anchor for anchor in anchors if screen.contains(anchor)), anchors[0])
    zoom = to_screen.m11()
    return replace(tag, x=at.x(), y=at.y(), clear_px=tag.clear_px * zoom + (2.0 * scale if tag.clear_px else 0.0))


def _placed(tags: Sequence[Tag], screen: QRectF, scale: float) -> list[Placed]:
    sizes = [_plate_size(tag.text, tag.strong, scale) for tag in tags]
    margin = 2.0
    return place(
        tags,
        sizes,
        Box(screen.x() + margin, screen.y() + margin, screen.width() - 2 * margin, screen.height() - 2 * margin),
        scale,
    )


@lru_cache(maxsize=512)
def _plate_size(text: str, strong: bool, scale: float) -> tuple[float, float]:
    measure = QFontMetricsF(label_font(scale, strong))
    height = measure.height() + 3.0 * scale
    return (max(measure.horizontalAdvance(text) + 10.0 * scale, height), height)


@lru_cache(maxsize=512)
def _plate(text: str, ink: Ink, strong: bool, scale: float) -> QImage:
    """A text on its plate, painted once: the same names stand on the table for hours."""
    width, height = _plate_size(text, strong, scale)
    plate = QImage(math.ceil(width) + 1, math.ceil(height) + 1, QImage.Format.Format_ARGB32_Premultiplied)
    plate.fill(Qt.GlobalColor.transparent)
    painter = QPainter(plate)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour(ink), 1.2 * scale))
    painter.setBrush(PLATE)
    rim = 0.6 * scale
    box = QRectF(0, 0, width, height)
    radius = height / 2 if strong else 4.0 * scale
    painter.drawRoundedRect(box.adjusted(rim, rim, -rim, -rim), radius, radius)
    painter.setFont(label_font(scale, strong))
    painter.setPen(PLATE_TEXT)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return plate


def _rect(box: Box) -> QRectF:
    return QRectF(round(box.left), round(box.top), box.width, box.height)
