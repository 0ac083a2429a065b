"""Disks of unknown size: the outermost clear circles, each measured for itself."""

from __future__ import annotations

import numpy as np

from vision.rims.candidates import Rims, settle
from vision.rims.edges import EdgeField
from vision.rims.votes import edge_points, vote_centres
from vision.types.arrays import IntArray

SMALLEST_PX, LARGEST_PX = 11.0, 90.0
RADIUS_STEP = 1.06
FOUND_FROM = 0.6
MOST_PER_RADIUS = 60
ACCEPT_FROM = 22.0  # log-odds: with every radius allowed, more circles arise by chance
CONCENTRIC = 0.3  # of the smaller radius
NEARLY_AS_GOOD = 0.6
SHARED = 0.5  # of the smaller radius: disks of unknown size may touch and overlap, not lie inside one another


def find_any(field: EdgeField) -> Rims:
    """Rims of whatever round things lie on the table."""
    points = edge_points(field)
    steps = int(np.log(LARGEST_PX / SMALLEST_PX) / np.log(RADIUS_STEP)) + 1
    radii_px = SMALLEST_PX * RADIUS_STEP ** np.arange(steps)
    found = [vote_centres(field, points, r / field.top.px_per_mm, FOUND_FROM, MOST_PER_RADIUS) for r in radii_px]
    centres = np.vstack(found)
    radii = np.concatenate([np.full(len(c), r) for c, r in zip(found, radii_px, strict=True)])
    rims = settle(field, centres, radii)
    return rims.pick(_outermost(rims))


def _outermost(rims: Rims) -> IntArray:
    """Takes the clearest circle, widens it to the largest about as clear round the same centre, and goes on."""
    worth = rims.evidence.sum(axis=1)
    waiting = worth >= ACCEPT_FROM
    chosen: list[int] = []
    while waiting.any():
        clearest = int(np.where(waiting, worth, -np.inf).argmax())
        apart = np.linalg.norm(rims.centres - rims.centres[clearest], axis=1)
        rivals = waiting & (apart < CONCENTRIC * rims.radii[clearest]) & (worth >= NEARLY_AS_GOOD * worth[clearest])
        best = int(np.where(rivals, rims.radii, 0).argmax())
        # Neighbouring radii share the rim's blur: of those within a step or two the clearest is meant.
        same = rivals & (np.abs(rims.radii / rims.radii[best] - 1) < 0.13)
        best = int(np.where(same, worth, -np.inf).argmax())
        chosen.append(best)
        apart = np.linalg.norm(rims.centres - rims.centres[best], axis=1)
        smaller = np.minimum(rims.radii, rims.radii[best])
        waiting &= apart - rims.radii - rims.radii[best] > -SHARED * smaller
    return np.array(chosen, dtype=np.intp)
