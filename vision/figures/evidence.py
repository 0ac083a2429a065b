"""What the picture says of one outline: how likely it runs how far out at each place, and for which shifts that is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.figures.edge_network import edge_chances
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Outline, Pose, Round, axes, outline_of
from vision.figures.strips import OFFSETS_MM, REACH_MM, STEP_MM, strip
from vision.types.arrays import BoolArray, FloatImage


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """One piece as looked at from a pose: log chances (N, offsets) along its outline."""

    mark: Mark
    pose: Pose
    outline: Outline
    chances: FloatImage
    joined: BoolArray  # (N,) bool: another piece of the same height begins at once, so its upper edge is the seam

    def support(self, shifts: FloatArray, heights: FloatArray) -> FloatArray:
        """Log-likelihoods (S, H) of shifts (S, 3) in mm, mm and radians, at heights (H,), against no outline."""
        return np.stack([self.gains(shifts, float(height)).sum(axis=1) for height in heights], axis=1)

    def gains(self, shifts: FloatArray, height: float) -> FloatArray:
        """What each place (S, N) says for an outline shifted so, against none, in nats."""
        lean = np.where(self.joined, self.outline.lean, np.maximum(self.outline.lean, 0.0))
        count = len(OFFSETS_MM)
        place = (self._outward(shifts) + (height * lean + REACH_MM)) / STEP_MM
        inside = (place >= 0) & (place < count - 1)
        place = np.where(inside, place, 0.0)
        low = place.astype(np.intp)
        share = place - low
        at = np.arange(len(lean)) * count + low
        flat = self.chances.ravel()
        return np.asarray(
            np.where(inside, flat[at] * (1 - share) + flat[at + 1] * share, math.log(FIGURES.mistaken_share))
        )

    def _outward(self, shifts: FloatArray) -> FloatArray:
        """How far outward each shift (S, 3) moves the outline's foot at each place: (S, N)."""
        outward, arms = self.outline.outward, self.outline.arms_mm
        along = shifts[:, :2] @ outward.T
        if isinstance(self.mark.footprint, Round):
            radius = self.mark.footprint.diameter_mm / 2
            rest = radius**2 - (shifts[:, :2] ** 2).sum(axis=1)[:, None] + along**2
            return np.asarray(along + np.sqrt(np.maximum(rest, 0.0)) - radius)
        turned = outward[:, 1] * arms[:, 0] - outward[:, 0] * arms[:, 1]
        return np.asarray(along + shifts[:, 2:3] * turned)


def look_along(
    bgr: ByteImage, view: TableView, marks: Sequence[Mark], poses: Mapping[str, Pose]
) -> dict[str, Evidence]:
    """The evidence for every mark, looked at from a pose each."""
    outlines = [outline_of(mark.footprint, poses[mark.id], view) for mark in marks]
    strips = [strip(bgr, view, o, poses[mark.id]) for mark, o in zip(marks, outlines, strict=True)]
    found = {}
    mistaken = FIGURES.mistaken_share
    for mark, outline, chances in zip(marks, outlines, edge_chances(strips), strict=True):
        robust = np.log((1 - mistaken) * chances * len(OFFSETS_MM) + mistaken).astype(np.float32)
        found[mark.id] = Evidence(mark, poses[mark.id], outline, robust, _joined(mark, outline, marks, poses))
    return found


def _joined(mark: Mark, outline: Outline, marks: Sequence[Mark], poses: Mapping[str, Pose]) -> BoolArray:
    """Where another stand of the unit begins right beside a stand."""
    found = np.zeros(len(outline.outward), dtype=bool)
    if isinstance(mark.footprint, Round):
        return found
    spots = outline.places_mm(poses[mark.id]) + FIGURES.edge_gap_mm * outline.outward
    for other in marks:
        if other.id == mark.id or other.unit != mark.unit or isinstance(other.footprint, Round):
            continue
        pose = poses[other.id]
        right, forward = axes(pose.facing_deg)
        way = spots - [pose.x_mm, pose.y_mm]
        found |= (np.abs(way @ right) < other.footprint.width_mm / 2) & (
            np.abs(way @ forward) < other.footprint.depth_mm / 2
        )
    return found
