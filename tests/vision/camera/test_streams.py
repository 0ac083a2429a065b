"""Telephones and network cameras over http: killed, frozen, restarted, turned to another size."""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Iterator

import pytest

from calibration.errors import InputError
from tests.vision.camera.loopback import PhoneCamera
from vision.camera import http_stream, live
from vision.camera.address import without_password
from vision.camera.live import LiveSource, Outage
from vision.camera.source import open_source
from vision.types.frame import Frame

PATHS = ("video", "shot.jpg")


@pytest.fixture
def phone(monkeypatch: pytest.MonkeyPatch) -> Iterator[PhoneCamera]:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.05)
    monkeypatch.setattr(live, "_MISSING_S", 0.1)
    monkeypatch.setattr(http_stream, "TIMEOUT_S", 0.4)
    monkeypatch.setattr(http_stream, "_PAUSE_S", 0.01)
    phone = PhoneCamera()
    yield phone
    phone.kill()


def opened(phone: PhoneCamera, path: str) -> LiveSource:
    source = open_source(phone.address(path))
    assert isinstance(source, LiveSource)
    return source


def next_frame(source: LiveSource, within_s: float = 5.0) -> tuple[Frame, list[Outage]]:
    """The next frame and the outages before it."""
    begun = time.monotonic()
    outages: list[Outage] = []
    while time.monotonic() - begun < within_s:
        item = source.read()
        if isinstance(item, Frame):
            return item, outages
        if isinstance(item, Outage):
            outages.append(item)
    raise AssertionError(f"no frame within {within_s} s")


def outage_of(source: LiveSource, within_s: float = 5.0) -> Outage:
    begun = time.monotonic()
    while time.monotonic() - begun < within_s:
        item = source.read()
        if isinstance(item, Outage):
            return item
    raise AssertionError(f"no outage within {within_s} s")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("with_length", [True, False])
def test_frames_arrive_and_are_measured(phone: PhoneCamera, path: str, with_length: bool) -> None:
    phone.with_length = with_length
    source = opened(phone, path)
    frames = [next_frame(source)[0] for _ in range(6)]
    source.close()
    assert all(frame.bgr.shape == (120, 160, 3) for frame in frames)
    assert [frame.index for frame in frames] == sorted(frame.index for frame in frames)
    assert source.mode.measured.size == (160, 120)
    assert source.mode.measured.fps > 5
    assert source.mode.requested is None


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_is_killed_and_restarted_is_found_again(phone: PhoneCamera, path: str) -> None:
    source = opened(phone, path)
    next_frame(source)
    phone.kill()
    outage = outage_of(source)
    assert phone.address(path) in outage.why
    assert "\n" not in outage.why
    again = PhoneCamera(size=(200, 100), port=phone.port)
    try:
        frame, _ = next_frame(source)
        assert frame.bgr.shape == (100, 200, 3)
    finally:
        source.close()
        again.kill()


@pytest.mark.parametrize("path", PATHS)
def test_a_frozen_server_is_an_outage_and_recovers(phone: PhoneCamera, path: str) -> None:
    source = opened(phone, path)
    next_frame(source)
    phone.frozen.set()
    begun = time.monotonic()
    outage = outage_of(source)
    assert "no answer within" in outage.why
    assert time.monotonic() - begun < 3.0
    phone.frozen.clear()
    next_frame(source)
    source.close()


@pytest.mark.parametrize("path", PATHS)
def test_another_resolution_comes_through_without_an_outage(phone: PhoneCamera, path: str) -> None:
    source = opened(phone, path)
    next_frame(source)
    phone.size = (320, 240)
    shapes = set()
    for _ in range(60):
        frame, outages = next_frame(source)
        assert not outages
        shapes.add(frame.bgr.shape[:2])
        if frame.bgr.shape[:2] == (240, 320):
            break
    source.close()
    assert (240, 320) in shapes
    assert source.mode.measured.size == (320, 240)


def test_a_slow_reader_gets_the_newest_picture(phone: PhoneCamera) -> None:
    phone.fps = 200.0
    stream = http_stream.open_http(phone.address("video"))
    delays = []
    for _ in range(6):
        time.sleep(0.15)  # thirty pictures are sent meanwhile
        done, picture = stream.read()
        assert done
        shown = round((int(picture[5, 5, 0]) - 20) / 10)
        delays.append((phone.served - shown) % 20)
    stream.release()
    assert max(delays) <= 6, delays


def test_what_is_no_stream_is_one_line(phone: PhoneCamera) -> None:
    for path, why in (("missing", "404"), ("playlist", "expected an MJPEG stream or a picture")):
        with pytest.raises(InputError, match=why):
            opened(phone, path)
    assert "/seen" not in phone.asked
    with pytest.raises(InputError, match="names another address"):
        opened(phone, "elsewhere")
    with pytest.raises(InputError, match="nobody answers"):
        open_source("http://127.0.0.1:9/video")
    source = opened(phone, "moved")
    next_frame(source)
    source.close()


def test_a_stream_without_pictures_stays_within_bounds(phone: PhoneCamera, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_stream, "_MOST_BYTES", 1 << 20)
    with pytest.raises(InputError, match=r"no MJPEG stream|no picture"):
        opened(phone, "endless")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("no-address", "names an address that is none"),
        ("dripping", "no answer within"),
        ("continuing", "no answer within"),
        ("wrong-length", "cannot be read"),
    ],
)
def test_answers_without_end_and_without_sense_are_given_up(phone: PhoneCamera, path: str, why: str) -> None:
    begun = time.monotonic()
    with pytest.raises(InputError, match=why):
        opened(phone, path)
    assert time.monotonic() - begun < 20


def test_a_password_is_sent_and_never_shown(phone: PhoneCamera) -> None:
    source = open_source(f"http://eve:s3cret%21@127.0.0.1:{phone.port}/video")
    assert isinstance(source, LiveSource)
    assert phone.headers["Authorization"] == "Basic " + base64.b64encode(b"eve:s3cret!").decode()
    next_frame(source)
    phone.kill()
    outage = outage_of(source)
    source.close()
    assert "s3cret" not in source.name + outage.why
    assert "eve" not in source.name + outage.why


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("file:///etc/passwd", "expected http, https, rtsp, rtsps, got 'file'"),
        ("concat:http://a|http://b", "expected"),
        ("ftp://eve:s3cret@host/x", "got 'ftp'"),
        ("http://", "expected a host"),
        ("http://eve:s3cret@host:99999999/x", "[Pp]ort"),
        ("http://eve:s3cret@host/a b", "no spaces"),
        ("http://eve:s3cret@ho\x1bst/", "control characters"),
        ("hls+http://eve:s3cret@host/x.m3u8", "got"),
        ("http://eve:s3cret@[::1/x", "."),
    ],
)
def test_only_the_intended_protocols_are_opened(address: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        open_source(address)
    assert "s3cret" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_rtsp_leads_nowhere_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(InputError, match=r"no source in rtsp://127\.0\.0\.1") as caught:
        open_source(f"rtsp://eve:s3cret@127.0.0.1:{port}/live")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://u:p@10.0.0.2:554/live?x=1", "rtsp://10.0.0.2:554/live?x=1"),
        ("http://10.0.0.2/s.jpg?usr=a&pwd=b", "http://10.0.0.2/s.jpg?usr=a&pwd=..."),
        ("http://u:p@w@10.0.0.2/video#frag", "http://10.0.0.2/video"),
        ("Logitech BRIO", "Logitech BRIO"),
    ],
)
def test_addresses_are_shown_without_passwords(address: str, shown: str) -> None:
    assert without_password(address) == shown
