"""One item of the set-up's checklist: a sign that completes itself, a title, a line of words, and what opens below."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from assistant.scene.values import Point
from assistant.ui.catalogue import say
from assistant.ui.design import design, icon
from assistant.ui.overlays.model import Overlay
from assistant.ui.setup.model import SetupModel


class State(Enum):
    """How far an item is."""

    OPEN = "circle-outline"
    WORKING = "progress-clock"
    DONE = "check-circle"
    SKIPPED = "minus-circle-outline"
    PROBLEM = "alert-circle-outline"


class _Head(QWidget):
    """The clickable line of an item."""

    clicked = pyqtSignal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.sign = QLabel(self)
        self.title = QLabel(title, self)
        self.title.setStyleSheet("font-weight: 600;")
        self.words = QLabel(self)
        self.words.setProperty("kind", "quiet")
        self.words.setWordWrap(True)
        self.words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.sign)
        row.addWidget(self.title)
        row.addWidget(self.words, 1)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        """A click opens or closes the item."""
        if event is not None and self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """So do the blank and the return key."""
        if event is not None and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)


class ChecklistItem(QFrame):
    """An item; subclasses fill `body`, say how they stand, and answer the pointer while they are open."""

    opened = pyqtSignal()
    closed = pyqtSignal()
    marks_changed = pyqtSignal()

    title = ""
    step_mm = 5.0  # that the keyboard moves something by
    pointer_height_mm = 0.0  # above the cloth: of what the pointer points at

    def __init__(self, model: SetupModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.model = model
        self.state = State.OPEN
        self.head = _Head(say(self.title), self)
        self.body = QWidget(self)
        self.column = QVBoxLayout(self.body)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.body.hide()
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(self.head)
        self._layout.addWidget(self.body)
        self.head.clicked.connect(self.toggle)
        design().changed.connect(self._restyled)
        self._restyled()

    @property
    def is_open(self) -> bool:
        """Whether its controls are shown."""
        return self.body.isVisibleTo(self)

    @property
    def in_pixels(self) -> bool:
        """Whether it speaks of pixels of the picture now, and not of millimetres on the table."""
        return False

    def toggle(self) -> None:
        """Opens or closes."""
        self.set_open(not self.is_open)

    def set_open(self, on: bool) -> None:
        """Shows or hides its controls."""
        if on == self.is_open:
            return
        self.body.setVisible(on)
        (self.opened if on else self.closed).emit()

    def say(self, state: State, words: str) -> None:
        """How it stands."""
        self.state = state
        self.head.words.setText(words)
        self.head.setAccessibleName(f"{self.head.title.text()}: {words}")
        self._show_sign()

    def refresh(self) -> None:
        """Says how it stands now."""

    # --- on the picture, while it is open

    def marks(self) -> Sequence[Overlay]:
        """What it draws on the table, in mm."""
        return ()

    def grabs(self, place: Point) -> bool:
        """Whether a drag that begins there is its own."""
        del place
        return False

    def drag(self, start: Point, end: Point) -> None:
        """Something is dragged."""

    def drop(self) -> None:
        """The drag has ended."""

    def click(self, place: Point) -> None:
        """A place was clicked."""

    def point(self, place: Point | None) -> None:
        """The pointer is there; None: nowhere on the picture."""

    def delete(self) -> None:
        """Takes away what is chosen."""

    def undo(self) -> None:
        """One step back."""

    def redo(self) -> None:
        """One step forward again."""

    def give_up(self) -> bool:
        """Ends what is being done, such as a line that is drawn; whether there was anything."""
        return False

    def take_next(self) -> None:
        """The keyboard takes the next thing that can be moved."""

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """The keyboard moves it."""

    def _show_sign(self) -> None:
        theme = design().theme
        inks = {State.DONE: theme.good if theme.name == "dark" else "#00795a", State.PROBLEM: theme.bad}
        side = design().scale.px(20)
        self.head.sign.setPixmap(icon(self.state.value, inks.get(self.state, theme.quiet)).pixmap(side, side))

    def _restyled(self) -> None:
        gap = design().scale.gap(1)
        self._layout.setContentsMargins(gap, design().scale.gap(0.5), gap, design().scale.gap(0.5))
        self._layout.setSpacing(gap)
        self.column.setSpacing(gap)
        self._show_sign()
