"""What a person marks: a base or stand of a known size at about a place."""

from __future__ import annotations

from dataclasses import dataclass

from vision.figures.outline import Footprint, Pose


@dataclass(frozen=True, slots=True)
class Mark:
    """A base or stand that a person marked; pieces of one unit are alike in height."""

    id: str
    footprint: Footprint
    pose: Pose
    unit: str = ""
    height_mm: float | None = None  # where it is known
