"""Regression pins: what is detected today, number by number. A changed threshold shows here.

Where a change is meant, write them anew with `python -m tests.accuracy.regenerate` and say in the commit what changed.
"""

from __future__ import annotations

import json

from tests.accuracy.conftest import Detected
from tests.accuracy.fingerprint import PINS, differences, fingerprint, stored_view


def test_detections_are_the_pinned_ones(shipped: Detected, drawn: Detected) -> None:
    pins = json.loads(PINS.read_text(encoding="utf-8"))
    tables = [table for table, _ in (*shipped, *drawn)]
    found = fingerprint((table, stored_view(pins[table.name]["view"])) for table in tables)
    lines = differences(pins, json.loads(json.dumps(found)))
    assert not lines, "\n".join([f"{len(lines)} differences", *lines[:20]])
