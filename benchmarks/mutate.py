"""Multiplies randomly chosen options by 1.4 and by 0.7 and counts how many of these mutations the tests notice.

    .venv/bin/python -m benchmarks.mutate --options 14 --seed 1

The tests of the detector run in a process whose options are overridden (`PINPOINT_OPTIONS`), the pins first. An option
counts as noticed when at least one of its two mutations makes a test fail.
"""

from __future__ import annotations

import argparse
import random
import sys

from benchmarks.sweep import numeric_options, run_with

FACTORS = (1.4, 0.7)
TESTS = ("tests/accuracy", "tests/vision")


def mutated(value: float, factor: float) -> float:
    """The value times the factor; whole numbers stay whole and change by at least one."""
    if not isinstance(value, int):
        return value * factor
    changed = round(value * factor)
    return changed if changed != value else value + (1 if factor > 1 else -1)


def noticed(name: str, value: float, factor: float) -> bool:
    """Whether a test fails with this option changed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
    return run_with({name: mutated(value, factor)}, command, 1800).returncode != 0


def main() -> None:
    """Prints one line an option and the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--options", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    known = sorted(numeric_options())
    chosen = random.Random(args.seed).sample(known, args.options)
    count = 0
    for name, value in chosen:
        seen = next((factor for factor in FACTORS if noticed(name, value, factor)), None)
        count += seen is not None
        print(f"{name:45} {value:<10g} {'noticed at x' + str(seen) if seen else 'NOT NOTICED'}", flush=True)
    print(f"{count} of {len(chosen)} mutated options noticed")


if __name__ == "__main__":
    main()
