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
    # How the evidence is weighed against the votes' logarithm; `benchmarks.fit_proposals` fits no better ones.
    balance: float = -5.0  # log-odds; chosen
    owned_weight: float = 3.0  # log-odds; chosen
    outline_weight: float = 2.0  # log-odds for each nat a place; chosen
    # Precision .95 on drawn worlds at this one.
    least_confidence: float = 0.42  # probability; chosen on drawn worlds (`benchmarks.fit_proposals`)
    # Two bases may seem to overlap by so much of the smaller one's diameter.
    overlap: float = 0.12  # share; chosen

    # --- stands
    # Lines that edges are looked for along: the scale that they are found at, how long they are, and how far from one
    # and how much turned to it an edge may run.
    line_px_per_mm: float = 0.7  # px/mm; chosen
    least_line_mm: float = 14.0  # mm; chosen
    around_mm: float = 10.0  # mm; chosen
    line_turn_deg: float = 12.0  # degrees; chosen
    # What the likeliest edges near any place have by chance; as much speaks against an edge where no line shows.
    chance_edge: float = 0.5  # nats a place; chosen on drawn tables
    # Above chance, of a stand at the side of another; its outline decides.
    least_beside: float = -0.25  # nats a place; chosen on drawn tables
    # The least that must speak for a stand, and how many of a size and direction are looked at more closely.
    least_worth: float = 40.0  # nats; chosen on drawn tables
    most_seeds: int = 40  # count; chosen
    most_stands: int = 100  # count; chosen
    # From which seams show that a stand is several smaller ones: at most 1.3 on 13 units that are none, at least 1.5 on
    # 12 of 13 that are.
    least_seam: float = 1.4  # nats a place; chosen on path-traced tables
    # A stand of a block with less is none; how confidence follows from the mean of a block and its number of stands.
    stand_least_support: float = 1.6  # nats a place; chosen on drawn tables
    stand_balance: float = 2.0  # nats a place; chosen on drawn tables
    stand_weight: float = 5.0  # log-odds for each nat a place; chosen on drawn tables
    stands_weight: float = 0.8  # log-odds for each e-fold; chosen on drawn tables


PROPOSALS = load("proposals", ProposalOptions)
