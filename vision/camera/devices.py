"""The cameras of this machine: their numbers, names and modes, how each is opened, and why one cannot be."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2

from calibration.errors import InputError
from vision.camera.http_stream import TIMEOUT_S
from vision.camera.modes import COMMON_SIZES, FPS, MJPG, Device, Mode, granted_mode

BACK_ENDS: dict[str, tuple[int, ...]] = {
    "linux": (cv2.CAP_V4L2,),
    "win32": (cv2.CAP_MSMF, cv2.CAP_DSHOW),
    "darwin": (cv2.CAP_AVFOUNDATION,),
}
# After which V4L2 gives up on a frame; its own default of ten seconds is an age at a table.
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", str(round(TIMEOUT_S)))

Opener = Callable[[int, int], Device]


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera: the number that `play` and `watch` take, its name, and the path of its device where it has one."""

    number: int
    name: str
    path: str = ""


def list_cameras() -> tuple[Camera, ...]:
    """The cameras there are, by number; empty on a machine without any. Opens none of them."""
    from cv2_enumerate_cameras import enumerate_cameras  # loads the platform's libraries

    found: dict[int, Camera] = {}
    for back_end in BACK_ENDS.get(sys.platform, ()):
        with contextlib.suppress(NotImplementedError, OSError):
            for info in enumerate_cameras(back_end):
                found.setdefault(int(info.index), Camera(int(info.index), str(info.name), str(info.path or "")))
    return tuple(found[number] for number in sorted(found))


def find_camera(words: str, cameras: Iterable[Camera] | None = None) -> Camera | None:
    """The camera of that name, or of which it is part, in whatever case; None where there is none.

    Raises InputError where the words fit several cameras: it names them.
    """
    asked = words.strip().casefold()
    if not asked:
        return None
    there = tuple(list_cameras() if cameras is None else cameras)
    fitting = [camera for camera in there if camera.name.casefold() == asked]
    fitting = fitting or [camera for camera in there if asked in camera.name.casefold()]
    if len(fitting) > 1:
        names = "; ".join(f"{camera.number} {camera.name}" for camera in fitting)
        raise InputError("unclear camera", words, f"it fits several: {names}; give the number")
    return fitting[0] if fitting else None


def camera_modes(number: int, opener: Opener | None = None) -> tuple[Mode, ...]:
    """The common modes that a camera grants, largest first; empty where it cannot be opened.

    The camera is opened and asked for each in turn: no library lists modes on all platforms.
    """
    for back_end in BACK_ENDS.get(sys.platform, (cv2.CAP_ANY,)):
        device = (opener or open_device)(number, back_end)
        try:
            modes = _granted(device)
        finally:
            device.release()
        if modes:
            return modes
    return ()


def open_device(number: int, back_end: int) -> Device:
    """OpenCV's capture of a camera by the platform's own back end."""
    return cv2.VideoCapture(number, back_end)


def why_not(number: int, device_folder: Path = Path("/dev"), processes: Path = Path("/proc")) -> str:
    """Why a camera that was asked for gives no picture, and what to do, as far as the platform tells."""
    if sys.platform == "darwin":
        return "it cannot be opened; allow this terminal the camera in System Settings, Privacy & Security, Camera"
    if sys.platform == "win32":
        return "it cannot be opened; end other programs that use it and allow it in Settings, Privacy, Camera"
    path = device_folder / f"video{number}"
    if not path.exists():
        return "there is no such camera; see pinpoint cameras"
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    except PermissionError:
        return f"no permission to use it; add yourself to the group of {path} (sudo usermod -aG video $USER)"
    except OSError as error:
        if error.errno == errno.EBUSY:
            return _in_use(path, processes)
        return f"it cannot be opened ({error.strerror}); plug it in again"
    return _in_use(path, processes) or "it gives no picture; plug it in again, or try another number or cable"


def _in_use(path: Path, processes: Path) -> str:
    """Who has the device open, by the open files of this user's processes; empty where nobody is found."""
    for process in processes.glob("[0-9]*"):
        if process.name == str(os.getpid()):
            continue
        with contextlib.suppress(OSError):
            if any(_leads_to(link, path) for link in (process / "fd").iterdir()):
                name = (process / "comm").read_text(encoding="utf-8", errors="replace").strip()
                return f"it is in use by another program ({name}); end that one first"
    return ""


def _leads_to(link: Path, path: Path) -> bool:
    try:
        return link.readlink() == path
    except OSError:
        return False


def _granted(device: Device) -> tuple[Mode, ...]:
    if not device.isOpened() or not device.read()[0]:
        return ()
    found: dict[tuple[int, int], Mode] = {}
    for width, height in COMMON_SIZES:
        for prop, value in (
            (cv2.CAP_PROP_FOURCC, float(cv2.VideoWriter.fourcc(*MJPG))),
            (cv2.CAP_PROP_FRAME_WIDTH, float(width)),
            (cv2.CAP_PROP_FRAME_HEIGHT, float(height)),
            (cv2.CAP_PROP_FPS, FPS),
        ):
            device.set(prop, value)
        mode = granted_mode(device)
        if mode.width > 0 and mode.height > 0:
            found.setdefault(mode.size, mode)
    return _largest_first(tuple(found.values()))


def _largest_first(modes: Sequence[Mode]) -> tuple[Mode, ...]:
    return tuple(sorted(modes, key=lambda mode: (-mode.width * mode.height, -mode.fps)))
