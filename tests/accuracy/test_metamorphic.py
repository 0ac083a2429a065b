"""Metamorphic relations: changes that do not change the table do not change what is detected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.accuracy.conftest import Detected
from tests.accuracy.tables import TruthTable
from vision.types import workers
from vision.types.sighting import DiskSighting, TableSighting


def _darker(table: TruthTable) -> TruthTable:
    return table.with_picture(np.asarray(cv2.convertScaleAbs(table.bgr, alpha=0.9), dtype=np.uint8))


def _compressed(table: TruthTable) -> TruthTable:
    _, encoded = cv2.imencode(".jpg", table.bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])
    return table.with_picture(np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), dtype=np.uint8))


def _nearest(disk: DiskSighting, seen: TableSighting) -> tuple[float, DiskSighting]:
    apart = [(float(np.hypot(disk.x_mm - other.x_mm, disk.y_mm - other.y_mm)), other) for other in seen.disks]
    return min(apart, key=lambda pair: pair[0])


def _one_of(shipped: Detected, name: str) -> tuple[TruthTable, TableSighting]:
    return next(pair for pair in shipped if pair[0].name == name)


@pytest.mark.parametrize("change", [TruthTable.turned, _darker, _compressed], ids=["turned", "darker", "jpeg"])
def test_the_same_disks_lie_at_the_same_places(shipped: Detected, change: Callable[[TruthTable], TruthTable]) -> None:
    table, before = _one_of(shipped, "overhead-03")
    after = change(table).detect()
    clear = [disk for disk in before.disks if disk.visible_fraction > 0.5 and disk.confidence > 0.9]
    assert len(clear) > 10
    pairs = [(disk, *_nearest(disk, after)) for disk in clear]
    found = [(disk, other) for disk, apart, other in pairs if apart < 3.0]
    assert len(found) >= len(clear) - 1
    assert float(np.median([apart for _, apart, _ in pairs])) < 0.35
    assert all(disk.diameter_mm == other.diameter_mm for disk, other in found)
    named = [(disk.face.profile, other.face.profile) for disk, other in found]
    assert not [pair for pair in named if None not in pair and pair[0] != pair[1]]


def test_the_order_of_the_roster_does_not_matter(shipped: Detected) -> None:
    table, _ = _one_of(shipped, "steep-09")
    view = table.view()
    turned = replace(table, roster=replace(table.roster, profiles=table.roster.profiles[::-1]))
    before, after = table.detect(view), turned.detect(view)
    assert [disk.face.profile for disk in after.disks] == [disk.face.profile for disk in before.disks]
    places = [[(disk.x_mm, disk.y_mm) for disk in seen.disks] for seen in (before, after)]
    assert np.abs(np.array(places[0]) - np.array(places[1])).max() < 1e-6


def test_one_thread_detects_what_two_detect(shipped: Detected, monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = _one_of(shipped, "steep-09")
    view = table.view()
    before = table.detect(view)
    monkeypatch.setattr(workers, "WORKERS", 1)
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        after = table.detect(view)
    finally:
        cv2.setNumThreads(threads)
    assert [(d.id, d.x_mm, d.y_mm) for d in after.disks] == [(d.id, d.x_mm, d.y_mm) for d in before.disks]
    assert after.orders == before.orders
