"""Sources and disks that misbehave: for `benchmarks.attack`."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from assistant.games import GAMES
from assistant.session import TableSetting
from assistant.session.starting import session_for
from benchmarks.attack_process import peak_mb, run_command
from benchmarks.attack_readers import ROOT
from benchmarks.attack_table import Row, attempt
from calibration.errors import InputError
from tests.vision.camera.loopback import PhoneCamera
from vision.camera import http_stream, live
from vision.camera.live import LiveSource, Outage
from vision.camera.source import open_source
from vision.look.pieces import Pieces
from vision.types.frame import Frame

SAMPLES = ROOT / "sample_images"
NOISE = "nothing but noise"
_ROOMS = (150_000, 400_000, 900_000)  # bytes


def strange_folders(folder: Path) -> dict[str, Path]:
    """Folders of pictures that change size, are unreadable, tiny, huge or of nothing."""
    table = cv2.imread(str(sorted((SAMPLES / "game").glob("*.jpg"))[0]))
    assert table is not None
    small = cv2.resize(table, None, fx=0.75, fy=0.75, interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(1).integers(0, 255, (360, 640, 3), dtype=np.uint8)
    shown: dict[str, list[Any]] = {
        "size changes": [table, small, table],
        "cut to another shape": [table, table[:, :1500], table],
        "unreadable among good": [table, b"\xff\xd8 damaged", table],
        "one pixel": [table, table[:1, :1], table],
        "black, white, noise": [table, table * 0, table * 0 + 255, noise],
        NOISE: [noise],
    }
    for name, pictures in shown.items():
        (folder / name).mkdir(parents=True)
        for number, picture in enumerate(pictures):
            encoded = picture if isinstance(picture, bytes) else cv2.imencode(".jpg", picture)[1].tobytes()
            (folder / name / f"{number}.jpg").write_bytes(encoded)
    return {name: folder / name for name in shown}


def folders() -> Row:
    """`watch` on every strange folder."""
    row = Row("folders of strange pictures")
    with tempfile.TemporaryDirectory() as folder:
        for name, path in strange_folders(Path(folder)).items():

            def check(path: Path = path, name: str = name) -> str:
                ran = run_command(["watch", str(path), "--log", str(path.with_suffix(".pinpoint"))], longest_s=300)
                row.peak_mb = max(row.peak_mb, ran.peak_mb)
                return ran.wrong((2,) if name == NOISE else (0,))

            attempt(row, name, check)
    return row


def full_disk() -> Row:
    """`watch` on a disk that fills up: told at once and once, and what was lost is told at the end.

    The disk is a small file system of its own where one may be mounted; and a limit on the size of every file.
    """
    row = Row("full disk")
    for room in _ROOMS:
        attempt(row, f"{room} bytes a file", lambda room=room: _watch_without_room(row, room, None))  # type: ignore[misc]
        if os.geteuid() == 0:
            attempt(row, f"{room} bytes a disk", lambda room=room: _watch_without_room(row, None, room))  # type: ignore[misc]
    return row


def _watch_without_room(row: Row, of_a_file: int | None, of_the_disk: int | None) -> str:
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as mounted:
        if of_the_disk is not None:
            mount = ["mount", "-t", "tmpfs", "-o", f"size={of_the_disk}", "pinpoint", folder]
            if subprocess.run(mount, capture_output=True, check=False).returncode:
                return ""  # in a container root may not mount: only files are limited there
            mounted.callback(subprocess.run, ["umount", "--lazy", folder], check=True)
        words = ["watch", str(SAMPLES / "game"), "--log", str(Path(folder) / "g.pinpoint"), "--clips", "all"]
        ran = run_command(words, longest_s=600, room_bytes=of_a_file)
    row.peak_mb = max(row.peak_mb, ran.peak_mb)
    if "Traceback" in ran.err or ran.code != 2:
        return f"exit {ran.code}: {ran.err[:300]}"
    if "not saved" not in ran.err and "cannot be written" not in ran.err:
        return f"nothing was said: {ran.err[:200]}"
    return "" if ran.err.count("log not saved") <= 1 else f"said more than once: {ran.err[:300]}"


def next_of(source: LiveSource, kind: type[Any], within_s: float = 8.0) -> Any:
    """The next item of a kind; raises where none comes in time."""
    begun = time.monotonic()
    while time.monotonic() - begun < within_s:
        item = source.read()
        if isinstance(item, kind):
            return item
    raise TimeoutError(f"no {kind.__name__} within {within_s:.0f} s")


def streams() -> Row:
    """A phone's stream and snapshots: killed, frozen, restarted, of another size, endless, redirected."""
    row = Row("misbehaving streams")
    live._FIRST_WAIT_S, http_stream.TIMEOUT_S = 0.1, 0.7  # minutes of waiting prove nothing more
    for path in ("video", "shot.jpg"):

        def killed(path: str = path) -> str:
            phone = PhoneCamera()
            source = open_source(phone.address(path))
            assert isinstance(source, LiveSource)
            next_of(source, Frame)
            phone.kill()
            outage = next_of(source, Outage)
            again = PhoneCamera(size=(200, 100), port=phone.port)
            frame = next_of(source, Frame)
            source.close()
            again.kill()
            return "" if "\n" not in outage.why and frame.bgr.shape[1] == 200 else "another picture came"

        def frozen(path: str = path) -> str:
            phone = PhoneCamera()
            source = open_source(phone.address(path))
            assert isinstance(source, LiveSource)
            next_of(source, Frame)
            phone.frozen.set()
            next_of(source, Outage)
            phone.frozen.clear()
            next_of(source, Frame)
            source.close()
            phone.kill()
            return ""

        attempt(row, f"{path} killed and restarted", killed)
        attempt(row, f"{path} frozen", frozen)
    for path in ("missing", "playlist", "elsewhere", "endless", "no-address", "dripping", "continuing", "wrong-length"):

        def refused(path: str = path) -> str:
            phone = PhoneCamera()
            try:
                open_source(phone.address(path)).close()
            except InputError as error:
                return "" if "\n" not in str(error) and "/seen" not in phone.asked else str(error)
            finally:
                phone.kill()
            return "it was opened"

        attempt(row, path, refused)
    row.peak_mb = peak_mb()
    return row


