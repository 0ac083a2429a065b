"""The set-up on one live page: the camera's picture, and a checklist beside it that completes itself."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from assistant.scene.values import Point
from assistant.ui.canvas import TableCanvas
from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, icon_size
from assistant.ui.overlays.model import Overlay
from assistant.ui.progress import Progress
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.field_items import ObjectiveItem, TerrainItem
from assistant.ui.setup.items import CameraItem, LensItem, SizeItem
from assistant.ui.setup.looking import PixelProjection
from assistant.ui.setup.mark_item import MarkItem
from assistant.ui.setup.model import Opener, SetupModel, open_live
from assistant.ui.setup.nudging import nudging
from assistant.ui.setup.piece_item import PieceItem
from assistant.ui.setup.player_item import PlayerItem
from assistant.ui.setup.profile import TableProfile, data_folder, remember
from assistant.ui.setup.roster_file import RingOwner, write_rings
from assistant.ui.setup.token_item import TokensItem


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
        resumed: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`playing`: the pictures are fed by the window whose game goes on; game and camera stay as they are.

        `resumed`: a game of another sitting goes on, so the figures stand where they were marked.
        """
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
        self.tokens = TokensItem(self.model, self.canvas, self)
        self.size_item = SizeItem(self.model, self)
        self.lens = LensItem(self.model, self)
        self.pieces = PieceItem(self.model, self)
        self.terrain = TerrainItem(self.model, self)
        self.objectives = ObjectiveItem(self.model, self)
        self.players = PlayerItem(self.model, self)
        self.figures = MarkItem(self.model, self.players, playing or resumed, synchronous, self)
        self.items: tuple[ChecklistItem, ...] = (
            self.camera,
            self.tokens,
            self.size_item,
            self.lens,
            self.figures,
            self.pieces,
            self.terrain,
            self.objectives,
            self.players,
        )
        self.start = QPushButton(say("Go on with the game") if playing else say("Start the game"), self)
        self.start.setProperty("kind", "main")
        self.mark = QPushButton(say("Mark the figures"), self)
        self.mark.setProperty("kind", "main")
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
        self.canvas.pointed.connect(self._pointed)
        self.canvas.left.connect(self._pointer_left)
        self.pieces.army_given.connect(self._army_given)
        self.mark.clicked.connect(lambda: self.figures.set_open(True))
        self.start.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.leave)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.activated.connect(self._escaped)
        nudging(self.canvas, self._take_next, self._nudge)
        for keys, ask in (("Delete", "delete"), ("Backspace", "delete"), ("Ctrl+Z", "undo"), ("Ctrl+Shift+Z", "redo")):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)  # a field that is typed in comes first
            shortcut.activated.connect(partial(self._ask_open, ask))
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
        self._foot.addWidget(self.mark)
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
        self.figures.store()
        self._store_rings()
        remember(self.profile)
        self.accepted.emit()

    def stop(self) -> None:
        """Lets the camera go."""
        self.progress.done()
        self.figures.stop()
        self.model.stop()

    def leave(self) -> None:
        """Back; what was marked is kept for the next time."""
        if self.figures.marked and not self._playing:
            self.players.store()
            self.figures.store()
            remember(self.profile)
        self.cancelled.emit()

    def _escaped(self) -> None:
        """Ends what is being done on the picture, else goes back."""
        item = self._open_item()
        if item is None or not item.give_up():
            self.leave()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """What is drawn in a size of the screen is drawn anew."""
        super().resizeEvent(event)
        self.show_marks()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """The return key starts the game where it can start."""
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.ready:
            self.accept()
        else:
            super().keyPressEvent(event)

    def _store_rings(self) -> None:
        """Figures get their owners by the colour of their ring or card."""
        found = self.model.figures
        if found is None or not found.figures or self.figures.marked:
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

    def _army_given(self, path: str) -> None:
        """The units of an army list are what is marked next."""
        if self.profile.system.figures:
            self.figures.use_file(Path(path))
            self.figures.set_open(True)

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
        unmarked = self.ready and self.profile.system.figures and self.figures.state is State.OPEN
        self.mark.setVisible(unmarked and not self.figures.is_open)
        frame, projection = self.model.frame, self.model.projection()
        self.model.show_table(self.canvas)
        self._marked = self.model.view
        if frame is None:
            return
        size = (frame.bgr.shape[1], frame.bgr.shape[0])
        item = self._open_item()
        if item is not None and item.in_pixels:
            self.canvas.set_focus_area(None)
            self.canvas.show_overlays(item.marks(), PixelProjection(size))
            return
        board = self.lens.pixel_marks()
        if board:
            self.canvas.show_overlays(board, PixelProjection(size))
            return
        if projection is None or self.tokens.is_open:
            self.canvas.show_overlays(self.tokens.marks(), PixelProjection(size))
            return
        marks: list[Overlay] = []
        for each in (self.players, self.terrain, self.objectives, self.pieces, self.figures):
            marks += each.marks()
        self.canvas.show_overlays(marks, projection)

    def _place(self, item: ChecklistItem, x_px: float, y_px: float) -> Point | None:
        """What a pixel is for an item: a place on the table, or the pixel itself."""
        projection = self.model.projection()
        if item.in_pixels:
            return (x_px, y_px) if self.model.frame is not None else None
        if projection is None:
            return None
        x, y = projection.to_board(np.array([[x_px, y_px]]), item.pointer_height_mm)[0].tolist()
        return (x, y)

    def _pointed(self, x_px: float, y_px: float) -> None:
        item = self._open_item()
        if item is not None:
            item.point(self._place(item, x_px, y_px))

    def _pointer_left(self) -> None:
        item = self._open_item()
        if item is not None:
            item.point(None)

    def _ask_open(self, what: str) -> None:
        """A key of the picture for the open item."""
        item = self._open_item()
        if item is not None:
            {"delete": item.delete, "undo": item.undo, "redo": item.redo}[what]()

    def _open_item(self) -> ChecklistItem | None:
        return next((item for item in self.items if item.is_open), None)

    def _grabs(self, x_px: float, y_px: float) -> bool:
        item = self._open_item()
        place = self._place(item, x_px, y_px) if item is not None else None
        return item is not None and place is not None and item.grabs(place)

    def _clicked(self, x_px: float, y_px: float) -> None:
        item = self._open_item()
        place = self._place(item, x_px, y_px) if item is not None else None
        if item is not None and place is not None:
            item.click(place)

    def _dragged(self, from_x: float, from_y: float, to_x: float, to_y: float) -> None:
        item = self._open_item()
        if item is None:
            return
        start, end = self._place(item, from_x, from_y), self._place(item, to_x, to_y)
        if start is not None and end is not None:
            item.drag(start, end)

    def _dropped(self) -> None:
        item = self._open_item()
        if item is not None:
            item.drop()

    def _take_next(self) -> None:
        item = self._open_item()
        if item is not None:
            item.take_next()

    def _nudge(self, east: float, south: float) -> None:
        item = self._open_item()
        if item is not None:
            item.nudge(east * item.step_mm, south * item.step_mm)

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
            self.hint.setText(say("The game can start when the corner tokens are seen, or its corners are clicked."))
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
        self.mark.setIcon(icon("cursor-default-click-outline", design().theme.on_accent))
        self.mark.setIconSize(icon_size())
        self.start.setIcon(icon("play", design().theme.on_accent))
        self.start.setIconSize(icon_size())
        self.cancel.setIcon(icon("arrow-left"))
        self.cancel.setIconSize(icon_size())
