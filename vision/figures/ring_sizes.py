"""Sizes of all rings of a picture, told together.

One ring alone is easily misread: 30 mm are 32 mm within what blur changes. All rings of a picture share its blur, and
most models of a unit have one size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.types.arrays import IntArray

ROUNDS = 6
SIZE_SIGMA_MM = 0.7  # of a measured diameter; chosen
BLUR_SIGMA_MM = 0.4  # how much larger or smaller blur makes all rings look; chosen
FEW = 0.3  # a size that no other ring of its colour has is as likely as if so many had it


def told_sizes(diameters_mm: FloatArray, colours: IntArray, sizes_mm: Sequence[float]) -> IntArray:
    """Which of the sizes each ring of measured diameter has; rings of one colour mostly have one size."""
    sizes = np.array(sizes_mm)
    blur_mm, chosen = 0.0, np.zeros(len(diameters_mm), dtype=np.intp)
    for _ in range(ROUNDS):
        cost = (diameters_mm[:, None] - blur_mm - sizes) ** 2 / (2 * SIZE_SIGMA_MM**2)
        chances = np.exp(-cost)
        for colour in np.unique(colours):
            mine = colours == colour
            for _ in range(ROUNDS):
                told = chances[mine] / np.maximum(chances[mine].sum(axis=1, keepdims=True), 1e-12)
                chances[mine] = np.exp(-cost[mine]) * (told.sum(axis=0) + FEW)
        chosen = np.asarray(np.argmax(chances, axis=1))
        off = diameters_mm - sizes[chosen]
        prior = (SIZE_SIGMA_MM / BLUR_SIGMA_MM) ** 2
        blur_mm = float(off.sum() / (len(off) + prior))
    return chosen
