"""Sizes of all rings of a picture, estimated together.

One ring alone is easily misread: 30 mm are 32 mm within what blur changes. All rings of a picture share its blur, and
most models of a unit have one size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.figures.options import FIGURES
from vision.types.arrays import IntArray


def joint_sizes(diameters_mm: FloatArray, colours: IntArray, sizes_mm: Sequence[float]) -> IntArray:
    """Which of the sizes each ring of measured diameter has; rings of one colour mostly have one size."""
    sizes = np.array(sizes_mm)
    blur_mm, chosen = 0.0, np.zeros(len(diameters_mm), dtype=np.intp)
    for _ in range(FIGURES.rounds):
        cost = (diameters_mm[:, None] - blur_mm - sizes) ** 2 / (2 * FIGURES.size_sigma_mm**2)
        chances = np.exp(-cost)
        for colour in np.unique(colours):
            mine = colours == colour
            for _ in range(FIGURES.rounds):
                shares = chances[mine] / np.maximum(chances[mine].sum(axis=1, keepdims=True), 1e-12)
                chances[mine] = np.exp(-cost[mine]) * (shares.sum(axis=0) + FIGURES.few)
        chosen = np.asarray(np.argmax(chances, axis=1))
        off = diameters_mm - sizes[chosen]
        blur_mm = float(off.sum() / (len(off) + 1))  # how much blur widens rings varies as one diameter does
    return chosen
