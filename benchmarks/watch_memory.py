"""What memory following takes over a long game: a film looped for so many minutes of its own time.

    nice .venv/bin/python -m benchmarks.watch_memory FILM.mp4 --roster roster.json --minutes 60

Every third frame is followed. The frames are decoded once and kept, and what they take is not counted. Memory is taken
at the end of every loop, where it depends on what was looked at last: compared are whole thirds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from benchmarks.watch_speed import film_session
from vision.camera.source import VideoFile
from vision.types.frame import Frame

EVERY = 3  # frames, of which one is followed
MOST_GROWTH = 0.05


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the memory loop by loop and by thirds; 1 where it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    args = parser.parse_args(argv)
    cv2.setNumThreads(2)
    frames, length_s = decoded(args.film)
    kept_mb = resident_mb()
    session = film_session(args.film, args.roster)
    memory_mb: list[float] = []
    count = 0
    while len(memory_mb) * length_s < 60 * args.minutes:
        begun_s = len(memory_mb) * length_s
        for frame in frames:
            session.update(Frame(frame.bgr, count, begun_s + frame.time_s))
            count += 1
        memory_mb.append(resident_mb() - kept_mb)
        print(f"{len(memory_mb) * length_s / 60:5.1f} min of film: {memory_mb[-1]:.0f} MB", flush=True)
    thirds = [float(np.median(part)) for part in np.array_split(memory_mb, 3) if len(part)]
    growth = thirds[-1] / thirds[0] - 1
    print(f"memory by thirds: {', '.join(f'{third:.0f} MB' for third in thirds)}; growth {growth:+.1%}")
    return int(growth > MOST_GROWTH)


def decoded(film: Path) -> tuple[list[Frame], float]:
    """The frames that are followed, and how long the film lasts."""
    source = VideoFile(film)
    frames: list[Frame] = []
    count, last_s = 0, 0.0
    while (frame := source.read()) is not None:
        if count % EVERY == 0:
            frames.append(frame)
        count, last_s = count + 1, frame.time_s
    source.close()
    return frames, last_s * count / max(1, count - 1)


def resident_mb() -> float:
    """The memory this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    raise SystemExit(main())
