"""What happened, newest first, each with a small picture of the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from PyQt6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QIcon, QPixmap
from PyQt6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from assistant.log.clock import clock_text
from assistant.log.telling import sentence
from assistant.session.history import Happening, Snapshot
from assistant.ui.image import to_qimage
from calibration.arrays import ByteImage

_THUMB_PX = 56
_THUMB_RATIO = 2.0  # sharp on screens of high density too
_GAPS_PX = 14
_LOOK_MM = 70.0
_KEPT = 200


class EventFeedModel(QAbstractListModel):
    """Happenings as a list for a view; row 0 is the newest."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[Happening, str]] = []
        self._icons: dict[int, QIcon] = {}  # by the identity of the happening, made when first seen
        self._last: tuple[Snapshot, ByteImage] | None = None  # many events share one picture

    def add(self, happenings: Sequence[Happening], names: Mapping[str, str]) -> None:
        """More has happened."""
        for happening in happenings:
            self.beginInsertRows(QModelIndex(), 0, 0)
            self._rows.insert(0, (happening, _line(happening, names)))
            self.endInsertRows()
        if len(self._rows) > _KEPT:
            self.beginRemoveRows(QModelIndex(), _KEPT, len(self._rows) - 1)
            for happening, _ in self._rows[_KEPT:]:
                self._icons.pop(id(happening), None)
            del self._rows[_KEPT:]
            self.endRemoveRows()

    def happening(self, row: int) -> Happening:
        """What a row stands for."""
        return self._rows[row][0]

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """How many have happened."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text or the small picture of a row."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        happening, text = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return text
        if role != Qt.ItemDataRole.DecorationRole:
            return None
        if id(happening) not in self._icons:
            snapshot = shown_of(happening)
            if self._last is None or self._last[0] is not snapshot:
                self._last = (snapshot, decoded(snapshot, cv2.IMREAD_REDUCED_COLOR_2))
            self._icons[id(happening)] = QIcon(thumbnail(happening, self._last[1]))
        return self._icons[id(happening)]


class _FeedDelegate(QStyledItemDelegate):
    """Knows how high a row is without its picture: only pictures that are in sight are made."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """As high as the small picture, or the text if that has more lines."""
        view = self.parent()
        shown = view.viewport() if isinstance(view, QListView) else None
        width = max(80, (shown.width() if shown is not None else 0) - _THUMB_PX - _GAPS_PX)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        box = option.fontMetrics.boundingRect(QRect(0, 0, width, 10_000), int(Qt.TextFlag.TextWordWrap), text)
        return QSize(_THUMB_PX + _GAPS_PX + min(width, box.width()), max(_THUMB_PX, box.height()) + 2)


class EventFeed(QListView):
    """The list of happenings; choosing one asks to see it."""

    chosen = pyqtSignal(object)

    def __init__(self, model: EventFeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._feed = model
        self.setModel(model)
        self.setIconSize(QSize(_THUMB_PX, _THUMB_PX))
        self.setWordWrap(True)
        self.setItemDelegate(_FeedDelegate(self))
        self.setUniformItemSizes(False)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Events"))
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._feed.happening(index.row()))


def shown_of(happening: Happening) -> Snapshot:
    """The table on which an event is best seen: what was taken away is seen before it was."""
    return happening.before if happening.event.type == "removed" and happening.before else happening.after


def thumbnail(happening: Happening, picture: ByteImage) -> QPixmap:
    """A square cut around the place where it happened, out of the picture of the table on which it is best seen."""
    box = _place_box(happening, shown_of(happening), picture)
    cut = picture[box[1] : box[3], box[0] : box[2]]
    side = round(_THUMB_PX * _THUMB_RATIO)
    small = cv2.resize(cut, (side, side), interpolation=cv2.INTER_AREA)
    made = QPixmap.fromImage(to_qimage(np.asarray(small, dtype=np.uint8)))
    made.setDevicePixelRatio(_THUMB_RATIO)
    return made


def decoded(snapshot: Snapshot, flags: int = cv2.IMREAD_COLOR) -> ByteImage:
    """The picture of a snapshot; grey where it cannot be read."""
    jpeg = snapshot.read_jpeg()
    picture = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), flags) if jpeg else None
    return np.full((90, 160, 3), 60, np.uint8) if picture is None else np.asarray(picture, dtype=np.uint8)


def _place_box(happening: Happening, snapshot: Snapshot, picture: ByteImage) -> tuple[int, int, int, int]:
    height, width = picture.shape[:2]
    names = happening.event.pieces()
    places = [piece.centre for piece in snapshot.scene.on_field() if piece.id in names]
    if not places or snapshot.view is None:
        side = min(width, height)
        return ((width - side) // 2, 0, (width + side) // 2, side)
    corners = [(x + dx, y + dy) for x, y in places for dx in (-_LOOK_MM, _LOOK_MM) for dy in (-_LOOK_MM, _LOOK_MM)]
    pixels = snapshot.view.board_to_image(np.array(corners)) * (width / snapshot.view.lens.width)
    (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
    half = max(x1 - x0, y1 - y0, 24.0) / 2
    half = min(half, min(width, height) / 2 - 1)
    x = float(np.clip((x0 + x1) / 2, half, width - half))
    y = float(np.clip((y0 + y1) / 2, half, height - half))
    return (int(x - half), int(y - half), int(x + half), int(y + half))


def _line(happening: Happening, names: Mapping[str, str]) -> str:
    reasons = happening.event.fields.get("reasons")
    note = f" (by the rules: {', '.join(map(str, reasons))})" if isinstance(reasons, list) and reasons else ""
    return f"{clock_text(happening.event.t_s)}  {sentence(happening.event, names)}{note}"
