"""Options of `vision.watch`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """Thresholds, by the module that uses them."""

    # --- differences
    differences_sigma_mm: float = 1.0  # mm; chosen
    confidence: float = 0.8  # ratio; chosen
    px_per_mm: float = 0.5  # px/mm; chosen
    fine_px_per_mm: float = 1.5  # px/mm; chosen
    differences_least_levels: float = 14.0  # grey levels; chosen
    differences_relative_levels: float = 0.12  # grey levels; chosen
    noise_factor: float = 5.0  # ratio; chosen
    # Of the patch that must have changed.
    least_inside: float = 0.85  # ratio; chosen
    # Of it that no other disk's going or coming explains.
    least_news: float = 0.4  # ratio; chosen
    # Of the ground around it that may have.
    most_around: float = 0.3  # ratio; chosen
    # Of the ring around it that can be judged.
    least_ground: float = 0.3  # ratio; chosen
    rim_mm: float = 1.5  # mm; chosen
    ring_mm: tuple[float, float] = (2.5, 8.0)  # mm; chosen
    beside_mm: float = 4.0  # mm; chosen
    near_best: float = 0.02  # ratio; chosen
    # How far the finer picture may correct a place.
    within_mm: float = 4.0  # mm; chosen
    # More than that changed otherwise: a mat was pulled, a game laid out.
    most_at_once: int = 3  # count; chosen
    # How sure a face must be that is not known to be a disk's.
    nearly_named: float = 0.16  # ratio; chosen

    # --- pixel_evidence
    pixel_evidence_least_levels: float = 9.0  # grey levels; chosen
    pixel_evidence_relative_levels: float = 0.09  # grey levels; chosen
    # So much of a disk in one spot looks other: a token was put there or taken.
    token_mm2: float = 35.0  # mm²; chosen
    # Share of same pixels under which a place looks other than before.
    fresh_below: float = 0.75  # share; chosen
    blind_share: float = 0.05  # share; chosen
    # Of a disk's area: so much change around it is no disk's doing.
    veil_share: float = 0.5  # ratio; chosen
    # A disk changes the picture this far around itself.
    shadow_mm: float = 6.0  # mm; chosen
    # And so far a face that it is laid on.
    close_shadow_mm: float = 3.0  # mm; chosen
    # Of a face that must be left to see to tell that it lies as before.
    least_left: float = 0.1  # ratio; chosen
    # Of a face that must have been in sight, beside a disk that has gone, to tell that it was laid there.
    least_uncovered: float = 0.2  # ratio; chosen
    outline_points: int = 48  # count; chosen
    # Beside a disk, past its shadow.
    pixel_evidence_around_mm: tuple[float, float] = (6.0, 16.0)  # mm; chosen
    # Of the ground there that must be in sight to be judged.
    least_bare: float = 0.15  # ratio; chosen
    # Of it that looks other than before: something is laid over it.
    wall_share: float = 0.3  # ratio; chosen
    # So far around a disk the ground is taken to look like the ground under it.
    ground_mm: float = 40.0  # mm; chosen
    # Colours of a place and of the ground that are compared, at most and at least.
    samples: tuple[int, int] = (400, 40)  # count; chosen
    # Of a place: so much in colours that the ground has not is something that lies there.
    foreign_share: float = 0.2  # ratio; chosen
    pixel_evidence_least_likeness: float = 0.6  # ratio; chosen

    # --- regions
    # Around what has changed, and around a disk under a hand: it may have been pushed so far.
    margin_mm: float = 12.0  # mm; chosen
    # Regions nearer than this are detected together.
    joined_mm: float = 60.0  # mm; chosen

    # --- template_search
    # As far as a bump goes.
    reach_mm: float = 18.0  # mm; chosen
    template_search_sigma_mm: float = 0.6  # mm; chosen
    template_search_least_likeness: float = 0.8  # ratio; chosen
    # Over staying where it was.
    least_gain: float = 0.1  # ratio; chosen

    # --- watcher
    # From one detection pass over the whole table to the next, the last again and again: the first may miss disks.
    whole_again_s: tuple[float, ...] = (1.0, 4.0, 15.0, 120.0)  # s; chosen
    # So long nobody has touched anything before such a pass.
    survey_still_s: float = 0.8  # s; chosen
    # What lies over a disk may reach this much farther.
    card_mm: float = 80.0  # mm; chosen


WATCH = load("watch", WatchOptions)
