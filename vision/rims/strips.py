"""The surroundings of circles unrolled into strips, and what each place of a strip tells about a card's edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.rim_network import RimNetwork
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import ANGLES

REACH_PX = 4  # an edge is looked for so far inside and outside of a circle
SLOTS = 2 * REACH_PX + 1
BORDER_PX = range(3, 10)  # widths of a printed border that are tried
CENTRE = REACH_PX + BORDER_PX.stop + 1  # the slot of a strip that lies on the circle itself, and how far it goes inside
OUTSIDE_PX = 2 * REACH_PX

DIRECTIONS: FloatArray = np.arange(ANGLES, dtype=np.float64) * (2 * np.pi / ANGLES)
COSINES = np.cos(DIRECTIONS).astype(np.float32)
SINES = np.sin(DIRECTIONS).astype(np.float32)


FEATURES = 12

RIM_NETWORK = RimNetwork.read("round_rims.npz")


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """N circles unrolled: arrays (radial steps of a pixel, ANGLES, N), in which neighbouring steps lie far apart."""

    colours: FloatImage  # (3, steps, ANGLES, N) in the table's units, smoothed a little along the rim
    common: FloatImage
    across: FloatImage  # change per pixel across the rim
    edge: FloatImage  # 0 to 1: a strong change, and across rather than along

    def pick(self, which: IntArray) -> Strips:
        """Some of them."""
        return self._each(lambda array: np.take(array, which, axis=-1))

    def thinned(self) -> Strips:
        """Every second place of all of them."""
        return self._each(lambda array: array[..., ::2, :])

    def _each(self, change: Callable[[FloatImage], FloatImage]) -> Strips:
        return Strips(change(self.colours), change(self.common), change(self.across), change(self.edge))


def cut_strips(field: EdgeField, rims: FloatArray, outward: FloatArray, radii: FloatArray) -> Strips:
    """Unrolls the surroundings of rims: points (N, ANGLES, 2) in top view pixels, unit normals, mean radii (N,)."""
    steps = np.arange(-CENTRE, OUTSIDE_PX + 1, dtype=np.float32)[:, None, None]
    # The first and last place of each rim are neighbours.
    around = np.arange(-1, ANGLES + 1) % ANGLES
    at, normal = (np.take(values.astype(np.float32).T, around, axis=1) for values in (rims, outward))
    x, y = (at[axis] + normal[axis] * steps for axis in (0, 1))
    flat = (x.shape[0] * x.shape[1], x.shape[2])
    picked = cv2.remap(
        field.smooth, x.reshape(flat), y.reshape(flat), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    colours, common = field.signal(np.asarray(picked, dtype=np.float32))
    planes = [np.asarray(plane, dtype=np.float32).reshape(x.shape) for plane in (*cv2.split(colours), common)]
    smooth = np.empty((4, len(steps), ANGLES, len(rims)), dtype=np.float32)
    across, along = np.zeros(smooth.shape[1:], dtype=np.float32), np.zeros(smooth.shape[1:], dtype=np.float32)
    for plane, mean in zip(planes, smooth, strict=True):
        before, after = plane[:, :-2], plane[:, 2:]
        np.add(before, after, out=mean)
        mean += plane[:, 1:-1]
        mean *= np.float32(1 / 3)
        if plane is not planes[3]:
            across[1:-1] += np.square(mean[2:] - mean[:-2])
            along += np.square(after - before)
    np.sqrt(across, out=across)
    across *= np.float32(0.5)
    np.sqrt(along, out=along)
    along /= np.maximum((radii.astype(np.float32) + steps) * np.float32(4 * np.pi / ANGLES), 2)
    along += across
    along += np.float32(0.3)
    edge = across / (across + 2)
    edge *= across
    edge /= along
    return Strips(smooth[:3], smooth[3], across, edge)


def strongest(strips: Strips) -> IntArray:
    """For each place the slot within two pixels of the circle where the edge is clearest (ANGLES, N)."""
    return np.asarray(strips.edge[CENTRE - 2 : CENTRE + 3].argmax(axis=0) + (CENTRE - 2), dtype=np.intp)


def rim_colour(strips: Strips, at: IntArray) -> FloatImage:
    """The colour (N, 3) that most of the places with an edge have just inside it; `at` are slots (ANGLES, N)."""
    inside = np.stack([_slot(plane, at - 2) for plane in strips.colours], axis=-1).transpose(1, 0, 2)
    return common_colour(np.ascontiguousarray(inside), np.ascontiguousarray(_slot(strips.edge, at).T))


def _slot(strip: FloatImage, at: IntArray) -> FloatImage:
    """The values (ANGLES, N) in the given slots."""
    return np.asarray(np.take_along_axis(strip, at[None], axis=0)[0], dtype=np.float32)


def common_colour(colours: FloatImage, weights: FloatImage) -> FloatImage:
    """The colour (N, 3) on which most weight of (N, A, 3) colours agrees."""
    tried, own_weights = colours[:, :: RIMS.every], weights[:, :: RIMS.every]
    tolerance = colour_tolerance(tried)
    distance = squared_length(colours)[:, :, None] + squared_length(tried)[:, None, :]
    distance -= 2 * colours @ tried.transpose(0, 2, 1)
    distance *= (np.float32(-0.5) / tolerance**2)[:, None, :]
    alike = np.exp(np.minimum(distance, 0, out=distance), out=distance)
    backing = (weights[:, None, :] @ alike)[:, 0] * np.sqrt(own_weights + np.float32(0.05))
    best = backing.argmax(axis=1)[:, None]
    chosen = np.take_along_axis(tried, best[:, :, None], axis=1)
    distance_to_best = squared_length(colours - chosen)
    share = weights * np.exp(-0.5 * distance_to_best / np.take_along_axis(tolerance, best, axis=1) ** 2)
    return np.asarray(
        (share[..., None] * colours).sum(axis=1) / (share.sum(axis=1)[:, None] + 1e-6),
        np.float32,
    )


def border_width(strips: Strips, at: IntArray) -> IntArray:
    """How wide (pixels) the printed border of each circle is: where a second, parallel edge is clearest (N,)."""
    slots = at - np.arange(BORDER_PX.start, BORDER_PX.stop)[:, None, None]
    clearest = np.take_along_axis(strips.edge, slots, axis=0).mean(axis=1)
    return np.asarray(clearest.argmax(axis=0) + BORDER_PX.start, dtype=np.intp)


def features(strips: Strips, rim: FloatImage, border: IntArray) -> FloatImage:
    """What tells an edge of a card from another: (FEATURES, SLOTS, ANGLES, N) for slots REACH_PX inside to outside."""
    first = CENTRE - REACH_PX

    def at(array: FloatImage, offset: int) -> FloatImage:
        return array[..., first + offset : first + offset + SLOTS, :, :]

    values = np.empty((FEATURES, *at(strips.edge, 0).shape), dtype=np.float32)
    # Colours are compared two pixels inside and outside of each slot.
    beside = slice(first - 2, first + SLOTS + 2)
    distance = plane_square(strips.colours[:, beside] - rim.T[:, None, None])
    alike = np.exp(distance * (np.float32(-0.5) / colour_tolerance(rim) ** 2))
    unlike = np.log(np.sqrt(distance) + 1)
    across = at(strips.across, 0)
    values[0] = np.log(across + np.float32(0.3))
    values[1] = at(strips.edge, 0) * (across + 2) / np.maximum(across, 1e-6)
    values[2], values[3] = alike[:SLOTS], alike[4:]
    values[4], values[5] = unlike[:SLOTS], unlike[4:]
    values[6], values[7] = at(strips.common, -2), at(strips.common, 2)
    values[8], values[9] = at(strips.common, 4), at(strips.common, -6)
    values[10] = np.log(plane_length(at(strips.colours, -2) - at(strips.colours, 2)) + np.float32(0.5))
    # A second edge a border's width further in, give or take a pixel.
    parallel = np.maximum(strips.edge[1:], strips.edge[:-1])
    parallel = np.maximum(parallel[1:], parallel[:-1])
    slots = np.arange(SLOTS)[:, None, None] + (first - 1 - border)
    values[11] = np.take_along_axis(parallel, slots, axis=0)
    return values


def evidence(values: FloatImage) -> FloatImage:
    """Log-odds that the visible edge of a card lies at each place, from its features."""
    return RIM_NETWORK.odds(values)


def colour_tolerance(colour: FloatImage) -> FloatImage:
    """How far colours may lie apart and still be the same print under uneven light."""
    return np.asarray(0.08 * _length(colour) + 3, dtype=np.float32)


def _length(vectors: FloatImage) -> FloatImage:
    return np.asarray(np.sqrt(squared_length(vectors)), dtype=np.float32)


def squared_length(vectors: FloatImage) -> FloatImage:
    """Sums of squares over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", vectors, vectors), dtype=np.float32)


def plane_square(vectors: FloatImage) -> FloatImage:
    """Sums of squares over the first axis."""
    return np.asarray(vectors[0] * vectors[0] + vectors[1] * vectors[1] + vectors[2] * vectors[2], dtype=np.float32)


def plane_length(vectors: FloatImage) -> FloatImage:
    """Lengths of vectors along the first axis."""
    return np.asarray(np.sqrt(plane_square(vectors)), dtype=np.float32)
