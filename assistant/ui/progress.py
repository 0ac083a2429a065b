"""Says what is being worked on when it takes longer than half a second."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtWidgets import QFrame, QLabel, QProgressBar, QVBoxLayout, QWidget

from assistant.ui.design import design

AFTER_MS = 500


class Progress(QFrame):
    """A line and a moving bar in the middle of its parent, from half a second after `start` until `done`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = QLabel(self)
        self.text.setProperty("kind", "strong")
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 0)
        layout = QVBoxLayout(self)
        layout.addWidget(self.text)
        layout.addWidget(self.bar)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AFTER_MS)
        self._timer.timeout.connect(self._show)
        parent.installEventFilter(self)
        self.hide()

    def start(self, text: str) -> None:
        """Something has begun; a second start only changes the words."""
        self.text.setText(text)
        self.setAccessibleName(text)
        self.bar.setRange(0, 0)
        if self.isVisible():
            self._place()
        elif not self._timer.isActive():
            self._timer.start()

    def count(self, text: str, done: int, whole: int) -> None:
        """So much of it is done; shown at once."""
        self._timer.stop()
        self.text.setText(text)
        self.bar.setRange(0, max(1, whole))
        self.bar.setValue(done)
        self._show()

    def done(self) -> None:
        """It is over."""
        self._timer.stop()
        self.hide()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Stays in the middle."""
        if event is not None and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _show(self) -> None:
        self.show()
        self.raise_()
        self._place()

    def _place(self) -> None:
        parent = self.parentWidget()
        if parent is not None:
            self.setFixedWidth(min(parent.width() - 16, max(self.text.sizeHint().width() + 40, design().scale.px(240))))
            self.adjustSize()
            self.move((parent.width() - self.width()) // 2, (parent.height() - self.height()) // 2)
