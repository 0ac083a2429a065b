"""What happened, by round, each line with a small picture of the place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from PyQt6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetrics, QIcon, QPixmap
from PyQt6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from assistant.log.clock import clock_text
from assistant.log.telling import sentence
from assistant.session.history import Happening, Snapshot
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, sized
from assistant.ui.image import to_qimage
from calibration.arrays import ByteImage

_THUMB_PX = 56
_THUMB_RATIO = 2.0  # sharp on screens of high density too
_GAPS_PX = 14
_LOOK_MM = 70.0
_KEPT = 400
_ARRIVALS = 3  # more pieces than this that come at once are one line
_GRAVE = frozenset({"violation", "bumped"})


@dataclass(frozen=True, slots=True, eq=False)
class MoveRow:
    """One line: the heading of a round, or something that happened (many arrivals at once are one line)."""

    text: str
    happening: Happening | None = None  # None: a heading
    round: int | None = None


class MoveListModel(QAbstractListModel):
    """What happened, oldest first, under a heading for every round."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[MoveRow] = []
        self._round: int | None = None
        self._icons: dict[int, QIcon] = {}  # by the identity of the happening, made when first seen
        self._last: tuple[Snapshot, ByteImage] | None = None  # many events share one picture

    def add(self, happenings: Sequence[Happening], names: Mapping[str, str]) -> None:
        """More has happened."""
        rows: list[MoveRow] = []
        for group in _grouped(happenings):
            number = group[0].after.scene.round
            if (number or 0) > (self._round or 0) or (self._round is None and not self._rows and not rows):
                self._round = number
                rows.append(MoveRow(round_words(number), None, number))
            rows.append(MoveRow(_line(group, names), group[0], number))
        if rows:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(rows) - 1)
            self._rows += rows
            self.endInsertRows()
        if len(self._rows) > _KEPT:
            self._drop(len(self._rows) - _KEPT)

    def happening(self, row: int) -> Happening | None:
        """What a row stands for; None for a heading."""
        return self._rows[row].happening

    def row_of(self, happening: Happening) -> int | None:
        """Where a happening stands."""
        return next((row for row, each in enumerate(self._rows) if each.happening is happening), None)

    def row_before(self, time_s: float) -> int | None:
        """The last line that had happened by a moment."""
        found = None
        for row, each in enumerate(self._rows):
            if each.happening is not None and each.happening.after.time_s <= time_s + 1e-6:
                found = row
        return found

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """How many lines there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        """A heading cannot be chosen."""
        if index.isValid() and self._rows[index.row()].happening is None:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text, the small picture or the look of a row."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.text
        if role == Qt.ItemDataRole.FontRole:
            grave = row.happening is None or row.happening.event.type in _GRAVE
            return sized(design().scale.body, bold=grave)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._ink(row)
        if role == Qt.ItemDataRole.DecorationRole and row.happening is not None:
            return self._icon(row.happening)
        return None

    def _ink(self, row: MoveRow) -> QColor | None:
        theme = design().theme
        if row.happening is None:
            return QColor(theme.accent)
        if row.happening.event.type in _GRAVE:
            return QColor(theme.doubt if theme.name == "dark" else theme.text)
        return None

    def _icon(self, happening: Happening) -> QIcon:
        if id(happening) not in self._icons:
            snapshot = shown_of(happening)
            if self._last is None or self._last[0] is not snapshot:
                self._last = (snapshot, decoded(snapshot, cv2.IMREAD_REDUCED_COLOR_2))
            self._icons[id(happening)] = QIcon(thumbnail(happening, self._last[1]))
        return self._icons[id(happening)]

    def _drop(self, count: int) -> None:
        self.beginRemoveRows(QModelIndex(), 0, count - 1)
        for row in self._rows[:count]:
            self._icons.pop(id(row.happening), None)
        del self._rows[:count]
        self.endRemoveRows()


class _RowDelegate(QStyledItemDelegate):
    """Knows how high a row is without its picture: only pictures that are in sight are made."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        """As high as the small picture, or the text if that has more lines; a heading only as its text."""
        del option
        view = self.parent()
        shown = view.viewport() if isinstance(view, QListView) else None
        feed = index.model()
        heading = isinstance(feed, MoveListModel) and feed.happening(index.row()) is None
        taken = 0 if heading else _THUMB_PX
        width = max(80, (shown.width() if shown is not None else 0) - taken - _GAPS_PX)
        text = str(index.data(Qt.ItemDataRole.DisplayRole))
        metrics = QFontMetrics(sized(design().scale.body, bold=True))
        box = metrics.boundingRect(QRect(0, 0, width, 10_000), int(Qt.TextFlag.TextWordWrap), text)
        return QSize(taken + _GAPS_PX + min(width, box.width()), max(taken, box.height() + design().scale.gap(0.5)) + 2)


class MoveList(QListView):
    """The moves by round; choosing one asks to see it."""

    chosen = pyqtSignal(object)

    def __init__(self, model: MoveListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._moves = model
        self._following = True
        self.setModel(model)
        self.setIconSize(QSize(_THUMB_PX, _THUMB_PX))
        self.setWordWrap(True)
        self.setItemDelegate(_RowDelegate(self))
        self.setUniformItemSizes(False)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(say("Moves by round"))
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)
        model.rowsInserted.connect(self._follow)

    def highlight(self, row: int | None) -> None:
        """Marks the line that the table shows; None goes back to the newest, and follows it."""
        self._following = row is None
        at = self._moves.index(self._moves.rowCount() - 1 if row is None else row)
        if at.isValid():
            self.setCurrentIndex(at)
            self.scrollTo(at)

    def _follow(self) -> None:
        if self._following:
            self.highlight(None)

    def _choose(self, index: QModelIndex) -> None:
        happening = self._moves.happening(index.row())
        if happening is not None:
            self.chosen.emit(happening)


def round_words(number: int | None) -> str:
    """The heading of a round."""
    return say("Round {n}", n=number) if number else say("Before the first round")


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


def _grouped(happenings: Sequence[Happening]) -> list[list[Happening]]:
    """The happenings, with many arrivals between the same two tables as one."""
    arrivals = [happening for happening in happenings if happening.event.type == "appeared"]
    if len(arrivals) <= _ARRIVALS:
        return [[happening] for happening in happenings]
    rest = [[happening] for happening in happenings if happening.event.type != "appeared"]
    return [arrivals, *rest]


def _line(group: Sequence[Happening], names: Mapping[str, str]) -> str:
    event = group[0].event
    if len(group) > 1:
        return f"{clock_text(event.t_s)}  {say('{n} pieces came onto the table', n=len(group))}"
    reasons = event.fields.get("reasons")
    note = ""
    if isinstance(reasons, list) and reasons:
        note = " (" + say("by the rules: {why}", why=", ".join(tell(str(reason)) for reason in reasons)) + ")"
    return f"{clock_text(event.t_s)}  {tell(sentence(event, names))}{note}"
