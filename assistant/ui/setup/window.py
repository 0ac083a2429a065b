"""The set-up as a window of its own, before a game."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QMainWindow, QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, open_on_screen
from assistant.ui.setup.model import Opener, open_live
from assistant.ui.setup.page import SetupPage
from assistant.ui.setup.profile import TableProfile


class SetupWindow(QMainWindow):
    """The set-up page as a window of its own, before a game; `left` says that it is over."""

    left = pyqtSignal()

    def __init__(
        self,
        profile: TableProfile,
        opener: Opener = open_live,
        synchronous: bool = False,
        resumed: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.done = False
        self.setWindowTitle(say("Set up the table"))
        self.setWindowIcon(icon("crosshairs-gps", design().theme.accent))
        open_on_screen(self)
        self.page = SetupPage(profile, opener, synchronous, resumed=resumed, parent=self)
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
