"""Outlines of terrain for tests."""

from __future__ import annotations

import numpy as np
from shapely import Polygon

from calibration.arrays import FloatArray


def blob(x_mm: float, y_mm: float, size_mm: float, seed: int) -> FloatArray:
    """A smooth irregular outline."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    radius = 1 + sum(rng.uniform(0.05, 0.16) * np.cos(k * angle + rng.uniform(0, 6)) for k in (2, 3, 5))
    return np.stack([x_mm + size_mm / 2 * radius * np.cos(angle), y_mm + size_mm / 2 * radius * np.sin(angle)], axis=1)


def overlap(found: FloatArray, true: FloatArray) -> float:
    """Shared area over joint area."""
    one, other = Polygon(found).buffer(0), Polygon(true).buffer(0)
    return one.intersection(other).area / one.union(other).area
