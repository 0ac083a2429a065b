"""Array types of pictures inside vision, and medians many times faster than numpy's own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray

FloatImage = NDArray[np.float32]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


def median(values: FloatArray | FloatImage) -> float:
    """The middle of at least one number; of an even count the upper one of the two in the middle."""
    middle = len(values) // 2
    return float(np.partition(values, middle)[middle])


def medians(rows: FloatImage) -> FloatImage:
    """The same of each column of at least one row."""
    middle = len(rows) // 2
    return np.asarray(np.partition(rows, middle, axis=0)[middle], dtype=np.float32)
