"""A camera or stream read in the background: the newest frame wins, and a source that dies is tried again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from calibration.errors import InputError
from vision.types.frame import Frame

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0
_READS_BEFORE_DEAD = 10  # a camera may miss a frame now and then
_BETWEEN_BAD_READS_S = 0.03
_JOIN_S = 6.0


@dataclass(frozen=True, slots=True)
class Outage:
    """The source has stopped giving frames; it is being tried again."""

    time_s: float
    why: str


class Capture(Protocol):
    """The part of OpenCV's capture that is used."""

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...


class LiveSource:
    """Reads in a thread of its own so that latency never grows: a frame not taken when the next arrives is dropped."""

    live = True

    def __init__(self, name: str, connect: Callable[[], Capture], clock: Callable[[], float] = time.monotonic) -> None:
        """Connects once; a source that cannot be opened at the start is a person's mistake, not an outage."""
        self.name = name
        self._connect = connect
        self._clock = clock
        self._start_s = clock()
        capture = connect()
        if not _gives_frames(capture):
            capture.release()
            raise InputError("no source", name, "it gives no picture; check the number, the cable or the address")
        self._fresh = threading.Condition()
        self._item: Frame | Outage | None = None
        self._closing = threading.Event()
        self._count = 0
        self._thread = threading.Thread(target=self._run, args=(capture,), name=f"source {name}", daemon=True)
        self._thread.start()

    def read(self) -> Frame | Outage | None:
        """Waits for something newer than what was read last; None once closed."""
        with self._fresh:
            self._fresh.wait_for(lambda: self._item is not None or self._closing.is_set())
            item, self._item = self._item, None
            return item

    def close(self) -> None:
        """Ends the reading thread and lets the device go."""
        self._closing.set()
        with self._fresh:
            self._fresh.notify_all()
        self._thread.join(_JOIN_S)

    def _run(self, capture: Capture) -> None:
        wait_s = _FIRST_WAIT_S
        while not self._closing.is_set():
            if self._read_until_dead(capture):
                wait_s = _FIRST_WAIT_S
            capture.release()
            if self._closing.wait(wait_s):
                return
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
            capture = self._connect()
        capture.release()

    def _read_until_dead(self, capture: Capture) -> bool:
        """Hands frames on until the source dies; whether there was any."""
        misses, any_frame = 0, False
        while misses < _READS_BEFORE_DEAD and not self._closing.is_set():
            done, image = capture.read()
            if not done:
                misses += 1
                self._closing.wait(_BETWEEN_BAD_READS_S)
                continue
            misses, any_frame = 0, True
            self._hand_on(Frame(np.asarray(image, dtype=np.uint8), self._count, self._clock() - self._start_s))
            self._count += 1
        if any_frame and not self._closing.is_set():
            self._hand_on(Outage(self._clock() - self._start_s, f"{self.name} gives no more pictures"))
        return any_frame

    def _hand_on(self, item: Frame | Outage) -> None:
        with self._fresh:
            self._item = item
            self._fresh.notify_all()


def _gives_frames(capture: Capture) -> bool:
    return any(capture.read()[0] for _ in range(_READS_BEFORE_DEAD))
