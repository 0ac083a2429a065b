"""Still pictures from files, or one line that says why not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.errors import InputError
from vision.types.decoding import SUFFIXES, decode, read_bytes

WORKING_PIXELS = 8_300_000  # a 4K picture: 2.4 pixels per mm of a three-foot table, more than a card's edge is sharp
_JPEG_QUALITY = 88


def read_picture(path: Path) -> ByteImage:
    """The picture as BGR; a folder, an empty, foreign, oversized or cut-off file is refused."""
    return decode(read_bytes(path, "unreadable picture"), str(path))


def working_copy(bgr: ByteImage) -> ByteImage:
    """The picture as it is, or reduced to the size that detection works at in bounded time and memory.

    Averaging over areas keeps what a sub-pixel fit needs: it lowers the noise by as much as it coarsens the grid.
    """
    height, width = bgr.shape[:2]
    factor = (WORKING_PIXELS / (width * height)) ** 0.5
    if factor >= 1:
        return bgr
    size = (round(width * factor), round(height * factor))
    return np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def write_picture(path: Path, bgr: ByteImage) -> None:
    """Writes a picture in the format its name asks for."""
    try:
        done, encoded = cv2.imencode(path.suffix or ".png", bgr)
    except cv2.error:
        done = False
    if not done:
        raise InputError("unwritable picture", str(path), f"expected a name that ends in {', '.join(SUFFIXES)}")
    try:
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise InputError("unwritable picture", str(path), error.strerror or str(error)) from None


def jpeg_of(bgr: ByteImage) -> bytes:
    """The picture as a JPEG to be kept; empty where it cannot be one."""
    done, encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    return encoded.tobytes() if done else b""
