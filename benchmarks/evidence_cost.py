"""What recording costs a steady frame: the same film, in turns with and without the recorder, in one run.

    .venv/bin/python -m benchmarks.evidence_cost FILM [--camera C.json] [--roster R.json] [--frames 600]

Frames are read at the film's own pace (30 a second), as from a camera. A steady frame is one at rest at which nothing
was looked at; its time is reading and following it. Blocks of frames alternate between recording and not recording, and
the recorder's queue is emptied between them, so both see the same film on the same machine. Printed are the medians of
the wall clock, of the processor time of the thread that judges, and of the whole process, with their ratios. The bound
is 15 % of a steady frame's time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from assistant.cli.inputs import game_of
from assistant.cli.looking import pieces_of, players_of
from assistant.evidence.options import RecordingOptions
from assistant.evidence.recording import Recorder
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import TableSetting, session_for
from assistant.session.referee import Referee
from calibration.lens import read_lens
from vision.camera.source import open_source
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

BOUND = 0.15
_BLOCK = 30  # frames


def main() -> None:
    """Prints the three ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("film")
    parser.add_argument("--camera", type=Path)
    parser.add_argument("--roster", type=Path)
    parser.add_argument("--frames", type=int, default=600)
    args = parser.parse_args()
    roster = read_roster(args.roster) if args.roster else None
    game = game_of("diskwars")
    setting = TableSetting(game=game, players=players_of(roster), roster=roster)
    lens = read_lens(args.camera) if args.camera else None
    session = session_for(setting, pieces_of(game, roster, ()), lens, None)
    with tempfile.TemporaryDirectory() as folder:
        log = LogWriter.create(Path(folder) / "cost.pinpoint", Settings("diskwars"))
        referee = Referee(session, setting, log)
        recorder = Recorder(referee, log, RecordingOptions("all"))
        try:
            times = _measure(args.film, referee, recorder, args.frames)
        finally:
            referee.close()
    for kind, name in enumerate(("wall clock", "judging thread", "whole process")):
        # medians of blocks, not of frames: the recorder takes one picture of several
        off, on = (np.median([np.mean([s[kind] for s in block]) for block in times[way]]) for way in (False, True))
        print(f"{name:15} without {off:6.2f} ms  with {on:6.2f} ms  ratio {on / off:.3f}  (bound {1 + BOUND:.2f})")
    counts = [sum(len(block) for block in times[way]) for way in (False, True)]
    print(f"{counts[0]} and {counts[1]} steady frames; {recorder.dropped} pictures not recorded in time")


def _measure(film: str, referee: Referee, recorder: Recorder, most: int) -> dict[bool, list[list[tuple[float, ...]]]]:
    """Milliseconds of wall, thread and process of each steady frame, by whether it was recorded."""
    source = open_source(film)
    times: dict[bool, list[list[tuple[float, ...]]]] = {False: [], True: []}
    begun = time.perf_counter()
    recording = True
    last_cpu = time.process_time()
    for number in range(most):
        if number % _BLOCK == 0:
            time.sleep(0.2)  # the recorder's thread ends what it has
            recording = not recording
            times[recording].append([])
            (referee.listen if recording else referee.stop_listening)(recorder.listener)
        time.sleep(max(0.0, begun + number / 30 - time.perf_counter()))
        start = (time.perf_counter(), time.thread_time(), last_cpu)
        item = source.read()
        if item is None:
            break
        update = referee.update(item)
        # the process's time counts from frame to frame: the recorder works on while the next one is waited for
        last_cpu = time.process_time()
        end = (time.perf_counter(), time.thread_time(), last_cpu)
        steady = isinstance(item, Frame) and update is not None and update.moment.settled
        if steady and update is not None and "look" not in update.moment.spent_ms and number % _BLOCK > 1:
            times[recording][-1].append(tuple(1000 * (b - a) for a, b in zip(start, end, strict=True)))
    source.close()
    return {way: [block for block in blocks if block] for way, blocks in times.items()}


if __name__ == "__main__":
    main()
