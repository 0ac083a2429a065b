"""Sources: films, folders and stills from files, cameras that die and come back, addresses that lead nowhere."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import InputError
from calibration.working_copy import WORKING_PIXELS
from vision.camera import live
from vision.camera.live import LiveSource, Outage, SourceNote
from vision.camera.source import Paced, PictureFolder, VideoFile, open_source, reduction_of
from vision.types.decoding import SUFFIXES
from vision.types.frame import Frame


def small_film(path: Path, frames: int = 12) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    for index in range(frames):
        writer.write(np.full((48, 64, 3), 10 * index, np.uint8))
    writer.release()
    return path


def test_a_film_gives_every_frame_in_order_with_its_time(tmp_path: Path) -> None:
    source = open_source(str(small_film(tmp_path / "game.avi")))
    frames = []
    while isinstance(frame := source.read(), Frame):
        frames.append(frame)
    source.close()
    assert [frame.index for frame in frames] == list(range(12))
    assert frames[5].time_s == pytest.approx(0.2)
    assert abs(int(frames[7].bgr.mean()) - 70) <= 3
    assert not source.live


def test_a_folder_shows_each_picture_for_a_moment(tmp_path: Path) -> None:
    for number in (2, 1):
        cv2.imwrite(str(tmp_path / f"state{number}.png"), np.full((20, 30, 3), 100 * number, np.uint8))
    (tmp_path / "notes.txt").write_text("no picture")
    source = open_source(str(tmp_path))
    assert isinstance(source, PictureFolder)
    seen: dict[int, list[float]] = {}
    while isinstance(frame := source.read(), Frame):
        assert frame.bgr.mean() == 100 * (frame.index + 1)
        seen.setdefault(frame.index, []).append(frame.time_s)
    assert list(seen) == [0, 1]
    assert all(len(times) >= 10 and times == sorted(times) for times in seen.values())


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("missing.mp4", None, "expected a camera's number"),
        ("empty.mp4", b"", "empty"),
        ("notes.mp4", b"just some words, again and again", "got a text"),
        ("broken.mp4", b"\x00\x01garbage" * 200, "decode"),
    ],
)
def test_a_source_that_is_none_is_one_clear_line(tmp_path: Path, name: str, content: bytes | None, why: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=why) as caught:
        open_source(str(path))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_empty_folder_and_a_camera_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no pictures"):
        open_source(str(tmp_path))
    with pytest.raises(InputError, match="no picture; check"):
        open_source("rtsp://127.0.0.1:9/none")


class Clock:
    """Time that passes only when told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds


def test_a_paced_film_waits_for_its_time_and_drops_what_is_overdue(tmp_path: Path) -> None:
    clock = Clock()
    source = Paced(VideoFile(small_film(tmp_path / "game.avi")), clock, clock.sleep)
    first, second = source.read(), source.read()
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert clock.now_s == pytest.approx(100.04)
    clock.sleep(0.2)  # the reader is busy for five frames
    late = source.read()
    assert isinstance(late, Frame)
    assert late.index >= 5
    assert clock.now_s - 100.0 - late.time_s < 0.06
    clock.sleep(60.0)
    last = source.read()
    assert isinstance(last, Frame)
    assert last.index == 11
    assert source.read() is None
    source.close()


class FlakyCapture:
    """A capture that gives some frames and dies."""

    def __init__(self, frames: int, value: int) -> None:
        self.left = frames
        self.value = value
        self.released = False

    def read(self) -> tuple[bool, Any]:
        time.sleep(0.002)
        self.left -= 1
        return (True, np.full((4, 4, 3), self.value, np.uint8)) if self.left >= 0 else (False, None)

    def release(self) -> None:
        self.released = True


def test_a_camera_that_dies_is_told_and_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(live, "_MISSING_S", 0.1)
    captures = [FlakyCapture(6, 50), FlakyCapture(0, 0), FlakyCapture(10_000, 90)]
    opened = iter(captures)
    source = LiveSource("camera", lambda: next(opened))
    items = [source.read() for _ in range(12)]
    source.close()
    outages = [item for item in items if isinstance(item, Outage)]
    frames = [item for item in items if isinstance(item, Frame)]
    assert len(outages) == 1
    assert outages[0].why.startswith("camera")
    assert {int(frame.bgr[0, 0, 0]) for frame in frames} == {50, 90}
    assert [frame.index for frame in frames] == sorted(frame.index for frame in frames)
    assert all(capture.released for capture in captures)


def test_a_slow_reader_of_a_camera_gets_the_newest_frame() -> None:
    source = LiveSource("camera", lambda: FlakyCapture(10_000, 7))
    first = source.read()
    time.sleep(0.2)
    second = source.read()
    source.close()
    assert isinstance(first, Frame)
    assert isinstance(second, Frame)
    assert second.index > first.index + 10


def test_an_unreadable_picture_in_a_folder_is_left_out_with_a_note(tmp_path: Path) -> None:
    for number in (1, 3):
        cv2.imwrite(str(tmp_path / f"state{number}.png"), np.full((20, 30, 3), 80 * number, np.uint8))
    (tmp_path / "state2.png").write_bytes(b"not a picture")
    source = open_source(str(tmp_path))
    items = []
    while (item := source.read()) is not None:
        items.append(item)
    notes = [item for item in items if isinstance(item, SourceNote)]
    assert [note.text for note in notes] == [
        "state2.png was left out: expected a picture (" + ", ".join(SUFFIXES) + ")"
    ]
    assert {item.index for item in items if isinstance(item, Frame)} == {0, 2}
    times = [item.time_s for item in items]
    assert times == sorted(times)


@pytest.mark.parametrize(
    "content",
    [
        b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nhttp://127.0.0.1:%d/seen\n#EXT-X-ENDLIST\n",
        b"ffconcat version 1.0\nfile http://127.0.0.1:%d/seen\n",
    ],
)
def test_a_playlist_named_as_a_film_fetches_nothing(tmp_path: Path, content: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.3)
        film = tmp_path / "film.mp4"
        film.write_bytes(content % server.getsockname()[1] + b"# \0")
        with pytest.raises(InputError, match="unreadable video"):
            open_source(str(film))
        with pytest.raises(TimeoutError):
            server.accept()


def test_large_stills_are_followed_as_copies(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "large.png"), np.zeros((3000, 4000, 3), np.uint8))
    cv2.imwrite(str(tmp_path / "small.png"), np.zeros((300, 400, 3), np.uint8))
    for address in (tmp_path, tmp_path / "large.png"):
        frame = open_source(str(address)).read()
        assert isinstance(frame, Frame)
        assert frame.bgr.shape[0] * frame.bgr.shape[1] < 1.01 * WORKING_PIXELS
        assert np.isclose(reduction_of(str(address)), frame.bgr.shape[1] / 4000)
    assert reduction_of(str(tmp_path / "small.png")) == 1.0
    assert reduction_of("0") == 1.0
