"""A magnifier beside the pointer: the picture around it several times larger, with a cross at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from assistant.scene.values import Point
from assistant.ui.design import HALO, PLATE_INK, design
from assistant.ui.image import to_qimage

if TYPE_CHECKING:
    from assistant.ui.canvas import TableCanvas

_SIDE_PX = 180
_TIMES = 4.0  # larger than the canvas shows it
_AWAY_PX = 28


class Magnifier(QWidget):
    """Over a canvas, never under the pointer; it takes no clicks."""

    def __init__(self, canvas: TableCanvas) -> None:
        super().__init__(canvas)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._canvas = canvas
        self._at: Point = (0.0, 0.0)
        self.hide()

    def show_at(self, place_px: Point) -> None:
        """Around a pixel of the picture."""
        self._at = place_px
        side = design().scale.px(_SIDE_PX)
        self.resize(side, side)
        pointer = self._canvas.widget_point(*place_px)
        x, y = pointer.x() + _AWAY_PX, pointer.y() - _AWAY_PX - side
        if x + side > self._canvas.width():
            x = pointer.x() - _AWAY_PX - side
        if y < 0:
            y = pointer.y() + _AWAY_PX
        self.move(QPoint(round(max(0.0, x)), round(max(0.0, min(y, self._canvas.height() - side)))))
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The part of the picture, a frame and a cross."""
        del event
        picture = self._canvas.picture
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(*HALO))
        if picture is not None:
            half = max(2, round(self.width() / 2 / _TIMES / self._canvas.viewport.scale))
            x, y = round(self._at[0]), round(self._at[1])
            left, top = max(0, x - half), max(0, y - half)
            right, bottom = min(picture.shape[1], x + half + 1), min(picture.shape[0], y + half + 1)
            if right > left and bottom > top:
                scale = self.width() / (2 * half + 1)
                target = QRectF(
                    (left - x + half) * scale, (top - y + half) * scale, (right - left) * scale, (bottom - top) * scale
                )
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                cut = to_qimage(picture[top:bottom, left:right])
                painter.drawImage(target, cut)
        middle = self.width() / 2
        for ink, width in ((QColor(*HALO), 4.0), (QColor(PLATE_INK), 1.5)):
            painter.setPen(QPen(ink, width))
            for gap, end in ((6.0, middle - 2), (-6.0, 2 - middle)):
                painter.drawLine(round(middle + gap), round(middle), round(middle + end), round(middle))
                painter.drawLine(round(middle), round(middle + gap), round(middle), round(middle + end))
        painter.setPen(QPen(QColor(design().theme.accent), 2.0))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
