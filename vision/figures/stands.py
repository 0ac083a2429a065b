"""Rectangular stands as they are seen: where each is, which way it faces, and whose it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from calibration.arrays import FloatArray, frozen
from vision.figures.outline import axes

UNKNOWN_FACING_DEG = 90.0  # facing_sigma_deg of a stand whose front is hidden


@dataclass(frozen=True, slots=True, eq=False)
class StandSighting:
    """A stand: its middle on the cloth and how sure that is, its facing, its size, and its card's colour."""

    id: str
    x_mm: float
    y_mm: float
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    facing_deg: float
    facing_sigma_deg: float
    width_mm: float
    depth_mm: float
    colour: str
    seen: float  # share of its band that was seen where it should be
    front_lead: float  # how much more ink marks the front than any other side
    doubtful: bool = False  # a person should look
    facing_known: bool = True  # else its sides are measured, and which of them is the front must be asked

    def __post_init__(self) -> None:
        object.__setattr__(self, "covariance", frozen(self.covariance, (2, 2)))

    @property
    def sigma_mm(self) -> float:
        """One standard deviation of the position on each axis."""
        return float(np.sqrt(np.trace(self.covariance) / 2))


def stand_corners(stand: StandSighting) -> FloatArray:
    """A stand's corners (4, 2): front left, front right, rear right, rear left."""
    right, forward = axes(stand.facing_deg)
    u, v = right * stand.width_mm / 2, forward * stand.depth_mm / 2
    return np.asarray(np.array([stand.x_mm, stand.y_mm]) + np.array([v - u, v + u, u - v, -u - v]))


def stand_area(stand: StandSighting) -> Polygon:
    """What a stand covers."""
    return Polygon(stand_corners(stand))
