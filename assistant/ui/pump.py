"""Frames from a source to the window: read in a thread of their own, the newest wins, no outage is lost."""

from __future__ import annotations

import threading
import time

from PyQt6.QtCore import QObject, pyqtSignal

from vision.camera.live import NewestQueue, SourceItem
from vision.camera.source import FrameSource
from vision.types.frame import Frame

_PATIENCE_S = 0.5


class FramePump(QObject):
    """Reads a source until it ends or is stopped. `arrived` says that `take` has something new.

    `in_step` is for a recording of which no frame may be missed: the next is read when `go_on` is called, and not
    before its time.
    """

    arrived = pyqtSignal()
    ended = pyqtSignal()
    failed = pyqtSignal(str)  # the source could not be read any further

    def __init__(self, source: FrameSource, in_step: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._in_step = in_step
        self._next = threading.Event()
        self._lock = threading.Lock()
        self._items: NewestQueue[SourceItem] = NewestQueue(lambda item: isinstance(item, Frame))
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="pinpoint frames", daemon=True)

    @property
    def live(self) -> bool:
        """Whether the source goes on by itself."""
        return self._source.live

    def start(self) -> None:
        """Begins to read."""
        self._thread.start()

    def take(self) -> SourceItem | None:
        """What came next and waits: the newest frame, or an outage before it; None where nothing does."""
        with self._lock:
            return self._items.take()

    def go_on(self) -> None:
        """The frame that was taken is done with."""
        self._next.set()

    def stop(self) -> None:
        """Ends the thread and lets the source go."""
        self._stopping.set()
        self._next.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)
        self._source.close()  # only now: a film must not be closed under its reader, but a dead camera has to be woken
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        begun_s = time.monotonic()
        while not self._stopping.is_set():
            try:
                item = self._source.read()
            except Exception as error:  # a damaged film must not end the thread without a word
                if not self._stopping.is_set():
                    self.failed.emit(str(error) or type(error).__name__)
                return
            if self._stopping.is_set():
                return
            if item is None:
                self.ended.emit()
                return
            if self._in_step and isinstance(item, Frame):
                begun_s = max(begun_s, time.monotonic() - item.time_s)  # what is late stays late: nothing is hurried
                self._stopping.wait(begun_s + item.time_s - time.monotonic())
                self._next.clear()
            with self._lock:
                waiting = len(self._items) > 0
                self._items.put(item)
            if not waiting:  # the window has not taken the last one yet: it will find this one in its place
                self.arrived.emit()
            if self._in_step:
                self._next.wait()
