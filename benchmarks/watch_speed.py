"""How long a frame takes from the film to overlay data, against bare decoding and marker detection.

    .venv/bin/python -m benchmarks.watch_speed FILM.mp4 --roster roster.json --minutes 2

The film is looped for so many minutes of its own time. A steady frame is one at rest at which nothing was looked at.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from assistant.cli.inputs import game_of
from assistant.cli.looking import pieces_of, players_of
from assistant.session import Session, TableSetting, session_for
from calibration.lens import read_lens
from vision.camera.source import VideoFile
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

MOST_STEADY_MS = 33.0


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the figures; 1 where a steady frame is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--minutes", type=float, default=2.0)
    args = parser.parse_args(argv)
    cv2.setNumThreads(2)
    steady, looks = follow(film_session(args.film, args.roster), args.film, 60 * args.minutes)
    bare = bare_ms(args.film)
    p50, p95, p99 = np.percentile(steady, [50, 95, 99])
    print(f"steady frames: {len(steady)}, p50 {p50:.1f} ms, p95 {p95:.1f} ms, p99 {p99:.1f} ms")
    print(f"looks: {len(looks)}, median {np.median(looks):.0f} ms, worst {max(looks):.0f} ms")
    print(f"bare decoding and marker detection: median {np.median(bare):.1f} ms; ratio {p50 / np.median(bare):.2f}")
    print(f"a steady frame costs {p50 / np.median(looks):.3f} of a look")
    return int(p99 > MOST_STEADY_MS)


def film_session(film: Path, roster_file: Path | None) -> Session:
    """A table of Diskwars as the film's camera sees it."""
    roster = read_roster(roster_file) if roster_file else None
    game = game_of("diskwars")
    setting = TableSetting(game, players_of(roster), roster)
    return session_for(setting, pieces_of(game, roster, ()), read_lens(film.with_suffix(".camera.json")))


def follow(session: Session, film: Path, seconds: float) -> tuple[list[float], list[float]]:
    """Times of steady frames and of looks in ms."""
    steady: list[float] = []
    looks: list[float] = []
    frames = looped(film)
    while True:
        start = time.perf_counter()
        frame = next(frames)
        if frame.time_s > seconds:
            return steady, looks
        moment = session.update(frame)
        spent = 1000 * (time.perf_counter() - start)
        if "look" in moment.spent_ms:
            looks.append(spent)
        elif moment.settled:
            steady.append(spent)


def looped(film: Path) -> Iterator[Frame]:
    """The film again and again, in unbroken time."""
    index, offset_s = 0, 0.0
    while True:
        source = VideoFile(film)
        last_s = 0.0
        while (frame := source.read()) is not None:
            last_s = frame.time_s
            yield Frame(frame.bgr, index, offset_s + frame.time_s)
            index += 1
        source.close()
        offset_s += last_s + 1 / 30


def bare_ms(film: Path, frames: int = 120) -> list[float]:
    """Decoding and OpenCV's own marker detection, frame by frame."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    detector = cv2.aruco.ArucoDetector(dictionary)
    source = VideoFile(film)
    spent = []
    for _ in range(frames):
        start = time.perf_counter()
        frame = source.read()
        if frame is None:
            break
        detector.detectMarkers(cv2.cvtColor(frame.bgr, cv2.COLOR_BGR2GRAY))
        spent.append(1000 * (time.perf_counter() - start))
    source.close()
    return spent


if __name__ == "__main__":
    raise SystemExit(main())
