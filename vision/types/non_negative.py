"""Least squares whose answers cannot be below nothing, many at a time."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray

MOST_STEPS, EXACT = 400, 1e-5


def non_negative(square: FloatArray, right: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """The x (..., Q), none of it below 0, that makes x · square x / 2 - right · x smallest.

    `square` is (..., Q, Q) and symmetric. Goes downhill and keeps some of its way from step to step, as long as that is
    downhill too.
    """
    scale = 1 / np.sqrt(np.maximum(np.diagonal(square, axis1=-2, axis2=-1), 1e-12))
    even = square * scale[..., :, None] * scale[..., None, :]
    aim = right * scale
    stride = 1 / np.abs(even).sum(axis=-1).max(axis=-1)[..., None]
    x = np.zeros_like(right) if start is None else np.broadcast_to(start, right.shape) / scale
    ahead, way = x, np.ones((*right.shape[:-1], 1))
    for _ in range(MOST_STEPS):
        uphill = (even @ ahead[..., None])[..., 0] - aim
        step = np.maximum(0.0, ahead - stride * uphill)
        moved = step - x
        on = (uphill * moved).sum(axis=-1, keepdims=True) < 0
        further = np.where(on, (1 + np.sqrt(1 + 4 * way**2)) / 2, 1.0)
        ahead = step + np.where(on, (way - 1) / further, 0.0) * moved
        x, way = step, further
        if np.abs(moved).max(initial=0.0) <= EXACT * x.max(initial=0.0):
            break
    return np.asarray(x * scale)
