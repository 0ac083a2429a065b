"""The surroundings of circles unrolled into strips, and what each place of a strip tells about a card's edge."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.arrays import BoolArray, FloatImage, IntArray
from vision.edges import EdgeField
from vision.rim_weights import (
    HIDDEN_BIAS,
    HIDDEN_WEIGHTS,
    MEANS,
    OUTPUT_BIAS,
    OUTPUT_WEIGHTS,
    SPREADS,
)

ANGLES = 72
REACH_PX = 4  # an edge is looked for so far inside and outside of a circle
SLOTS = 2 * REACH_PX + 1
INSIDE_PX, OUTSIDE_PX = 15, 8  # how far strips reach
BORDER_PX = range(3, 10)  # widths of a printed border that are tried
TRIED = 3  # every third place of a rim is tried for the colour of all
CENTRE = INSIDE_PX  # the slot of a strip that lies on the circle itself

DIRECTIONS: FloatArray = np.arange(ANGLES, dtype=np.float64) * (2 * np.pi / ANGLES)
COSINES = np.cos(DIRECTIONS).astype(np.float32)
SINES = np.sin(DIRECTIONS).astype(np.float32)

SCALED_WEIGHTS = (HIDDEN_WEIGHTS / SPREADS[:, None]).astype(np.float32)
SCALED_BIAS = (HIDDEN_BIAS - MEANS @ SCALED_WEIGHTS).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """N circles unrolled: arrays (N, ANGLES, radial steps of a pixel)."""

    colours: FloatImage  # (3, N, ANGLES, steps) in the table's units, smoothed a little along the rim
    common: FloatImage
    across: FloatImage  # change per pixel across the rim
    edge: FloatImage  # 0 to 1: a strong change, and across rather than along

    def pick(self, which: BoolArray) -> Strips:
        """Some of them."""
        return Strips(self.colours[:, which], self.common[which], self.across[which], self.edge[which])

    def thinned(self) -> Strips:
        """Every second place of all of them."""
        return Strips(self.colours[:, :, ::2], self.common[:, ::2], self.across[:, ::2], self.edge[:, ::2])


def cut_strips(field: EdgeField, rims: FloatArray, outward: FloatArray, radii: FloatArray) -> Strips:
    """Unrolls the surroundings of rims: points (N, ANGLES, 2) in top view pixels, unit normals, mean radii (N,)."""
    steps = np.arange(-INSIDE_PX, OUTSIDE_PX + 1, dtype=np.float32)
    at, normal = rims.astype(np.float32), outward.astype(np.float32)
    x = at[..., 0, None] + normal[..., 0, None] * steps
    y = at[..., 1, None] + normal[..., 1, None] * steps
    reach = radii.astype(np.float32)[:, None, None] + steps
    flat = (len(rims) * ANGLES, len(steps))
    picked = cv2.remap(
        field.signal,
        x.reshape(flat),
        y.reshape(flat),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    # The first and last place of each rim are neighbours.
    round_about = np.empty((4, len(rims), ANGLES + 2, len(steps)), dtype=np.float32)
    round_about[:, :, 1:-1] = picked.reshape(*x.shape, 4).transpose(3, 0, 1, 2)
    round_about[:, :, 0], round_about[:, :, -1] = round_about[:, :, -2], round_about[:, :, 1]
    before, after = round_about[:, :, :-2], round_about[:, :, 2:]
    smooth = round_about[:, :, 1:-1] + before
    smooth += after
    smooth *= np.float32(1 / 3)
    across = np.zeros(x.shape, dtype=np.float32)
    across[:, :, 1:-1] = plane_length(smooth[:3, :, :, 2:] - smooth[:3, :, :, :-2]) * np.float32(0.5)
    arc = np.maximum(reach * np.float32(4 * np.pi / ANGLES), 2)
    along = plane_length(after[:3] - before[:3]) / arc
    edge = across / (across + 2) * across / (across + along + np.float32(0.3))
    return Strips(smooth[:3], smooth[3], across, edge)


def strongest(strips: Strips) -> IntArray:
    """For each place the slot within two pixels of the circle where the edge is clearest (N, ANGLES)."""
    return np.asarray(
        strips.edge[:, :, CENTRE - 2 : CENTRE + 3].argmax(axis=2) + (CENTRE - 2),
        dtype=np.intp,
    )


def rim_colour(strips: Strips, at: IntArray) -> FloatImage:
    """The colour (N, 3) that most of the places with an edge have just inside it; `at` are slots (N, ANGLES)."""
    inside = np.stack([_slot(plane, at - 2) for plane in strips.colours], axis=-1)
    return common_colour(inside, _slot(strips.edge, at))


def _slot(strip: FloatImage, at: IntArray) -> FloatImage:
    """The values (N, ANGLES) in the given slots."""
    return np.asarray(np.take_along_axis(strip, at[:, :, None], axis=2)[:, :, 0], dtype=np.float32)


def common_colour(colours: FloatImage, weights: FloatImage) -> FloatImage:
    """The colour (N, 3) on which most weight of (N, A, 3) colours agrees."""
    tried, own_weights = colours[:, ::TRIED], weights[:, ::TRIED]
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
    slots = at[:, :, None] - np.arange(BORDER_PX.start, BORDER_PX.stop)
    clearest = np.take_along_axis(strips.edge, slots, axis=2).mean(axis=1)
    return np.asarray(clearest.argmax(axis=1) + BORDER_PX.start, dtype=np.intp)


def features(strips: Strips, rim: FloatImage, border: IntArray) -> FloatImage:
    """What tells an edge of a card from another: (12, N, ANGLES, SLOTS) for slots REACH_PX inside to outside."""
    first = CENTRE - REACH_PX

    def at(array: FloatImage, offset: int) -> FloatImage:
        return array[..., first + offset : first + offset + SLOTS]

    told = np.empty((len(MEANS), *at(strips.edge, 0).shape), dtype=np.float32)
    # Colours are compared two pixels inside and outside of each slot.
    beside = slice(first - 2, first + SLOTS + 2)
    distance = plane_square(strips.colours[..., beside] - rim.T[:, :, None, None])
    alike = np.exp(distance * (np.float32(-0.5) / colour_tolerance(rim) ** 2)[:, None, None])
    unlike = np.log(np.sqrt(distance) + 1)
    across = at(strips.across, 0)
    told[0] = np.log(across + np.float32(0.3))
    told[1] = at(strips.edge, 0) * (across + 2) / np.maximum(across, 1e-6)
    told[2], told[3] = alike[..., :SLOTS], alike[..., 4:]
    told[4], told[5] = unlike[..., :SLOTS], unlike[..., 4:]
    told[6], told[7] = at(strips.common, -2), at(strips.common, 2)
    told[8], told[9] = at(strips.common, 4), at(strips.common, -6)
    told[10] = np.log(plane_length(at(strips.colours, -2) - at(strips.colours, 2)) + np.float32(0.5))
    for width in np.unique(border).tolist():
        mine = border == width
        edge = strips.edge[mine]
        told[11, mine] = np.maximum(np.maximum(at(edge, -width), at(edge, -width - 1)), at(edge, 1 - width))
    return told


def evidence(told: FloatImage) -> FloatImage:
    """Log-odds that the visible edge of a card lies at each place, from its features."""
    hidden = SCALED_WEIGHTS.T @ told.reshape(len(told), -1)
    hidden += SCALED_BIAS[:, None]
    np.tanh(hidden, out=hidden)
    return np.asarray(OUTPUT_WEIGHTS @ hidden + np.float32(OUTPUT_BIAS), dtype=np.float32).reshape(told.shape[1:])


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
