"""Large photographs: found in a reduced copy, measured in their own pixels."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import ByteImage

WORKING_PIXELS = 8_300_000  # a 4K picture: 2.4 pixels per mm of a three-foot table


def working_copy(picture: ByteImage) -> ByteImage:
    """The picture as it is, or reduced to the size that detection works at in bounded time and memory."""
    height, width = picture.shape[:2]
    factor = (WORKING_PIXELS / (width * height)) ** 0.5
    if factor >= 1:
        return picture
    size = (round(width * factor), round(height * factor))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
