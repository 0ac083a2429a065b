"""Plane to plane: a homography from four points, applied, and how it moves with its four points."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray


def from_corners(source: FloatArray, target: FloatArray) -> FloatArray:
    """The homography (3, 3) that carries four points onto four others."""
    rows, right = _equations(source, target)
    return np.append(np.linalg.solve(rows, right), 1.0).reshape(3, 3)


def _equations(source: FloatArray, target: FloatArray) -> tuple[FloatArray, FloatArray]:
    rows = np.zeros((8, 8))
    x, y = source.T
    u, v = target.T
    rows[0::2, 0], rows[0::2, 1], rows[0::2, 2] = x, y, 1.0
    rows[1::2, 3], rows[1::2, 4], rows[1::2, 5] = x, y, 1.0
    rows[0::2, 6], rows[0::2, 7] = -u * x, -u * y
    rows[1::2, 6], rows[1::2, 7] = -v * x, -v * y
    return rows, np.asarray(target, dtype=np.float64).reshape(-1)


Number = TypeVar("Number", np.float32, np.float64)


def apply(homography: NDArray[Number], points: NDArray[Number]) -> NDArray[Number]:
    """Points (…, 2) carried over, in the precision they come in."""
    h = homography
    x, y = points[..., 0], points[..., 1]
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    carried = np.empty_like(points)
    carried[..., 0] = (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w
    carried[..., 1] = (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w
    return carried


def inverse(homography: FloatArray) -> FloatArray:
    """The way back."""
    return np.asarray(np.linalg.inv(homography), dtype=np.float64)


def corner_drag(source: FloatArray, target: FloatArray, points: FloatArray, along: FloatArray) -> FloatArray:
    """(N, 8): how far each carried point moves along its direction (N, 2) as each target coordinate moves by one."""
    h = from_corners(source, target)
    x, y = points[:, 0], points[:, 1]
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    u = (h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w
    v = (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w
    dx, dy = along[:, 0] / w, along[:, 1] / w
    bend = -(dx * u + dy * v)
    entries = np.column_stack([dx * x, dx * y, dx, dy * x, dy * y, dy, bend * x, bend * y])
    # The entries solve A(target) h = b(target); moving target coordinate k changes only equation k, by that corner's w.
    rows, _ = _equations(source, target)
    corner_w = h[2, 0] * source[:, 0] + h[2, 1] * source[:, 1] + 1.0
    change = np.linalg.inv(rows) * np.repeat(corner_w, 2)[None, :]
    return np.asarray(entries @ change, dtype=np.float64)
