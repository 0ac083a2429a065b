"""How long after the hands have left the table a film's events are told, played at its own speed.

    .venv/bin/python -m benchmarks.watch_delay FILM.mp4 --roster roster.json

The truth lies beside the film (FILM.truth.json, FILM.camera.json): an event's `t` is when the table is at rest again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from assistant.session import Session
from benchmarks.watch_speed import film_session
from vision.camera.source import FrameSource, Paced, VideoFile
from vision.types.frame import Frame

MOST_DELAY_S = 1.0
_MATCHED_S = (-0.5, 5.0)  # told so long before or after the table came to rest it is the same event


@dataclass(frozen=True, slots=True)
class Told:
    """One frame at which events were told: its time in the film, how long it took, and of that the processor."""

    frame_s: float
    took_s: float
    processor_s: float


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the delays; 1 where one is too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("film", type=Path)
    parser.add_argument("--roster", type=Path)
    args = parser.parse_args(argv)
    cv2.setNumThreads(2)
    truth = json.loads(args.film.with_suffix(".truth.json").read_text(encoding="utf-8"))
    told = follow(film_session(args.film, args.roster), Paced(VideoFile(args.film)))
    pairs = matched({event["t"] for event in truth["events"]}, told)
    for rest_s, at in pairs:
        waited_s = at.frame_s - rest_s
        print(
            f"{rest_s:7.2f} s: waited {waited_s:5.2f} s, told {at.took_s:.2f} s later ({at.processor_s:.2f} s of work)"
        )
    delays = np.array([at.frame_s - rest_s + at.took_s for rest_s, at in pairs])
    print(f"told {len(pairs)} of {len({event['t'] for event in truth['events']})} happenings")
    print(f"delay: median {np.median(delays):.2f} s, worst {delays.max():.2f} s")
    return int(delays.max() > MOST_DELAY_S)


def follow(session: Session, source: FrameSource) -> list[Told]:
    """All frames of the source at which something was told."""
    told = []
    while (item := source.read()) is not None:
        if not isinstance(item, Frame):
            continue
        start, work = time.perf_counter(), time.process_time()
        if session.update(item).events:
            told.append(Told(item.time_s, time.perf_counter() - start, time.process_time() - work))
    source.close()
    return told


def matched(rests_s: Iterable[float], told: Sequence[Told]) -> list[tuple[float, Told]]:
    """For each time at which the table came to rest the first frame that told what had happened."""
    pairs = []
    for rest_s in sorted(rests_s):
        after = [at for at in told if _MATCHED_S[0] <= at.frame_s - rest_s <= _MATCHED_S[1]]
        if after:
            pairs.append((rest_s, after[0]))
    return pairs


if __name__ == "__main__":
    raise SystemExit(main())
