"""A real RTSP server on loopback: opened with its password, killed, restarted with another size."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import InputError
from vision.camera.live import LiveSource, Outage
from vision.camera.source import open_source
from vision.types.frame import Frame

SERVER = Path(__file__).with_name("rtsp_server.py")
PYTHON = "/usr/bin/python3"
_NEEDED = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import GstRtspServer"


def _has_server() -> bool:
    if shutil.which(PYTHON) is None:
        return False
    return subprocess.run([PYTHON, "-c", _NEEDED], capture_output=True, check=False, cwd="/").returncode == 0


pytestmark = pytest.mark.skipif(not _has_server(), reason="needs GStreamer's RTSP server (gir1.2-gst-rtsp-server-1.0)")


@contextmanager
def camera(port: int, picture: Path, size: tuple[int, int], *login: str) -> Iterator[None]:
    """A network camera, killed at the end."""
    words = [PYTHON, str(SERVER), str(port), str(picture), *map(str, size), *login]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield
        finally:
            process.kill()


def next_of(source: LiveSource, kind: type[Frame] | type[Outage], within_s: float = 90.0) -> Frame | Outage:
    begun = time.monotonic()
    while time.monotonic() - begun < within_s:
        item = source.read()
        if isinstance(item, kind):
            return item
    raise AssertionError(f"no {kind.__name__} within {within_s} s")


def test_a_network_camera_is_read_and_found_again(tmp_path: Path) -> None:
    picture = tmp_path / "table.jpg"
    cv2.imwrite(str(picture), np.full((360, 640, 3), (60, 120, 180), np.uint8))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"rtsp://eve:s3cret@127.0.0.1:{port}/live"
    with camera(port, picture, (640, 360), "eve", "s3cret"):
        with pytest.raises(InputError) as refused:
            open_source(f"rtsp://eve:wr0ng@127.0.0.1:{port}/live")
        assert "wr0ng" not in str(refused.value)
        source = open_source(address)
        assert isinstance(source, LiveSource)
        frame = next_of(source, Frame)
        assert isinstance(frame, Frame)
        assert frame.bgr.shape == (360, 640, 3)
        assert np.abs(frame.bgr.mean(axis=(0, 1)) - (60, 120, 180)).max() < 12
        assert "s3cret" not in source.name
    outage = next_of(source, Outage)
    assert isinstance(outage, Outage)
    assert "\n" not in outage.why and "s3cret" not in outage.why
    with camera(port, picture, (320, 180), "eve", "s3cret"):
        again = next_of(source, Frame)
        assert isinstance(again, Frame)
        assert again.bgr.shape == (180, 320, 3)
        source.close()
