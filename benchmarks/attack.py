"""Attacks Pinpoint as a stranger, a bad camera or a full disk would, and prints one table.

    nice .venv/bin/python -m benchmarks.attack --inputs 100000 --kills 1000 --minutes 60

Kills of writing processes (`attack_kills`), strange files, names and options for every command (`attack_files`,
`attack_options`), requests of guests (`attack_web`, `attack_hall`), a full disk, misbehaving sources and streams
(`attack_sources`), the window over them (`attack_window`), clocks that jump (`attack_clocks`), spoilt clips
(`attack_evidence`), and damaged inputs for every reader (`attack_readers`). A failure is a traceback, an error without
a line of its own, a signal, an input that takes longer than 20 s or a command that takes longer than a minute of
processor time, a line of a decoder on standard error, something lost, or more than 1 GB. `--minutes` bounds the time:
what was not tried by then is not counted. With `--rows FILE` finished rows are kept there and not run again.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import attack_hall, attack_web
from benchmarks.attack_clocks import clocks
from benchmarks.attack_damage import damaged
from benchmarks.attack_evidence import evidence_cases
from benchmarks.attack_files import Case, input_cases, output_cases
from benchmarks.attack_kills import kill_exports, kill_watches, kill_writers
from benchmarks.attack_options import option_cases, signal_cases
from benchmarks.attack_process import run_command
from benchmarks.attack_readers import READERS, REFUSED
from benchmarks.attack_sources import folders, full_disk, sources, streams
from benchmarks.attack_table import Row, attempt, keep, rows_in, table_of
from benchmarks.attack_window import window_cases

SLOW_S = 20
LONGEST_PART_S = 4 * 3600.0
MOST_MB = 1000.0
WATCH_KILLS, EXPORT_KILLS = 0.04, 0.06  # of all kills: a whole `watch` takes seconds
REQUESTS_PER_INPUT = 0.02
SERVED = {"a served game": attack_web.told, "the hall": attack_hall.told}


class SlowError(Exception):
    """An input took too long."""


def fuzz(name: str, count: int, seed: int, until_s: float) -> dict[str, Any]:
    """Reads damaged samples in this process; tells how many and what went wrong."""
    reader, chance = READERS[name], random.Random(f"{name} {seed}")
    failures: list[str] = []
    tried = 0

    def too_slow(_signal: int, _frame: object) -> None:
        raise SlowError

    signal.signal(signal.SIGALRM, too_slow)
    with tempfile.TemporaryDirectory() as folder:
        samples = list(reader.samples(Path(folder)))
        while tried < count and time.monotonic() < until_s:
            content = damaged(chance.choice(samples), chance, reader.as_json)
            tried += 1
            signal.alarm(SLOW_S)
            try:
                reader.read(content, Path(folder))
            except REFUSED as error:
                if "\n" in str(error):
                    failures.append(f"input {tried}: more than one line")
            except SlowError:
                failures.append(f"input {tried}: more than {SLOW_S} s")
            except Exception as error:
                failures.append(f"input {tried}: {type(error).__name__}: {str(error)[:200]}")
            finally:
                signal.alarm(0)
    return {"tried": tried, "failures": failures}


def in_own_process(name: str, words: Sequence[str]) -> Row:
    """A part of the attack in a process of its own, so that a signal is told and memory is measured."""
    done = run_command(words, longest_s=LONGEST_PART_S, module="benchmarks.attack")
    row = Row(name, seconds=done.seconds, peak_mb=done.peak_mb)
    try:
        told = json.loads(done.out.splitlines()[-1])
        row.tried, row.failures = told["tried"], told["failures"]
    except (ValueError, IndexError):
        row.failures.append(f"ended with {done.code}: {done.err[-300:]}")
        return row
    if done.err.strip():
        row.failures.append(f"on standard error: {done.err.strip().splitlines()[0][:200]}")
    if row.peak_mb > MOST_MB:
        row.failures.append(f"{row.peak_mb:.0f} MB")
    return row


def commands(name: str, cases: Callable[[Path], Iterator[Case]], seconds: float) -> Row:
    """Whole commands with something strange in them, in an order of chance, as many as there is time for."""
    row, begun = Row(name), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        chosen = list(cases(Path(folder)))
        random.Random(1).shuffle(chosen)
        for case in chosen:
            if time.monotonic() - begun > seconds:
                break

            def check(case: Case = case) -> str:
                ran = run_command(
                    case.words,
                    Path(folder),
                    meanwhile=case.meanwhile,
                    closed_output=case.closed_output,
                    screen=case.screen,
                )
                row.peak_mb = max(row.peak_mb, ran.peak_mb)
                return ran.wrong(case.codes) or (f"{ran.peak_mb:.0f} MB" if ran.peak_mb > MOST_MB else "")

            attempt(row, case.name, check)
    return row


def kills(name: str, kill: Callable[[int, int, Callable[[], bool]], tuple[int, list[str]]], times: int) -> Row:
    """Processes killed at random moments, so many times."""
    begun = time.monotonic()
    tried, failures = kill(times, 1, lambda: False)
    return Row(name, tried, failures, time.monotonic() - begun)


def parts(inputs: int, kill_count: int, seed: int, minutes: float) -> Iterator[tuple[str, Callable[[], Row]]]:
    """Every row's name and what makes it."""
    end = time.monotonic() + 60 * minutes
    yield "folders of strange pictures", folders
    yield "full disk", full_disk
    yield "misbehaving streams", streams
    yield "strange cameras", sources
    yield "clocks that jump", clocks
    watches, exports = max(1, round(WATCH_KILLS * kill_count)), max(1, round(EXPORT_KILLS * kill_count))
    writers = max(1, kill_count - watches - exports)
    yield "killed writers of a log", lambda: kills("killed writers of a log", kill_writers, writers)
    yield "killed `watch`", lambda: kills("killed `watch`", kill_watches, watches)
    yield "killed `export`", lambda: kills("killed `export`", kill_exports, exports)
    for name, cases in (
        ("signals and closed pipes", signal_cases),
        ("spoilt clips", evidence_cases),
        ("the window", window_cases),
        ("commands with absurd options", option_cases),
        ("commands with strange outputs", output_cases),
        ("commands with strange files", input_cases),
    ):
        share = max(20.0, (end - time.monotonic()) * 0.12)
        yield name, lambda name=name, cases=cases, share=share: commands(name, cases, share)  # type: ignore[misc]
    left = list(READERS.items())
    count = round(REQUESTS_PER_INPUT * inputs)
    for served in SERVED:
        seconds = max(20.0, (end - time.monotonic()) * 0.1)
        words = ["--part", served, "--inputs", str(count), "--seed", str(seed), "--minutes", str(seconds / 60)]
        yield f"requests to {served}", lambda n=served, words=words: in_own_process(f"requests to {n}", words)  # type: ignore[misc]
    total = sum(reader.weight for reader in READERS.values())
    for place, (reader_name, reader) in enumerate(left):
        share = max(5.0, (end - time.monotonic()) * reader.weight / sum(r.weight for _, r in left[place:]))
        tries = max(1, round(inputs * reader.weight / total))
        own = ["--part", reader_name, "--inputs", str(tries), "--seed", str(seed), "--minutes", str(share / 60)]
        yield f"damaged {reader_name}", lambda n=reader_name, own=own: in_own_process(f"damaged {n}", own)  # type: ignore[misc]


def attack(inputs: int, kill_count: int, seed: int, minutes: float, kept: Path | None) -> list[Row]:
    """All attacks, within so many minutes."""
    known = rows_in(kept)
    rows = []
    for name, make in parts(inputs, kill_count, seed, minutes):
        row = known.get(name)
        if row is None:
            row = make()
            keep(row, kept)
            print(table_of([row]).splitlines()[1], file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table; 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="damaged inputs for all readers together")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=Path, metavar="FILE", help="finished rows; an ended attack goes on from them")
    parser.add_argument("--part", choices=[*SERVED, *sorted(READERS)], help="only this part, told as JSON")
    args = parser.parse_args(argv)
    if args.part:
        seconds = 60 * args.minutes
        if args.part in SERVED:
            told = SERVED[args.part](args.inputs, args.seed, seconds)
        else:
            told = fuzz(args.part, args.inputs, args.seed, time.monotonic() + seconds)
        print(json.dumps(told))
        return 0
    rows = attack(args.inputs, args.kills, args.seed, args.minutes, args.rows)
    print(table_of(rows))
    return int(any(row.failures for row in rows))


if __name__ == "__main__":
    sys.exit(main())
