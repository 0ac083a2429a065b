"""Options of proposals: each with its unit, its origin and what it decides.

Origins: fitted (by which command, on which data); chosen (by trial on drawn tables).
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class ProposalOptions:
    """Thresholds of `vision/figures/propose.py`."""

    # Bases of 25 to 60 mm are then as large as the disks that the network was trained on.
    px_per_mm: float = 1.875  # px/mm; chosen
    # Where a picture is coarser, patterns of a cloth look like bases: precision .50 below, .95 above.
    least_px_per_mm: float = 0.5  # px/mm of the camera's picture; chosen on drawn worlds (`benchmarks.fit_proposals`)
    # How well votes say where a base is.
    known_mm: float = 2.5  # mm; chosen
    # Sizes this much smaller or larger than the one voted for are compared.
    size_within: float = 0.22  # share; chosen
    # How the evidence is weighed; `benchmarks.fit_proposals` fits no better ones.
    balance: float = -5.0  # log-odds; chosen
    votes_weight: float = 1.0  # log-odds for each e-fold; chosen
    owned_weight: float = 3.0  # log-odds; chosen
    outline_weight: float = 2.0  # log-odds for each nat a place; chosen
    # Precision .95 on drawn worlds at this one.
    least_confidence: float = 0.4  # probability; chosen on drawn worlds (`benchmarks.fit_proposals`)
    # Two bases may seem to overlap by so much of the smaller one's diameter.
    overlap: float = 0.12  # share; chosen


PROPOSALS = load("proposals", ProposalOptions)
