"""Webcams that are none: OpenCV's capture with the habits of real drivers, in a time of their own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

SIZES = ((3840, 2160), (1920, 1080), (1280, 720), (640, 480))
MJPG, YUYV = cv2.VideoWriter.fourcc(*"MJPG"), cv2.VideoWriter.fourcc(*"YUYV")


@dataclass
class FakeWebcam:
    """One camera: the sizes it can deliver, at how many frames a second, and what is wrong with it."""

    sizes: Collection[tuple[int, int]] = SIZES
    fps: dict[tuple[int, int], float] = field(default_factory=lambda: {(3840, 2160): 10.0})
    takes_mjpg: bool = True
    lies: bool = False  # says that it is set to what was asked for, and delivers the smallest
    black_frames: int = 0
    dies_after: int | None = None
    opens: bool = True
    now_s: float = 100.0
    settings: dict[int, float] = field(default_factory=lambda: {cv2.CAP_PROP_FOURCC: float(YUYV)})
    asked: tuple[int, int] = (640, 480)
    frames: int = 0
    released: int = 0

    def clock(self) -> float:
        """The camera's own time: it passes while a frame is waited for."""
        return self.now_s

    @property
    def size(self) -> tuple[int, int]:
        """What is really delivered: the largest that is not above what was asked for, as drivers clamp it."""
        if self.lies:
            return min(self.sizes)
        fitting = [size for size in self.sizes if size[0] <= self.asked[0] and size[1] <= self.asked[1]]
        return max(fitting, default=min(self.sizes))

    def set(self, prop: int, value: float) -> bool:
        """Takes a setting as a driver does: or not."""
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            self.asked = (int(value), self.asked[1])
        elif prop == cv2.CAP_PROP_FRAME_HEIGHT:
            self.asked = (self.asked[0], int(value))
        elif prop == cv2.CAP_PROP_FOURCC and not self.takes_mjpg:
            return False
        self.settings[prop] = value
        return True

    def get(self, prop: int) -> float:
        """What the driver says."""
        shown = self.asked if self.lies else self.size
        if prop == cv2.CAP_PROP_FRAME_WIDTH:
            return float(shown[0])
        if prop == cv2.CAP_PROP_FRAME_HEIGHT:
            return float(shown[1])
        if prop == cv2.CAP_PROP_FPS:
            return 30.0
        return self.settings.get(prop, -1.0)

    def isOpened(self) -> bool:  # noqa: N802
        """As OpenCV asks it."""
        return self.opens

    def read(self) -> tuple[bool, Any]:
        """A frame, after the time that it takes."""
        fps = self.fps.get(self.size, 30.0)
        if not self.takes_mjpg:  # raw pictures, over a cable that carries 10 megapixels a second
            fps = min(fps, 10.4e6 / (self.size[0] * self.size[1]))
        self.now_s += 1 / fps
        if self.dies_after is not None and self.frames >= self.dies_after:
            self.now_s += 0.5
            return False, None
        self.frames += 1
        width, height = self.size
        picture = np.zeros((height, width, 3), np.uint8)
        if self.frames > self.black_frames:
            picture[: height // 2] = 180
        return True, picture

    def release(self) -> None:
        """Counts."""
        self.released += 1
