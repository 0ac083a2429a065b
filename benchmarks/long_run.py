"""Follows hours of film at full rate in one process, with a log, and tells whether anything grows.

    nice .venv/bin/python -m benchmarks.long_run FILM.mp4 --roster roster.json --minutes 180 -o long_run.png

The film is looped and every frame followed, as fast as the machine can. Memory, file descriptors, threads, the delay
from a table's coming to rest to its verdict and the processor time per frame are taken per tenth of the run and
plotted; 1 where memory in use, files or threads grow by more than 3 % after the first tenth. Readings are written as
they are taken, so that a run that is ended early still has them. Delays are film time plus processor time: other
programs on the machine do not change them.

Memory is told in three parts, for the resident size alone misleads: `in use` is what the program holds; `free` is what
it gave back to the C library, which keeps up to `M_TRIM_THRESHOLD` (8 MB, see `vision/types/workers.py`) at the end of
its heap before it returns it to the system. A step of up to 8 MB in `resident` with `in use` unchanged is that. Steps
in `in use` come and go, so growth is taken from medians: one of four times a picture's bytes (10.5 MB at 1280x720) fits
the mean of a table at rest, kept in single precision, and is there without clips too; smaller ones of whole pictures
(2.6 MB each) were seen with clips only, as frames that wait for the encoder would be.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import ctypes
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

import cv2
import numpy as np

from assistant.evidence.options import MODES, RECORDING, RecordingMode
from assistant.evidence.recording import Recorder
from assistant.games import GAMES
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from assistant.session.referee import Referee
from benchmarks.watch_speed import film_session
from calibration.arrays import FloatArray
from vision.camera.source import VideoFile
from vision.types.frame import Frame

MOST_GROWTH = 0.03
TENTHS = 10
EVERY_S = 10.0  # of film between two readings


@dataclass(frozen=True)
class Reading:
    """The process at one moment of the film."""

    film_s: float
    resident_mb: float
    in_use_mb: float
    free_mb: float
    files: int
    threads: int  # of the process, those of libraries included
    delay_s: float  # median from rest to verdict since the last reading, film plus processor time; NaN without any
    log_mb: float
    frames: int
    cpu_ms: float  # processor time per frame since the last reading


class _Mallinfo(ctypes.Structure):
    """What glibc's mallinfo2 tells."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    )


def heap_mb() -> tuple[float, float]:
    """What is in use of the C library's memory, and what is free in it; zeros where it does not tell."""
    told = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if told is None:
        return 0.0, 0.0
    told.restype = _Mallinfo
    info = told()
    return (info.uordblks + info.hblkhd) / 2**20, info.fordblks / 2**20


def looped(film: Path, until_s: float) -> Iterator[Frame]:
    """The film again and again, its time going on."""
    begun_s, count = 0.0, 0
    while begun_s < until_s:
        source = VideoFile(film)
        last_s = 0.0
        while (frame := source.read()) is not None:
            last_s = frame.time_s
            yield Frame(frame.bgr, count, begun_s + frame.time_s)
            count += 1
            if begun_s + frame.time_s >= until_s:
                break
        source.close()
        begun_s += last_s + 0.04


def run(
    film: Path, roster: Path | None, minutes: float, most_s: float, log: Path, clips: RecordingMode
) -> Iterator[Reading]:
    """Follows so many minutes of film, or as many as there is time for, as `watch` does."""
    session = film_session(film, roster)
    setting = TableSetting(next(game for game in GAMES if game.id == "diskwars"))
    writer = LogWriter.create(log, Settings("diskwars", source=film.name))
    referee = Referee(session, setting, writer)
    Recorder(referee, writer, replace(RECORDING, mode=clips), waits=True)
    delays: list[float] = []
    begun, next_s = time.monotonic(), EVERY_S
    read_frames, read_cpu_s = 0, time.process_time()
    for frames, frame in enumerate(looped(film, 60 * minutes), start=1):
        started = time.thread_time()
        update = referee.update(frame)
        if update is not None and update.moment.new_state:
            delays.append(frame.time_s - update.moment.state_time_s + time.thread_time() - started)
        if frame.time_s >= next_s:
            next_s += EVERY_S
            cpu_s = time.process_time()
            cpu_ms = 1000 * (cpu_s - read_cpu_s) / (frames - read_frames)
            yield _reading(frame.time_s, delays, log, frames, cpu_ms)
            delays.clear()
            read_frames, read_cpu_s = frames, cpu_s
            if time.monotonic() - begun > most_s:
                break
    referee.close()


