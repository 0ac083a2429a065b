"""Regression pins of whole detections: every disk, order and terrain of the shipped and of some drawn tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.session.view_json import view_from_json, view_to_json
from benchmarks.rendered_tables import render
from tests.accuracy.tables import DRAWN_SEEDS, SHIPPED, read_table
from tests.pins import Pins

DRAWN = {f"drawn-{seed}": seed for seed in DRAWN_SEEDS}
NAMES = [*sorted(path.name.removesuffix(".truth.json") for path in SHIPPED.glob("*.truth.json")), *DRAWN]


@pytest.mark.parametrize("name", NAMES)
def test_detections_are_the_pinned_ones(name: str, tmp_path: Path, pinned: Pins) -> None:
    """Detected in the stored view: the solve of a table ends within a hundred-thousandth of a pixel of another run's.

    That is enough to turn a sample of pixels, and with it a height by a tenth of a millimetre.
    """
    if name in DRAWN:
        render(DRAWN[name], tmp_path, name)
    table = read_table(tmp_path if name in DRAWN else SHIPPED, name)
    stored = json.dumps(view_to_json(table.view())) if pinned.stored is None else pinned.stored["view"]
    view = view_from_json(json.loads(stored))  # without the covariance of its solve
    assert view is not None
    seen = table.detect(view)
    pinned({"disks": seen.disks, "orders": seen.orders, "terrain": seen.terrain, "view": stored}, whole_pictures=True)
