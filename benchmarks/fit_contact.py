"""Fits how likely a detected pin of a single picture is a true one: a disk may lie hidden between the two.

    .venv/bin/python -m benchmarks.fit_contact FOLDER --test OTHER_FOLDER

Logistic regression over the pins of detected Diskwars tables with truth. The printed weights belong into
`assistant/session/data/contact.json`, with the folder's origin. Print both folders' figures: only the other is a proof.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from assistant.cli.calls import matched
from assistant.cli.inputs import game_of
from assistant.games.diskwars.field import Field
from assistant.games.diskwars.stacks import pins
from assistant.rules.game import house_rules
from assistant.scene.reading import scene_from_json
from assistant.session import TableSetting, scene_of
from assistant.session.contact import FEATURES, features
from tests.accuracy.tables import tables_of

Floats = NDArray[np.float64]


def samples_of(folder: Path) -> tuple[Floats, Floats]:
    """Features of every detected pin of a folder's pictures, and whether it is a true one."""
    game = game_of("diskwars")
    house = house_rules(game, {})
    rows, right = [], []
    for table in tables_of(folder):
        true = scene_from_json(table.truth)
        seen = scene_of(table.detect(), table.view(), TableSetting(game, true.players, table.roster))
        names = matched(seen, true)
        true_pins = {(pin.top, pin.bottom) for pin in pins(Field(true, house))}
        for pin in pins(Field(seen, house)):
            rows.append(features(seen, pin.top, pin.bottom))
            right.append((names.get(pin.top), names.get(pin.bottom)) in true_pins)
    return np.array(rows).reshape(-1, len(FEATURES)), np.array(right, dtype=np.float64)


def main() -> None:
    """Prints the weights and how sure and how right they are on both folders."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--test", type=Path)
    args = parser.parse_args()
    rows, right = samples_of(args.folder)
    fitted = LogisticRegression(C=3.0).fit(rows, right)
    weights = {name: round(float(weight), 3) for name, weight in zip(FEATURES, fitted.coef_[0], strict=True)}
    print(json.dumps({"one": round(float(fitted.intercept_[0]), 3), **weights}))
    _report(args.folder, fitted.predict_proba(rows)[:, 1], right)
    if args.test:
        others, true = samples_of(args.test)
        _report(args.test, fitted.predict_proba(others)[:, 1], true)


def _report(folder: Path, chances: Floats, right: Floats) -> None:
    print(f"{folder}: {len(right)} pins, {right.mean():.3f} right, mean chance {chances.mean():.3f}")
    for low, high in ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        inside = (chances >= low) & (chances < high)
        if inside.any():
            print(f"  {low:.2f}-{high:.2f}: {int(inside.sum())} pins, {right[inside].mean():.3f} right")


if __name__ == "__main__":
    main()
