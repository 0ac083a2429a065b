"""What moves over the table and what looks other than it did, on a small grey picture, whatever the light does."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from vision.frame import Frame

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
_GLARE_LEVEL = 245.0
_DIMMED_GLARE_LEVEL = 150.0


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One frame against the past, as masks over the small picture."""

    moving: Mask  # differs from a moment ago
    changed: Mask  # differs from the picture that was last looked at
    px_per_cell: float  # pixels of the frame per pixel of the masks


def small_grey(bgr: ByteImage) -> SmallGrey:
    """The picture, grey and reduced to 480 pixels across."""
    height, width = bgr.shape[:2]
    size = (WIDTH_PX, max(1, round(height * WIDTH_PX / width)))
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    return cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)


def difference(before: SmallGrey, after: SmallGrey) -> tuple[SmallGrey, Mask]:
    """Grey levels by which `after` differs where the light is as even as it locally is, and where it is covered."""
    kernel = (_NEIGHBOURHOOD_PX, _NEIGHBOURHOOD_PX)
    gain = (cv2.blur(after, kernel) + 4) / (cv2.blur(before, kernel) + 4)
    levels = np.abs(np.minimum(after, _GLARE_LEVEL) - np.minimum(before * gain, _GLARE_LEVEL))
    levels[(before > _GLARE_LEVEL) & (after > _DIMMED_GLARE_LEVEL)] = 0  # how bright glare was is not known
    overall = float(np.median(gain[::8, ::8]))
    covered = (gain < overall * _GAIN_LIMITS[0]) | (gain > overall * _GAIN_LIMITS[1])
    return np.asarray(levels, dtype=np.float32), np.asarray(covered, dtype=np.bool_)


def differs(difference: tuple[SmallGrey, Mask], noise_levels: float) -> Mask:
    """Where two pictures show different things, given how noisy they are."""
    levels, covered = difference
    threshold = _LEAST_LEVELS + _NOISE_FACTOR * noise_levels
    share = cv2.blur(((levels > threshold) | covered).astype(np.float32), (3, 3))
    return np.asarray(share > _LEAST_NEIGHBOURS, dtype=np.bool_)


class MotionSense:
    """Remembers the last moments and the picture last looked at; `update` once per frame."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, SmallGrey]] = deque()
        self._reference: SmallGrey | None = None
        self._noise_levels = 1.0

    @property
    def noise_levels(self) -> float:
        """One standard deviation of what differs between frames when nothing happens, in grey levels."""
        return self._noise_levels

    def update(self, frame: Frame) -> Motion:
        """What moves and what has changed at this frame."""
        grey = small_grey(frame.bgr)
        nothing = np.zeros(grey.shape, dtype=np.bool_)
        if self._past and self._past[-1][1].shape != grey.shape:
            self._past.clear()
            self._reference = None
        while len(self._past) > 1 and frame.time_s - self._past[1][0] >= LAG_S:
            self._past.popleft()
        moving = nothing
        if self._past:
            lately = difference(self._past[0][1], grey)
            moving = differs(lately, self._noise_levels)
            self._learn_noise(lately[0])
        self._past.append((frame.time_s, grey))
        changed = nothing if self._reference is None else differs(difference(self._reference, grey), self._noise_levels)
        return Motion(moving, changed, frame.bgr.shape[1] / WIDTH_PX)

    def remember(self, picture: ByteImage, only_where: Mask | None = None) -> None:
        """From now on `changed` is against this picture, all of it or only the part that was looked at."""
        reference = small_grey(picture)
        if only_where is not None and self._reference is not None:
            reference = np.where(only_where, reference, self._reference)
        self._reference = reference

    def forget(self) -> None:
        """The camera has moved: nothing of the past can be compared."""
        self._past.clear()
        self._reference = None

    def _learn_noise(self, levels: SmallGrey) -> None:
        """The quiet part of the picture tells the noise, even while a hand covers the other."""
        seen = float(np.percentile(levels[::3, ::3], 40)) / _NORMAL_40
        self._noise_levels += _NOISE_PACE * (min(seen, _MOST_NOISE_LEVELS) - self._noise_levels)
