"""Clocks that jump while a table is followed and shown in a hall: for `benchmarks.attack`.

A laptop that slept, a system clock that was set, summer time: a move after the jump must be reported once, within the
seconds that it takes without a jump, and nothing else may be reported.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from assistant.cli.inputs import game_of
from assistant.cli.looking import pieces_of
from assistant.hall.mirror import Mirror
from assistant.hall.options import HallOptions
from assistant.hall.store import Store
from assistant.hall.values import Report
from assistant.session import TableSetting, session_for
from benchmarks.attack_process import peak_mb
from benchmarks.attack_readers import ROOT
from benchmarks.attack_table import Row, attempt
from vision.camera.live import LiveSource
from vision.camera.source import STILL_SHOWN_S
from vision.camera.stills import read_picture
from vision.types.frame import Frame

HOUR_S = 3600.0
JUMPS_S = {"an hour back": -HOUR_S, "an hour on": HOUR_S, "a minute back": -60.0, "a year on": 365 * 24 * HOUR_S}
_FPS = 15


class _Clock:
    """A clock that goes on by a tenth of a second at every look, and jumps when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1e5

    def __call__(self) -> float:
        self.now_s += 0.1
        return self.now_s


class _Camera:
    """A camera whose clock jumps after its tenth picture."""

    def __init__(self, clock: _Clock, jump_s: float) -> None:
        self._clock, self._jump_s, self._count = clock, jump_s, 0
        self._picture = np.random.default_rng(1).integers(0, 255, (48, 64, 3), dtype=np.uint8)

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.01)
        self._count += 1
        if self._count == 10:
            self._clock.now_s += self._jump_s
        return True, self._picture

    def release(self) -> None: ...


def clocks() -> Row:
    """Every jump of every clock."""
    row = Row("clocks that jump")
    for name, jump_s in JUMPS_S.items():
        attempt(row, f"camera {name}", lambda jump_s=jump_s: timed(jump_s))  # type: ignore[misc]
        attempt(row, f"hall {name}", lambda jump_s=jump_s: in_hall(jump_s))  # type: ignore[misc]
        if jump_s > 0:  # back they never go, as the camera's row tells
            attempt(row, f"pictures {name}", lambda jump_s=jump_s: _followed(jump_s))  # type: ignore[misc]
    row.peak_mb = peak_mb()
    return row


def timed(jump_s: float) -> str:
    """The times of a camera's frames never go back, and on by no more than the clock."""
    clock = _Clock()
    source = LiveSource("camera", lambda: _Camera(clock, jump_s), clock)
    times = []
    for _ in range(20):
        item = source.read()
        assert isinstance(item, Frame)
        times.append(item.time_s)
    source.close()
    if any(later < earlier for earlier, later in pairwise(times)):
        return f"times {times}"
    return "" if times[-1] < max(0.0, jump_s) + 60 else f"frames are dated {times[-1]:.0f} s on"


def _followed(jump_s: float) -> str:
    """The clock jumps while a hand moves a disk: d08, from the second to the fourth picture of the bundled game."""
    pictures = [read_picture(path) for path in sorted((ROOT / "sample_images" / "game").glob("*.jpg"))[1:4]]
    game = game_of("diskwars")
    session = session_for(TableSetting(game), pieces_of(game, None, ()))
    events: list[str] = []
    count = round(STILL_SHOWN_S * _FPS)
    for index in range(len(pictures) * count):
        place = index // count
        late_s = jump_s if place else 0.0
        moment = session.update(Frame(pictures[place], index, index / _FPS + late_s))
        events += [event.type for event in moment.events if place]
    return "" if events == ["moved"] else f"events {events}"


def _with_system_clock(jump_s: float, check: Callable[[], str]) -> str:
    """Calls with `time.time` set wrong."""
    honest = time.time
    time.time = lambda: honest() + jump_s
    try:
        return check()
    finally:
        time.time = honest


def in_hall(jump_s: float) -> str:
    """Tables that report and one that fell silent, before and after the hall's clock is set."""
    options = HallOptions(mirror_s=0.0)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'hall.db'}")
        mirror = Mirror(store, options)
        store.take([Report(name, "", (), {"status": {}}, None) for name in ("talking", "silent")])

        def away() -> str:
            store.take([Report("talking", "", (), {"status": {}}, None)])
            mirror.read()
            found = [name for name, table in mirror.tables.items() if mirror.is_away(table)]
            return "" if found == ["silent"] else f"away are {found}"

        try:
            return _with_system_clock(jump_s, away)
        finally:
            store.close()
