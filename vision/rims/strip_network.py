"""Where a disk's face lies and how high, by a network that reads a strip of the top view around its rim.

The strip is cut from the top view along the rim, from some millimetres inside it to where the foot of a pile is seen.
The network predicts for each place of the rim how far outside of the given circle the card's edge is, how much that
counts, whether the edge is visible there, and how high the face lies, by its side, its shadow and what is below.
`benchmarks/training` trains it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.types.arrays import BoolArray, FloatImage, IntArray
from vision.types.poses import ANGLES

# The network's own geometry: its weights belong to these.
INSIDE_PX, ROWS = 10, 36  # of the strip, one pixel of the top view each
BESIDE, FINE_BESIDE = 26, 4  # places beyond the first and the last one: a rim has no ends
UNIT_PX = 32.0  # of radii
UNIT_MM = 4.0  # of heights
CHANNELS = 7
EDGE, WEIGHT, HEIGHT, SHARE, SPREAD, VISIBLE = range(6)  # what it predicts of each place; the last helps training
PREDICTED = 5  # of these, beside the edge
TOGETHER = 8  # strips: the network keeps 1.4 MB for each, and gains nothing from more
# Its errors are of a Student distribution with so many degrees of freedom: some are large.
FREEDOM = 4.0
# How far the given centre may be off, how far the edge may lie outside of the given circle all round, and by how much
# the tilt of a card may stretch it, along the first place and along the diagonal.
PRIOR_PX = np.array([4.0, 4.0, 0.5, 1.0, 1.0])

TURNS = np.arange(ANGLES) * (2 * np.pi / ANGLES)  # of the places of a rim, from the side of the camera
STRETCH = np.column_stack([np.ones(ANGLES), np.cos(2 * TURNS), np.sin(2 * TURNS)])

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """N faces as they appear in a top view, in its pixels."""

    centres: FloatArray  # (N, 2)
    radii: FloatArray  # (N,)
    slants: FloatArray  # (N, 2): how far a point seems to move for each mm that it rises
    likely: BoolArray  # (N,): whether it counts as a disk where it overlaps others

    def first(self, count: int) -> Circles:
        """The first so many of them."""
        return Circles(self.centres[:count], self.radii[:count], self.slants[:count], self.likely[:count])

    def key(self, which: IntArray | int) -> bytes:
        """What tells some of them from others."""
        return self.centres[which].astype(np.float32).tobytes() + self.radii[which].astype(np.float32).tobytes()


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """The same faces where the network measures them."""

    shifts: FloatArray  # (N, 2) in pixels, from the centres that were given
    covariances: FloatArray  # (N, 2, 2) in px²
    excesses: FloatArray  # in pixels: how far the edge lies outside of the given circle all round
    heights_mm: FloatArray
    height_sigmas_mm: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class StripReader:
    """Measures the faces of one picture as often as is asked for, each strip but once."""

    light: FloatImage  # (rows, columns, 3): the contrast of the top view, see `contrast`
    known: dict[bytes, FloatArray] = field(default_factory=dict)  # predictions

    def measure(self, circles: Circles, count: int | None = None) -> Measured:
        """The first so many of the faces, all of them by default, where they are measured beside the others."""
        asked = circles.first(len(circles.radii) if count is None else count)
        near = _near(circles)[: len(asked.radii)]
        keys = [asked.key(i) + circles.key(np.flatnonzero(near[i])) for i in range(len(near))]
        fresh = np.flatnonzero([key not in self.known for key in keys])
        if len(fresh):
            for i, predicted in zip(fresh.tolist(), self._predicted(circles, fresh), strict=True):
                self.known[keys[i]] = predicted
        predictions = np.array([self.known[key] for key in keys]).reshape(-1, 1 + PREDICTED, ANGLES)
        return solved(predictions, asked)

    def _predicted(self, circles: Circles, which: IntArray) -> FloatArray:
        parts = [which[start : start + TOGETHER] for start in range(0, len(which), TOGETHER)]
        return np.concatenate([self._predicted_together(circles, part) for part in parts])

    def _predicted_together(self, circles: Circles, which: IntArray) -> FloatArray:
        around = np.arange(-BESIDE, ANGLES + BESIDE)
        strips = np.take(cut_strips(self.light, circles, which), around, axis=3, mode="wrap")
        network = _network()
        with _ONE_AT_A_TIME:
            network.setInput(strips)
            places, rows = (np.array(part, dtype=np.float64) for part in network.forward(("places", "rows")))
        return predictions_of(places[:, :, 0], rows[:, 0])


def predictions_of(places: FloatArray, rows: FloatArray) -> FloatArray:
    """What is predicted of each place (N, 1 + PREDICTED, ANGLES), from the two outputs of the network.

    The edge is where the rows of a place (N, ROWS, …) and what is seen around it say that it is, on the average.
    """
    likely = places[:, PREDICTED:] + rows[:, :, BESIDE - FINE_BESIDE :][:, :, :ANGLES]
    likely = np.exp(likely - likely.max(axis=1, keepdims=True))
    outside = np.arange(ROWS) - INSIDE_PX
    edges = (likely * outside[:, None]).sum(axis=1) / likely.sum(axis=1)
    return np.concatenate([edges[:, None], places[:, :PREDICTED]], axis=1)


def _near(circles: Circles) -> BoolArray:
    """Which others (N, N) may lie in the strip of each."""
    apart = np.linalg.norm(circles.centres[:, None] - circles.centres[None], axis=2)
    near = (apart < circles.radii[:, None] + circles.radii[None] + (ROWS - INSIDE_PX)) & circles.likely
    np.fill_diagonal(near, False)
    return np.asarray(near)


def cut_strips(light: FloatImage, circles: Circles, which: IntArray) -> FloatImage:
    """What the network is given of some of the circles: (N, CHANNELS, ROWS, ANGLES).

    Colours; whether another disk is there, above or below; the slant across the rim and along it; the radius.
    """
    count = len(which)
    out = _outward(circles)[which]
    reach = circles.radii[which, None] + (np.arange(ROWS) - INSIDE_PX)[None]
    points = circles.centres[which, None, None] + reach[:, :, None, None] * out[:, None]
    x, y = (points[..., axis].astype(np.float32).reshape(count * ROWS, ANGLES) for axis in (0, 1))
    colours = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    strips = np.zeros((count, CHANNELS, ROWS, ANGLES), dtype=np.float32)
    strips[:, :3] = colours.reshape(count, ROWS, ANGLES, 3).transpose(0, 3, 1, 2)
    for i, j in np.argwhere(_near(circles)[which]).tolist():
        inside = ((points[i] - circles.centres[j]) ** 2).sum(axis=2) < circles.radii[j] ** 2
        strips[i, 3][inside] = 1
    along = np.stack([-out[..., 1], out[..., 0]], axis=-1)
    for channel, way in ((4, out), (5, along)):
        strips[:, channel] = (way * circles.slants[which, None]).sum(axis=2)[:, None]
    strips[:, 6] = np.log(circles.radii[which] / UNIT_PX)[:, None, None]
    return strips


def solved(outputs: FloatArray, circles: Circles) -> Measured:
    """Centres and heights from what the network predicts of each place: outputs (N, 1 + PREDICTED, ANGLES)."""
    out = _outward(circles)
    stretched = np.broadcast_to(STRETCH, (len(out), *STRETCH.shape))
    design = np.concatenate([out, stretched], axis=2)
    weight = np.exp(np.clip(outputs[:, WEIGHT], -8, 5))
    weighted = (design * weight[..., None]).transpose(0, 2, 1)
    covariances = np.linalg.inv(weighted @ design + np.diag(PRIOR_PX**-2))
    states = covariances @ (weighted @ outputs[:, EDGE, :, None])
    share = np.exp(outputs[:, SHARE] - outputs[:, SHARE].max(axis=1, keepdims=True))
    share /= share.sum(axis=1, keepdims=True)
    heights = UNIT_MM * (share * outputs[:, HEIGHT]).sum(axis=1)
    sigmas = UNIT_MM * np.exp(np.clip((share * outputs[:, SPREAD]).sum(axis=1), -4, 2))
    variance = FREEDOM / (FREEDOM - 2)  # of such a distribution, for each unit of its scale
    return Measured(
        states[:, :2, 0], variance * covariances[:, :2, :2], states[:, 2, 0], heights, np.sqrt(variance) * sigmas
    )


def _outward(circles: Circles) -> FloatArray:
    """Unit vectors (N, ANGLES, 2) across the rims, the first one towards the camera."""
    turns = np.arctan2(-circles.slants[:, 1], -circles.slants[:, 0])[:, None] + TURNS
    return np.stack([np.cos(turns), np.sin(turns)], axis=-1)


@cache
def _network() -> cv2.dnn.Net:
    stored = files("vision.rims").joinpath("strips.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
