"""The outline of a base or stand on the cloth: its foot towards the camera, its upper edge away from it.

All is on the cloth's plane. Where a side faces the camera its foot is seen, which stands on the cloth; where it
faces away the upper edge hides the foot, and seen along the sight line it falls on the cloth farther out: by the base's
height times how far the sight line leans outward there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.figures.options import FIGURES


@dataclass(frozen=True, slots=True)
class Round:
    """A round base."""

    diameter_mm: float


@dataclass(frozen=True, slots=True)
class Oblong:
    """A rectangular stand: its front is a width long."""

    width_mm: float
    depth_mm: float


Footprint = Round | Oblong


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a footprint's middle is on the cloth, and which way it faces, clockwise from north."""

    x_mm: float
    y_mm: float
    facing_deg: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """Places around a footprint, in order."""

    arms_mm: FloatArray  # (N, 2) from the middle
    outward: FloatArray  # (N, 2) unit vectors
    lean: FloatArray  # (N,): mm outward on the cloth's plane for each mm of height, below 0 towards the camera

    def places_mm(self, pose: Pose) -> FloatArray:
        """(N, 2) on the cloth."""
        return np.asarray(self.arms_mm + np.array([pose.x_mm, pose.y_mm]))


def axes(facing_deg: float) -> tuple[FloatArray, FloatArray]:
    """The directions to the right and forward, clockwise from north with y pointing south."""
    angle = math.radians(facing_deg)
    return np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), -math.cos(angle)])


def outline_of(footprint: Footprint, pose: Pose, view: TableView) -> Outline:
    """The outline of a footprint at a place as a camera sees it."""
    arms, outward = _round_arms(footprint) if isinstance(footprint, Round) else _oblong_arms(footprint, pose.facing_deg)
    away = np.array([pose.x_mm, pose.y_mm]) + arms - view.camera_centre[:2]
    lean = np.einsum("ni,ni->n", outward, away) / view.camera_height_mm
    return Outline(arms, outward, lean)


def _round_arms(base: Round) -> tuple[FloatArray, FloatArray]:
    count = max(12, round(math.pi * base.diameter_mm / FIGURES.arc_mm))
    turns = np.arange(count) * (2 * np.pi / count)
    outward = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return outward * base.diameter_mm / 2, outward


def _oblong_arms(stand: Oblong, facing_deg: float) -> tuple[FloatArray, FloatArray]:
    """The four sides: front, right, rear, left, each clockwise."""
    right, forward = axes(facing_deg)
    half_w, half_d = stand.width_mm / 2, stand.depth_mm / 2
    arms, outward = [], []
    for normal, along, out, half in (
        (forward, right, half_d, half_w),
        (right, -forward, half_w, half_d),
        (-forward, -right, half_d, half_w),
        (-right, forward, half_w, half_d),
    ):
        count = max(3, round(2 * (half - FIGURES.arc_mm) / FIGURES.arc_mm) + 1)
        steps = np.linspace(-half + FIGURES.arc_mm, half - FIGURES.arc_mm, count)
        arms.append(normal * out + steps[:, None] * along)
        outward.append(np.repeat(normal[None], count, axis=0))
    return np.concatenate(arms), np.concatenate(outward)
