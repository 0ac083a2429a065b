"""Disks of unknown size: the outermost clear circles, each measured for itself."""

from __future__ import annotations

import numpy as np

from vision.rims.candidates import Rims, settle
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.votes import edge_points, vote_centres
from vision.types.arrays import IntArray


def find_any(field: EdgeField) -> Rims:
    """Rims of whatever round things lie on the table."""
    points = edge_points(field)
    steps = int(np.log(RIMS.largest_px / RIMS.smallest_px) / np.log(RIMS.radius_step)) + 1
    radii_px = RIMS.smallest_px * RIMS.radius_step ** np.arange(steps)
    found = [
        vote_centres(field, points, r / field.top.px_per_mm, RIMS.any_size_found_from, RIMS.most_per_radius)
        for r in radii_px
    ]
    centres = np.vstack(found)
    radii = np.concatenate([np.full(len(c), r) for c, r in zip(found, radii_px, strict=True)])
    rims = settle(field, centres, radii)
    return rims.pick(_outermost(rims))


def _outermost(rims: Rims) -> IntArray:
    """Takes the clearest circle, widens it to the largest about as clear round the same centre, and goes on."""
    worth = rims.evidence.sum(axis=1)
    waiting = worth >= RIMS.any_size_accept_from
    chosen: list[int] = []
    while waiting.any():
        clearest = int(np.where(waiting, worth, -np.inf).argmax())
        apart = np.linalg.norm(rims.centres - rims.centres[clearest], axis=1)
        rivals = (
            waiting
            & (apart < RIMS.concentric * rims.radii[clearest])
            & (worth >= RIMS.any_size_nearly_as_good * worth[clearest])
        )
        best = int(np.where(rivals, rims.radii, 0).argmax())
        # Neighbouring radii share the rim's blur: of those within a step or two the clearest is meant.
        same = rivals & (np.abs(rims.radii / rims.radii[best] - 1) < 0.13)
        best = int(np.where(same, worth, -np.inf).argmax())
        chosen.append(best)
        apart = np.linalg.norm(rims.centres - rims.centres[best], axis=1)
        smaller = np.minimum(rims.radii, rims.radii[best])
        waiting &= apart - rims.radii - rims.radii[best] > -RIMS.shared * smaller
    return np.array(chosen, dtype=np.intp)
