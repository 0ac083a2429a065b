"""The score of a sighting against a truth: what is right counts, what is invented or missed shows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.report.scoring import score, tally
from vision.types.sighting import DiskSighting, Order, TableSighting

TRUTH: dict[str, Any] = {
    "pieces": [
        {"id": "a", "x": 100.0, "y": 100.0, "shape": {"circle_mm": 50.8}, "visible_fraction": 1.0},
        {"id": "b", "x": 130.0, "y": 100.0, "shape": {"circle_mm": 38.1}, "visible_fraction": 0.6},
        {"id": "c", "x": 400.0, "y": 300.0, "shape": {"circle_mm": 76.2}, "visible_fraction": 1.0},
        {"id": "h", "x": 401.0, "y": 301.0, "shape": {"circle_mm": 38.1}, "visible_fraction": 0.02},
    ],
    "above": [["a", "b"], ["c", "h"]],
}


def _seen(name: str, x: float, y: float, diameter: float) -> DiskSighting:
    return DiskSighting(name, x, y, np.eye(2) * 0.25, diameter, 2.0)


PERFECT = TableSighting(
    (_seen("1", 100, 100, 50.8), _seen("2", 130, 100, 38.1), _seen("3", 400, 300, 76.2)), (Order("1", "2", 0.9),)
)


def test_a_perfect_sighting_scores_one() -> None:
    figures = tally([score(PERFECT, TRUTH)])
    assert (figures.recall, figures.precision, figures.above_f1, figures.size_right) == (1, 1, 1, 1)
    assert figures.gap_median_mm == 0 and figures.squared_sigma == 0


def test_a_hidden_disk_is_neither_wanted_nor_wrong() -> None:
    found = replace(PERFECT, disks=(*PERFECT.disks, _seen("4", 402, 302, 38.1)))
    assert score(found, TRUTH).invented == ()
    assert score(PERFECT, TRUTH).missed == ()


def test_missed_invented_and_turned_round_show() -> None:
    wrong = TableSighting((*PERFECT.disks[:2], _seen("9", 700, 700, 38.1)), (Order("2", "1", 0.9),))
    told = score(wrong, TRUTH)
    assert told.missed == ("c",) and told.invented == ("9",)
    figures = tally([told])
    assert figures.recall == pytest.approx(2 / 3) and figures.precision == pytest.approx(2 / 3)
    assert figures.above_f1 == 0


def test_errors_are_measured_in_sigmas_and_gaps() -> None:
    moved = replace(PERFECT, disks=(*PERFECT.disks[:2], _seen("3", 400.5, 300, 76.2)))
    told = score(moved, TRUTH)
    assert max(told.squared_sigmas) == pytest.approx(1.0)
    assert 0 < max(told.gap_errors_mm) <= 0.5


def test_figures_nothing_speaks_of_are_not_numbers() -> None:
    assert math.isnan(tally([]).recall)
