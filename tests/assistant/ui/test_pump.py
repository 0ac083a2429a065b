"""Frames on their way to the window: the newest wins, an outage between them is never lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from assistant.ui.pump import FramePump
from assistant.ui.worker import LatestWorker
from vision.camera.live import Outage, SourceItem
from vision.types.frame import Frame


def frame(index: int) -> Frame:
    return Frame(np.zeros((2, 2, 3), np.uint8), index, float(index))


class Scripted:
    """A source that gives what it was told to, at once."""

    name, live = "scripted", False

    def __init__(self, *items: SourceItem) -> None:
        self._items: Iterator[SourceItem] = iter(items)

    def read(self) -> SourceItem | None:
        return next(self._items, None)

    def close(self) -> None: ...


def test_an_outage_between_two_frames_waits_for_the_window(qtbot: QtBot) -> None:
    outage = Outage(2.5, "gone")
    pump = FramePump(Scripted(frame(1), frame(2), outage, frame(3), frame(4)))
    with qtbot.waitSignal(pump.ended, timeout=3000):
        pump.start()
    taken: list[object] = []
    while (item := pump.take()) is not None:
        taken.append(item.index if isinstance(item, Frame) else item)
    pump.stop()
    assert taken == [2, outage, 4]


@pytest.mark.parametrize("keeps", [True, False])
def test_a_busy_worker_gets_every_outage_and_the_newest_frame(qtbot: QtBot, keeps: bool) -> None:
    done: list[object] = []
    begun, go = threading.Event(), threading.Event()

    def work(item: SourceItem) -> object:
        begun.set()
        go.wait(3)
        return item.index if isinstance(item, Frame) else item

    replaceable = (lambda item: isinstance(item, Frame)) if keeps else (lambda _: True)
    worker: LatestWorker[SourceItem] = LatestWorker(work, "test", False, None, replaceable)
    worker.done.connect(lambda _identity, result: done.append(result))
    outage = Outage(1.5, "gone")
    worker.submit(frame(0))
    assert begun.wait(3)
    for item in (frame(1), outage, frame(2), frame(3)):
        worker.submit(item)
    go.set()
    qtbot.waitUntil(lambda: 3 in done, timeout=3000)
    worker.stop()
    assert done == ([0, 1, outage, 3] if keeps else [0, 3])
