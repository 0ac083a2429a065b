"""Array types used across calibration and vision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
ByteImage = NDArray[np.uint8]


def frozen(values: object, shape: tuple[int, ...] | None = None) -> FloatArray:
    """A read-only float copy, so that frozen dataclasses really are frozen."""
    array = np.array(values, dtype=np.float64)
    if shape is not None and array.shape != shape:
        raise ValueError(f"expected an array of shape {shape}, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("expected finite numbers")
    array.setflags(write=False)
    return array
