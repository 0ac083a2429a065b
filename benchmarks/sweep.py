"""Sweeps options of the detector on a folder with truth and ranks their influence.

    .venv/bin/python -m benchmarks.sweep FOLDER --options rims faces.named_from --trials 60 [--seconds 3600]

An option is `package.name`; a package alone stands for all its numeric options. Each trial draws every chosen option
between 0.6 and 1.6 times its default and detects the pictures in a process of its own. The loss is one minus the mean
of recall, precision and `above` F1, plus a tenth of the 95th percentile of the gap error in mm. Printed are the best
values and, by Optuna's fANOVA importance, which options mattered: those without influence are candidates for deletion.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import optuna

from vision.types.options import OVERRIDES, all_options

FACTORS = (0.6, 1.6)
PACKAGES = tuple(sorted({path.parent.name for path in Path("vision").glob("*/options.py")} - {"types"}))
SCORE = """
import json, sys
from pathlib import Path
from tests.accuracy.tables import tables_of
from vision.report.scoring import score, tally
figures = tally(score(table.detect(), table.truth) for table in tables_of(Path(sys.argv[1])))
print(json.dumps({name: getattr(figures, name) for name in ("recall", "precision", "above_f1", "gap_p95_mm")}))
"""


def load_options() -> None:
    """Loads the options of every package."""
    for package in PACKAGES:
        import_module(f"vision.{package}.options")


def numeric_options() -> Iterator[tuple[str, float]]:
    """Every numeric option with its default, as `package.name`."""
    load_options()
    for package, options in all_options().items():
        for name, value in options.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and value != 0:
                yield f"{package}.{name}", value


def overrides_of(values: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The overrides file's content for options named `package.name`."""
    given: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        package, _, option = name.partition(".")
        given.setdefault(package, {})[option] = value
    return given


def run_with(values: Mapping[str, float], command: Sequence[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    """Runs a command in a process whose options are overridden."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(overrides_of(values), file)
    try:
        environment = {**os.environ, OVERRIDES: file.name}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout_s, check=False)
    finally:
        Path(file.name).unlink()


def _loss(values: Mapping[str, float], folder: Path) -> float:
    done = run_with(values, [sys.executable, "-c", SCORE, str(folder)], 3600)
    if done.returncode:
        raise optuna.TrialPruned(done.stderr.strip().splitlines()[-1])
    figures = json.loads(done.stdout.splitlines()[-1])
    right = (figures["recall"] + figures["precision"] + figures["above_f1"]) / 3
    return float(1 - right + 0.1 * figures["gap_p95_mm"])


def main() -> None:
    """Prints the best values and the influence of each option."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", nargs="+", required=True)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seconds", type=float)
    args = parser.parse_args()
    chosen = {
        name: value
        for name, value in numeric_options()
        if name in args.options or name.partition(".")[0] in args.options
    }
    if not chosen:
        parser.error(f"no such option; packages are {', '.join(PACKAGES)}")

    def objective(trial: optuna.Trial) -> float:
        values: dict[str, Any] = {}
        for name, default in chosen.items():
            low, high = sorted(factor * default for factor in FACTORS)
            if isinstance(default, int):
                values[name] = trial.suggest_int(name, round(low), max(round(high), round(low) + 1))
            else:
                values[name] = trial.suggest_float(name, low, high)
        return _loss(values, args.folder)

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    study.enqueue_trial(chosen)
    study.optimize(objective, n_trials=args.trials, timeout=args.seconds)
    print(f"default {study.trials[0].value}, best {study.best_value:.4f}")
    influence = optuna.importance.get_param_importances(study)
    for name, share in influence.items():
        print(f"{share:7.4f}  {name:40} {chosen[name]:g} -> {study.best_params[name]:g}")


if __name__ == "__main__":
    main()
