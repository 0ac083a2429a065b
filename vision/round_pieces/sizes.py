"""The common sizes among measured circles."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from vision.round_pieces.options import ROUND


def common_radii(radii: FloatArray, weights: FloatArray) -> FloatArray:
    """Radii round which measured ones gather, most weight first; sizes with little weight are left out."""
    logs = np.log(radii)
    left = weights.astype(np.float64).copy()
    found: list[float] = []
    most = 0.0
    while (left > 0).any():
        near = np.abs(logs[:, None] - logs[None]) < ROUND.cluster
        gathered = near.astype(np.float64) @ left
        best = int(np.where(left > 0, gathered, -np.inf).argmax())
        most = max(most, float(gathered[best]))
        if gathered[best] < ROUND.cluster_share * most:
            break
        members = near[best] & (left > 0)
        found.append(float(np.exp(np.average(logs[members], weights=left[members]))))
        left[np.abs(logs - np.log(found[-1])) < 1.5 * ROUND.cluster] = 0
    return np.array(found)
