"""Regression pins: what is detected today, number by number. A changed threshold shows here.

Where a change is meant, write them anew with `python -m tests.accuracy.regenerate` and say in the commit what changed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.rendered_tables import render
from tests.accuracy.fingerprint import PINS, differences, fingerprint, stored_view
from tests.accuracy.tables import DRAWN_SEEDS, SHIPPED, TruthTable, read_table

pins = json.loads(PINS.read_text(encoding="utf-8"))
DRAWN = {f"drawn-{seed}": seed for seed in DRAWN_SEEDS}


@pytest.fixture
def table(request: pytest.FixtureRequest, tmp_path: Path) -> TruthTable:
    """The pinned table of this name, drawn where it is not shipped."""
    name = str(request.param)
    if name not in DRAWN:
        return read_table(SHIPPED, name)
    render(DRAWN[name], tmp_path, name)
    return read_table(tmp_path, name)


@pytest.mark.parametrize("table", sorted(pins, key=lambda name: len(pins[name]["disks"])), indirect=True)
def test_detections_are_the_pinned_ones(table: TruthTable) -> None:
    pinned = pins[table.name]
    found = fingerprint([(table, stored_view(pinned["view"]))])[table.name]
    lines = differences(pinned, json.loads(json.dumps(found)))
    assert not lines, "\n".join([f"{len(lines)} differences", *lines[:20]])
