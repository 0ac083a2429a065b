"""Where a face's printed border ends and its art begins."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import ByteImage
from vision.faces.options import FACES


def art_edge(picture: ByteImage) -> float:
    """The radius, of the face's, at which the picture changes most all around."""
    side = min(picture.shape[:2])
    angles = np.arange(FACES.spokes) * (2 * np.pi / FACES.spokes)
    radii = np.arange(
        FACES.widest - FACES.lag * FACES.step / 2, FACES.narrowest + FACES.lag * FACES.step / 2, FACES.step
    )
    x = (picture.shape[1] - 1) / 2 + np.outer(radii, np.sin(angles)) * picture.shape[1] / 2
    y = (picture.shape[0] - 1) / 2 - np.outer(radii, np.cos(angles)) * picture.shape[0] / 2
    soft = cv2.GaussianBlur(picture, (0, 0), max(0.5, 0.004 * side))
    rings = cv2.remap(soft, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR).astype(np.float32)
    change = np.median(np.linalg.norm(rings[FACES.lag :] - rings[: -FACES.lag], axis=2), axis=1)
    return float(radii[int(change.argmax()) + FACES.lag // 2])
