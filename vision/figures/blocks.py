"""Stands edge to edge as one body: the grid that their marks come nearest to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.arrays import FloatArray
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Footprint, Oblong, Pose, Round, axes


def blocks_of(marks: Sequence[Mark]) -> list[list[tuple[Mark, Pose]]]:
    """Marks that move as one body, with their places set in order: stands of a unit edge to edge, else each alone."""
    units: dict[tuple[str, Footprint], list[Mark]] = {}
    for mark in marks:
        key = mark.unit if isinstance(mark.footprint, Oblong) and mark.unit else mark.id
        units.setdefault((key, mark.footprint), []).append(mark)
    return [block for members in units.values() for block in _lattices(members)]


def _lattices(members: Sequence[Mark]) -> list[list[tuple[Mark, Pose]]]:
    """Alike stands set on the grid that their marks come nearest to; those on none of their own stay alone."""
    footprint = members[0].footprint
    if len(members) == 1 or isinstance(footprint, Round):
        return [[(mark, mark.pose)] for mark in members]
    first = members[0].pose.facing_deg
    facing = first + float(np.mean([(m.pose.facing_deg - first + 180.0) % 360.0 - 180.0 for m in members]))
    spots = np.array([[m.pose.x_mm, m.pose.y_mm] for m in members])
    size = np.array([footprint.width_mm, footprint.depth_mm])
    # The turn of the grid follows from the marks' places better than from their facings.
    for _ in range(3):
        frame = np.stack(axes(facing))
        at = (spots - spots.mean(axis=0)) @ frame.T
        cells = _cells(at, size)
        if cells is None:
            return [[(mark, mark.pose)] for mark in members]
        wanted = cells * size
        wanted = wanted - wanted.mean(axis=0)
        spread = float((wanted**2).sum())
        cross = float((wanted[:, 0] * at[:, 1] - wanted[:, 1] * at[:, 0]).sum())
        weight = spread / FIGURES.mark_mm**2
        prior = len(members) / math.radians(FIGURES.mark_deg) ** 2
        turn = math.atan2(cross, float((wanted * at).sum())) if spread > 0 else 0.0
        # In a frame of right and forward a turn is counter-clockwise.
        facing -= math.degrees(turn) * weight / (weight + prior)
    frame = np.stack(axes(facing))
    placed = spots.mean(axis=0) + wanted @ frame
    if np.hypot(*(placed - spots).T).max() > 4 * FIGURES.mark_mm:
        return [[(mark, mark.pose)] for mark in members]
    return [[(m, Pose(float(x), float(y), facing % 360)) for m, (x, y) in zip(members, placed, strict=True)]]


def _cells(at: FloatArray, size: FloatArray) -> FloatArray | None:
    """Whole steps from the first stand to each, or None where two stands would share a cell or the block has holes."""
    order = [0]
    cells = {0: np.zeros(2)}
    waiting = set(range(1, len(at)))
    while waiting:
        near = [(float(np.abs((at[k] - at[j]) / size).sum()), j, k) for j in order for k in waiting]
        _, j, k = min(near)
        step = np.round((at[k] - at[j]) / size)
        off = np.abs((at[k] - at[j]) - step * size).max()
        if np.abs(step).sum() != 1 or off > 4 * FIGURES.mark_mm:
            return None
        cells[k] = cells[j] + step
        order.append(k)
        waiting.remove(k)
    found = np.array([cells[k] for k in range(len(at))])
    return found if len(np.unique(found, axis=0)) == len(found) else None