def _reading(film_s: float, delays: Sequence[float], log: Path, frames: int, cpu_ms: float) -> Reading:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Reading(
        film_s,
        pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        *heap_mb(),
        len(list(Path("/proc/self/fd").iterdir())),
        len(list(Path("/proc/self/task").iterdir())),
        float(np.median(delays)) if delays else math.nan,
        log.stat().st_size / 2**20,
        frames,
        cpu_ms,
    )


def tenths(readings: Sequence[Reading]) -> list[dict[str, float]]:
    """The median of every quantity per tenth of the run."""
    parts = [part for part in np.array_split(np.array([astuple(reading) for reading in readings]), TENTHS) if len(part)]
    names = [each.name for each in fields(Reading)]
    return [dict(zip(names, _medians(part).tolist(), strict=True)) for part in parts]


def _medians(part: FloatArray) -> FloatArray:
    """The median of each column, NaN where it has no number at all."""
    return np.array([np.nanmedian(column) if np.isfinite(column).any() else math.nan for column in part.T])


def growth(rows: Sequence[dict[str, float]], name: str) -> float:
    """By which part a quantity is larger in the last tenth than in the second: the first one warms up."""
    start = rows[min(1, len(rows) - 1)][name]
    return rows[-1][name] / start - 1 if start else 0.0


def plot(readings: Sequence[Reading], path: Path) -> None:
    """Memory, files and threads, and the verdict's delay over the film's time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    minutes = [reading.film_s / 60 for reading in readings]
    figure, axes = pyplot.subplots(4, 1, figsize=(9, 10), sharex=True)
    for name in ("resident_mb", "in_use_mb", "free_mb"):
        axes[0].plot(minutes, [getattr(reading, name) for reading in readings], label=name.removesuffix("_mb"))
    axes[0].set_ylabel("MB")
    axes[0].legend()
    for name in ("files", "threads"):
        axes[1].plot(minutes, [getattr(reading, name) for reading in readings], label=name)
    axes[1].legend()
    axes[2].plot(minutes, [reading.delay_s for reading in readings], ".")
    axes[2].set_ylabel("rest to verdict, s")
    axes[3].plot(minutes, [reading.cpu_ms for reading in readings])
    axes[3].set_ylabel("processor ms per frame")
    axes[3].set_xlabel("minutes of film")
    for axis in axes:
        axis.set_ylim(bottom=0)
    figure.tight_layout()
    figure.savefig(path)
    pyplot.close(figure)


def main() -> int:
    """Prints the tenths and the growth; 1 where something grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--minutes", type=float, default=180.0, help="of film")
    parser.add_argument("--most-minutes", type=float, default=600.0, help="of computing")
    parser.add_argument("--clips", choices=MODES, default=RECORDING.mode, help="as for `watch`")
    parser.add_argument("--threads", type=int, default=2, help="of OpenCV")
    parser.add_argument("-o", type=Path, metavar="OUT.png", help="plot; the readings are written beside it as CSV")
    args = parser.parse_args()
    cv2.setNumThreads(args.threads)
    readings: list[Reading] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as open_files:
        rows_to = None
        if args.o:
            file = open_files.enter_context(args.o.with_suffix(".csv").open("w", newline="", encoding="utf-8"))
            rows_to = csv.writer(file)
            rows_to.writerow([each.name for each in fields(Reading)])
        log = Path(folder) / "long.pinpoint"
        for reading in run(args.film, args.roster, args.minutes, 60 * args.most_minutes, log, args.clips):
            readings.append(reading)
            if rows_to is not None:
                rows_to.writerow(astuple(reading))
                file.flush()
    rows = tenths(readings)
    for row in rows:
        print("  ".join(f"{name} {value:.2f}" for name, value in row.items()))
    grown = {name: growth(rows, name) for name in ("in_use_mb", "resident_mb", "files", "threads", "delay_s", "cpu_ms")}
    print(f"{readings[-1].film_s / 60:.1f} min of film; growth after the first tenth:")
    print(", ".join(f"{name} {value:+.1%}" for name, value in grown.items()))
    if args.o:
        plot(readings, args.o)
    return int(any(grown[name] > MOST_GROWTH for name in ("in_use_mb", "files", "threads")))


if __name__ == "__main__":
    sys.exit(main())
