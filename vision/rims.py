"""Candidate rims on the top view, and how much each part of a rim looks like the edge of a card.

All circles here are as they appear in the top view: a disk that lies higher than the view's height is displaced away
from the camera, which the fit on the real picture sets right later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.arrays import BoolArray, FloatImage, IntArray
from vision.edges import EdgeField
from vision.strips import (
    ANGLES,
    CENTRE,
    COSINES,
    REACH_PX,
    SINES,
    SLOTS,
    border_width,
    cut_strips,
    evidence,
    features,
    rim_colour,
    strongest,
)
from vision.votes import edge_points, vote_centres

CHUNK = 128
FOUND_FROM = 0.33  # share of filled sectors: a card cut to a fifth of its rim has art and others' rims on the rest
NEIGHBOURS_ALIKE = 3.0  # places next to one another tell nearly the same: so many count as one


@dataclass(frozen=True, slots=True, eq=False)
class Circles:
    """Circles in the top view: centres (N, 2) and radii (N,) in pixels, evidence (N, ANGLES) in log-odds."""

    centres: FloatArray
    radii: FloatArray
    evidence: FloatArray
    colours: FloatArray  # (N, 3) of each rim, in the table's units

    def pick(self, which: IntArray | BoolArray) -> Circles:
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
    parts = [
        _settle_some(field, centres[start : start + CHUNK], radii[start : start + CHUNK])
        for start in range(0, len(centres), CHUNK)
    ]
    if not parts:
        return Circles(np.zeros((0, 2)), np.zeros(0), np.zeros((0, ANGLES)), np.zeros((0, 3)))
    return Circles(
        np.vstack([part.centres for part in parts]),
        np.concatenate([part.radii for part in parts]),
        np.vstack([part.evidence for part in parts]),
        np.vstack([part.colours for part in parts]),
    )


def _moves() -> tuple[FloatArray, IntArray]:
    """Whole-pixel moves of a centre (M, 2) and the slot (M, ANGLES) where the rim then is."""
    reach = range(-REACH_PX, REACH_PX + 1)
    moves = np.array([(x, y) for x in reach for y in reach if x * x + y * y <= (REACH_PX + 0.3) ** 2], dtype=np.float64)
    slots = np.rint(moves[:, :1] * COSINES + moves[:, 1:] * SINES).astype(np.intp) + REACH_PX
    return moves, np.clip(slots, 0, SLOTS - 1)


MOVES, MOVE_SLOTS = _moves()


def _settle_some(field: EdgeField, centres: FloatArray, radii: FloatArray) -> Circles:
    strips = cut_strips(field, centres, radii)
    at = strongest(strips)
    for _ in range(2):
        rim = rim_colour(strips, at)
        odds = _widened(evidence(features(strips, rim, border_width(strips, at))))
        totals = np.zeros((len(centres), len(MOVES)), dtype=np.float32)
        for k in range(ANGLES):
            totals += odds[:, k, MOVE_SLOTS[:, k]]
        best = totals.argmax(axis=1)
        slot = MOVE_SLOTS[best]
        at = slot + (CENTRE - REACH_PX)
    told = np.take_along_axis(odds, slot[:, :, None], axis=2)[:, :, 0]
    return Circles(centres + MOVES[best], radii, told.astype(np.float64) / NEIGHBOURS_ALIKE, rim.astype(np.float64))


def _widened(odds: FloatImage) -> FloatImage:
    """The best of each place and its radial neighbours: a rim may be half a pixel off the circle."""
    wide = odds.copy()
    wide[:, :, 1:] = np.maximum(wide[:, :, 1:], odds[:, :, :-1] - 0.3)
    wide[:, :, :-1] = np.maximum(wide[:, :, :-1], odds[:, :, 1:] - 0.3)
    return wide
