"""Which candidate rims are disks: the fewest cards that explain the edges seen, each edge explained once.

A card's rim must show wherever nothing lies on it. So a candidate is worth the sum of its evidence outside the disks
already accepted, plus, for each accepted disk, whichever is better: lying below it (then nothing inside it counts) or
lying on it (then all of its rim inside counts, and the accepted disk loses the part of its rim that it would cover).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.arrays import BoolArray, IntArray
from vision.rims import Circles
from vision.strips import COSINES, SINES

ACCEPT_FROM = 7.0  # log-odds: evidence that circles without a disk hardly ever reach
SHOWN_FROM = 0.12  # share of its face: less than that is told neither from shadows nor from the side of a thick card
FACE = 80
INSIDE_BY_MM = 0.8
# A parallel edge this near to an accepted rim is that rim again: its printed border, its side wall or its shadow.
SAME_EDGE_INSIDE_MM, SAME_EDGE_OUTSIDE_MM = 1.5, 3.2
PARALLEL = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The accepted candidates, best first, the evidence each adds and the share of its face it then showed."""

    chosen: IntArray
    gains: FloatArray
    shown: FloatArray


def explain(circles: Circles, px_per_mm: float) -> Explanation:
    """Accepts candidates one by one, the most telling first, until what is left explains nothing more."""
    hopeful = np.flatnonzero(np.maximum(circles.evidence, 0).sum(axis=1) >= ACCEPT_FROM)
    circles = circles.pick(hopeful)
    x, y = rim_points(circles)
    face_x, face_y = _face_points(circles)
    evidence = circles.evidence.copy()
    open_ground = np.ones(evidence.shape, dtype=bool)
    waiting = np.ones(len(circles.radii), dtype=bool)
    accepted: list[_Accepted] = []
    chosen: list[int] = []
    gains: list[float] = []
    shown: list[float] = []
    while waiting.any():
        worth = (evidence * open_ground).sum(axis=1)
        visible = np.ones(face_x.shape, dtype=bool)
        for disk in accepted:
            above = (evidence * disk.rim_inside).sum(axis=1) - disk.loss
            worth += np.maximum(above, 0)
            visible &= ~(disk.face_inside & (above <= 0)[:, None])
        share = visible.mean(axis=1)
        worth[~waiting | (share < SHOWN_FROM)] = -np.inf
        best = int(worth.argmax())
        if worth[best] < ACCEPT_FROM:
            break
        chosen.append(best)
        gains.append(float(worth[best]))
        shown.append(float(share[best]))
        waiting[best] = False
        dx, dy = x - circles.centres[best, 0], y - circles.centres[best, 1]
        distance = np.hypot(dx, dy)
        beyond = (distance - circles.radii[best]) / px_per_mm
        aligned = np.abs(dx * COSINES + dy * SINES) > PARALLEL * distance
        same_edge = (beyond > -SAME_EDGE_INSIDE_MM) & (beyond < SAME_EDGE_OUTSIDE_MM) & aligned
        evidence = np.where(same_edge, np.minimum(evidence, 0), evidence)
        inside = beyond < -INSIDE_BY_MM
        lost = (circles.evidence[best] * _rim_inside(circles, x[best], y[best], px_per_mm)).sum(axis=1)
        face_inside = np.hypot(face_x - circles.centres[best, 0], face_y - circles.centres[best, 1])
        accepted.append(
            _Accepted(inside & open_ground, np.maximum(lost, 0), np.asarray(face_inside < circles.radii[best]))
        )
        open_ground &= ~inside
    return Explanation(hopeful[chosen], np.array(gains), np.array(shown))


@dataclass(frozen=True, slots=True, eq=False)
class _Accepted:
    """One accepted disk as every candidate sees it."""

    rim_inside: BoolArray  # (N, ANGLES): points of the candidate's rim inside it, and inside none accepted before
    loss: FloatArray  # (N,): what it would lose of its own evidence under the candidate
    face_inside: BoolArray  # (N, FACE): points of the candidate's face inside it


def _face_points(circles: Circles) -> tuple[FloatArray, FloatArray]:
    """Points spread evenly over each face (N, FACE), as x and y."""
    index = np.arange(FACE) + 0.5
    radius, angle = np.sqrt(index / FACE), index * 2.399963  # the golden angle
    return (
        circles.centres[:, :1] + circles.radii[:, None] * radius * np.cos(angle),
        circles.centres[:, 1:] + circles.radii[:, None] * radius * np.sin(angle),
    )


def rim_points(circles: Circles) -> tuple[FloatArray, FloatArray]:
    """The rims' points (N, ANGLES), as x and y."""
    radii = circles.radii[:, None]
    return circles.centres[:, :1] + radii * COSINES, circles.centres[:, 1:] + radii * SINES


def _rim_inside(circles: Circles, x: FloatArray, y: FloatArray, px_per_mm: float) -> BoolArray:
    """Which points of one rim lie inside each circle (N, ANGLES)."""
    distance = np.hypot(x - circles.centres[:, :1], y - circles.centres[:, 1:])
    return np.asarray(distance < circles.radii[:, None] - INSIDE_BY_MM * px_per_mm)
