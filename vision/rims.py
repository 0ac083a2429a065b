"""Candidate rims on the top view, and how much each part of a rim looks like the edge of a card.

All circles here are as they appear in the top view: a disk that lies higher than the view's height is displaced away
from the camera, which the fit on the real picture sets right later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from vision.arrays import BoolArray, FloatImage
from vision.edges import EdgeField
from vision.votes import edge_points, vote_centres

ANGLES = 72
REACH_PX = 4  # how far a centre may move while a candidate is looked at
PAD_PX = 3
CHUNK = 256
FOUND_FROM = (
    0.33  # share of filled sectors: a card cut down to a fifth of its rim still has art and others' rims on the rest
)

DIRECTIONS = np.arange(ANGLES) * (2 * np.pi / ANGLES)
COSINES = np.cos(DIRECTIONS).astype(np.float32)
SINES = np.sin(DIRECTIONS).astype(np.float32)

# Log-odds that a place on a candidate circle is the visible edge of a card; the terms are listed in `_Strips.evidence`.
# Logistic regression over places on true rims, on rims covered by other disks and on circles that are none.
EVIDENCE_WEIGHTS = (-3.65, 0.02, 0.61, 0.15, 0.57, -0.76, 1.20, 3.80, 1.91, -0.93)
NEIGHBOURS_ALIKE = 3.0  # places next to one another tell nearly the same: so many count as one


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """Circles in the top view: centres (N, 2) and radii (N,) in pixels, evidence (N, ANGLES) in log-odds."""

    centres: FloatArray
    radii: FloatArray
    evidence: FloatArray
    colours: FloatArray  # (N, 3) BGR of each rim

    def pick(self, which: NDArray[np.intp] | BoolArray) -> Circles:
        """Some of them."""
        return Circles(self.centres[which], self.radii[which], self.evidence[which], self.colours[which])


def find_candidates(field: EdgeField, diameters_mm: Sequence[float]) -> Circles:
    """All circles of the given diameters that may be rims of disks, each moved to where its evidence is best."""
    points = edge_points(field)
    found = [vote_centres(field, points, diameter / 2, FOUND_FROM) for diameter in diameters_mm]
    scale = field.top.px_per_mm
    centres = np.vstack(found)
    radii = np.concatenate([np.full(len(c), d / 2 * scale) for c, d in zip(found, diameters_mm, strict=True)])
    return settle(field, centres, radii)


def settle(field: EdgeField, centres: FloatArray, radii: FloatArray) -> Circles:
    """The circles moved by up to REACH_PX to where their evidence is greatest."""
    moves = np.array(
        [
            (dx, dy)
            for dx in range(-REACH_PX, REACH_PX + 1)
            for dy in range(-REACH_PX, REACH_PX + 1)
            if dx * dx + dy * dy <= (REACH_PX + 0.3) ** 2
        ],
        dtype=np.float64,
    )
    slots = np.rint(moves[:, :1] * COSINES + moves[:, 1:] * SINES).astype(np.intp) + REACH_PX
    slots = np.clip(slots, 0, 2 * REACH_PX)
    new_centres, evidence, colours = centres.copy(), np.zeros((len(centres), ANGLES)), np.zeros((len(centres), 3))
    for start in range(0, len(centres), CHUNK):
        part = slice(start, min(start + CHUNK, len(centres)))
        strips = _Strips.cut(field, centres[part], radii[part])
        at = np.full((strips.count, ANGLES), REACH_PX, dtype=np.intp)
        for _ in range(2):
            rim = strips.rim_colour(at)
            odds = _widened(strips.evidence(rim))
            totals = np.zeros((strips.count, len(moves)), dtype=np.float32)
            for k in range(ANGLES):
                totals += odds[:, k, :][:, slots[:, k]]
            best = totals.argmax(axis=1)
            at = slots[best]
        new_centres[part] += moves[best]
        evidence[part] = np.take_along_axis(odds, at[:, :, None], axis=2)[:, :, 0]
        colours[part] = rim
    return Circles(new_centres, radii, evidence / NEIGHBOURS_ALIKE, colours)


def _widened(odds: FloatImage) -> FloatImage:
    """The best of each place and its radial neighbours: a rim may be half a pixel off the circle."""
    wide = odds.copy()
    wide[:, :, 1:] = np.maximum(wide[:, :, 1:], odds[:, :, :-1] - 0.3)
    wide[:, :, :-1] = np.maximum(wide[:, :, :-1], odds[:, :, 1:] - 0.3)
    return wide


@dataclass(frozen=True, slots=True, eq=False)
class _Strips:
    """The surroundings of circles unrolled: (N, ANGLES, radial steps of a pixel)."""

    radial: FloatImage  # squared strength of the change across the rim
    share: FloatImage  # of the whole change
    colours: FloatImage
    common: FloatImage

    @property
    def count(self) -> int:
        return len(self.radial)

    @staticmethod
    def cut(field: EdgeField, centres: FloatArray, radii: FloatArray) -> _Strips:
        steps = np.arange(-REACH_PX - PAD_PX, REACH_PX + PAD_PX + 1, dtype=np.float32)
        reach = radii.astype(np.float32)[:, None, None] + steps
        x = centres[:, 0].astype(np.float32)[:, None, None] + reach * COSINES[:, None]
        y = centres[:, 1].astype(np.float32)[:, None, None] + reach * SINES[:, None]
        tensor = _sample(field.tensor, x, y)
        c, s = COSINES[:, None], SINES[:, None]
        radial = (
            np.maximum(tensor[..., 0] * (c * c) + tensor[..., 2] * (2 * c * s) + tensor[..., 1] * (s * s), 0) + 1e-3
        )
        share = radial / (tensor[..., 0] + tensor[..., 1] + 2e-3)
        return _Strips(radial, share, _sample(field.colours, x, y), _sample(field.common, x, y)[..., 0])

    def rim_colour(self, at: NDArray[np.intp]) -> FloatImage:
        """The colour (N, 3) that most of the places with an edge have just inside; `at` are slots (N, ANGLES)."""
        inside = np.take_along_axis(self.colours, (at + PAD_PX - 2)[:, :, None, None], axis=2)[:, :, 0]
        strength = np.sqrt(np.take_along_axis(self.radial, (at + PAD_PX)[:, :, None], axis=2)[:, :, 0])
        share = np.take_along_axis(self.share, (at + PAD_PX)[:, :, None], axis=2)[:, :, 0]
        edge = strength / (strength + 3.0) * share
        alike = colour_match(inside[:, :, None, :], inside[:, None, :, :])
        backing = np.einsum("na,nab->nb", edge, alike) * np.sqrt(edge + 0.05)
        best = inside[np.arange(self.count), backing.argmax(axis=1)]
        weight = edge * colour_match(inside, best[:, None, :])
        return np.asarray((weight[..., None] * inside).sum(axis=1) / (weight.sum(axis=1)[:, None] + 1e-6), np.float32)

    def evidence(self, rim: FloatImage) -> FloatImage:
        """Log-odds (N, ANGLES, 2 REACH_PX + 1) that the card's edge is seen at each place."""
        width = 2 * REACH_PX + 1
        here = slice(PAD_PX, PAD_PX + width)
        within, beyond = slice(PAD_PX - 2, PAD_PX - 2 + width), slice(PAD_PX + 2, PAD_PX + 2 + width)
        strength = np.clip(0.5 * np.log(self.radial[:, :, here]) - np.log(3.0), -2, 3.5)
        share = self.share[:, :, here]
        alike = colour_match(self.colours, rim[:, None, None, :])
        inside, outside = alike[:, :, within], alike[:, :, beyond]
        w = EVIDENCE_WEIGHTS
        odds = w[0] + w[1] * strength + w[2] * share + w[3] * inside + w[4] * outside
        odds += w[5] * self.common[:, :, within] + w[6] * self.common[:, :, beyond]
        odds += w[7] * strength * share + w[8] * inside * (1 - outside) + w[9] * strength**2
        return np.asarray(odds, dtype=np.float32)


def colour_match(colour: FloatImage, other: FloatImage) -> FloatImage:
    """How alike two colours are, 0 to 1, allowing for uneven light and print."""
    tolerance = 0.16 * np.sqrt((other * other).sum(axis=-1)) + 7
    distance = ((colour - other) ** 2).sum(axis=-1)
    return np.asarray(np.exp(-0.5 * distance / tolerance**2), dtype=np.float32)


def _sample(image: FloatImage, x: FloatImage, y: FloatImage) -> FloatImage:
    flat = (x.shape[0] * x.shape[1], x.shape[2])
    picked = cv2.remap(image, x.reshape(flat), y.reshape(flat), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(picked, dtype=np.float32).reshape(*x.shape, -1)
