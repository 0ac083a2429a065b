"""Kills a process that writes a game, again and again, and looks whether anything it said was safe is gone."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from pathlib import Path
from typing import Any

from assistant.log.game_log import GameLog
from tests.assistant.log.endless import write_into

ROOT = Path(__file__).parents[3]
WRITER = "tests.assistant.log.endless"


def kill_and_count(path: Path, times: int, seed: int) -> int:
    """Number of moments in the log after `times` kills at random moments; raises AssertionError on any loss."""
    dice = random.Random(seed)
    found = 0
    for _ in range(times):
        safe = _write_and_kill(path, dice)
        if not path.exists():
            assert safe is None, "the file is gone"
            continue
        with GameLog(path) as log:
            numbers = [logged.event.fields["number"] for logged in log.events()]
            states = {state.id for state in log.states()}
            assert all(logged.state_id in states for logged in log.events()), "a moment without its scene"
            assert sum(1 for _ in log.pictures()) == len(numbers), "a moment without its picture"
        assert numbers == list(range(len(numbers))), "a moment is missing or there twice"
        assert safe is None or len(numbers) > safe, f"{safe} was said to be safe, the log ends at {len(numbers) - 1}"
        found = len(numbers)
    return found


def forks() -> Any:
    """Where writers are forked from: a process that has loaded the log and done nothing else, so that one starts in
    milliseconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([WRITER])
    return context


def _write_and_kill(path: Path, dice: random.Random) -> int | None:
    """The last moment the writer called safe before it was killed."""
    context = forks()
    reader, writer = context.Pipe(duplex=False)
    process = context.Process(target=write_into, args=(path, writer))
    process.start()
    writer.close()
    wanted = dice.randint(0, 12)
    said = b""
    while said.count(b"\n") < wanted and (more := os.read(reader.fileno(), 4096)):
        said += more
    time.sleep(dice.uniform(0, 0.05))
    process.kill()
    while more := os.read(reader.fileno(), 4096):
        said += more
    process.join()
    reader.close()
    assert said.count(b"\n") >= wanted, "the writer ended by itself"
    lines = said.split(b"\n")[:-1]
    return int(lines[-1]) if lines else None
