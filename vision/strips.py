"""The surroundings of circles unrolled into strips, and what each place of a strip tells about a card's edge."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.arrays import FloatImage, IntArray
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
CENTRE = INSIDE_PX  # the slot of a strip that lies on the circle itself

DIRECTIONS: FloatArray = np.arange(ANGLES, dtype=np.float64) * (2 * np.pi / ANGLES)
COSINES = np.cos(DIRECTIONS).astype(np.float32)
SINES = np.sin(DIRECTIONS).astype(np.float32)

SCALED_WEIGHTS = (HIDDEN_WEIGHTS / SPREADS[:, None]).astype(np.float32)
SCALED_BIAS = (HIDDEN_BIAS - MEANS @ SCALED_WEIGHTS).astype(np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Strips:
    """N circles unrolled: arrays (N, ANGLES, radial steps of a pixel)."""

    colours: FloatImage  # with a last axis of 3, in the table's units, smoothed a little along the rim
    common: FloatImage
    across: FloatImage  # change per pixel across the rim
    edge: FloatImage  # 0 to 1: a strong change, and across rather than along


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
    raw = np.asarray(picked, dtype=np.float32).reshape(*x.shape, 4)
    before, after = np.roll(raw, 1, axis=1), np.roll(raw, -1, axis=1)
    smooth = (raw + before + after) * np.float32(1 / 3)
    colours = np.ascontiguousarray(smooth[..., :3])
    across = np.zeros(x.shape, dtype=np.float32)
    across[:, :, 1:-1] = _length(colours[:, :, 2:] - colours[:, :, :-2]) * 0.5
    arc = np.maximum(reach * np.float32(4 * np.pi / ANGLES), 2)
    along = _length(after[..., :3] - before[..., :3]) / arc
    edge = across / (across + 2) * across / (across + along + np.float32(0.3))
    return Strips(colours, smooth[..., 3], across, edge)


def strongest(strips: Strips) -> IntArray:
    """For each place the slot within two pixels of the circle where the edge is clearest (N, ANGLES)."""
    return np.asarray(
        strips.edge[:, :, CENTRE - 2 : CENTRE + 3].argmax(axis=2) + (CENTRE - 2),
        dtype=np.intp,
    )


def rim_colour(strips: Strips, at: IntArray) -> FloatImage:
    """The colour (N, 3) that most of the places with an edge have just inside it; `at` are slots (N, ANGLES)."""
    inside = np.take_along_axis(strips.colours, (at - 2)[:, :, None, None], axis=2)[:, :, 0]
    return common_colour(inside, np.take_along_axis(strips.edge, at[:, :, None], axis=2)[:, :, 0])


def common_colour(colours: FloatImage, weights: FloatImage) -> FloatImage:
    """The colour (N, 3) on which most weight of (N, A, 3) colours agrees."""
    tolerance = colour_tolerance(colours)
    square = squared_length(colours)
    distance = square[:, :, None] + square[:, None, :] - 2 * colours @ colours.transpose(0, 2, 1)
    alike = np.exp(-0.5 * np.maximum(distance, 0) / tolerance[:, None, :] ** 2)
    backing = np.einsum("na,nab->nb", weights, alike) * np.sqrt(weights + np.float32(0.05))
    best = backing.argmax(axis=1)[:, None]
    chosen = np.take_along_axis(colours, best[:, :, None], axis=1)
    distance_to_best = squared_length(colours - chosen)
    share = weights * np.exp(-0.5 * distance_to_best / np.take_along_axis(tolerance, best, axis=1) ** 2)
    return np.asarray(
        (share[..., None] * colours).sum(axis=1) / (share.sum(axis=1)[:, None] + 1e-6),
        np.float32,
    )


def border_width(strips: Strips, at: IntArray) -> IntArray:
    """How wide (pixels) the printed border of each circle is: where a second, parallel edge is clearest (N,)."""
    clearest = [
        np.take_along_axis(strips.edge, (at - width)[:, :, None], axis=2)[:, :, 0].mean(axis=1) for width in BORDER_PX
    ]
    return np.asarray(np.stack(clearest, axis=1).argmax(axis=1) + BORDER_PX.start, dtype=np.intp)


def features(strips: Strips, rim: FloatImage, border: IntArray) -> FloatImage:
    """What tells an edge of a card from another: (N, ANGLES, SLOTS, 12) for slots REACH_PX inside to outside."""
    first = CENTRE - REACH_PX

    def at(array: FloatImage, offset: int) -> FloatImage:
        return array[:, :, first + offset : first + offset + SLOTS]

    distance = squared_length(strips.colours - rim[:, None, None])
    alike = np.exp(-0.5 * distance / colour_tolerance(rim)[:, None, None] ** 2)
    unlike = np.log(np.sqrt(distance) + 1)
    inner = np.empty_like(at(strips.edge, 0))
    for width in BORDER_PX:
        mine = border == width
        if mine.any():
            edge = strips.edge[mine]
            inner[mine] = np.maximum(np.maximum(at(edge, -width), at(edge, -width - 1)), at(edge, 1 - width))
    across = at(strips.across, 0)
    columns = [
        np.log(across + np.float32(0.3)),
        at(strips.edge, 0) * (across + 2) / np.maximum(across, 1e-6),
        at(alike, -2),
        at(alike, 2),
        at(unlike, -2),
        at(unlike, 2),
        at(strips.common, -2),
        at(strips.common, 2),
        at(strips.common, 4),
        at(strips.common, -6),
        np.log(_length(at(strips.colours, -2) - at(strips.colours, 2)) + np.float32(0.5)),
        inner,
    ]
    told = np.empty((*across.shape, len(columns)), dtype=np.float32)
    for index, column in enumerate(columns):
        told[..., index] = column
    return told


def evidence(told: FloatImage) -> FloatImage:
    """Log-odds that the visible edge of a card lies at each place, from its features."""
    hidden = told.reshape(-1, told.shape[-1]) @ SCALED_WEIGHTS
    hidden += SCALED_BIAS
    np.tanh(hidden, out=hidden)
    return np.asarray(hidden @ OUTPUT_WEIGHTS + np.float32(OUTPUT_BIAS), dtype=np.float32).reshape(told.shape[:-1])


def colour_tolerance(colour: FloatImage) -> FloatImage:
    """How far colours may lie apart and still be the same print under uneven light."""
    return np.asarray(0.08 * _length(colour) + 3, dtype=np.float32)


def _length(vectors: FloatImage) -> FloatImage:
    return np.asarray(np.sqrt(squared_length(vectors)), dtype=np.float32)


def squared_length(vectors: FloatImage) -> FloatImage:
    """Sums of squares over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", vectors, vectors), dtype=np.float32)
