"""Follows hours of film at full rate in one process, with a log, and tells whether anything grows.

    nice .venv/bin/python -m benchmarks.long_run FILM.mp4 --roster roster.json --minutes 180 -o long_run.png

The film is looped and every frame followed, as fast as the machine can. Memory, file descriptors, threads and the delay
from a table's coming to rest to its verdict are taken per tenth of the run and plotted; 1 where memory in use, files or
threads grow by more than 3 % after the first tenth.

Memory is told in three parts, for the resident size alone misleads: `in use` is what the program holds; `free` is what
it gave back to the C library, which keeps up to `M_TRIM_THRESHOLD` (8 MB, see `vision/camera/malloc.py`) at the end of
its heap before it returns it to the system. A step of up to 8 MB in `resident` with `in use` unchanged is that.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import cv2
import numpy as np

from assistant.games import GAMES
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from assistant.session.referee import Referee
from benchmarks.watch_speed import film_session
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
    threads: int
    delay_s: float  # median from rest to verdict since the last reading, by film and computing time; 0 without any
    log_mb: float


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


def run(film: Path, roster: Path | None, minutes: float, most_s: float, log: Path) -> list[Reading]:
    """Follows so many minutes of film, or as many as there is time for."""
    session = film_session(film, roster)
    setting = TableSetting(next(game for game in GAMES if game.id == "diskwars"))
    writer = LogWriter.create(log, Settings("diskwars", source=film.name))
    referee = Referee(session, setting, writer)
    readings: list[Reading] = []
    delays: list[float] = []
    begun, next_s = time.monotonic(), EVERY_S
    for frame in looped(film, 60 * minutes):
        started = time.perf_counter()
        update = referee.update(frame)
        if update is not None and update.moment.new_state:
            delays.append(frame.time_s - update.moment.state_time_s + time.perf_counter() - started)
        if frame.time_s >= next_s:
            next_s += EVERY_S
            readings.append(_reading(frame.time_s, delays, log))
            delays.clear()
            if time.monotonic() - begun > most_s:
                break
    referee.close()
    return readings


def _reading(film_s: float, delays: Sequence[float], log: Path) -> Reading:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return Reading(
        film_s,
        pages * os.sysconf("SC_PAGE_SIZE") / 2**20,
        *heap_mb(),
        len(list(Path("/proc/self/fd").iterdir())),
        threading.active_count(),
        float(np.median(delays)) if delays else 0.0,
        log.stat().st_size / 2**20,
    )


def tenths(readings: Sequence[Reading]) -> list[dict[str, float]]:
    """The median of every quantity per tenth of the run."""
    parts = [part for part in np.array_split(np.array([astuple(reading) for reading in readings]), TENTHS) if len(part)]
    names = [each.name for each in fields(Reading)]
    return [dict(zip(names, np.median(part, axis=0).tolist(), strict=True)) for part in parts]


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
    figure, axes = pyplot.subplots(3, 1, figsize=(9, 8), sharex=True)
    for name in ("resident_mb", "in_use_mb", "free_mb"):
        axes[0].plot(minutes, [getattr(reading, name) for reading in readings], label=name.removesuffix("_mb"))
    axes[0].set_ylabel("MB")
    axes[0].legend()
    for name in ("files", "threads"):
        axes[1].plot(minutes, [getattr(reading, name) for reading in readings], label=name)
    axes[1].legend()
    axes[2].plot(minutes, [reading.delay_s for reading in readings])
    axes[2].set_ylabel("rest to verdict, s")
    axes[2].set_xlabel("minutes of film")
    figure.tight_layout()
    figure.savefig(path)


def main() -> int:
    """Prints the tenths and the growth; 1 where something grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--minutes", type=float, default=180.0, help="of film")
    parser.add_argument("--most-minutes", type=float, default=600.0, help="of computing")
    parser.add_argument("-o", type=Path, metavar="OUT.png", help="plot; the readings are written beside it as CSV")
    args = parser.parse_args()
    cv2.setNumThreads(2)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "long.pinpoint"
        readings = run(args.film, args.roster, args.minutes, 60 * args.most_minutes, log)
    rows = tenths(readings)
    for row in rows:
        print("  ".join(f"{name} {value:.2f}" for name, value in row.items()))
    grown = {name: growth(rows, name) for name in ("in_use_mb", "resident_mb", "files", "threads", "delay_s")}
    print(f"{readings[-1].film_s / 60:.1f} min of film; growth after the first tenth:")
    print(", ".join(f"{name} {value:+.1%}" for name, value in grown.items()))
    if args.o:
        plot(readings, args.o)
        with args.o.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow([each.name for each in fields(Reading)])
            writer.writerows(astuple(reading) for reading in readings)
    return int(any(grown[name] > MOST_GROWTH for name in ("in_use_mb", "files", "threads")))


if __name__ == "__main__":
    sys.exit(main())
