"""Cards on flat terrain lie higher than on the cloth, and seen aslant they lie nearer to the camera than they seem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from shapely import Point, Polygon, make_valid
from shapely.geometry.base import BaseGeometry

from calibration.view import TableView
from vision.poses import slant
from vision.sighting import DiskSighting, Order, TerrainSighting

TERRAIN_MM = 1.75  # cardboard terrain is about as thick as the disks
LEAST_SHARE = 0.05  # of a disk on terrain, below which it lies beside it
SURE_TERRAIN = 0.5


def lifted(
    disks: Sequence[DiskSighting], orders: Sequence[Order], terrain: Sequence[TerrainSighting], view: TableView
) -> tuple[DiskSighting, ...]:
    """The disks with those on terrain, and those on top of these, raised and moved to where they then are."""
    grounds = [make_valid(Polygon(t.outline_mm)) for t in terrain if t.confidence >= SURE_TERRAIN]
    below: dict[str, list[str]] = {disk.id: [] for disk in disks}
    for order in orders:
        below[order.top].append(order.bottom)
    lifts: dict[str, float] = {}
    for disk in sorted(disks, key=lambda disk: disk.face_height_mm):
        under = [lifts[name] for name in below[disk.id] if name in lifts]
        lifts[disk.id] = max(under) if under else _own_lift(disk, grounds)
    return tuple(_raised(disk, lifts[disk.id], view) if lifts[disk.id] > 0 else disk for disk in disks)


def _own_lift(disk: DiskSighting, grounds: Sequence[BaseGeometry]) -> float:
    """How far terrain raises the middle of a disk: wholly where half of it is on, more than half of that at an edge."""
    outline = Point(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)
    share = max((outline.intersection(ground).area / outline.area for ground in grounds), default=0.0)
    return TERRAIN_MM * min(1.0, 0.5 + share) if share > LEAST_SHARE else 0.0


def _raised(disk: DiskSighting, lift_mm: float, view: TableView) -> DiskSighting:
    shift = slant(view, np.array([[disk.x_mm, disk.y_mm]]))[0] * lift_mm
    return replace(
        disk,
        x_mm=disk.x_mm - float(shift[0]),
        y_mm=disk.y_mm - float(shift[1]),
        face_height_mm=disk.face_height_mm + lift_mm,
    )
