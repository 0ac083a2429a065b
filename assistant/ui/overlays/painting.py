"""Painting overlays: lines with a dark casing under them, then texts on plates, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QTransform

from assistant.ui.overlays.items import Item
from assistant.ui.overlays.labels import Box, Placed, Tag, place
from assistant.ui.overlays.model import Dash
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
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setTransform(to_screen)
    for item in items:
        for stroke in item.strokes:
            _paint_stroke(painter, stroke, scale)
    painter.resetTransform()
    placed = _placed([_on_screen(tag, to_screen, scale) for item in items for tag in item.tags], screen, scale)
    for label in placed:
        _paint_label(painter, label, scale)
    return placed


def label_font(scale: float, strong: bool) -> QFont:
    """The font of the texts on the table."""
    font = QFont("DejaVu Sans")
    font.setStyleHint(QFont.StyleHint.SansSerif)
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
        painter.setPen(
            _pen(CASING, stroke.width + 2.4, Dash.SOLID if stroke.dash is Dash.SOLID else stroke.dash, scale)
        )
        painter.drawPath(stroke.path)
    painter.setPen(_pen(colour(stroke.ink, stroke.alpha), stroke.width, stroke.dash, scale))
    painter.drawPath(stroke.path)


def _pen(ink: QColor, width: float, dash: Dash, scale: float) -> QPen:
    pen = QPen(ink, width * scale)
    pen.setCosmetic(True)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pattern = _PATTERNS[dash]
    if pattern is None:
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    else:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([step * 2.4 / width for step in pattern])
    return pen


def _on_screen(tag: Tag, to_screen: QTransform, scale: float) -> Tag:
    at = to_screen.map(QPointF(tag.x, tag.y))
    zoom = to_screen.m11()
    return replace(tag, x=at.x(), y=at.y(), clear_px=tag.clear_px * zoom + (2.0 * scale if tag.clear_px else 0.0))


def _placed(tags: Sequence[Tag], screen: QRectF, scale: float) -> list[Placed]:
    metrics = {strong: QFontMetricsF(label_font(scale, strong)) for strong in (False, True)}
    sizes = []
    for tag in tags:
        measure = metrics[tag.strong]
        width = measure.horizontalAdvance(tag.text) + 10.0 * scale
        height = measure.height() + 3.0 * scale
        sizes.append((max(width, height), height))
    margin = 2.0
    return place(
        tags,
        sizes,
        Box(screen.x() + margin, screen.y() + margin, screen.width() - 2 * margin, screen.height() - 2 * margin),
        scale,
    )


def _paint_label(painter: QPainter, label: Placed, scale: float) -> None:
    box = QRectF(label.box.left, label.box.top, label.box.width, label.box.height)
    if label.far:
        painter.setPen(QPen(colour(label.tag.ink, 0.8), 1.2 * scale))
        painter.drawLine(QPointF(label.tag.x, label.tag.y), box.center())
    painter.setPen(QPen(colour(label.tag.ink), 1.2 * scale))
    painter.setBrush(PLATE)
    radius = box.height() / 2 if label.tag.strong else 4.0 * scale
    painter.drawRoundedRect(box, radius, radius)
    painter.setFont(label_font(scale, label.tag.strong))
    painter.setPen(PLATE_TEXT)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, label.tag.text)
