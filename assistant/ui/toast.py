"""A short word about what has just been done, with a way to take it back."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, icon_size

_SHOWN_MS = 7000


class Toast(QFrame):
    """One line over the lower left corner of its parent; goes away by itself."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = QLabel(self)
        self.undo = QPushButton(say("Undo"), self)
        self.undo.clicked.connect(self._take_back)
        self._back: Callable[[], object] | None = None
        row = QHBoxLayout(self)
        row.addWidget(self.text)
        row.addWidget(self.undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(self, text: str, back: Callable[[], object] | None = None) -> None:
        """Shows a line; with `back` also a button that takes it back."""
        self.text.setText(text)
        self.setAccessibleName(text)
        self._back = back
        self.undo.setVisible(back is not None)
        self.undo.setIcon(icon("undo"))
        self.undo.setIconSize(icon_size())
        self.show()
        self.raise_()
        self._place()
        self._timer.start()

    def stop(self) -> None:
        """Takes it away."""
        self._timer.stop()
        self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Stays in its corner when the parent changes its size."""
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _take_back(self) -> None:
        back = self._back
        self.stop()
        if back is not None:
            back()

    def _place(self) -> None:
        parent, gap = self.parentWidget(), design().scale.gap(2)
        if parent is not None:
            self.setMaximumWidth(max(200, parent.width() - 2 * gap))
            self.adjustSize()
            self.move(gap, parent.height() - self.height() - gap)
