"""Pictures that somebody handed over: decoded as they were meant, or refused before they cost anything."""

from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image

from calibration.errors import InputError
from vision.camera.stills import read_picture
from vision.types.decoding import MOST_PIXELS, SUFFIXES, decode

HALVES = np.zeros((40, 60, 3), np.uint8)
HALVES[:, :30] = (200, 30, 30)  # blue on the left
HALVES[:, 30:] = (30, 30, 200)  # red on the right


def png_of_size(width: int, height: int) -> bytes:
    """A PNG that says to be so large and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def test_too_many_pixels_are_refused_before_they_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png_of_size(30_000, 30_000))
    resource = pytest.importorskip("resource", reason="memory is asked of a POSIX system")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match="30000x30000 pixels; expected at most 110 megapixels"):
        read_picture(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000
    assert 30_000 * 30_000 > MOST_PIXELS > 50_000_000


@pytest.mark.parametrize(("orientation", "top_left"), [(1, "blue"), (3, "red"), (6, "blue"), (8, "red")])
def test_a_picture_is_turned_as_its_camera_was_held(orientation: int, top_left: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    Image.fromarray(HALVES[:, :, ::-1]).save(file, "JPEG", exif=exif, quality=95)
    picture = decode(file.getvalue(), "held.jpg")
    assert picture.shape[:2] == ((60, 40) if orientation in (6, 8) else (40, 60))
    blue, _, red = (int(value) for value in picture[3, 3])
    assert ("blue" if blue > red else "red") == top_left


def test_heic_pictures_are_read() -> None:
    file = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(HALVES[:, :, ::-1])).save(file, quality=95)
    picture = decode(file.getvalue(), "phone.heic")
    assert picture.shape == HALVES.shape
    assert np.abs(picture.astype(int) - HALVES).mean() < 12
    assert picture[20, 5, 0] > 120 > picture[20, 5, 2]


def test_a_broken_heic_picture_comes_with_advice() -> None:
    file = io.BytesIO()
    pillow_heif.from_pillow(Image.fromarray(HALVES)).save(file)
    with pytest.raises(InputError, match="save it as JPEG"):
        decode(file.getvalue()[:-60], "phone.heic")


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix not in (".heic", ".heif")])
def test_damaged_pictures_are_decoded_or_refused_in_silence(suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(suffix)
    noise = np.random.default_rng(1).integers(0, 255, (48, 64, 3), dtype=np.uint8)
    content = cv2.imencode(suffix, cv2.GaussianBlur(noise, (0, 0), 2))[1].tobytes()
    outcomes = set()
    for _ in range(120):
        damaged = bytearray(content)
        for _ in range(chance.randrange(1, 6)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            outcomes.add(decode(bytes(damaged), "damaged").dtype.name)
        except InputError as error:
            outcomes.add("refused")
            assert "\n" not in str(error)
    assert outcomes <= {"uint8", "refused"}
    assert capfd.readouterr().err == ""
