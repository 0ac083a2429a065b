"""How far apart disks lie and how much of one lies over another, seen from straight above."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.types.sighting import DiskSighting

TOUCHING_MM2 = 3.0  # two disks that share less only touch
_SAMPLES = 400
_RIM_POINTS = 48
SAME_SIZE = 0.1  # of the diameter: the sizes of the kit's disks differ by a third and more


def apart_mm(first: DiskSighting, second: DiskSighting) -> float:
    """How far apart the centres of two disks are."""
    return math.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm)


def same_size(first: DiskSighting, second: DiskSighting) -> bool:
    """Whether two measured diameters may be those of one disk."""
    return abs(first.diameter_mm - second.diameter_mm) <= SAME_SIZE * first.diameter_mm


def overlap_area_mm2(first: DiskSighting, second: DiskSighting) -> float:
    """The area two disks share; 0 where they only touch."""
    a, b = first.diameter_mm / 2, second.diameter_mm / 2
    apart = apart_mm(first, second)
    if apart >= a + b:
        return 0.0
    if apart <= abs(a - b):
        return float(np.pi * min(a, b) ** 2)
    cos_a = (apart**2 + a**2 - b**2) / (2 * apart * a)
    cos_b = (apart**2 + b**2 - a**2) / (2 * apart * b)
    kite = np.sqrt((-apart + a + b) * (apart + a - b) * (apart - a + b) * (apart + a + b))
    return float(a**2 * np.arccos(cos_a) + b**2 * np.arccos(cos_b) - kite / 2)


def covered_share(disk: DiskSighting, covers: Sequence[DiskSighting]) -> float:
    """How much of a disk (0 to 1) lies under the others together."""
    if not covers:
        return 0.0
    points = _UNIT_DISC * (disk.diameter_mm / 2) + np.array([disk.x_mm, disk.y_mm])
    hidden = np.zeros(len(points), dtype=np.bool_)
    for cover in covers:
        away = np.hypot(points[:, 0] - cover.x_mm, points[:, 1] - cover.y_mm)
        hidden |= away <= cover.diameter_mm / 2
    return float(hidden.mean())


def sunflower(count: int) -> FloatArray:
    """Points spread evenly over the unit disc."""
    number = np.arange(count)
    radius = np.sqrt((number + 0.5) / count)
    angle = number * np.pi * (3 - np.sqrt(5))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


_UNIT_DISC = sunflower(_SAMPLES)
_TURNS = 2 * np.pi * np.arange(_RIM_POINTS) / _RIM_POINTS
UNIT_CIRCLE: FloatArray = np.column_stack([np.cos(_TURNS), np.sin(_TURNS)])  # for outlines that are drawn or filled
