"""Disks and remembered tables for tests of tracking."""

from __future__ import annotations

import numpy as np

from vision.tracking.memory import Evidence, Memory
from vision.tracking.tracker import follow
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting


def disk(name: str, x: float, y: float, diameter_mm: float = 50.8, profile: str | None = "orcs") -> DiskSighting:
    face = FaceReading(profile, "up" if profile else "down", 0.0, 0.95 if profile else 0.0)
    return DiskSighting(name, x, y, 0.04 * np.eye(2), diameter_mm, 2.0, face=face)


def table(*disks: DiskSighting, orders: tuple[tuple[str, str], ...] = ()) -> TableSighting:
    return TableSighting(disks, tuple(Order(top, bottom, 0.99) for top, bottom in orders))


def started(*disks: DiskSighting, orders: tuple[tuple[str, str], ...] = ()) -> Memory:
    return follow(Memory(), table(*disks, orders=orders), Evidence())[0]
