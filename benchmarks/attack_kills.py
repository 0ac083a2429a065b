"""Processes killed while they write: for `benchmarks.attack`.

Most are writers of a log alone, forked in milliseconds; a share are whole `watch` runs on the bundled game and exports
of a log. What a process has said was safe must be in its log, the log must verify, and an export is the old file or
the new one, never a part.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assistant.log.game_log import GameLog
from assistant.log.verifying import verify
from benchmarks.attack_process import context, redirect, run_command
from benchmarks.attack_readers import ROOT, sample_log
from tests.assistant.log.killing import kill_and_count

KILLS_PER_LOG = 25
FILM = ROOT / "sample_images" / "game"
_BEFORE = "as it was before"


def kill_writers(times: int, seed: int, until: Callable[[], bool]) -> tuple[int, list[str]]:
    """Writers of a log, killed at random moments, on new logs now and then."""
    tried, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        while tried < times and not until():
            batch = min(KILLS_PER_LOG, times - tried)
            path = Path(folder) / f"{tried}.pinpoint"
            try:
                kill_and_count(path, batch, seed + tried)
                if not verify(path).unchanged:
                    failures.append(verify(path).line)
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}")
            tried += batch
    return tried, failures


def kill_watches(times: int, seed: int, until: Callable[[], bool]) -> tuple[int, list[str]]:
    """Whole `watch` runs, killed before, during and after their first events; the same log is gone on with."""
    dice = random.Random(seed)
    tried, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        log, out = Path(folder) / "w.pinpoint", Path(folder) / "out"
        words = ("watch", str(FILM), "--log", str(log), "--resume", "--clips", "off")
        while tried < times and not until():
            before = _events_in(log)
            out.unlink(missing_ok=True)
            process = context().Process(target=_watch, args=(words, str(out), str(Path(folder) / "err")))
            process.start()
            _wait_for_lines(out, dice.randint(0, 6), dice.uniform(0.5, 20.0))
            time.sleep(dice.uniform(0, 0.2))
            process.kill()
            process.join()
            tried += 1
            said = out.read_text(encoding="utf-8").count("\n") if out.exists() else 0
            wrong = _loss(log, before, said)
            if wrong:
                failures.append(f"kill {tried}: {wrong}")
    return tried, failures


def kill_exports(times: int, seed: int, until: Callable[[], bool]) -> tuple[int, list[str]]:
    """Exports of a log over an older file."""
    dice = random.Random(seed)
    tried, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        log, out = sample_log(Path(folder)), Path(folder) / "report.html"
        words = ("export", str(log), "--format", "html", "-o", str(out))
        run_command(words)
        whole = out.read_bytes()
        while tried < times and not until():
            out.write_text(_BEFORE, encoding="utf-8")
            process = context().Process(target=_watch, args=(words, os.devnull, os.devnull))
            process.start()
            process.join(dice.uniform(0, 0.6))
            process.kill()
            process.join()
            tried += 1
            if out.read_bytes() not in (_BEFORE.encode(), whole):
                failures.append(f"kill {tried}: {out.stat().st_size} bytes of a report")
    return tried, failures


def _watch(words: tuple[str, ...], out: str, err: str) -> None:
    """In the forked process: a command with its output in files."""
    redirect(out, err)
    from assistant.cli.main import main

    main(words)


def _wait_for_lines(out: Path, count: int, longest_s: float) -> None:
    end = time.monotonic() + longest_s
    while time.monotonic() < end and (not out.exists() or out.read_bytes().count(b"\n") < count):
        time.sleep(0.01)


def _events_in(log: Path) -> int:
    if not log.exists():
        return 0
    with GameLog(log) as opened:
        return sum(1 for _ in opened.events())


def _loss(log: Path, before: int, said: int) -> str:
    if not log.exists():
        return "the log is gone" if before or said else ""
    found = verify(log)
    if not found.unchanged:
        return found.line
    after = _events_in(log)
    return "" if after >= before + said else f"{said} events were printed, the log has {after - before} of them"
