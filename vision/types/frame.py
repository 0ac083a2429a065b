"""A picture and when it was taken."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.arrays import ByteImage


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture of a source: BGR, indexed [y, x], pixel centres at whole numbers, x right, y down."""

    bgr: ByteImage
    index: int
    time_s: float
    full_soft: ByteImage | None = None  # the photograph of which `bgr` is a reduced copy, blurred for measuring edges