class Pretended:
    """A camera that shows one thing at a rate."""

    def __init__(self, picture: Callable[[int], Any], fps: float) -> None:
        self._picture, self._fps, self._count = picture, fps, 0

    def read(self) -> tuple[bool, Any]:
        time.sleep(1 / self._fps)
        self._count += 1
        return True, self._picture(self._count)

    def release(self) -> None: ...


def sources() -> Row:
    """Cameras at 1 and 60 frames a second, black, white, of noise: followed without an event that is none."""
    row = Row("strange cameras")
    chance = np.random.default_rng(3)
    table = cv2.imread(str(sorted((SAMPLES / "game").glob("*.jpg"))[0]))
    assert table is not None
    shown: dict[str, tuple[Callable[[int], Any], float, int]] = {
        "black": (lambda _: np.zeros((720, 1280, 3), np.uint8), 30.0, 60),
        "white": (lambda _: np.full((720, 1280, 3), 255, np.uint8), 30.0, 60),
        "noise": (lambda _: chance.integers(0, 255, (720, 1280, 3), dtype=np.uint8), 30.0, 40),
        "1 fps": (lambda _: table, 1.0, 4),
        "60 fps": (lambda _: table, 60.0, 120),
        "sizes in turn": (lambda count: table if count % 2 else table[::2, ::2].copy(), 10.0, 12),
    }
    for name, (picture, fps, frames) in shown.items():

        def check(
            picture: Callable[[int], Any] = picture, fps: float = fps, frames: int = frames, name: str = name
        ) -> str:
            source = LiveSource(name, lambda: Pretended(picture, fps))
            session = session_for(TableSetting(GAMES[0]), Pieces())
            events: list[str] = []
            late_s = 0.0
            begun = time.monotonic()
            for _ in range(frames):
                item = source.read()
                assert item is not None
                if isinstance(item, Frame):
                    late_s = max(late_s, time.monotonic() - begun - item.time_s)
                events += [event.type for event in session.update(item).events]
            source.close()
            strange = set(events) - {"note", "camera_lost", "camera_back", "camera_moved", "appeared"}
            if strange or ("appeared" in events and name in ("black", "white", "noise")):
                return f"events {sorted(set(events))}"
            return "" if late_s < 2.0 else f"frames {late_s:.1f} s old"

        attempt(row, name, check)
    row.peak_mb = peak_mb()
    return row
