"""Circles around the star of a back: they are taken for smaller disks that lie on it, backs up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.options import CONFIDENCE
from vision.rims.candidates import Rims
from vision.types.arrays import BoolArray
from vision.types.sighting import FaceReading


def borrowed_stars(rims: Rims, odds: FloatArray, faces: Sequence[FaceReading]) -> BoolArray:
    """Which rims (N,) are hardly seen themselves and have for a back the star of a larger one with the same middle."""
    backs = np.array([face.side == "down" and face.profile is None for face in faces], dtype=bool)
    apart = np.linalg.norm(rims.centres[:, None] - rims.centres[None], axis=2)
    within = apart + rims.radii[:, None] < rims.radii[None]
    same_middle = apart < CONFIDENCE.same_middle * rims.radii[None]
    doubtful = odds < 0
    return np.asarray(backs & doubtful & (within & same_middle & ~doubtful[None]).any(axis=1), dtype=np.bool_)
