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
    # Radii: what lies there is the face itself.
    inside_border: float = 0.85  # radii; chosen
    # Radii: so much larger is what may have a printed ring.
    larger: float = 1.15  # ratio; chosen

    # --- by_appearance
    # Of the features of `appearance_features`: fitted by benchmarks.fit_appearance, 34 path-traced and 14 drawn tables.
    # Then lowered by 1.1 for nameless faces, as half of those accepted with odds near even were mugs, caps and
    # coasters, and raised by 1.1 for named ones: of the wrong detections on other tables hardly one has a name.
    appearance: tuple[float, ...] = (
        *(0.31, 1.02, 2.35, 1.9, 2.05, -1.2, 1.24, -1.21, 1.77, -1.0),
        *(1.27, -2.62, -3.43, -2.6),
    )
    # Beyond which more says nothing.
    full_contrast: float = 0.14  # ratio; chosen
    most_off_size_mm: float = 1.5  # mm; chosen
    most_named_sigma_mm: float = 0.6  # mm; chosen: a border of the terrain's colour has no rim
    # How near to the middle of a larger one a ring that is printed there is seen.
    centred_mm: float = 1.5  # mm; fitted with the weights
    farthest_back: float = 4.0  # ratio; chosen
    # So many known borders count half.
    half_known: float = 3.0  # ratio; chosen
    # Art found on a thing of which disks own less is a print on something else: a playing card, a cap, a coaster.
    owned_least: float = 0.45  # share; chosen

    # --- by_rim
    # Log-odds from: one, the log of the gain, the share of the face shown, the log of the distance to the nearest
    # border colour of a sure disk, the log of how many cells vote for the rim, the share of its face that disks own.
    # Fitted by benchmarks.fit_rims, 18 path-traced and 30 drawn tables.
    weights: tuple[float, ...] = (-7.39, 0.92, -0.71, -0.64, 0.55, 5.0)
    sure_gain: float = 30.0  # ratio; chosen
    # Where no other disk is sure, colours speak neither for nor against.
    unknown_distance: float = 1.0  # ratio; chosen


CONFIDENCE = load("confidence", ConfidenceOptions)
