"""The colour of a disk's printed rim, which tells its owner."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from vision.faces.options import FACES
from vision.faces.patch import patch_axis
from vision.types.arrays import FloatImage


def rim_chroma(patch_bgr: FloatImage, visible: FloatImage | None) -> FloatArray | None:
    """Logarithms of red and of blue against green on the rim of a face laid flat; None where too little is seen."""
    axis = patch_axis()
    radius = np.hypot(axis[None, :], axis[:, None])
    band = (radius > FACES.band[0]) & (radius < FACES.band[1])
    if visible is not None:
        band &= visible > 0
    if int(band.sum()) < FACES.least_px:
        return None
    blue, green, red = np.maximum(np.median(patch_bgr[band], axis=0), 0.05)
    return np.log(np.array([red / green, blue / green], dtype=np.float64))
