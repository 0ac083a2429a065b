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
from vision.rims import COSINES, SINES, Circles

ACCEPT_FROM = 7.0  # log-odds: evidence that circles without a disk hardly ever reach
INSIDE_BY_MM = 0.8
# A parallel edge this near to an accepted rim is that rim again: its printed border, its side wall or its shadow.
SAME_EDGE_INSIDE_MM, SAME_EDGE_OUTSIDE_MM = 1.5, 3.2
PARALLEL = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The accepted candidates, best first, and the evidence each adds."""

    chosen: IntArray
    gains: FloatArray


def explain(circles: Circles, px_per_mm: float) -> Explanation:
    """Accepts candidates one by one, the most telling first, until what is left explains nothing more."""
    x, y = rim_points(circles)
    evidence = circles.evidence.copy()
    open_ground = np.ones(evidence.shape, dtype=bool)
    upper_bonus = np.zeros(len(circles.radii))
    waiting = np.ones(len(circles.radii), dtype=bool)
    chosen: list[int] = []
    gains: list[float] = []
    while waiting.any():
        worth = np.where(waiting, (evidence * open_ground).sum(axis=1) + upper_bonus, -np.inf)
        best = int(worth.argmax())
        if worth[best] < ACCEPT_FROM:
            break
        chosen.append(best)
        gains.append(float(worth[best]))
        waiting[best] = False
        dx, dy = x - circles.centres[best, 0], y - circles.centres[best, 1]
        distance = np.hypot(dx, dy)
        beyond = (distance - circles.radii[best]) / px_per_mm
        aligned = np.abs(dx * COSINES + dy * SINES) > PARALLEL * distance
        same_edge = (beyond > -SAME_EDGE_INSIDE_MM) & (beyond < SAME_EDGE_OUTSIDE_MM) & aligned
        evidence = np.where(same_edge, np.minimum(evidence, 0), evidence)
        inside = beyond < -INSIDE_BY_MM
        lost = (circles.evidence[best] * _rim_inside(circles, x[best], y[best], px_per_mm)).sum(axis=1)
        above = (evidence * (inside & open_ground)).sum(axis=1) - np.maximum(lost, 0)
        upper_bonus += np.maximum(above, 0)
        open_ground &= ~inside
    return Explanation(np.array(chosen, dtype=np.intp), np.array(gains))


def rim_points(circles: Circles) -> tuple[FloatArray, FloatArray]:
    """The rims' points (N, ANGLES), as x and y."""
    radii = circles.radii[:, None]
    return circles.centres[:, :1] + radii * COSINES, circles.centres[:, 1:] + radii * SINES


def _rim_inside(circles: Circles, x: FloatArray, y: FloatArray, px_per_mm: float) -> BoolArray:
    """Which points of one rim lie inside each circle (N, ANGLES)."""
    distance = np.hypot(x - circles.centres[:, :1], y - circles.centres[:, 1:])
    return np.asarray(distance < circles.radii[:, None] - INSIDE_BY_MM * px_per_mm)
