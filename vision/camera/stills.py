"""Still pictures from files, or one line that says why not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.errors import InputError

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp")
_JPEG_QUALITY = 88
_JPEG_START, _JPEG_SCAN, _JPEG_END = b"\xff\xd8", b"\xff\xda", b"\xff\xd9"
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"


def read_picture(path: Path) -> ByteImage:
    """The picture as BGR; a folder, an empty, foreign or cut-off file is refused."""
    where = str(path)
    if path.is_dir():
        raise InputError("no picture", where, "expected a file, got a folder")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError("unreadable picture", where, error.strerror or str(error)) from None
    if not content:
        raise InputError("unreadable picture", where, "the file is empty")
    if _cut_off(content):
        raise InputError("unreadable picture", where, "the file is cut off; copy or take it again")
    try:
        image = cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        image = None
    if image is None:
        raise InputError("unreadable picture", where, f"expected a picture ({', '.join(SUFFIXES)})")
    return np.asarray(image, dtype=np.uint8)


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


def _cut_off(content: bytes) -> bool:
    """OpenCV fills the missing part of a cut-off picture with grey and says nothing: look for the end mark."""
    if content.startswith(_JPEG_START):
        scan = content.rfind(_JPEG_SCAN)
        return scan < 0 or _JPEG_END not in content[scan:]
    if content.startswith(_PNG_START):
        return _PNG_END not in content[-64:]
    return False
