"""The table on the screen: the picture, the overlays over it, and where the pointer is on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QTransform,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import PLATE_GROUND, PLATE_INK, ROOM, design, sized
from assistant.ui.image import ShownPicture
from assistant.ui.overlays.items import Item, item_of
from assistant.ui.overlays.labels import Placed
from assistant.ui.overlays.model import Overlay
from assistant.ui.overlays.painting import paint_labels, paint_strokes
from assistant.ui.overlays.projection import Projection
from assistant.ui.viewport import Viewport, fitted, fitted_on, kept_inside, panned, zoomed
from calibration.arrays import ByteImage

_BACKGROUND = QColor(*ROOM)
_PAN_STEP_PX = 60.0
_DRAG_PX = 5.0


class TableCanvas(QWidget):
    """Shows a picture with overlays; the wheel zooms, dragging the bare table (or the middle button) pans."""

    pointed = pyqtSignal(float, float)  # picture pixels under the pointer
    left = pyqtSignal()
    clicked = pyqtSignal(float, float)
    context_asked = pyqtSignal(float, float)
    drag_moved = pyqtSignal(float, float, float, float)  # from, to, in picture pixels
    drag_ended = pyqtSignal()
    painted = pyqtSignal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 150)
        self.setAccessibleName(say("The table"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._picture: ByteImage | None = None
        self._picture_size = (16, 9)
        self._standing: Sequence[Overlay] = ()
        self._items: list[Item] = []  # of what stands
        self._asked_items: list[Item] = []
        self._made: dict[Overlay, Item] = {}  # what was drawn last, to be used again
        self._projection: Projection | None = None
        self._focus: tuple[float, float, float, float] | None = None
        self._viewport: Viewport | None = None  # None: fitted, and stays so when the window is resized
        self._ground: QPixmap | None = None  # the lines of what stands
        self._layer: QPixmap | None = None  # that, with what was asked and all texts
        self._shown = ShownPicture()
        self._placed: list[Placed] = []
        self._message = ""
        self._pressed: QPointF | None = None
        self._dragging = False
        self._panning = False
        self.grabs_piece: Callable[[float, float], bool] = _never
        design().changed.connect(self._restyled)

    # --- what is shown

    def show_picture(self, bgr: ByteImage) -> None:
        """Another picture; overlays stay."""
        size = (bgr.shape[1], bgr.shape[0])
        if size != self._picture_size:
            self._picture_size = size
            self._viewport = None
            self._focus = None
            self._forget_layers()
        self._picture = bgr
        self.update()

    def show_overlays(
        self, standing: Sequence[Overlay], projection: Projection | None, asked: Sequence[Overlay] = ()
    ) -> None:
        """Other overlays; without a projection (the table is not known yet) none are shown.

        What stands is painted anew only when it is another sequence; `asked` comes and goes over it.
        """
        if projection is not self._projection:
            self._made = {}
        if projection is not self._projection or standing is not self._standing:
            self._ground = None
        self._projection, self._standing = projection, standing
        if projection is None:
            self._made, self._items, self._asked_items = {}, [], []
        else:
            marks = (*standing, *asked)
            self._made = {mark: self._made.get(mark) or item_of(mark, projection) for mark in marks}
            self._items = [self._made[mark] for mark in standing]
            self._asked_items = [self._made[mark] for mark in asked]
        self._layer = None
        self.update()

    def set_focus_area(self, area: tuple[float, float, float, float] | None) -> None:
        """The part of the picture (left, top, right, bottom) that fitting shows; None: all of it."""
        if area != self._focus:
            self._focus = area
            self._forget_layers()
            self.update()

    def show_message(self, text: str) -> None:
        """One line over the picture; an empty one takes it away."""
        if text != self._message:
            self._message = text
            self.update()

    @property
    def picture(self) -> ByteImage | None:
        """The picture that is shown."""
        return self._picture

    @property
    def message(self) -> str:
        """The line over the picture."""
        return self._message

    @property
    def labels(self) -> Sequence[Placed]:
        """The texts on the table as they were painted last."""
        return self._placed

    # --- zoom and pan

    @property
    def viewport(self) -> Viewport:
        """What part of the picture is shown."""
        return self._viewport or self._fitted()

    def fit(self) -> None:
        """The whole table, or the whole picture where no table is known."""
        self._set_viewport(None)

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Closer or farther, around a place or the middle."""
        at = at or QPointF(self.width() / 2, self.height() / 2)
        least = fitted(self._picture_size, (self.width(), self.height())).scale
        self._set_viewport(zoomed(self.viewport, factor, at.x(), at.y(), least))

    def pan(self, dx: float, dy: float) -> None:
        """Shifts the picture."""
        self._set_viewport(panned(self.viewport, dx, dy))

    def picture_point(self, at: QPointF) -> tuple[float, float]:
        """The picture pixel at a place of the widget."""
        return self.viewport.to_picture(at.x(), at.y())

    def widget_point(self, x_px: float, y_px: float) -> QPointF:
        """The place of a picture pixel in the widget."""
        return QPointF(*self.viewport.to_widget(x_px, y_px))

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(960, 640)

    def _fitted(self) -> Viewport:
        room = (float(self.width()), float(self.height()))
        if self._focus is None:
            return fitted(self._picture_size, room)
        return fitted_on(self._focus, self._picture_size, room)

    def _set_viewport(self, viewport: Viewport | None) -> None:
        room = (float(self.width()), float(self.height()))
        self._viewport = kept_inside(viewport, self._picture_size, room) if viewport else None
        self._forget_layers()
        self.update()

    def _restyled(self) -> None:
        self._forget_layers()
        self.update()

    def _forget_layers(self) -> None:
        self._ground = self._layer = None

    # --- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The picture, then the overlays from their layer, then the message."""
        del event
        painter = QPainter(self)
        view, ratio = self.viewport, self.devicePixelRatioF()
        if self._picture is None:
            painter.fillRect(self.rect(), _BACKGROUND)
        else:
            device = Viewport(view.scale * ratio, view.dx * ratio, view.dy * ratio)
            size = (round(self.width() * ratio), round(self.height() * ratio))
            painter.drawImage(self.rect(), self._shown.of(self._picture, device, *size))
        if self._layer is None:
            self._layer = self._painted_layer(view, ratio)
        painter.drawPixmap(0, 0, self._layer)
        if self._message:
            self._paint_message(painter)
        painter.end()
        self.painted.emit()

    def _painted_layer(self, view: Viewport, ratio: float) -> QPixmap:
        to_device = QTransform(view.scale * ratio, 0, 0, view.scale * ratio, view.dx * ratio, view.dy * ratio)
        if self._ground is None:
            self._ground = QPixmap(round(self.width() * ratio), round(self.height() * ratio))
            self._ground.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._ground)
            paint_strokes(painter, self._items, to_device, ratio)
            painter.end()
        layer = self._ground.copy()
        painter = QPainter(layer)
        paint_strokes(painter, self._asked_items, to_device, ratio)
        screen = QRectF(0, 0, layer.width(), layer.height())
        letters = ratio * (1 + (design().scale.percent - 100) / 200)  # larger ones would hide the table
        self._placed = paint_labels(painter, (*self._items, *self._asked_items), to_device, screen, letters)
        painter.end()
        layer.setDevicePixelRatio(ratio)
        return layer

    def _paint_message(self, painter: QPainter) -> None:
        painter.setFont(sized(design().scale.strong, bold=True))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(16, 12, -16, -12)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
        box = painter.boundingRect(room, flags, self._message).adjusted(-14, -7, 14, 7)
        painter.setPen(QColor(design().theme.doubt))
        painter.setBrush(QColor(*PLATE_GROUND))
        painter.drawRoundedRect(box, 8, 8)
        painter.setPen(QColor(PLATE_INK))
        painter.drawText(box.adjusted(14, 7, -14, -7), flags, self._message)

    # --- pointer and keys

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keeps what is shown inside."""
        super().resizeEvent(event)
        self._set_viewport(self._viewport)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        """Zooms around the pointer."""
        if event is not None:
            self.zoom(1.0015 ** event.angleDelta().y(), event.position())
            event.accept()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Starts a click, a drag of a ghost, or a pan."""
        if event is None:
            return
        self._pressed = event.position()
        self._dragging = False
        on_piece = self.grabs_piece(*self.picture_point(event.position()))
        self._panning = event.button() == Qt.MouseButton.MiddleButton or (
            event.button() == Qt.MouseButton.LeftButton and not on_piece
        )

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        """Points, pans or drags."""
        if event is None:
            return
        at = event.position()
        if self._pressed is None or event.buttons() == Qt.MouseButton.NoButton:
            self.pointed.emit(*self.picture_point(at))
            return
        if not self._dragging and (at - self._pressed).manhattanLength() < _DRAG_PX:
            return
        self._dragging = True
        if self._panning:
            self.pan(at.x() - self._pressed.x(), at.y() - self._pressed.y())
            self._pressed = at
        else:
            self.drag_moved.emit(*self.picture_point(self._pressed), *self.picture_point(at))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """Ends it: a press that did not move is a click."""
        if event is None or self._pressed is None:
            return
        if self._dragging:
            if not self._panning:
                self.drag_ended.emit()
        elif event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(*self.picture_point(event.position()))
        elif event.button() == Qt.MouseButton.RightButton:
            self.context_asked.emit(*self.picture_point(event.position()))
        self._pressed = None
        self._dragging = self._panning = False

    def leaveEvent(self, event: object) -> None:
        """The pointer is nowhere."""
        del event
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows pan a zoomed picture; every other key belongs to the window."""
        steps = {
            Qt.Key.Key_Left: (_PAN_STEP_PX, 0.0),
            Qt.Key.Key_Right: (-_PAN_STEP_PX, 0.0),
            Qt.Key.Key_Up: (0.0, _PAN_STEP_PX),
            Qt.Key.Key_Down: (0.0, -_PAN_STEP_PX),
        }
        if event is None:
            return
        if event.key() in steps:
            self.pan(*steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


def _never(_x_px: float, _y_px: float) -> bool:
    return False
