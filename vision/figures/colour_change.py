"""What has changed between two pictures of one table, in colour: a base on a cloth may be no darker than the cloth."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import ByteImage
from vision.camera.motion import Mask, Small, difference, differs
from vision.camera.options import CAMERA


def colour_changes(before: ByteImage, now: ByteImage, noise_levels: float) -> Mask:
    """Where any channel differs, whatever the light does, on the camera's small picture."""
    height, width = now.shape[:2]
    size = (CAMERA.width_px, max(1, round(height * CAMERA.width_px / width)))
    small = [cv2.resize(bgr, size, interpolation=cv2.INTER_AREA).astype(np.float32) for bgr in (before, now)]
    channels = [[Small.of_grey(picture[..., channel]) for picture in small] for channel in range(3)]
    changes = [differs(difference(was, here), noise_levels) for was, here in channels]
    return changes[0] | changes[1] | changes[2]
