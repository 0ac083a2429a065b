"""Pictures from files and streams that somebody handed over: bounded before they are decoded, and decoded silently."""

from __future__ import annotations

import io
import logging
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.json_file import read_file

SUFFIXES = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".heif")
MOST_PIXELS = 110_000_000  # of a picture of a table: 330 MB decoded
MOST_ART_PIXELS = 16_000_000  # of a roster's art: there are dozens, and a face is shown at a few hundred pixels
MOST_BYTES = 256 << 20
_FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP")
_JPEG_START, _JPEG_SCAN, _JPEG_END = b"\xff\xd8", b"\xff\xda", b"\xff\xd9"
_PNG_START, _PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"
_HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1", b"heif")

Image.MAX_IMAGE_PIXELS = None  # only headers are read with it, and the bound is here
logging.getLogger("PIL").addHandler(logging.NullHandler())  # or its errors go to standard error
_stderr = threading.Lock()


def read_bytes(path: Path, what: str) -> bytes:
    """A file's content, where it is one and of a size that a picture can have; `what` begins the error line."""
    content = read_file(path, what, MOST_BYTES)
    if not content:
        raise InputError(what, str(path), "the file is empty")
    return content


def decode(content: bytes, where: str, what: str = "unreadable picture", most_pixels: int = MOST_PIXELS) -> ByteImage:
    """A picture as BGR, turned as its camera was held; cut-off, foreign and oversized ones are refused by one line."""
    if is_heic(content):
        return _decode_heic(content, where, what, most_pixels)
    _check(content, where, what, most_pixels)
    return _decode(content, where, what, cv2.IMREAD_COLOR)


def decode_unchanged(content: bytes, where: str, what: str) -> ByteImage:
    """A picture with all its channels, such as a cut-out with a transparent ground; 8 bits each."""
    _check(content, where, what, MOST_ART_PIXELS)
    return _decode(content, where, what, cv2.IMREAD_UNCHANGED)


def is_heic(content: bytes) -> bool:
    """Whether this is a HEIC picture, as telephones take them."""
    return content[4:8] == b"ftyp" and content[8:12] in _HEIC_BRANDS


def _check(content: bytes, where: str, what: str, most_pixels: int) -> None:
    """Refuses what is no picture, is cut off or has too many pixels, from the header alone."""
    if _cut_off(content):
        raise InputError(what, where, "the file is cut off; copy or take it again")
    try:
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(content), formats=_FORMATS) as image,
        ):
            width, height = image.size
    except Exception:  # what damaged headers raise has no common type
        raise InputError(what, where, f"expected a picture ({', '.join(SUFFIXES)})") from None
    _check_size(width, height, where, what, most_pixels)


def _check_size(width: int, height: int, where: str, what: str, most_pixels: int) -> None:
    if width * height > most_pixels:
        raise InputError(
            what, where, f"{width}x{height} pixels; expected at most {most_pixels // 1_000_000} megapixels, reduce it"
        )


def _decode(content: bytes, where: str, what: str, flags: int) -> ByteImage:
    try:
        with silent_decoders():
            image = cv2.imdecode(np.frombuffer(content, np.uint8), flags)
    except cv2.error:
        image = None
    if image is None or image.dtype != np.uint8:
        raise InputError(what, where, f"expected a picture ({', '.join(SUFFIXES)})")
    return np.asarray(image, dtype=np.uint8)


def _decode_heic(content: bytes, where: str, what: str, most_pixels: int) -> ByteImage:
    import pillow_heif  # 30 ms that only these pictures need

    try:
        container = pillow_heif.open_heif(io.BytesIO(content), convert_hdr_to_8bit=True, bgr_mode=True)
        width, height = container.size
        _check_size(width, height, where, what, most_pixels)
        with silent_decoders():
            image = np.asarray(container)
    except InputError:
        raise
    except Exception as error:  # the decoder's own errors have no common type
        advice = "save it as JPEG (in the telephone's camera settings: most compatible)"
        why = " ".join(str(error).split())[:120]
        raise InputError(what, where, f"the HEIC picture cannot be decoded ({why}); {advice}") from None
    return np.ascontiguousarray(image[:, :, :3], dtype=np.uint8)


def _cut_off(content: bytes) -> bool:
    """OpenCV fills the missing part of a cut-off picture with grey and says nothing: look for the end mark."""
    if content.startswith(_JPEG_START):
        scan = content.rfind(_JPEG_SCAN)
        return scan < 0 or _JPEG_END not in content[scan:]
    if content.startswith(_PNG_START):
        return _PNG_END not in content[-64:]
    return False


@contextmanager
def silent_decoders() -> Iterator[None]:
    """Drops what the C libraries of pictures print on standard error: it would spoil the one line a person gets."""
    with _stderr:
        try:
            kept = os.dup(2)
        except OSError:  # there is no standard error, as in a windowed program
            yield
            return
        try:
            with Path(os.devnull).open("wb") as nothing:
                os.dup2(nothing.fileno(), 2)
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
