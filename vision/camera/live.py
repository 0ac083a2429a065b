"""A camera or stream read in the background: the newest frame wins, and a source that dies is tried again."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from calibration.errors import InputError
from vision.camera.modes import Mode, Negotiated, is_blank
from vision.types.frame import Frame

BLANK = "the picture is black or of one tone: open the camera's privacy shutter, take its cap off or switch a lamp on"
_FIRST_WAIT_S = 0.5  # before a dead source is tried again; twice as long after each try, up to ten times
_READS_BEFORE_DEAD = 10  # a camera may miss a frame now and then
_MISSING_S = 1.0  # the same where each read takes its time to fail
_SILENT_S = 8.0  # without a frame before it is an outage, though nothing says so
_JUDGED_FRAMES = 20  # by which a source's rate is measured, and whether it shows anything: cameras start dark
_MOST_WAITING = 8  # items in a queue

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Outage:
    """The source has stopped giving frames; it is being tried again."""

    time_s: float
    why: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """Something worth a line that is no outage: a picture that was left out, a camera whose shutter is closed."""

    time_s: float
    text: str


SourceItem = Frame | Outage | SourceNote


class Capture(Protocol):
    """The part of OpenCV's capture that is used."""

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...


class NewestQueue(Generic[Item]):
    """Holds items until they are taken. One that is `replaceable` gives way to the next that comes; others are kept.

    So an outage that began and ended while its reader was busy is still reported, followed by the frame that ended it.
    It never grows: beyond a bound the oldest two after the first are dropped, which joins two outages to one.
    Not locked: whoever shares it between threads does that.
    """

    def __init__(self, replaceable: Callable[[Item], bool]) -> None:
        self._replaceable = replaceable
        self._items: deque[Item] = deque()

    def put(self, item: Item) -> None:
        """One more item, in place of a replaceable one that still waits at the end."""
        if self._items and self._replaceable(self._items[-1]) and self._replaceable(item):
            self._items.pop()
        self._items.append(item)
        if len(self._items) > _MOST_WAITING:
            del self._items[1]
            del self._items[1]

    def take(self) -> Item | None:
        """The oldest item, None where there is none."""
        return self._items.popleft() if self._items else None

    def clear(self) -> None:
        """Drops everything."""
        self._items.clear()

    def __len__(self) -> int:
        return len(self._items)


