"""The projector's window: the overlays alone, laid onto the real table by four corners."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QTransform
from PyQt6.QtWidgets import QWidget

from assistant.scene.values import Point
from assistant.ui.catalogue import say
from assistant.ui.overlays.items import item_of
from assistant.ui.overlays.painting import paint_items
from assistant.ui.overlays.projection import KeystoneProjection, keystone
from assistant.ui.projector_fit import MARKERS, field_corners, fit_projector, marker_picture, marker_places
from assistant.ui.table_model import TableModel
from calibration.failure import Failure

_GRAB_PX = 40.0
_STEP_PX = 1.0
_MIDDLE = ((0.25, 0.1), (0.75, 0.1), (0.75, 0.9), (0.25, 0.9))  # a square on a wide screen
Corners = tuple[Point, Point, Point, Point]


class ProjectorWindow(QWidget):
    """Black but for the overlays; the battlefield's corners are dragged, or moved with Tab and the arrows."""

    closed = pyqtSignal()

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(say("Pinpoint projector"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.resize(1280, 800)
        self._model = model
        self._held = 0
        self._dragging = False
        self.adjusting = True
        self.seeking = False
        self.notice = ""
        self.corners = _remembered()  # as fractions of the screen: NW, NE, SE, SW
        model.overlays_changed.connect(self.update)
        model.moment_changed.connect(self.update)
        model.picture_changed.connect(self._look)

    def projection(self) -> KeystoneProjection | None:
        """From the table to this screen."""
        moment = self._model.moment
        if moment is None:
            return None
        table, size = moment.scene.table, (self.width(), self.height())
        return keystone(self._corners_px(), table.width_mm, table.depth_mm, size)

    def find_by_markers(self) -> None:
        """Shows four markers until the camera has seen them; then the corners are known."""
        self.seeking = True
        self.notice = say("Looking for the markers…")
        self.update()

    def _look(self) -> None:
        picture, moment = self._model.picture, self._model.moment
        if not self.seeking or picture is None or moment is None or moment.view is None:
            return
        found = fit_projector(picture, moment.view, (self.width(), self.height()))
        if isinstance(found, Failure):
            self.notice = f"{found.reason}: {found.hint}"
        else:
            self.seeking = False
            self.notice = say("The table is found.")
            self.set_corners(field_corners(found, moment.scene.table.width_mm, moment.scene.table.depth_mm))
        self.update()

    def set_corners(self, corners: Corners) -> None:
        """Lays the battlefield's corners onto the screen and remembers them; a twisted field is not taken."""
        if _convex(corners):
            self.corners = corners
            QSettings().setValue("projector/corners", [value for corner in corners for value in corner])
            self.update()

    def move_corner(self, index: int, x_px: float, y_px: float) -> None:
        """Lays one corner of the battlefield onto a place of the screen."""
        changed = list(self.corners)
        changed[index] = (
            min(1.0, max(0.0, x_px / max(1, self.width()))),
            min(1.0, max(0.0, y_px / max(1, self.height()))),
        )
        self.set_corners((changed[0], changed[1], changed[2], changed[3]))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The overlays on black: black is no light."""
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(0, 0, 0))
        projection = self.projection()
        if self.seeking:
            self._paint_markers(painter)
        elif projection is not None:
            items = [item_of(mark, projection) for mark in self._model.overlays()]
            paint_items(painter, items, QTransform(), QRectF(self.rect()), 1.3)
        if self.adjusting and not self.seeking:
            self._paint_corners(painter)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Takes the nearest corner."""
        if event is None:
            return
        at = event.position()
        near = min(range(4), key=lambda index: (QPointF(*self._corners_px()[index]) - at).manhattanLength())
        if (QPointF(*self._corners_px()[near]) - at).manhattanLength() < _GRAB_PX:
            self._held, self._dragging = near, True

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Drags it."""
        if event is not None and self._dragging:
            self.move_corner(self._held, event.position().x(), event.position().y())

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Lets it go."""
        del event
        self._dragging = False

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """M finds them by markers, Space hides them, N takes the next, arrows move it (Shift: by ten), F fills."""
        if event is None:
            return
        moves = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        if event.key() in moves:
            dx, dy = moves[Qt.Key(event.key())]
            step = _STEP_PX * (10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            x, y = self._corners_px()[self._held]
            self.move_corner(self._held, x + dx * step, y + dy * step)
        elif event.key() == Qt.Key.Key_N:
            self._held = (self._held + 1) % 4
            self.update()
        elif event.key() == Qt.Key.Key_M:
            self.find_by_markers()
        elif event.key() == Qt.Key.Key_Space:
            self.adjusting = not self.adjusting
            self.update()
        elif event.key() == Qt.Key.Key_F:
            self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)
        elif event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Says so."""
        self.closed.emit()
        super().closeEvent(event)

    def _corners_px(self) -> Corners:
        a, b, c, d = ((x * self.width(), y * self.height()) for x, y in self.corners)
        return (a, b, c, d)

    def _paint_markers(self, painter: QPainter) -> None:
        places, side = marker_places((self.width(), self.height()))
        for identity, (x, y) in zip(MARKERS, places, strict=True):
            drawn = marker_picture(identity, round(side) // 8 * 8)
            image = QImage(
                drawn.tobytes(), drawn.shape[1], drawn.shape[0], drawn.shape[1], QImage.Format.Format_Grayscale8
            )
            painter.drawImage(QPointF(x - drawn.shape[1] / 2, y - drawn.shape[0] / 2), image)
        painter.setPen(QColor(255, 255, 255))
        painter.drawText(QRectF(self.rect()), int(Qt.AlignmentFlag.AlignCenter), self.notice)

    def _paint_corners(self, painter: QPainter) -> None:
        points = [QPointF(*corner) for corner in self._corners_px()]
        painter.setPen(QPen(QColor(90, 184, 255), 2))
        for start, end in zip(points, (*points[1:], points[0]), strict=True):
            painter.drawLine(start, end)
        for index, (point, name) in enumerate(zip(points, ("NW", "NE", "SE", "SW"), strict=True)):
            painter.setPen(QPen(QColor(255, 228, 92) if index == self._held else QColor(90, 184, 255), 3))
            painter.drawEllipse(point, 14, 14)
            painter.drawText(point + QPointF(-8, 5), name)
        help_text = self.notice or say(
            "Drag the corners onto the battlefield's corners, or press M and the camera finds them. Space hides this."
        )
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom)
        room = QRectF(self.rect()).adjusted(0, 0, 0, -12)
        painter.fillRect(painter.boundingRect(room, flags, help_text).adjusted(-10, -6, 10, 6), QColor(0, 0, 0))
        painter.setPen(QColor(255, 255, 255))
        painter.drawText(room, flags, help_text)


def _remembered() -> Corners:
    stored = QSettings().value("projector/corners")
    try:
        values = [float(value) for value in stored] if stored is not None else []
    except (TypeError, ValueError):
        values = []
    if len(values) == 8:
        corners = ((values[0], values[1]), (values[2], values[3]), (values[4], values[5]), (values[6], values[7]))
        if _convex(corners):
            return corners
    return _MIDDLE


def _convex(corners: Corners) -> bool:
    """Whether the corners go round once, clockwise, with no dent."""
    for index in range(4):
        (ax, ay), (bx, by), (cx, cy) = (corners[(index + step) % 4] for step in range(3))
        if (bx - ax) * (cy - by) - (by - ay) * (cx - bx) <= 1e-4:
            return False
    return True
