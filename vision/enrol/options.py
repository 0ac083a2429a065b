"""Options of `vision.enrol`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class EnrolOptions:
    """Thresholds, by the module that uses them."""

    # --- disks
    art_px: int = 300  # px: side of the pictures of disks, tokens and terrain; chosen
    # A disk of which less is seen is not enrolled.
    whole: float = 0.93  # ratio; chosen
    # Share of a face that another must explain to be a copy of it.
    same_art: float = 0.55  # share; chosen

    # --- things
    token_px_per_mm: float = 1.5  # px/mm; chosen
    token_area_mm2: tuple[float, float] = (70.0, 750.0)  # mm²; chosen
    margin_px: int = 6  # px; chosen
    # Share of its hull that a token fills.
    least_solid: float = 0.88  # share; chosen
    # How long a token may be for its width, and how large for the usual one of its kind.
    most_ratio: float = 1.6  # ratio; chosen


ENROL = load("enrol", EnrolOptions)
