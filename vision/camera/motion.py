"""What moves over the table and what looks other than it did, on a small grey picture, whatever the light does."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from vision.types.frame import Frame

SmallGrey = NDArray[np.float32]
Mask = NDArray[np.bool_]

WIDTH_PX = 480
LAG_S = 0.15  # motion is the difference to a picture this much older: slow hands are seen, single-frame flicker is not
_NEIGHBOURHOOD_PX = 25  # light is taken to be even over this much of the small picture
_GAIN_LIMITS = (0.6, 1.6)  # a shadow dims less, a lamp brightens less: beyond it something covers the place
_LEAST_LEVELS = 6.0  # grey levels: what counts as a difference in a noiseless picture
_NOISE_FACTOR = 4.0
_LEAST_NEIGHBOURS = 0.45  # of a 3 x 3 neighbourhood: single pixels are noise
_NOISE_PACE = 0.05
_MOST_NOISE_LEVELS = 5.0
_NORMAL_40 = 0.524  # 40 % of normal noise is within so many standard deviations
_DARK_SHARE = 0.12  # of the light that there was
_DETAIL_SHARE = 0.4  # of the detail that there was: less is a cover, out of focus, unless it is the same picture
_SAME_DETAIL = 0.2  # likeness of detail from which it is the same picture in another light
_GLARE_LEVEL = 245.0
_DIMMED_GLARE_LEVEL = 150.0


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One frame against the past, as masks over the small picture."""

    moving: Mask  # differs from a moment ago
    changed: Mask  # differs from the picture that was last looked at
    px_per_cell: float  # pixels of the frame per pixel of the masks
    covered: bool = False  # nothing of what was last looked at is seen: the lens is covered, or it is dark


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A picture, grey and reduced to 480 pixels across, with its local brightness."""

    grey: SmallGrey
    light: SmallGrey

    @staticmethod
    def of(bgr: ByteImage) -> Small:
        """Reduces a picture."""
        height, width = bgr.shape[:2]
        size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
        grey = cv2.resize(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), size, interpolation=cv2.INTER_AREA)
        return Small.of_grey(grey.astype(np.float32))

    @staticmethod
    def of_grey(grey: SmallGrey) -> Small:
        """A reduced picture with its local brightness, never quite zero."""
        return Small(grey, cv2.blur(grey, (_NEIGHBOURHOOD_PX, _NEIGHBOURHOOD_PX)).astype(np.float32) + 4)


def difference(before: Small, after: Small) -> tuple[SmallGrey, Mask]:
    """Grey levels by which `after` differs where the light is as even as it locally is, and where it is covered."""
    gain = cv2.divide(after.light, before.light)
    _, expected = cv2.threshold(cv2.multiply(before.grey, gain), _GLARE_LEVEL, 0, cv2.THRESH_TRUNC)
    _, found = cv2.threshold(after.grey, _GLARE_LEVEL, 0, cv2.THRESH_TRUNC)
    levels = np.asarray(cv2.absdiff(found, expected), dtype=np.float32)
    glare = before.grey > _GLARE_LEVEL
    if glare.any():  # how bright it was is not known
        levels[glare & (after.grey > _DIMMED_GLARE_LEVEL)] = 0
    overall = float(np.median(gain[::8, ::8]))
    even = cv2.inRange(gain, np.array(overall * _GAIN_LIMITS[0]), np.array(overall * _GAIN_LIMITS[1]))
    return levels, np.asarray(even == 0, dtype=np.bool_)


def differs(difference: tuple[SmallGrey, Mask], noise_levels: float) -> Mask:
    """Where two pictures show different things, given how noisy they are."""
    levels, covered = difference
    threshold = _LEAST_LEVELS + _NOISE_FACTOR * noise_levels
    share = cv2.blur(((levels > threshold) | covered).astype(np.float32), (3, 3))
    return np.asarray(share > _LEAST_NEIGHBOURS, dtype=np.bool_)


def is_covered(before: Small, after: Small) -> bool:
    """Whether a picture shows nothing of what another one showed, and nothing else in focus either."""
    if float(after.grey.mean()) < _DARK_SHARE * float(before.grey.mean()):
        return True
    old, new = (cv2.GaussianBlur(cv2.Laplacian(small.grey, cv2.CV_32F), (3, 3), 0) for small in (before, after))
    old_size, new_size = float(cv2.norm(old)), float(cv2.norm(new))
    if new_size > _DETAIL_SHARE * old_size:
        return False
    return float(np.vdot(old, new)) < _SAME_DETAIL * old_size * new_size


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
        while len(self._past) > 1 and frame.time_s - self._past[1][0] >= LAG_S:
            self._past.popleft()
        moving = nothing
        if self._past:
            lately = difference(self._past[0][1], small)
            moving = differs(lately, self._noise_levels)
            self._learn_noise(lately[0])
        self._past.append((frame.time_s, small))
        px_per_cell = frame.bgr.shape[1] / WIDTH_PX
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
        """The quiet part of the picture tells the noise, even while a hand covers the other."""
        seen = float(np.percentile(levels[::3, ::3], 40)) / _NORMAL_40
        self._noise_levels += _NOISE_PACE * (min(seen, _MOST_NOISE_LEVELS) - self._noise_levels)
