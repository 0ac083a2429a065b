"""How light becomes numbers in a picture: the usual tone curve (sRGB), continued beyond its ends for fits to wander."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray

_KNEE = 0.0031308


def encode(linear: FloatArray) -> FloatArray:
    """Picture values (0 to 1) of amounts of light (0 to 1)."""
    return np.where(linear <= _KNEE, 12.92 * linear, 1.055 * np.maximum(linear, _KNEE) ** (1 / 2.4) - 0.055)


def encode_slope(linear: FloatArray) -> FloatArray:
    """How much the picture value changes with the amount of light."""
    return np.where(linear <= _KNEE, 12.92, 1.055 / 2.4 * np.maximum(linear, _KNEE) ** (1 / 2.4 - 1))


def decode(encoded: FloatArray) -> FloatArray:
    """Amounts of light of picture values."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((np.maximum(encoded, 0.04045) + 0.055) / 1.055) ** 2.4)
