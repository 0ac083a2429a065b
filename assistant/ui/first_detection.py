"""The first detection of a live table: what is waited for, then its pieces one by one with a count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QTimer

from assistant.session import Moment
from assistant.ui.catalogue import say

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow

_REVEAL_MS = 60  # between two pieces


class FirstDetection:
    """Shows progress until the table was at rest once, then reveals its pieces."""

    def __init__(self, window: LiveWindow) -> None:
        self._window = window
        self.done = False
        self._revealing = QTimer(window)
        self._revealing.setInterval(_REVEAL_MS)
        self._revealing.timeout.connect(self._reveal)

    def stop(self) -> None:
        """Ends the timer."""
        self._revealing.stop()

    def show_progress(self, moment: Moment) -> None:
        """Before the first detection: what is being waited for."""
        if moment.notice:
            self._window.progress.done()  # the notice says what is lacking
        elif moment.view is None:
            self._window.progress.start(say("Looking for the four corner tokens…"))
        else:
            self._window.progress.start(say("Reading the pieces…"))

    def begin(self, moment: Moment) -> None:
        """The table is at rest for the first time."""
        if self.done:
            return
        self.done = True
        self._window.progress.done()
        if not self._window.synchronous and moment.scene.on_field():
            self._window.model.reveal(0)
            self._revealing.start()

    def _reveal(self) -> None:
        moment = self._window.model.moment
        whole = len(moment.scene.on_field()) if moment is not None else 0
        shown = (self._window.model.revealed or 0) + 1
        if shown >= whole:
            self._revealing.stop()
            self._window.progress.done()
            self._window.model.reveal(None)
            self._window.toast.say(say("{n} pieces found. Click one.", n=whole))
        else:
            self._window.model.reveal(shown)
            self._window.progress.count(say("{n} of {all} pieces", n=shown, all=whole), shown, whole)
