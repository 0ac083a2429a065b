"""The line of a finished game: a tick for every event, a head that is dragged."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from assistant.log.clock import clock_text
from assistant.log.event import Event
from assistant.ui.catalogue import say
from assistant.ui.design import design, sized
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour

_MARGIN_PX = 14.0
_HEIGHTS = {"violation": (Ink.CLOSE, 1.0), "bumped": (Ink.CLOSE, 1.0), "correction": (Ink.OWNER_3, 1.0)}


class Timeline(QWidget):
    """Shows where in the game one is; `moved` asks for another moment, in seconds."""

    moved = pyqtSignal(float)

    def __init__(
        self,
        events: Sequence[Event],
        end_s: float,
        rounds: Sequence[tuple[float, int]] = (),
        parent: QWidget | None = None,
    ) -> None:
        """`rounds` are the chapters: when each round begins."""
        super().__init__(parent)
        self._rounds = tuple(rounds)
        self._events = tuple(events)
        self._end_s = max(end_s, 1e-3)
        self._time_s = 0.0
        self._marked_s: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(say("Timeline"))

    @property
    def time_s(self) -> float:
        """Where the head is."""
        return self._time_s

    def set_time(self, time_s: float) -> None:
        """Moves the head without asking for anything."""
        self._time_s = min(self._end_s, max(0.0, time_s))
        self.update()

    def set_mark(self, time_s: float | None) -> None:
        """A flag at the moment that is compared with."""
        self._marked_s = time_s
        self.update()

    def x_of(self, time_s: float) -> float:
        """Where a moment is in the widget."""
        return _MARGIN_PX + (self.width() - 2 * _MARGIN_PX) * time_s / self._end_s

    def sizeHint(self) -> QSize:
        """A low band."""
        return QSize(400, 32 + 2 * design().scale.small)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The line, its ticks, its head, the times."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = self.palette().color(QPalette.ColorRole.WindowText)
        small = design().scale.small
        base = small + 18.0
        painter.setFont(sized(small))
        for begin_s, number in self._rounds:
            x = self.x_of(begin_s)
            painter.setPen(QPen(QColor(design().theme.accent), 2))
            painter.drawLine(QPointF(x, 2), QPointF(x, base))
            painter.drawText(QPointF(x + 4, small + 1), say("Round {n}", n=number))
        painter.setPen(QPen(ink, 2))
        painter.drawLine(QPointF(_MARGIN_PX, base), QPointF(self.width() - _MARGIN_PX, base))
        quiet = QColor(ink)
        quiet.setAlphaF(0.55)
        for happened in self._events:
            x = self.x_of(happened.t_s)
            special = _HEIGHTS.get(happened.type)
            painter.setPen(QPen(ink if special else quiet, 2.5 if special else 1.5))
            painter.drawLine(QPointF(x, base - (14 if special else 8)), QPointF(x, base))
            if special:
                painter.setPen(QPen(ink, 1))
                painter.setBrush(colour(special[0]))
                painter.drawEllipse(QPointF(x, base - 16), 4, 4)
        if self._marked_s is not None:
            x = self.x_of(self._marked_s)
            painter.setPen(QPen(colour(Ink.OWNER_2), 3))
            painter.drawLine(QPointF(x, 4), QPointF(x, base + 6))
        head = QPointF(self.x_of(self._time_s), base)
        painter.setPen(QPen(ink, 2))
        painter.setBrush(colour(Ink.OWNER_1))
        painter.drawEllipse(head, 8, 8)
        painter.setPen(ink)
        text = f"{clock_text(self._time_s)} / {clock_text(self._end_s)}"
        painter.drawText(QRectF(0, base + 6, self.width() - _MARGIN_PX, small + 6), Qt.AlignmentFlag.AlignRight, text)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Goes there."""
        if event is not None:
            self._go(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Scrubs."""
        if event is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event.position().x())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Home and End; the window has the steps."""
        if event is None:
            return
        if event.key() == Qt.Key.Key_Home:
            self.moved.emit(0.0)
        elif event.key() == Qt.Key.Key_End:
            self.moved.emit(self._end_s)
        else:
            super().keyPressEvent(event)

    def _go(self, x: float) -> None:
        share = (x - _MARGIN_PX) / max(1.0, self.width() - 2 * _MARGIN_PX)
        self.moved.emit(min(1.0, max(0.0, share)) * self._end_s)
