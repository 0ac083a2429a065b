"""What was seen on a table at one moment: the result types of vision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from calibration.arrays import FloatArray, frozen

CARD_THICKNESS_MM = 2.0  # of a disk
UNSEEN_ORDER = 0.6  # probability of an order that is inferred and not seen

Side = Literal["up", "down", "unknown"]


@dataclass(frozen=True, slots=True)
class FaceReading:
    """Which disk it is, from its art. `profile` is None when the art is not known or not sure enough."""

    profile: str | None = None
    side: Side = "unknown"
    rotation_deg: float = 0.0  # of the print, clockwise from north; meaningful only when `profile` is known
    confidence: float = 0.0  # probability that `profile` is right
    read: bool = False  # whether the face was looked at; False of a disk that is only placed so far
    sought: bool = False  # whether it was also looked for a little beside its place, in vain


@dataclass(frozen=True, slots=True, eq=False)
class DiskSighting:
    """One disk: the centre of its body projected straight down onto the cloth, with how sure that is."""

    id: str
    x_mm: float
    y_mm: float
    covariance: FloatArray  # (2, 2) in mm², calibration error included
    diameter_mm: float
    face_height_mm: float  # of the upper face's centre above the cloth
    face_normal: FloatArray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))  # x east, y south, z up
    visible_fraction: float = 1.0
    owner: str | None = None
    face: FaceReading = FaceReading()
    tokens: Mapping[str, int] = field(default_factory=dict)
    confidence: float = 1.0  # probability that this is a disk at all
    # The face's height as its side, its shadow and its surroundings show it, whatever is seen below it.
    apparent_height_mm: float = 0.0
    apparent_height_sigma_mm: float = math.inf
    # How sure its rim shows where it is, and how much larger than its size the rim was measured.
    rim_sigma_mm: float = 0.0
    rim_excess_mm: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "covariance", frozen(self.covariance, (2, 2)))
        object.__setattr__(self, "face_normal", frozen(self.face_normal, (3,)))

    @property
    def sigma_mm(self) -> float:
        """One standard deviation of the position on each axis."""
        return float(np.sqrt(np.trace(self.covariance) / 2))


@dataclass(frozen=True, slots=True)
class Order:
    """`top` lies above `bottom` where they overlap, with a probability of 0.5 to 1."""

    top: str
    bottom: str
    probability: float
    # How far all that a picture shows of the two agrees on it, below 0: speaks against it; None where none was asked.
    agreement: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TerrainSighting:
    """A flat piece of terrain: its outline (N, 2) in mm, and its kind where it is known from an enrolled picture."""

    id: str
    outline_mm: FloatArray
    kind: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class TableSighting:
    """All that was seen in one frame."""

    disks: tuple[DiskSighting, ...]
    orders: tuple[Order, ...]
    terrain: tuple[TerrainSighting, ...] = ()
