"""Which mode a webcam is asked for, what it grants, and what its frames really are."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import cv2
import numpy as np

from calibration.arrays import ByteImage

MJPG = "MJPG"
FPS = 30.0
FULL_HD = (1920, 1080)
UHD = (2 * FULL_HD[0], 2 * FULL_HD[1])
COMMON_SIZES = (UHD, (2560, 1440), FULL_HD, (1280, 720), (800, 600), (640, 480))
LEAST_UHD_FPS = FPS / 2  # a larger picture is worth less than being in time
LEAST_FPS = 4.5  # below it a hand comes and goes between two frames
_TRIED_FRAMES = 12  # enough to tell 15 frames a second from 10
_FIRST_FRAME_S = 4.0  # a camera that starts takes so long, some with black frames at first
_NEXT_FRAME_S = 0.3  # the same once it has started, in another mode
_DARK_LEVEL, _UNIFORM_LEVELS = 12.0, 1.5  # grey levels: the mean of a black picture, the spread of an empty one


class Device(Protocol):
    """The part of OpenCV's capture that is used for a camera."""

    def isOpened(self) -> bool: ...  # noqa: N802

    def read(self) -> tuple[bool, Any]: ...

    def release(self) -> None: ...

    def get(self, prop: int) -> float: ...

    def set(self, prop: int, value: float) -> bool: ...


@dataclass(frozen=True, slots=True)
class Mode:
    """Size and rate of a camera's pictures; the code of how they come over the cable, empty where unknown."""

    width: int
    height: int
    fps: float
    code: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return (self.width, self.height)

    def as_json(self) -> dict[str, object]:
        """For `watch --stats`."""
        return {"width": self.width, "height": self.height, "fps": round(self.fps, 1), "code": self.code}

    def __str__(self) -> str:
        words = f"{self.width}x{self.height} at {self.fps:.3g} fps"
        return f"{words} ({self.code})" if self.code else words


@dataclass(frozen=True, slots=True)
class Negotiated:
    """What a camera was asked for, what its driver says it gives, and what its frames are.

    `measured` is the only one to rely on: drivers round, clamp, and some name modes that they do not deliver.
    """

    requested: Mode | None  # None for a stream: nothing can be asked of it
    granted: Mode | None
    measured: Mode

    def __str__(self) -> str:
        """What is measured; and what was asked for and granted, where that is something else."""
        said = [str(self.measured)]
        if self.requested is not None and self.requested.size != self.measured.size:
            said.append(f"asked for {self.requested.width}x{self.requested.height}")
        if self.granted is not None and self.granted.size != self.measured.size:
            said.append(f"granted {self.granted.width}x{self.granted.height}")
        return ", ".join(said)

    def as_json(self) -> dict[str, dict[str, object] | None]:
        """For `watch --stats`."""
        return {
            "requested": self.requested.as_json() if self.requested else None,
            "granted": self.granted.as_json() if self.granted else None,
            "measured": self.measured.as_json(),
        }


class NoPictureError(Exception):
    """A camera that cannot be opened or gives no frame."""


def wanted_modes(lens_size: tuple[int, int] | None) -> tuple[Mode, ...]:
    """The modes to ask for, best first: the camera file's size alone where there is one, for it fits no other."""
    sizes = (UHD, FULL_HD, (1280, 720)) if lens_size is None else (lens_size, UHD, FULL_HD, (1280, 720))
    return tuple(Mode(width, height, FPS, MJPG) for width, height in dict.fromkeys(sizes))


