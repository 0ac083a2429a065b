"""Kills a process that writes a game, again and again, and looks whether anything it said was safe is gone."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

from assistant.log.game_log import GameLog

ROOT = Path(__file__).parents[3]


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


def _write_and_kill(path: Path, dice: random.Random) -> int | None:
    """The last moment the writer called safe before it was killed."""
    command = [sys.executable, "-m", "tests.assistant.log.endless", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        wanted = dice.randint(0, 12)
        lines = []
        for _ in range(wanted):
            lines.append(process.stdout.readline())
        time.sleep(dice.uniform(0, 0.05))
        process.kill()
        lines += process.stdout.readlines()
    said = [int(line) for line in lines if line.endswith("\n")]
    assert len(said) >= wanted, "the writer ended by itself"
    return said[-1] if said else None
