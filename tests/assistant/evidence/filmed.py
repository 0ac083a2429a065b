"""A table that is filmed: pictures that carry their number, a session that reports events at given frames.

`python -m tests.assistant.evidence.filmed FILE` films without end, to be killed; it prints each frame's number.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from assistant.evidence.options import RecordingOptions
from assistant.evidence.recording import Recorder
from assistant.games import GAMES
from assistant.log.event import Event
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.rules.ruling import Ruling
from assistant.session import Moment, TableSetting
from assistant.session.corrections import Correction
from assistant.session.referee import Referee
from calibration.arrays import ByteImage
from tests.assistant.evidence.played import piece, scene_with
from vision.camera.live import SourceItem
from vision.types.frame import Frame

FPS = 15.0
SIZE = (160, 96)


class Filmed:
    """Reports the events of each frame; nothing is looked at."""

    def __init__(self, happens: Mapping[int, Sequence[Event]], rulings: Mapping[int, Sequence[Ruling]] | None = None):
        self._happens = happens
        self._rulings = rulings or {}
        self._scene = scene_with(piece("a", 300.0, 600.0))
        self._last: tuple[Ruling, ...] = ()

    def update(self, item: SourceItem) -> Moment:
        assert isinstance(item, Frame)
        events = tuple(self._happens.get(item.index, ()))
        if item.index in self._rulings:
            self._last = tuple(self._rulings[item.index])
            self._scene = replace(self._scene)
        at = (item.index, item.time_s)
        moment = Moment(*at, self._scene, self._last, None, events=events, new_state=bool(events))
        return replace(moment, state_frame=at[0], state_time_s=at[1])

    def correct(self, correction: Correction) -> Moment:
        raise AssertionError(f"nobody corrects {correction.why} here")

    def take_back(self) -> Moment:
        raise AssertionError("nobody takes anything back here")


def frame(index: int) -> Frame:
    """A picture whose grey is its number, over a moving bar."""
    bgr: ByteImage = np.full((SIZE[1], SIZE[0], 3), 40 + index % 190, np.uint8)
    cv2.rectangle(bgr, (index % SIZE[0], 20), (index % SIZE[0] + 12, 60), (200, 180, 90), -1)
    return Frame(bgr, index, index / FPS)


def event(index: int, kind: str = "violation", from_frame: int | None = None) -> Event:
    """An event at a frame."""
    began = {} if from_frame is None else {"from_frame": from_frame}
    return Event(index / FPS, index, kind, {"piece": "a", **began})


def referee_of(log: LogWriter, session: Filmed) -> Referee:
    """A referee of that session."""
    setting = TableSetting(next(game for game in GAMES if game.id == "diskwars"))
    return Referee(session, setting, log)


def film_without_end(path: Path) -> None:
    """An event every 20 frames, each with a clip."""
    log = LogWriter(path) if path.exists() else LogWriter.create(path, Settings("diskwars"))
    happens = {index: [event(index, "moved", index - 10)] for index in range(20, 100_000, 20)}
    referee = referee_of(log, Filmed(happens))
    Recorder(referee, log, RecordingOptions("all", after_s=0.3, before_s=1.0), waits=True)
    for index in range(100_000):
        referee.update(frame(index))
        sys.stdout.write(f"{index}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    film_without_end(Path(sys.argv[1]))
