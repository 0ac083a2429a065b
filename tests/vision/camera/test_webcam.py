"""Webcams as they are: modes that are not granted, not delivered, dark at first, gone after a while."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.errors import InputError
from tests.vision.camera.fake_webcam import MJPG, YUYV, FakeWebcam
from vision.camera import controls, live
from vision.camera.devices import Camera, camera_modes, find_camera, why_not
from vision.camera.live import BLANK, LiveSource, Outage, SourceItem, SourceNote
from vision.camera.modes import LEAST_UHD_FPS, Negotiated, is_blank, negotiate, wanted_modes
from vision.camera.source import open_source
from vision.camera.webcam import WebcamOpener
from vision.types.frame import Frame


def opened(camera: FakeWebcam, lens_size: tuple[int, int] | None = None) -> Negotiated:
    return negotiate(camera, wanted_modes(lens_size), lens_size, camera.clock)


def test_full_hd_is_asked_for_and_measured() -> None:
    mode = opened(FakeWebcam())
    assert mode.requested is not None
    assert (mode.requested.size, mode.requested.code) == ((1920, 1080), "MJPG")
    assert mode.measured.size == (1920, 1080)
    assert mode.measured.fps == pytest.approx(30.0, rel=0.1)


@pytest.mark.parametrize(("fps", "size"), [(30.0, (3840, 2160)), (10.0, (1920, 1080))])
def test_4k_is_taken_where_it_is_fast_enough(fps: float, size: tuple[int, int]) -> None:
    mode = opened(FakeWebcam(fps={(3840, 2160): fps}))
    assert mode.measured.size == size
    assert mode.measured.fps >= LEAST_UHD_FPS


def test_the_camera_files_size_comes_first_though_larger_ones_are_there() -> None:
    assert opened(FakeWebcam(fps={}), (1280, 720)).measured.size == (1280, 720)
    slow = FakeWebcam(fps={(3840, 2160): 8.0})
    assert opened(slow, (3840, 2160)).measured.size == (3840, 2160)


def test_a_camera_that_ignores_mjpg_is_used_at_the_largest_size_that_is_in_time() -> None:
    mode = opened(FakeWebcam(takes_mjpg=False))
    assert mode.measured.size == (1920, 1080)
    assert mode.measured.fps == pytest.approx(5.0, abs=0.3)
    assert mode.granted is not None
    assert mode.granted.code == "YUYV"
    slower = FakeWebcam(takes_mjpg=False, fps={(1920, 1080): 2.0, (3840, 2160): 1.0})
    assert opened(slower).measured.size == (1280, 720)


def test_a_camera_that_grants_only_720p_gives_that() -> None:
    mode = opened(FakeWebcam(sizes=((1280, 720), (640, 480))))
    assert mode.measured.size == (1280, 720)


def test_a_mode_that_is_reported_and_not_delivered_is_not_believed() -> None:
    mode = opened(FakeWebcam(lies=True))
    assert mode.granted is not None
    assert mode.granted.width > 640
    assert mode.measured.size == (640, 480)
    measured, granted = mode.as_json()["measured"], mode.as_json()["granted"]
    assert measured is not None and granted is not None
    assert (measured["width"], granted["width"]) == (640, mode.granted.width)


def test_an_unusual_camera_gives_the_best_it_has() -> None:
    assert opened(FakeWebcam(sizes=((1600, 1200), (800, 600)))).measured.size == (1600, 1200)


def test_black_frames_at_the_start_are_waited_for() -> None:
    camera = FakeWebcam(black_frames=25)
    assert opened(camera).measured.size == (1920, 1080)
    assert camera.frames > 25
    assert camera.now_s - 100.0 < 8.0


def read_until(source: LiveSource, kind: type[SourceItem], most: int = 400) -> SourceItem:
    for _ in range(most):
        item = source.read()
        if isinstance(item, kind):
            return item
    raise AssertionError(f"no {kind.__name__} came")


def small(**habits: object) -> FakeWebcam:
    """A camera whose frames are quickly made."""
    return FakeWebcam(sizes=((64, 48),), **habits)  # type: ignore[arg-type]


def test_a_camera_that_dies_after_100_frames_is_opened_again_in_the_same_mode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(live, "_MISSING_S", 0.1)
    first, second = small(dies_after=100), small()
    devices = iter([first, second])
    opener = WebcamOpener(0, None, lambda _number, _back_end: next(devices), lambda: time.monotonic())
    monkeypatch.setattr("vision.camera.modes._TRIED_FRAMES", 2)
    monkeypatch.setattr("vision.camera.modes._FIRST_FRAME_S", 0.2)
    source = LiveSource("camera 0", opener)
    outage = read_until(source, Outage)
    assert isinstance(outage, Outage) and outage.why == "camera 0 gives no more pictures"
    after = read_until(source, Frame)
    source.close()
    assert isinstance(after, Frame) and after.index >= 60
    assert (first.released, second.released) == (1, 1)
    assert source.mode.measured.size == (64, 48)


def test_a_closed_shutter_is_told_once_and_the_camera_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vision.camera.modes._FIRST_FRAME_S", 0.01)
    camera = small(black_frames=10**9)
    source = LiveSource("camera 0", WebcamOpener(0, None, lambda *_: camera))
    note = read_until(source, SourceNote, 4000)
    assert isinstance(note, SourceNote) and note.text == BLANK
    items = [source.read() for _ in range(50)]
    source.close()
    assert all(isinstance(item, Frame) for item in items)


def test_what_a_shutter_shows_and_what_a_table_shows() -> None:
    noise = np.random.default_rng(3)
    assert is_blank(np.zeros((480, 640, 3), np.uint8))
    assert is_blank(np.clip(noise.normal(2, 2, (480, 640, 3)), 0, 255).astype(np.uint8))
    assert is_blank(np.full((480, 640, 3), (240, 240, 240), np.uint8))
    dim = np.full((480, 640, 3), 25, np.uint8)
    dim[100:300, 100:300] = 60
    assert not is_blank(dim)


def test_a_driver_that_hangs_is_an_outage_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_SILENT_S", 0.2)

    class Hanging:
        count = 0

        def read(self) -> tuple[bool, object]:
            self.count += 1
            if self.count > 3:
                time.sleep(1.0)
            return True, np.full((4, 4, 3), 9, np.uint8)

        def release(self) -> None: ...

    source = LiveSource("camera", Hanging)
    begun = time.monotonic()
    outage = read_until(source, Outage)
    source.close()
    assert isinstance(outage, Outage) and "gives no pictures" in outage.why
    assert time.monotonic() - begun < 1.0


def test_two_outages_during_one_long_look_are_both_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(live, "_MISSING_S", 0.1)

    class Short:
        left = 3

        def read(self) -> tuple[bool, object]:
            time.sleep(0.002)
            self.left -= 1
            return (True, np.eye(4, dtype=np.uint8)[:, :, None].repeat(3, 2) * 200) if self.left >= 0 else (False, None)

        def release(self) -> None: ...

    lives = iter([Short(), Short(), *(type("Long", (Short,), {"left": 10**6})() for _ in range(1))])
    source = LiveSource("camera", lambda: next(lives))
    time.sleep(0.4)  # the reader is busy
    kinds: list[str] = []
    while len(kinds) < 8:
        kinds.append(type(source.read()).__name__)
    source.close()
    assert kinds[:5] == ["Frame", "Outage", "Frame", "Outage", "Frame"]
    assert set(kinds[5:]) == {"Frame"}


def test_cameras_are_found_by_name_and_part_of_a_name() -> None:
    cameras = (Camera(0, "Integrated Webcam"), Camera(2, "Logitech BRIO"), Camera(4, "Logitech C920"))
    assert find_camera("logitech brio", cameras) == cameras[1]
    assert find_camera("c920", cameras) == cameras[2]
    assert find_camera("Integrated", cameras) == cameras[0]
    assert find_camera("phone", cameras) is None
    with pytest.raises(InputError, match="2 Logitech BRIO; 4 Logitech C920"):
        find_camera("logitech", cameras)


def test_modes_are_what_the_camera_grants_largest_first() -> None:
    camera = FakeWebcam(sizes=((1280, 720), (640, 480)))
    modes = camera_modes(0, lambda *_: camera)
    assert [mode.size for mode in modes] == [(1280, 720), (640, 480)]
    assert camera.released == 1
    assert camera_modes(0, lambda *_: FakeWebcam(opens=False)) == ()


@pytest.mark.skipif(sys.platform != "linux", reason="devices are files on Linux alone")
def test_why_a_camera_cannot_be_used(tmp_path: Path) -> None:
    devices, processes = tmp_path / "dev", tmp_path / "proc"
    devices.mkdir()
    assert "no such camera" in why_not(3, devices, processes)
    device = devices / "video3"
    device.touch()
    assert "gives no picture" in why_not(3, devices, processes)
    (processes / "77" / "fd").mkdir(parents=True)
    (processes / "77" / "comm").write_text("zoom\n")
    (processes / "77" / "fd" / "5").symlink_to(device)
    assert "in use by another program (zoom)" in why_not(3, devices, processes)


@pytest.mark.skipif(sys.platform != "linux", reason="devices are files on Linux alone")
def test_no_permission_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "video0").touch()

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    assert "no permission" in why_not(0, tmp_path)
    assert "group" in why_not(0, tmp_path)


def test_a_camera_that_is_not_there_is_one_line() -> None:
    with pytest.raises(InputError, match="no source in camera 97: "):
        open_source("97")
    with pytest.raises(InputError, match="number or name"):
        open_source("No such camera")


def test_a_camera_is_held_at_what_it_is_set_to() -> None:
    camera = FakeWebcam()
    camera.settings |= {
        cv2.CAP_PROP_AUTOFOCUS: 1.0,
        cv2.CAP_PROP_FOCUS: 35.0,
        cv2.CAP_PROP_AUTO_EXPOSURE: 3.0,
        cv2.CAP_PROP_EXPOSURE: 156.0,
        cv2.CAP_PROP_AUTO_WB: 1.0,
        cv2.CAP_PROP_WB_TEMPERATURE: 4200.0,
    }
    assert controls.hold(camera, "linux") == ("focus", "exposure", "white balance")
    assert camera.settings[cv2.CAP_PROP_AUTOFOCUS] == 0.0
    assert camera.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1.0
    assert camera.settings[cv2.CAP_PROP_EXPOSURE] == 156.0
    assert camera.settings[cv2.CAP_PROP_WB_TEMPERATURE] == 4200.0
    controls.let_go(camera, "linux")
    assert camera.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 3.0
    assert camera.settings[cv2.CAP_PROP_AUTOFOCUS] == 1.0
    assert controls.hold(FakeWebcam(), "linux") == ()  # a driver without any of them


@pytest.mark.parametrize(
    ("takes", "seconds_west", "setting"), [({1, 2, 3}, 0, 3), ({1, 2}, -3600, 1), ({1, 2}, 5 * 3600, 2), (set(), 0, 0)]
)
def test_the_lamps_frequency_follows_the_country(takes: set[int], seconds_west: int, setting: int) -> None:
    assert controls.set_mains(0, seconds_west, lambda _number, value: value in takes) == setting


def test_the_fakes_codes_are_those_of_opencv() -> None:
    assert (MJPG, YUYV) == (0x47504A4D, 0x56595559)