def negotiate(
    device: Device,
    wanted: Sequence[Mode],
    must_have: tuple[int, int] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Negotiated:
    """Asks for each mode in turn until one is delivered, as its frames show; else the best that was delivered.

    A size beyond full HD that is not `must_have` is only taken at 15 frames a second or more.
    """
    if not device.isOpened():
        raise NoPictureError
    delivered: list[Negotiated] = []
    patience_s = _FIRST_FRAME_S
    for mode in wanted:
        found = try_mode(device, mode, clock, patience_s)
        if found is None:
            continue
        patience_s = _NEXT_FRAME_S
        if found.measured.size == mode.size and _fast_enough(found.measured, must_have):
            return found
        delivered.append(found)
    largest = try_mode(device, Mode(10_000, 10_000, FPS, MJPG), clock, patience_s)  # clamped to the best there is
    delivered += [largest] if largest is not None else []
    if not delivered:
        raise NoPictureError
    usable = [each for each in delivered if _fast_enough(each.measured, must_have)] or delivered
    best = max(usable, key=lambda each: (each.measured.width * each.measured.height, each.measured.fps))
    again = try_mode(device, best.requested, clock, patience_s) if best.requested else None
    return again if again is not None else best


def try_mode(
    device: Device, mode: Mode, clock: Callable[[], float] = time.monotonic, patience_s: float = _FIRST_FRAME_S
) -> Negotiated | None:
    """Sets a mode and measures what comes: size and rate by the frames themselves; None where none comes.

    `patience_s`: how long to wait for a frame that shows something.
    """
    code = cv2.VideoWriter.fourcc(*mode.code) if len(mode.code) == 4 else 0
    for prop, value in (
        (cv2.CAP_PROP_FOURCC, code),
        (cv2.CAP_PROP_FRAME_WIDTH, mode.width),
        (cv2.CAP_PROP_FRAME_HEIGHT, mode.height),
        (cv2.CAP_PROP_FPS, mode.fps),
        (cv2.CAP_PROP_BUFFERSIZE, 1),  # the newest frame, not the ones before it
    ):
        if value:
            device.set(prop, float(value))
    size = _first_size(device, clock, patience_s)
    if size is None:
        return None
    begun, frames = clock(), 0
    while frames < _TRIED_FRAMES and clock() - begun < 2 * _TRIED_FRAMES / LEAST_UHD_FPS:
        done, image = device.read()
        if not done:
            break
        size = (int(image.shape[1]), int(image.shape[0]))
        frames += 1
    spent = clock() - begun
    fps = frames / spent if spent > 0 else 0.0
    return Negotiated(mode, granted_mode(device), Mode(*size, fps, granted_mode(device).code))


def granted_mode(device: Device) -> Mode:
    """What the driver says the camera is set to."""
    raw = int(device.get(cv2.CAP_PROP_FOURCC))
    letters = "".join(chr((raw >> 8 * place) & 0xFF) for place in range(4)) if raw > 0 else ""
    code = letters if letters.isprintable() and letters.isascii() else ""
    width, height = device.get(cv2.CAP_PROP_FRAME_WIDTH), device.get(cv2.CAP_PROP_FRAME_HEIGHT)
    return Mode(int(width), int(height), float(device.get(cv2.CAP_PROP_FPS)), code)


def is_blank(bgr: ByteImage) -> bool:
    """Whether a picture shows nothing: black, or of one tone all over, as behind a closed privacy shutter."""
    small = cv2.resize(bgr, (64, 48), interpolation=cv2.INTER_AREA).astype(np.float32)
    return float(small.mean()) < _DARK_LEVEL or float(small.std(axis=(0, 1)).max()) < _UNIFORM_LEVELS


def _first_size(device: Device, clock: Callable[[], float], patience_s: float) -> tuple[int, int] | None:
    """The size of the first frame that shows something; of any frame where all are blank for a while."""
    begun, size = clock(), None
    while size is None or clock() - begun < patience_s:
        done, image = device.read()
        if not done:
            if size is not None or clock() - begun > _FIRST_FRAME_S / 2:
                break
            time.sleep(0.01)
            continue
        size = (int(image.shape[1]), int(image.shape[0]))
        if not is_blank(np.asarray(image, dtype=np.uint8)):
            break
    return size


def _fast_enough(measured: Mode, must_have: tuple[int, int] | None) -> bool:
    if measured.size == must_have:
        return measured.fps >= LEAST_FPS
    large = measured.width * measured.height > FULL_HD[0] * FULL_HD[1]
    return measured.fps >= (LEAST_UHD_FPS if large else LEAST_FPS)