class LiveSource:
    """Reads in a thread of its own so that latency never grows: a frame not taken when the next arrives is dropped.

    Outages and notes are queued, so that one which begins and ends while its reader is busy is reported all the same.
    """

    live = True

    def __init__(self, name: str, connect: Callable[[], Capture], clock: Callable[[], float] = time.monotonic) -> None:
        """Connects once; a source that cannot be opened at the start is a person's mistake, not an outage."""
        self.name = name
        self._connect = connect
        self._clock = clock
        self._telling = threading.Lock()
        self._start_s = self._last_s = clock()
        capture = connect()
        first = next((image for done, image in (capture.read() for _ in range(_READS_BEFORE_DEAD)) if done), None)
        if first is None:
            capture.release()
            why = str(getattr(capture, "why", "")) or "it gives no picture; check the number, the cable or the address"
            raise InputError("no source", name, why)
        self._fresh = threading.Condition()
        self._items: NewestQueue[SourceItem] = NewestQueue(lambda item: isinstance(item, Frame))
        self._closing = threading.Event()
        self._count = 0
        self._reported_silent = False
        self._held: bool | None = None  # whether the camera is to be held still; None until somebody says
        self._arrived_s: deque[float] = deque(maxlen=_JUDGED_FRAMES)
        self._size = (int(first.shape[1]), int(first.shape[0]))
        self._mode: Negotiated | None = getattr(capture, "mode", None)
        self._thread = threading.Thread(target=self._run, args=(capture, first), name=f"source {name}", daemon=True)
        self._thread.start()

    @property
    def mode(self) -> Negotiated:
        """What the source was asked for, what its driver granted, and what its frames are now."""
        times = tuple(self._arrived_s)
        spent = times[-1] - times[0] if len(times) > 1 else 0.0
        opened = self._mode
        fps = (len(times) - 1) / spent if spent > 0 else (opened.measured.fps if opened else 0.0)
        measured = Mode(*self._size, fps, opened.measured.code if opened else "")
        return Negotiated(opened.requested if opened else None, opened.granted if opened else None, measured)

    def hold_still(self, held: bool) -> None:
        """Has the camera keep its focus, exposure and white balance from now on, or leaves them to it again."""
        self._held = held

    def read(self) -> SourceItem | None:
        """Waits for something newer than what was read last; None once closed.

        A source that says nothing at all for a while (a driver that hangs, a frozen server) is an outage too.
        """
        with self._fresh:
            while True:
                arrived = self._fresh.wait_for(lambda: len(self._items) or self._closing.is_set(), _SILENT_S)
                if arrived or not self._reported_silent:
                    break
            if not arrived:
                self._reported_silent = True
                return Outage(self._now_s(), f"{self.name} gives no pictures")
            return self._items.take()

    def close(self) -> None:
        """Ends the reading thread and lets the device go."""
        self._closing.set()
        with self._fresh:
            self._fresh.notify_all()
        self._thread.join(_SILENT_S)

    def _now_s(self) -> float:
        """Seconds since the source was opened; a clock that goes back is taken to go on from where it was."""
        with self._telling:
            now_s = self._clock()
            self._start_s += min(0.0, now_s - self._last_s)
            self._last_s = now_s
            return now_s - self._start_s

    def _run(self, first_capture: Capture, first: Any) -> None:
        capture: Capture | None = first_capture
        wait_s = _FIRST_WAIT_S
        while not self._closing.is_set():
            if capture is not None:
                if self._read_until_dead(capture, first):
                    wait_s = _FIRST_WAIT_S
                capture.release()
            if self._closing.wait(wait_s):
                return
            wait_s = min(2 * wait_s, 10 * _FIRST_WAIT_S)
            capture, first = self._connected(), None
        if capture is not None:
            capture.release()

    def _connected(self) -> Capture | None:
        """The source opened anew; None where it is still not there, whatever the driver raises."""
        try:
            capture = self._connect()
        except Exception:
            return None
        self._mode = getattr(capture, "mode", None)
        self._arrived_s.clear()
        return capture

    def _read_until_dead(self, capture: Capture, first: Any) -> bool:
        """Hands frames on until the source dies; whether there was any."""
        misses, frames, applied, missed_s = 0, 0, False, 0.0
        blank = True
        if first is not None:
            self._hand_on_frame(first)
            frames = 1
        while misses < _READS_BEFORE_DEAD and not self._closing.is_set():
            if self._held is not None and self._held != applied:
                applied = self._held
                _apply(capture, applied)
            done, image = capture.read()
            if not done:
                misses += 1
                missed_s = missed_s if misses > 1 else self._now_s()
                if self._now_s() - missed_s > _MISSING_S:
                    break
                self._closing.wait(_MISSING_S / (3 * _READS_BEFORE_DEAD))
                continue
            misses, frames = 0, frames + 1
            if blank and frames <= _JUDGED_FRAMES:
                blank = is_blank(np.asarray(image, dtype=np.uint8))
                if blank and frames == _JUDGED_FRAMES:
                    self._hand_on(SourceNote(self._now_s(), BLANK))
            self._hand_on_frame(image)
        if frames and not self._closing.is_set():
            why = str(getattr(capture, "why", ""))
            self._hand_on(Outage(self._now_s(), f"{self.name} gives no more pictures" + (f": {why}" if why else "")))
        return frames > 0

    def _hand_on_frame(self, image: Any) -> None:
        picture = np.asarray(image, dtype=np.uint8)
        now_s = self._now_s()
        self._arrived_s.append(now_s)
        self._size = (picture.shape[1], picture.shape[0])
        self._hand_on(Frame(picture, self._count, now_s))
        self._count += 1

    def _hand_on(self, item: SourceItem) -> None:
        with self._fresh:
            self._items.put(item)
            self._reported_silent = False
            self._fresh.notify_all()


def _apply(capture: Capture, held: bool) -> None:
    """Holds a camera still or lets it go, where it is one that can."""
    action = getattr(capture, "hold" if held else "let_go", None)
    if callable(action):
        action()
