"""Options of `vision.confidence`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class ConfidenceOptions:
    """Thresholds, by the module that uses them."""

    # --- appearance
    # Of a radius that is measured as if it were not known.
    free_sigma_mm: float = 3.0  # mm; chosen
    # Blur and the card's side make a rim look so much wider.
    usual_excess_mm: float = 0.2  # mm; chosen
    # Radii: what lies there is the face itself.
    inside_border: float = 0.85  # radii; chosen

    # --- back_stars
    # Of the larger radius: so near to the middle of a face lies what is printed around it.
    same_middle: float = 0.15  # ratio; chosen

    # --- by_appearance
    # Of the features of `appearance_features`: between the fit of benchmarks.fit_appearance on 24 drawn tables and an
    # earlier one on tables with more round things that are no disks; chosen.
    appearance: tuple[float, ...] = (-0.3, 0.74, 7.4, 4.0, -1.5, 3.0, 5.0, -4.2, 5.6, -2.6, -2.4, 0.0, 0.0)
    # Of a face.
    a_sliver: float = 0.3  # ratio; chosen
    # Beyond which nothing more is told.
    full_contrast: float = 0.14  # ratio; chosen
    most_off_size_mm: float = 1.5  # mm; chosen
    farthest_back: float = 4.0  # ratio; chosen
    # So many known borders count half.
    few: float = 3.0  # ratio; chosen
    # Of a face: what shows no more of itself is the edge, the side or the art of what covers it.
    a_trace: float = 0.12  # ratio; chosen
    # Art on a thing of which disks own less is a print on something else: a playing card, a cap, a coaster.
    owned_least: float = 0.45  # share; chosen
    # Cells of another disk vote for one by chance, of all visible ones.
    least_voted: float = 0.05  # share; chosen

    # --- by_rim
    # Log-odds from: one, the log of the gain, the share of the face shown, the log of the distance to the nearest
    # border colour of a sure disk, the log of how many cells vote for the rim, the share of its face that disks own.
    weights: tuple[float, ...] = (
        -7.57,
        0.77,
        1.05,
        -1.21,
        0.67,
        4.39,
    )  # fitted by benchmarks.fit_rims, 24 drawn tables
    sure_gain: float = 30.0  # ratio; chosen
    # Where no other disk is sure, colours speak neither for nor against.
    unknown_distance: float = 1.0  # ratio; chosen


CONFIDENCE = load("confidence", ConfidenceOptions)
