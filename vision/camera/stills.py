"""Still pictures from files, or one line that says why not."""

from __future__ import annotations

from pathlib import Path

import cv2

from calibration.arrays import ByteImage
from calibration.errors import InputError
from vision.types.decoding import SUFFIXES, decode, read_bytes

_JPEG_QUALITY = 88


def read_picture(path: Path) -> ByteImage:
    """The picture as BGR; a folder, an empty, foreign, oversized or cut-off file is refused."""
    return decode(read_bytes(path, "unreadable picture"), str(path))


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
