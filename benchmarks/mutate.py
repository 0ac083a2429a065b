"""Multiplies randomly chosen options by 1.4 and by 0.7 and counts how many of these mutations the tests notice.

    .venv/bin/python -m benchmarks.mutate --reads reads.json --record
    .venv/bin/python -m benchmarks.mutate --reads reads.json --options 14 --seed 1 [--packages tracking watch]

`--record` runs the tests of vision, of the accuracy gate and of the session once and writes which options each test
reads and how much processor time it takes. An option is then mutated in a process of its own (`PINPOINT_OPTIONS`) that
runs only the tests that read it, those with pins first and then the shortest, until the first failure; of an option
that is read while modules are imported, the tests that read others of its package. An option counts as noticed when at
least one of its two mutations makes a test fail; a test that fails without any mutation is left out.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.sweep import load_options, numeric_options, run_with
from vision.types.options import loaded_options

FACTORS = (1.4, 0.7)
TESTS = ("tests/vision", "tests/accuracy", "tests/assistant/test_session.py")
LONGEST_S = 60  # of processor time of the tests that run for one mutation
AT_IMPORT = "import"  # stands among the tests for what is read while modules are imported

Reads = Mapping[str, Mapping[str, Any]]  # by test: the processor time it takes and the options it reads


class ReadRecorder:
    """A plugin of pytest that notes which options are read in each test, in its fixtures and while it is imported."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self._now: set[str] = set()
        self._failed: set[str] = set()
        self._by_fixture: dict[str, set[str]] = {}
        load_options()
        for package, options in loaded_options().items():
            object.__setattr__(options, "__class__", _recording(type(options), package, self._note))

    def _note(self, name: str) -> None:
        self._now.add(name)

    def pytest_collection_finish(self) -> None:
        """Notes what the modules read while they were imported."""
        self.tests[AT_IMPORT] = {"seconds": 0.0, "reads": sorted(self._now)}

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """A fixture of a wider scope is set up in one test and used in others."""
        outer, self._now = self._now, set()
        try:
            return (yield)
        finally:
            self._by_fixture[fixturedef.argname] = self._now
            self._now = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """One test with its fixtures."""
        self._now, begun_s = set(), time.process_time()
        done = yield
        read = self._now.union(*(self._by_fixture.get(name, set()) for name in item.fixturenames))
        seconds = round(time.process_time() - begun_s, 3)
        if item.nodeid not in self._failed:
            self.tests[item.nodeid] = {"seconds": seconds, "reads": sorted(read)}
        return done

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Notes which tests fail though nothing is mutated."""
        if report.failed:
            self._failed.add(report.nodeid)


def _recording(kind: type, package: str, note: Any) -> type:
    """The options type with every read of a field noted."""

    def read(self: object, name: str) -> Any:
        by_log = sys._getframe(1).f_globals["__name__"] == "dataclasses"  # which stores all options
        if not name.startswith("_") and not by_log:
            note(f"{package}.{name}")
        return object.__getattribute__(self, name)

    return type(kind.__name__, (kind,), {"__slots__": (), "__getattribute__": read})


def mutated(value: float, factor: float) -> float:
    """The value times the factor; whole numbers stay whole and change by at least one."""
    if not isinstance(value, int):
        return value * factor
    changed = round(value * factor)
    return changed if changed != value else value + (1 if factor > 1 else -1)


def tests_of(option: str, reads: Reads) -> list[str]:
    """The tests that read an option, as many as fit into the time of one mutation.

    Those with pins come first, as they notice most, each time the shortest first.
    """
    reading = {name for name, test in reads.items() if option in test["reads"]}
    if AT_IMPORT in reading:
        package = option.partition(".")[0]
        reading |= {name for name, test in reads.items() if any(o.startswith(f"{package}.") for o in test["reads"])}
    known = [(not _has_pins(name), reads[name]["seconds"], name) for name in reading - {AT_IMPORT}]
    chosen, spent_s = [], 0.0
    for _, seconds, name in sorted(known):
        spent_s += seconds
        if spent_s > LONGEST_S:
            break
        chosen.append(name)
    return chosen


def _has_pins(test: str) -> bool:
    path, _, name = test.partition("::")
    pins = Path(path).with_suffix(".pins.json")
    return pins.exists() and f"\n{json.dumps(name)}: " in pins.read_text(encoding="utf-8")


def noticed_by(option: str, value: float, factor: float, reads: Reads) -> str | None:
    """The test that fails with this option changed, None where none does."""
    tests = tests_of(option, reads)
    if not tests:
        return None
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = run_with({option: mutated(value, factor)}, command, 20 * LONGEST_S)
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == pytest.ExitCode.OK:
        return None
    if done.returncode == pytest.ExitCode.USAGE_ERROR:
        raise SystemExit(f"the tests have changed, record again: {done.stderr.strip().splitlines()[-1]}")
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else done.stdout.strip().splitlines()[-1]


def main() -> None:
    """Prints one line an option and the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--reads", type=Path, required=True, help="which test reads which option")
    parser.add_argument("--record", action="store_true", help="run the tests and write that file")
    parser.add_argument("--options", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="+", help="only options of these packages of vision")
    args, given = parser.parse_known_args()  # what is not known is for pytest
    if args.record:
        recorder = ReadRecorder()
        pytest.main(["-q", "-p", "no:cacheprovider", *given, *TESTS], plugins=[recorder])
        args.reads.write_text(json.dumps(recorder.tests, indent=0), encoding="utf-8")
        return
    reads = json.loads(args.reads.read_text(encoding="utf-8"))
    known = sorted(
        option for option in numeric_options() if not args.packages or option[0].partition(".")[0] in args.packages
    )
    chosen = random.Random(args.seed).sample(known, min(args.options, len(known)))
    count = 0
    for name, value in chosen:
        found = ((factor, noticed_by(name, value, factor, reads)) for factor in FACTORS)
        seen = next((f"noticed at x{factor} by {test}" for factor, test in found if test), None)
        count += seen is not None
        print(f"{name:40} {value:<10g} {seen or 'NOT NOTICED'}", flush=True)
    print(f"{count} of {len(chosen)} mutated options noticed")


if __name__ == "__main__":
    main()
