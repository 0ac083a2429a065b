"""What moves over the table and what looks other than it did, on a small grey picture, whatever the light does."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import NormalDist

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from vision.camera.options import CAMERA
from vision.types.frame import Frame

SmallGrey = NDArray[np.float32]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One frame against the past, as masks over the small picture."""

    moving: Mask  # differs from a moment ago
    changed: Mask  # differs from the picture of the last detection pass
    px_per_cell: float  # pixels of the frame per pixel of the masks
    covered: bool = False  # nothing of the last pass is seen: the lens is covered, or it is dark


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A picture, grey and reduced to 480 pixels across, with its local brightness."""

    grey: SmallGrey
    light: SmallGrey

    @staticmethod
    def of(bgr: ByteImage) -> Small:
        """Reduces a picture."""
        height, width = bgr.shape[:2]
        size = (CAMERA.width_px, max(1, round(height * CAMERA.width_px / width)))
        grey = cv2.resize(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA)
        return Small.of_grey(grey.astype(np.float32))

    @staticmethod
    def of_grey(grey: SmallGrey) -> Small:
        """A reduced picture with its local brightness, never quite zero."""
        return Small(grey, cv2.blur(grey, (CAMERA.neighbourhood_px, CAMERA.neighbourhood_px)).astype(np.float32) + 4)


def difference(before: Small, after: Small) -> tuple[SmallGrey, Mask]:
    """Grey levels by which `after` differs where the light is as even as it locally is, and where it is covered."""
    gain = cv2.divide(after.light, before.light)
    _, expected = cv2.threshold(cv2.multiply(before.grey, gain), CAMERA.overexposed_level, 0, cv2.THRESH_TRUNC)
    _, found = cv2.threshold(after.grey, CAMERA.overexposed_level, 0, cv2.THRESH_TRUNC)
    levels = np.asarray(cv2.absdiff(found, expected), dtype=np.float32)
    glare = before.grey > CAMERA.overexposed_level
    if glare.any():  # how bright it was is not known
        levels[glare & (after.grey > CAMERA.gain_limits[0] * CAMERA.overexposed_level)] = 0
    overall = float(np.median(gain[::8, ::8]))
    even = cv2.inRange(gain, np.array(overall * CAMERA.gain_limits[0]), np.array(overall * CAMERA.gain_limits[1]))
    return levels, np.asarray(even == 0, dtype=np.bool_)


def differs(difference: tuple[SmallGrey, Mask], noise_levels: float) -> Mask:
    """Where two pictures show different things, given how noisy they are."""
    levels, covered = difference
    threshold = CAMERA.least_levels + CAMERA.noise_factor * noise_levels
    # Single pixels are noise: most of a 3 x 3 neighbourhood must differ.
    return np.asarray(cv2.medianBlur(((levels > threshold) | covered).astype(np.uint8), 3) > 0, dtype=np.bool_)


def is_covered(before: Small, after: Small) -> bool:
    """Whether a picture shows nothing of what another one showed, and nothing else in focus either."""
    if float(after.grey.mean()) < CAMERA.dark_share * float(before.grey.mean()):
        return True
    old, new = (cv2.GaussianBlur(cv2.Laplacian(small.grey, cv2.CV_32F), (3, 3), 0) for small in (before, after))
    old_size, new_size = float(cv2.norm(old)), float(cv2.norm(new))
    if new_size > CAMERA.detail_share * old_size:
        return False
    return float(np.vdot(old, new)) < CAMERA.same_detail * old_size * new_size


class MotionSense:
    """Remembers the last moments and the picture last looked at; `update` once per frame."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, Small]] = deque()
        self._reference: Small | None = None
        self._noise_levels = 1.0

    @property
    def noise_levels(self) -> float:
        """One standard deviation of what differs between frames when nothing happens, in grey levels."""
        return self._noise_levels

    def update(self, frame: Frame) -> Motion:
        """What moves and what has changed at this frame."""
        small = Small.of(frame.bgr)
        nothing = np.zeros(small.grey.shape, dtype=np.bool_)
        if self._past and self._past[-1][1].grey.shape != small.grey.shape:
            self._past.clear()
            self._reference = None
        while len(self._past) > 1 and frame.time_s - self._past[1][0] >= CAMERA.lag_s:
            self._past.popleft()
        moving = nothing
        if self._past:
            lately = difference(self._past[0][1], small)
            moving = differs(lately, self._noise_levels)
            self._learn_noise(lately[0])
        self._past.append((frame.time_s, small))
        px_per_cell = frame.bgr.shape[1] / CAMERA.width_px
        if self._reference is None:
            return Motion(moving, nothing, px_per_cell)
        changed = differs(difference(self._reference, small), self._noise_levels)
        return Motion(moving, changed, px_per_cell, is_covered(self._reference, small))

    def remember(self, picture: ByteImage, only_where: Mask | None = None) -> None:
        """From now on `changed` is against this picture, all of it or only the part that was looked at."""
        reference = Small.of(picture)
        if only_where is not None and self._reference is not None:
            reference = Small.of_grey(np.where(only_where, reference.grey, self._reference.grey))
        self._reference = reference

    def forget(self) -> None:
        """The camera has moved: nothing of the past can be compared."""
        self._past.clear()
        self._reference = None

    def _learn_noise(self, levels: SmallGrey) -> None:
        """The quiet 40 % of the picture give the noise, even while a hand covers the rest."""
        seen = float(np.percentile(levels[::3, ::3], 40)) / NormalDist().inv_cdf(0.7)
        self._noise_levels += CAMERA.noise_pace * (min(seen, CAMERA.most_noise_levels) - self._noise_levels)
