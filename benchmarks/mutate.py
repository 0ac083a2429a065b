"""Multiplies randomly chosen options by 1.4 and by 0.7 and counts how many of these mutations the tests notice.

    .venv/bin/python -m benchmarks.mutate --options 14 --seed 1 [--packages tracking watch]

The tests run in a process whose options are overridden (`PINPOINT_OPTIONS`): first those that import the option's
package, then the accuracy gate, each until the first failure. An option counts as noticed when at least one of its two
mutations makes a test fail.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.sweep import numeric_options, run_with

FACTORS = (1.4, 0.7)
TESTS = Path("tests")
ACCURACY = TESTS / "accuracy"
LONGEST_S = 1800


def mutated(value: float, factor: float) -> float:
    """The value times the factor; whole numbers stay whole and change by at least one."""
    if not isinstance(value, int):
        return value * factor
    changed = round(value * factor)
    return changed if changed != value else value + (1 if factor > 1 else -1)


def tests_of(package: str, folder: Path = TESTS) -> list[Path]:
    """The test modules of vision and of the session that import a package of vision, its own first."""
    imports = re.compile(rf"^\s*(from|import) vision\.{package}\b", re.MULTILINE)
    own = folder / "vision" / package
    modules = sorted([*folder.glob("vision/**/test_*.py"), *folder.glob("assistant/test_*.py")])
    found = [
        path for path in modules if own in path.parents or imports.search(path.read_text(encoding="utf-8")) is not None
    ]
    return sorted(found, key=lambda path: own not in path.parents)


def noticed(name: str, value: float, factor: float) -> bool:
    """Whether a test fails with this option changed."""
    package = name.partition(".")[0]
    return any(_fails({name: mutated(value, factor)}, tests) for tests in (tests_of(package), [ACCURACY]) if tests)


def _fails(options: dict[str, float], tests: Sequence[Path]) -> bool:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *map(str, tests)]
    return run_with(options, command, LONGEST_S).returncode != 0


def main() -> None:
    """Prints one line an option and the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--options", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--packages", nargs="+", help="only options of these packages of vision")
    args = parser.parse_args()
    known = sorted(
        option for option in numeric_options() if not args.packages or option[0].partition(".")[0] in args.packages
    )
    chosen = random.Random(args.seed).sample(known, min(args.options, len(known)))
    count = 0
    for name, value in chosen:
        seen = next((factor for factor in FACTORS if noticed(name, value, factor)), None)
        count += seen is not None
        print(f"{name:45} {value:<10g} {'noticed at x' + str(seen) if seen else 'NOT NOTICED'}", flush=True)
    print(f"{count} of {len(chosen)} mutated options noticed")


if __name__ == "__main__":
    main()
