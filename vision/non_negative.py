"""Least squares whose answers cannot be below nothing, many at a time."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray

MOST_SWEEPS, EXACT = 200, 1e-4


def non_negative(square: FloatArray, right: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """The x (..., Q), none of it below 0, that makes x · square x / 2 - right · x smallest: term by term, in sweeps.

    `square` is (..., Q, Q), symmetric, with no 0 on its diagonal.
    """
    x = np.zeros_like(right) if start is None else np.broadcast_to(start, right.shape).copy()
    for _ in range(MOST_SWEEPS):
        before = x.copy()
        for j in range(right.shape[-1]):
            pull = right[..., j] - (square[..., j, :] * x).sum(axis=-1)
            x[..., j] = np.maximum(0.0, x[..., j] + pull / square[..., j, j])
        if np.abs(x - before).max(initial=0.0) <= EXACT * x.max(initial=0.0):
            break
    return x
