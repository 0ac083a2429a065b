"""Options of `vision.look`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class LookOptions:
    """Thresholds, by the module that uses them."""

    # --- pipeline
    card_size_mm: float = 0.5  # mm: a size so near to one of the kit's disks is a card's; chosen
    top_view_px_per_mm: float = 1.25  # px/mm; chosen
    # Log-odds from which a rim's face is asked, where faces are known.
    possible_from: float = -6.0  # log-odds; chosen
    # Of a diameter: a face so near to a rim is that rim's.
    same_place: float = 0.1  # diameters; chosen
    same_size: float = 0.02  # diameters; chosen
    margin_mm: float = 10.0  # mm; chosen

    # --- scale
    # Diameters that are seen well as they are.
    smallest_mm: float = 30.0  # mm; chosen
    largest_mm: float = 110.0  # mm; chosen
    # Of a top view.
    longest_px: float = 1400.0  # px; chosen
    # More top view pixels than picture pixels tell nothing new.
    sharpest: float = 1.5  # ratio; chosen


LOOK = load("look", LookOptions)
