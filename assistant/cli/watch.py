"""`pinpoint watch`: follows a table without a window, into a log."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assistant.cli.ending import Ending, until_asked_to_end
from assistant.cli.inputs import write_answer
from assistant.cli.memory import peak_memory_mb
from assistant.cli.reporting import add_hall_arguments, reporting
from assistant.cli.serving import Serving, add_serve_arguments, hosting_of
from assistant.cli.tables import (
    add_camera_arguments,
    add_log_arguments,
    add_table_arguments,
    corner_memory,
    log_of,
    recording_of,
    session_of,
    setting_of,
    source_of,
)
from assistant.evidence.recording import Recorder
from assistant.log.plain_text import one_line
from assistant.log.telling import sentence
from assistant.log.writer import Health
from assistant.session import Moment
from assistant.session.playing import course_in
from assistant.session.referee import Referee
from assistant.session.steadying import Steadying
from calibration.errors import InputError
from vision.camera.live import LiveSource
from vision.camera.modes import Negotiated
from vision.camera.quality import Advice
from vision.camera.source import FrameSource
from vision.types.frame import Frame

IntArray = NDArray[np.int64]

_CLASSES_MS = np.geomspace(0.001, 1e6, 1050)  # each two percent above the one before


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SOURCE, the log, and what is known of the table."""
    parser.add_argument(
        "source", metavar="SOURCE", help="camera number or name, device, video, folder of pictures or address"
    )
    add_log_arguments(parser, required=True)
    add_table_arguments(parser)
    add_camera_arguments(parser)
    parser.add_argument("--stats", metavar="S.json", help="also write frames, camera, times per stage and peak memory")
    add_serve_arguments(parser)
    add_hall_arguments(parser)
    parser.add_argument("--realtime", action="store_true", help="play a file at its own speed, dropping late frames")


def run(args: argparse.Namespace) -> int:
    """Writes the log; the events are also printed as they happen."""
    hosting = hosting_of(args)
    setting = setting_of(args)
    source = source_of(args, args.realtime)
    try:
        session = session_of(args, setting)
        log = log_of(args, setting)
        referee = Referee(session, setting, log, course_in(log.path, setting.game))
        try:
            referee.listen(Steadying(source, args.auto))
            Recorder(referee, log, recording_of(args), waits=not source.live)
            for listener in corner_memory(source, args):
                referee.listen(listener)
            serving = Serving(hosting, referee, setting, log)
            try:
                with until_asked_to_end(serving.wanted) as ending, reporting(args, referee, setting, log):
                    serving.start()
                    _watch_to_the_end(args, source, referee, ending)
                    serving.stay(ending)
            finally:
                serving.stop()
        finally:
            referee.close()
    finally:
        source.close()
    return 0


def _watch_to_the_end(args: argparse.Namespace, source: FrameSource, referee: Referee, ending: Ending) -> None:
    stats = Stats()
    try:
        watch(source, referee, stats, ending)
    finally:  # a live camera is ended by Ctrl-C, and its figures are wanted all the same
        if args.stats:
            write_answer(args.stats, json.dumps(stats.summary(), indent=1, sort_keys=True) + "\n")
    if not stats.table_found:
        raise InputError("no table", source.name, stats.notice or "it ended before a whole picture of the table came")


class Stats:
    """How long every stage took, counted in narrow classes: a long game needs no more memory than a short one."""

    def __init__(self) -> None:
        self.frames = 0
        self.looks = 0
        self.table_found = False
        self.notice = ""  # why the table was not found, while it is not
        self.camera: Negotiated | None = None
        self._counts: dict[str, IntArray] = {}
        self._started_s = time.perf_counter()

    def add(self, moment: Moment, read_ms: float, total_ms: float) -> None:
        """One frame more; a steady one is a frame at rest at which nothing had to be looked at."""
        self.frames += 1
        self.table_found |= moment.view is not None
        self.notice = moment.notice or self.notice
        looked = "look" in moment.spent_ms
        self.looks += looked
        spent = {"read": read_ms, **moment.spent_ms, "frame": total_ms}
        if moment.settled and not looked:
            spent["steady"] = total_ms
        for stage, milliseconds in spent.items():
            counts = self._counts.setdefault(stage, np.zeros(len(_CLASSES_MS), dtype=np.int64))
            counts[min(int(np.searchsorted(_CLASSES_MS, milliseconds)), len(_CLASSES_MS) - 1)] += 1

    def summary(self) -> Mapping[str, object]:
        """Frames, looks, percentiles per stage in milliseconds and the peak memory."""
        return {
            "frames": self.frames,
            "looks": self.looks,
            "seconds": round(time.perf_counter() - self._started_s, 3),
            "stages_ms": {stage: _percentiles(counts) for stage, counts in self._counts.items()},
            "peak_memory_mb": round(peak_memory_mb(), 1),
            "camera": self.camera.as_json() if self.camera else None,
        }


def watch(source: FrameSource, referee: Referee, stats: Stats, ending: Ending) -> None:
    """Follows the source to its end; `stats` are filled as it goes."""
    safety, advising = SafetyLines(), AdviceLines()
    names: dict[str, str] = {}
    while True:
        start = time.perf_counter()
        with ending.waiting():
            item = source.read()
        if item is None:
            return
        if isinstance(source, LiveSource):
            stats.camera = source.mode
        read = time.perf_counter()
        update = referee.update(item)
        end = time.perf_counter()
        if update is None:
            continue
        if isinstance(item, Frame):
            stats.add(update.moment, 1000 * (read - start), 1000 * (end - start))
        for event in update.moment.events:
            print(f"{event.t_s:9.2f} s  {one_line(sentence(event, names))}")
        if update.moment.events:
            sys.stdout.flush()
        if line := advising.line(update.moment.advice):
            print(f"pinpoint: {one_line(line)}", file=sys.stderr, flush=True)
        if line := safety.line(update.health):
            print(f"pinpoint: {one_line(line)}", file=sys.stderr, flush=True)


class AdviceLines:
    """Says once what is wrong with the picture, and nothing more until it is another problem."""

    def __init__(self) -> None:
        self._told: Advice | None = None

    def line(self, advice: Advice | None) -> str:
        """The line to print now; empty where there is nothing new to say."""
        if advice is None or (self._told is not None and advice.problem == self._told.problem):
            return ""
        self._told = advice
        return advice.text


class SafetyLines:
    """Says once that the log cannot be written, and once that it can again."""

    def __init__(self) -> None:
        self._told = False

    def line(self, health: Health) -> str:
        """The line to print now; empty where there is nothing new to say."""
        if health.safe == (not self._told):
            return ""
        self._told = not health.safe
        if not health.safe:
            return f"log not saved: {health.why}; what happens is kept in memory and tried again"
        return "log saved again" + (f", but {health.lost} moments are lost" if health.lost else "")


def _percentiles(counts: IntArray) -> Mapping[str, float]:
    """The class in which each percentile falls, to two percent."""
    share = np.cumsum(counts) / counts.sum()
    return {
        f"p{percent}": round(float(_CLASSES_MS[np.searchsorted(share, percent / 100)]), 3) for percent in (50, 95, 99)
    }
