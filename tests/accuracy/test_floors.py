"""Regression pins: floors just under what the detector reaches today. Raise them with it; never lower one to pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from tests.accuracy.conftest import Detected
from vision.report.scoring import Tally, score, tally, true_disks


class Floors(NamedTuple):
    """The least that must be reached, and the ranges of calibration."""

    recall: float
    precision: float
    above_f1: float
    gap_p95_mm: float
    squared_sigma: tuple[float, float]


FLOORS = {
    "shipped": Floors(0.94, 0.97, 0.87, 3.4, (0.3, 1.6)),
    "drawn": Floors(0.93, 0.95, 0.70, 4.0, (0.3, 2.0)),  # three tables with many piles
}


@pytest.fixture(params=sorted(FLOORS))
def named(request: pytest.FixtureRequest) -> tuple[str, Detected]:
    name = str(request.param)
    return name, request.getfixturevalue(name)


def _figures(detected: Detected) -> Tally:
    return tally(score(seen, table.truth) for table, seen in detected)


def test_figures_stay_above_their_floors(named: tuple[str, Detected]) -> None:
    name, detected = named
    figures, floors = _figures(detected), FLOORS[name]
    assert figures.recall >= floors.recall
    assert figures.precision >= floors.precision
    assert figures.above_f1 >= floors.above_f1
    assert figures.gap_p95_mm <= floors.gap_p95_mm
    assert floors.squared_sigma[0] <= figures.squared_sigma <= floors.squared_sigma[1]


def test_no_disk_is_given_a_wrong_name(named: tuple[str, Detected]) -> None:
    assert _figures(named[1]).identity_wrong == 0


def test_confidence_is_calibrated(shipped: Detected, drawn: Detected) -> None:
    """Of the detections stated with at least 0.9, nearly all are disks; the mean statement is near the mean truth."""
    stated, right = [], []
    for table, seen in (*shipped, *drawn):
        trues = true_disks(table.truth)
        for disk in seen.disks:
            apart = [np.hypot(disk.x_mm - true.x_mm, disk.y_mm - true.y_mm) for true in trues]
            stated.append(disk.confidence)
            right.append(min(apart, default=np.inf) < 10.0)
    sure = np.array(stated) >= 0.9
    assert np.mean(np.array(right)[sure]) > 0.97
    assert abs(float(np.mean(stated)) - float(np.mean(right))) < 0.04
