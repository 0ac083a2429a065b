"""How light becomes numbers in a picture: the usual tone curve (sRGB), continued beyond its ends for fits to wander."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray

_KNEE = 0.0031308


def encode(linear: FloatArray) -> FloatArray:
    """Picture values (0 to 1) of amounts of light (0 to 1)."""
    return encode_with_slope(linear)[0]


def encode_with_slope(linear: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Picture values, and how much they change with the amount of light."""
    bright = np.maximum(linear, _KNEE)
    curved = 1.055 * bright ** (1 / 2.4)
    dark = linear <= _KNEE
    return np.where(dark, 12.92 * linear, curved - 0.055), np.where(dark, 12.92, curved / (2.4 * bright))


def decode(encoded: FloatArray) -> FloatArray:
    """Amounts of light of picture values."""
    return np.where(encoded <= 0.04045, encoded / 12.92, ((np.maximum(encoded, 0.04045) + 0.055) / 1.055) ** 2.4)
