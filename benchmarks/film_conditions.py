"""How a film is taken: the size and rate of its frames, and what camera, light and stand do meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.film_stage import Picture
from calibration.arrays import FloatArray
from calibration.lens import Lens

TICKS_PER_S = 30  # pictures that the table gives; a slower film leaves some out
_PACE = 0.06  # share of its way that the camera's automatic goes in a tick


@dataclass(frozen=True, slots=True)
class Conditions:
    """Plain by default: 1080p at 30 frames a second, a fixed camera with everything manual."""

    size: tuple[int, int] = (1920, 1080)
    fps: int = 30
    still_frames: tuple[int, int] = (36, 50)  # ticks at rest between actions, at least and at most
    piled: float = 0.3  # share of disks that lie on others when the film begins
    drift: float = 0.0  # brightness at the end over that at the beginning, minus one
    exposure: float = 0.0  # share of a change of brightness that the camera evens out
    balance: float = 0.0  # the same for each colour: automatic white balance
    repeated: float = 0.0  # share of frames that are lost and shown as the one before
    sag_px_per_s: float = 0.0  # how fast the stand gives way, in the middle of the picture
    ringed_backs: bool = False
    everyday: bool = False  # whether players also slide, topple, carry stacks, lean over the table

    @staticmethod
    def of_everyday(seed: int) -> Conditions:
        """A cheap camera on a stand over a kitchen table, other for every seed."""
        rng = np.random.default_rng(7000 + seed)
        return Conditions(
            size=((1280, 720), (1920, 1080))[int(rng.random() < 0.3)],
            fps=(15, 30)[int(rng.random() < 0.3)],
            piled=float(rng.uniform(0.35, 0.6)),
            drift=float(rng.uniform(-0.2, 0.15)),
            exposure=float(rng.uniform(0.0, 0.8)),
            balance=float(rng.uniform(0.0, 0.5)),
            repeated=float(rng.choice([0.0, 0.04])),
            sag_px_per_s=float(rng.choice([0.0, 0.05])),
            ringed_backs=bool(rng.random() < 0.5),
            everyday=True,
        )


class Automatic:
    """Exposure and white balance of a camera that follows what it sees, a little late."""

    def __init__(self, conditions: Conditions) -> None:
        self._strength = np.array([conditions.exposure, conditions.balance])
        self._usual: FloatArray | None = None
        self._gain = np.ones(3)

    def gain(self, picture: Picture) -> FloatArray:
        """What the colours of this picture are multiplied with."""
        if not self._strength.any():
            return self._gain
        mean = picture[::8, ::8].reshape(-1, 3).mean(axis=0).astype(np.float64) + 1
        if self._usual is None:
            self._usual = mean
        overall = float(self._usual.mean() / mean.mean())
        target = overall ** self._strength[0] * (self._usual / mean / overall) ** self._strength[1]
        self._gain = self._gain + _PACE * (target - self._gain)
        return self._gain


def sagged(picture: Picture, lens: Lens, shift_px: float) -> Picture:
    """The picture of a camera that has tilted so far that its middle has shifted by this much."""
    if shift_px < 0.02:
        return picture
    turn = np.asarray(cv2.Rodrigues(np.array([shift_px, 0.3 * shift_px, 0.1 * shift_px]) / lens.matrix[0, 0])[0])
    across = lens.matrix @ turn @ np.linalg.inv(lens.matrix)
    warped = cv2.warpPerspective(picture, across, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, dtype=np.float32)
