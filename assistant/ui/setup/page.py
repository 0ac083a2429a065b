"""The set-up on one live page: the camera's picture, and a checklist beside it that completes itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeyEvent, QKeySequence, QShortcut
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMainWindow, QPushButton, QScrollArea, QVBoxLayout, QWidget

from assistant.scene.values import Point
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, icon_size, open_on_screen
from assistant.ui.overlays.model import Overlay
from assistant.ui.progress import Progress
from assistant.ui.setup.checklist import ChecklistItem
from assistant.ui.setup.field_items import ObjectiveItem, TerrainItem
from assistant.ui.setup.items import CameraItem, LensItem, SizeItem, TokensItem
from assistant.ui.setup.looking import PixelProjection, token_marks
from assistant.ui.setup.model import Opener, SetupModel, open_live
from assistant.ui.setup.nudging import nudging
from assistant.ui.setup.piece_item import PieceItem
from assistant.ui.setup.player_item import PlayerItem
from assistant.ui.setup.profile import TableProfile, data_folder, remember
from assistant.ui.setup.roster_file import RingOwner, write_rings


class SetupPage(QWidget):
    """Nothing is typed that can be seen. Every item can be skipped, and opened again during the game."""

    accepted = pyqtSignal()
    cancelled = pyqtSignal()

    def __init__(
        self,
        profile: TableProfile,
        opener: Opener = open_live,
        synchronous: bool = False,
        playing: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`playing`: the pictures are fed by the window whose game goes on; game and camera stay as they are."""
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._playing = playing
        self._marked: object = None
        self._waiting = True  # for the first picture of a camera
        self.model = SetupModel(profile, opener, synchronous, self)
        self.canvas = TableCanvas(self)
        self.canvas.setAccessibleName(say("The camera's picture"))
        self.progress = Progress(self.canvas)
        self.camera = CameraItem(self.model, playing, self)
        self.tokens = TokensItem(self.model, self)
        self.size_item = SizeItem(self.model, self)
        self.lens = LensItem(self.model, self)
        self.pieces = PieceItem(self.model, self)
        self.terrain = TerrainItem(self.model, self)
        self.objectives = ObjectiveItem(self.model, self)
        self.players = PlayerItem(self.model, self)
        self.items: tuple[ChecklistItem, ...] = (
            self.camera,
            self.tokens,
            self.size_item,
            self.lens,
            self.pieces,
            self.terrain,
            self.objectives,
            self.players,
        )
        self.start = QPushButton(say("Go on with the game") if playing else say("Start the game"), self)
        self.start.setProperty("kind", "main")
        self.cancel = QPushButton(say("Back"), self)
        self.hint = QLabel(self)
        self.hint.setProperty("kind", "quiet")
        self.hint.setWordWrap(True)
        self._lay_out()
        for item in self.items:
            item.opened.connect(lambda opened=item: self._opened(opened))
            item.closed.connect(self.show_marks)
            item.marks_changed.connect(self.show_marks)
        self.model.frame_changed.connect(self._show_frame)
        self.model.tokens_changed.connect(self._refresh)
        self.model.pieces_changed.connect(self._refresh)
        self.model.terrain_changed.connect(self._refresh)
        self.model.profile_changed.connect(self._refresh)
        self.model.source_changed.connect(self._source_changed)
        self.model.busy_changed.connect(self._busy)
        self.canvas.grabs_piece = self._grabs
        self.canvas.clicked.connect(self._clicked)
        self.canvas.drag_moved.connect(self._dragged)
        self.canvas.drag_ended.connect(self._dropped)
        self.start.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.cancelled.emit)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.activated.connect(self.cancelled.emit)
        nudging(self.canvas, self._take_next, self._nudge)
        design().changed.connect(self._restyled)
        self._restyled()
        if not playing:
            self.camera.begin()
        self.players.set_open(True)
        self._refresh()

    def _lay_out(self) -> None:
        self._list = QWidget(self)
        self._list.setObjectName("checklist")
        self._column = QVBoxLayout(self._list)
        title = QLabel(say("Set up the table"), self._list)
        title.setProperty("kind", "title")
        title.setWordWrap(True)
        self._column.addWidget(title)
        for item in self.items:
            self._column.addWidget(item)
        self._column.addStretch(1)
        self._scroll = QScrollArea(self)
        self._scroll.setWidget(self._list)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        side = QWidget(self)
        side.setObjectName("checklist")
        right = QVBoxLayout(side)
        right.setContentsMargins(0, 0, 0, 0)
        right.addWidget(self._scroll, 1)
        self._foot = QVBoxLayout()
        self._foot.addWidget(self.hint)
        buttons = QHBoxLayout()
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.start, 1)
        self._foot.addLayout(buttons)
        right.addLayout(self._foot)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.canvas, 7)
        row.addWidget(side, 3)

    @property
    def profile(self) -> TableProfile:
        """The table as it is set up now."""
        return self.model.profile

    @property
    def ready(self) -> bool:
        """Whether a game can start: there is a picture, and the table in it is measured."""
        return self.model.view is not None

    def accept(self) -> None:
        """Keeps everything, and plays."""
        if not self.ready:
            return
        self.pieces.setFocus()  # ends what is being typed
        self.players.store()
        self._store_rings()
        remember(self.profile)
        self.accepted.emit()

    def stop(self) -> None:
        """Lets the camera go."""
        self.progress.done()
        self.model.stop()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """The return key starts the game where it can start."""
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.ready:
            self.accept()
        else:
            super().keyPressEvent(event)

    def _store_rings(self) -> None:
        """Figures get their owners by the colour of their ring or card."""
        found = self.model.figures
        if found is None or not found.figures:
            return
        players = self.profile.players
        rings = []
        for colour, figures in found.colours().items():
            owner = self.pieces.owners.get(colour)
            name = self.pieces.names.get(colour)
            seat = owner.currentIndex() if owner is not None else 0
            size = getattr(figures[0], "diameter_mm", 0.0) or getattr(figures[0], "width_mm", 25.0)
            rings.append(RingOwner(colour, name.text().strip() if name else colour, players[seat].id, float(size)))
        path = data_folder() / "rosters" / self.profile.game / "rings.json"
        write_rings(path, rings)
        self.model.set_profile(replace(self.profile, roster=path))

    # --- the picture

    def _first_picture(self) -> None:
        """The camera is chosen: what is left to do are the names."""
        if self.camera.is_open and not self._playing:
            self.players.set_open(True)

    def _show_frame(self) -> None:
        if self._waiting:
            self._waiting = False
            self._first_picture()
        self.model.show_table(self.canvas)
        if self._marked is not self.model.view:
            self.show_marks()

    def show_marks(self) -> None:
        """The tokens until the table is measured; then what the items draw."""
        seen, frame, projection = self.model.tokens, self.model.frame, self.model.projection()
        self.model.show_table(self.canvas)
        self._marked = self.model.view
        if frame is None:
            return
        size = (frame.bgr.shape[1], frame.bgr.shape[0])
        board = self.lens.pixel_marks()
        if board:
            self.canvas.show_overlays(board, PixelProjection(size))
            return
        if projection is None or self.tokens.is_open:
            self.canvas.show_overlays(token_marks(seen) if seen is not None else (), PixelProjection(size))
            return
        marks: list[Overlay] = []
        for item in (self.players, self.terrain, self.objectives, self.pieces):
            marks += item.marks()
        self.canvas.show_overlays(marks, projection)

    def _place(self, x_px: float, y_px: float) -> Point | None:
        projection = self.model.projection()
        if projection is None:
            return None
        x, y = projection.to_board(np.array([[x_px, y_px]]))[0].tolist()
        return (x, y)

    def _open_item(self) -> ChecklistItem | None:
        return next((item for item in self.items if item.is_open), None)

    def _grabs(self, x_px: float, y_px: float) -> bool:
        item, place = self._open_item(), self._place(x_px, y_px)
        return item is not None and place is not None and item.grabs(place)

    def _clicked(self, x_px: float, y_px: float) -> None:
        item, place = self._open_item(), self._place(x_px, y_px)
        if item is not None and place is not None:
            item.click(place)

    def _dragged(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        item = self._open_item()
        start, end = self._place(from_x, from_y), self._place(to_x, to_y)
        if item is not None and start is not None and end is not None:
            item.drag(start, end)

    def _dropped(self) -> None:
        item = self._open_item()
        if item is not None:
            item.drop()

    def _take_next(self) -> None:
        item = self._open_item()
        if item is not None:
            item.take_next()

    def _nudge(self, dx_mm: float, dy_mm: float) -> None:
        item = self._open_item()
        if item is not None:
            item.nudge(dx_mm, dy_mm)

    # --- how it stands

    def _opened(self, opened: ChecklistItem) -> None:
        for item in self.items:
            if item is not opened:
                item.set_open(False)
        self.show_marks()
        QTimer.singleShot(0, self._show_open)

    def _show_open(self) -> None:
        """Brings the open item into sight."""
        item = self._open_item()
        if item is not None and self.isVisible():
            self._scroll.ensureWidgetVisible(item, 0, design().scale.gap(1))

    def _source_changed(self) -> None:
        self._waiting = True
        self._refresh()

    def _busy(self, words: str) -> None:
        if words:
            self.progress.start(words)
        else:
            self.progress.done()

    def _refresh(self) -> None:
        for item in self.items:
            item.refresh()
        self.start.setEnabled(self.ready)
        if self.model.frame is None:
            self.hint.setText(say("Choose a camera: its picture appears here."))
        elif not self.ready:
            self.hint.setText(say("The game can start when the corner tokens are seen."))
        else:
            self.hint.setText(say("Everything else can be skipped and changed during the game (Ctrl+T)."))
        self.show_marks()

    def _restyled(self) -> None:
        scale = design().scale
        gap = scale.gap(1.5)
        self._column.setContentsMargins(gap, gap, gap, gap)
        self._column.setSpacing(scale.gap(0.75))
        self._foot.setContentsMargins(gap, scale.gap(1), gap, gap)
        self._scroll.setMinimumWidth(scale.px(250) + 75)
        self.start.setIcon(icon("play", design().theme.on_accent))
        self.start.setIconSize(icon_size())
        self.cancel.setIcon(icon("arrow-left"))
        self.cancel.setIconSize(icon_size())


class SetupWindow(QMainWindow):
    """The set-up page as a window of its own, before a game; `left` says that it is over."""

    left = pyqtSignal()

    def __init__(
        self,
        profile: TableProfile,
        opener: Opener = open_live,
        synchronous: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.done = False
        self.setWindowTitle(say("Set up the table"))
        self.setWindowIcon(icon("crosshairs-gps", design().theme.accent))
        open_on_screen(self)
        self.page = SetupPage(profile, opener, synchronous, parent=self)
        self.setCentralWidget(self.page)
        self.page.accepted.connect(self._accepted)
        self.page.cancelled.connect(self.close)

    def _accepted(self) -> None:
        self.done = True
        self.close()

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Lets the camera go."""
        self.page.stop()
        super().closeEvent(event)
        self.left.emit()
