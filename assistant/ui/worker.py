"""Work beside the window: one thread, the latest request wins, requests and responses carry ids."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from PyQt6.QtCore import QObject, pyqtSignal

from vision.camera.live import NewestQueue

Request = TypeVar("Request")


@dataclass(frozen=True, slots=True)
class Failed:
    """What stands for a result where the work raised an error."""

    error: Exception


class LatestWorker(QObject, Generic[Request]):
    """Does one request at a time; a request that waits is replaced by a newer one, if both are `replaceable`.

    `done` carries the id of the request and its result, in the window's thread. With `synchronous` the work is done
    inside `submit`, for tests and for pictures without a window.
    """

    done = pyqtSignal(int, object)

    def __init__(
        self,
        work: Callable[[Request], object],
        name: str,
        synchronous: bool,
        parent: QObject | None = None,
        replaceable: Callable[[Request], bool] = lambda _: True,
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._wake = threading.Condition()
        self._waiting: NewestQueue[tuple[int, Request]] = NewestQueue(lambda waiting: replaceable(waiting[1]))
        self._last_id = 0
        self._busy = False
        self._stopping = False
        self._thread: threading.Thread | None = None
        if not synchronous:
            self._thread = threading.Thread(target=self._run, name=f"pinpoint {name}", daemon=True)
            self._thread.start()

    def submit(self, request: Request) -> int:
        """Asks for the work; gives the id that the answer will carry."""
        self._last_id += 1
        if self._thread is None:
            self.done.emit(self._last_id, self._result(request))
            return self._last_id
        with self._wake:
            self._waiting.put((self._last_id, request))
            self._wake.notify()
        return self._last_id

    @property
    def idle(self) -> bool:
        """Whether nothing is being done and nothing waits."""
        with self._wake:
            return not self._busy and not self._waiting

    def stop(self) -> None:
        """Lets the work at hand finish and ends the thread."""
        with self._wake:
            self._stopping = True
            self._waiting.clear()
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._stopping or len(self._waiting) > 0)
                waiting = self._waiting.take()
                if self._stopping or waiting is None:
                    return
                identity, request = waiting
                self._busy = True
            result = self._result(request)
            with self._wake:
                self._busy = False
                if self._stopping:
                    return
            self.done.emit(identity, result)

    def _result(self, request: Request) -> object:
        try:
            return self._work(request)
        except Exception as error:  # reported in the window: the game goes on
            return Failed(error)
