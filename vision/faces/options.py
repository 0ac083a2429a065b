"""Options of `vision.faces`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class FacesOptions:
    """Thresholds, by the module that uses them."""

    # --- art_pose
    # Of the radius: beyond it the table shines in.
    inner: float = 0.93  # ratio; chosen
    samples: int = 600  # count; chosen
    least_samples: int = 150  # count; chosen
    # Art is sampled so much finer than the picture.
    art_px_per_px: float = 1.5  # ratio; chosen
    art_pose_optical_sigma_px: float = 0.6  # px; chosen
    # Of the blur under which art is first laid on.
    coarse_sigma_mm: float = 1.0  # mm; chosen
    rounds: int = 3  # count; chosen
    # Neighbouring pixels are blurred together and err together: this share counts as independent.
    art_pose_independent: float = 0.1  # ratio; chosen
    # Variance of colours (0 to 1): where there is less, nothing is left to be explained.
    plain: float = 3e-4  # ratio; chosen
    # Squared misfit, of the usual one, of a pixel that counts half.
    half_trusted: float = 4.0  # ratio; chosen
    mask_px: int = 160  # px; chosen

    # --- back
    # Outside of it lies the rim, whose colour is the owner's.
    field_radius: float = 0.8  # ratio; chosen

    # --- index
    # Of the radius: art ends no further in, and changes over so much where it ends.
    widest: float = 0.7  # ratio; chosen
    step: float = 0.02  # ratio; chosen

    # --- match
    outlier: float = 0.3  # ratio; chosen
    fit_rounds: int = 2  # count; chosen
    # Neighbouring samples are blurred together: this share of them counts as independent.
    match_independent: float = 0.15  # ratio; chosen
    turn_sigma_rad: float = 0.05  # radians; chosen
    scale_sigma: float = 0.02  # ratio; chosen
    # Every second angle tells how a template lies and in what light, every second pixel about where art lies:
    # neighbours are blurred together.
    thin: int = 2  # count; chosen

    # --- owners
    # A rim this far from every owner's belongs to none of them.
    farthest: float = 0.6  # ratio; chosen
    # A rim with less colour has no hue; by so much the best owner's rim must be nearer than the next.
    least_chroma: float = 0.12  # ratio; chosen
    # Rims of two owners are at least this far apart.
    hue_gap_deg: float = 50.0  # degrees; chosen
    # How much nearer a rim must be to its own group than to the next.
    clear_hue_deg: float = 12.0  # degrees; chosen

    # --- patch
    # Half side of the patch in face radii: a little of the table around the rim belongs to it.
    patch_reach: float = 1.08  # ratio; chosen
    # Defocus, pixel and interpolation together, in an ordinary picture.
    patch_optical_sigma_px: float = 0.85  # px; chosen
    # What lies this near to the rim of a covering disk is not trusted to be visible.
    edge_guard_mm: float = 0.8  # mm; chosen

    # --- polar
    # Standard deviations of the blur, in face radii.
    levels: tuple[float, float, float, float] = (0.04, 0.06, 0.09, 0.13)  # grey levels; chosen
    # Of the radius: beyond it the table shines in.
    outermost: float = 0.98  # radii; chosen
    # Smaller spots of colour belong to the print.
    token_least_mm: float = 8.0  # mm; chosen
    # Letters on a token are thinner than this.
    token_print_mm: float = 3.5  # mm; chosen
    # Twice the light edge around a token's colour.
    token_edge_mm: float = 3.0  # mm; chosen

    # --- reading
    # A profile is named only if it is so sure, and so far ahead of the next.
    named_from: float = 0.45  # ratio; chosen
    ahead_by: float = 0.08  # ratio; chosen
    # From here on nobody looks for a back.
    beyond_doubt: float = 0.98  # ratio; chosen
    keep: int = 6  # count; chosen
    tone_faces: int = 6  # count; chosen
    # What changes less has no effect on a reading.
    same_place_mm: float = 0.2  # mm; chosen
    same_share: float = 0.015  # ratio; chosen
    # Sum of weights below which nothing can be said; a whole face has about 400.
    least_evidence: float = 12.0  # ratio; chosen
    good_evidence: float = 50.0  # ratio; chosen
    centre_sigma_mm: float = 0.7  # mm; chosen

    # --- patch, the rim's colour
    # In face radii: printed rim, without the cut edge.
    band: tuple[float, float] = (0.88, 0.965)  # ratio; chosen
    least_px: int = 12  # px; chosen


FACES = load("faces", FacesOptions)
