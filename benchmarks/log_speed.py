"""A long game in its log: how large, how quick to open, how steady to append, and what 200 kills leave of it.

    .venv/bin/python -m benchmarks.log_speed [--kills 200]

Three hours, 500 moments with a picture each, in every game; prints one line a game and ends with 1 where a figure
breaks its promise: under 200 MB, open in under a second, appending as quick as to a new log (up to a factor of two).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import cv2
import numpy as np

from assistant.log.game_log import GameLog
from assistant.log.report import report_html
from assistant.log.settings import Settings
from assistant.log.story import read_story
from assistant.log.writer import LogWriter
from assistant.ui.small_picture import small_jpeg
from tests.assistant.log.killing import kill_and_count
from tests.assistant.log.pretend import KINDS, moments

MOMENTS = 500
TURNS = 80
LARGEST_MB = 200.0
SLOWEST_OPENING_S = 1.0
STEADY_RATIO = 2.0


def main() -> int:
    """Runs all measurements; the exit code says whether every promise was kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="how often to kill a writing process (0: not at all)")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    kept = True
    with tempfile.TemporaryDirectory() as folder:
        for game in KINDS:
            kept &= measure_game(Path(folder) / f"{game}.pinpoint", game)
        if args.kills:
            found = kill_and_count(Path(folder) / "killed.pinpoint", args.kills, seed=2026)
            print(f"kills: {args.kills}, moments written: {found}, lost: 0")
    return 0 if kept else 1


def measure_game(path: Path, game: str) -> bool:
    """Writes one long game, prints its figures, and says whether they keep the promises."""
    picture = table_picture()
    writer = LogWriter.create(path, Settings(game))
    for entry in moments(game, MOMENTS, picture=picture):
        writer.append(entry)
    writer.close()
    size_mb = path.stat().st_size / 1e6
    start_s = time.perf_counter()
    with GameLog(path) as log:
        opened_s = time.perf_counter() - start_s
        state = log.state_at(5400.0)
        scene_s = time.perf_counter() - start_s
        events = len(read_story(log).events)
        story_s = time.perf_counter() - start_s
        report = report_html(log, small_jpeg)
        report_s = time.perf_counter() - start_s - story_s
        end_s, pictures = log.end()[0], sum(1 for _ in log.pictures())
    new_ms, long_ms = append_times_ms(path, game, picture)
    print(
        f"{game}: {end_s / 3600:.1f} h, {events} events, {pictures} of {MOMENTS} pictures, {size_mb:.0f} MB; opened in"
        f" {opened_s * 1e3:.0f} ms, with the scene at 1:30:00 {scene_s * 1e3:.0f} ms, read through {story_s * 1e3:.0f}"
        f" ms; append {new_ms:.1f} ms to a new log, {long_ms:.1f} ms to this one (ratio {long_ms / new_ms:.2f}); report"
        f" {len(report) / 1e6:.1f} MB in {report_s:.1f} s"
    )
    return (
        state is not None and size_mb < LARGEST_MB and scene_s < SLOWEST_OPENING_S and long_ms < STEADY_RATIO * new_ms
    )


def append_times_ms(path: Path, game: str, picture: bytes) -> tuple[float, float]:
    """Median time until a moment is safe in a new log and in the long one, taken in turns so that load hits both."""
    writers = (LogWriter.create(path.with_name("new.pinpoint"), Settings(game)), LogWriter(path))
    times_ms: tuple[list[float], list[float]] = ([], [])
    for entry in moments(game, TURNS, seed=2, picture=picture):
        for writer, times in zip(writers, times_ms, strict=True):
            start_s = time.perf_counter()
            writer.append(entry)
            times.append((time.perf_counter() - start_s) * 1e3)
    for writer in writers:
        writer.close()
    writers[0].path.unlink()
    return statistics.median(times_ms[0]), statistics.median(times_ms[1])


def table_picture() -> bytes:
    """A JPEG of 1920 x 1080 about as heavy as a camera's."""
    noise = np.random.default_rng(1).normal(120, 40, (135, 240, 3)).clip(0, 255).astype(np.uint8)
    grain = np.random.default_rng(2).normal(0, 5, (1080, 1920, 3))
    large = cv2.resize(noise, (1920, 1080), interpolation=cv2.INTER_CUBIC) + grain
    return cv2.imencode(".jpg", large.clip(0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()


if __name__ == "__main__":
    sys.exit(main())
