"""Which faces a piece looks most like: the colours of its picture against the roster's art. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.roster.profiles import Profile

_SIDE = 48
_BINS = (10, 8)  # hue, saturation
_RINGS = (0.0, 0.45, 0.72, 0.96)  # a disk may be turned: its colours are compared ring by ring


def likeliest(face: ByteImage | None, profiles: Sequence[Profile], most: int) -> list[Profile]:
    """The profiles whose art has the most similar colours, the likeliest first; as they are where there is no face."""
    if face is None:
        return list(profiles[:most])
    seen = _rings(face)
    scored = []
    for place, profile in enumerate(profiles):
        art = _art_rings(profile.art) if profile.art is not None else None
        likeness = float(np.minimum(seen, art).sum()) if art is not None else -1.0
        scored.append((-likeness, place, profile))
    scored.sort(key=lambda entry: entry[:2])
    return [profile for _, _, profile in scored[:most]]


@lru_cache(maxsize=256)
def _art_rings(art: Path) -> FloatArray | None:
    picture = cv2.imread(str(art), cv2.IMREAD_COLOR)
    return None if picture is None else _rings(np.asarray(picture, dtype=np.uint8))


def _rings(face: ByteImage) -> FloatArray:
    """(rings, hues, saturations) that sum to 1 in each ring."""
    small = cv2.resize(face, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    hsv = cv2.cvtColor(small, cv2.COLOR_BGR2HSV)
    axis = (np.arange(_SIDE) + 0.5) * 2 / _SIDE - 1
    radius = np.hypot(axis[None, :], axis[:, None])
    counts = []
    for inner, outer in pairwise(_RINGS):
        mask = ((radius >= inner) & (radius < outer)).astype(np.uint8)
        histogram = cv2.calcHist([hsv], [0, 1], mask, list(_BINS), [0, 180, 0, 256])
        counts.append(histogram / max(1.0, float(histogram.sum())))
    return np.asarray(counts, dtype=np.float64)
