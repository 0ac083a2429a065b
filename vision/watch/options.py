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
    # Of a place that was found by comparing pictures.
    sigma_mm: float = 0.8  # mm; chosen
    px_per_mm: float = 0.5  # px/mm; chosen
    fine_px_per_mm: float = 1.5  # px/mm; chosen
    # Of the patch that must have changed.
    least_inside: float = 0.85  # share; chosen
    # Of it that no other disk's going or coming explains.
    least_news: float = 0.4  # share; chosen
    # Of the ground around a disk that may have changed; beyond, something else lies there.
    changed_ground: float = 0.3  # share; chosen
    # Of a face or of the ground around it that must be in sight to be judged.
    least_judged: float = 0.2  # share; chosen
    rim_mm: float = 1.5  # mm; chosen
    near_best: float = 0.02  # share; chosen
    # More than that changed otherwise: a mat was pulled, a game laid out.
    most_at_once: int = 3  # count; chosen
    # How sure a face must be that is not known to be a disk's.
    nearly_named: float = 0.16  # probability; chosen

    # --- pixel_evidence
    # By how much a pixel may differ that shows the same: at least, and as a share of its level.
    least_levels: float = 9.0  # grey levels; chosen
    relative_levels: float = 0.09  # share; chosen
    # Share of same pixels under which a place looks other than before.
    fresh_below: float = 0.75  # share; chosen
    # Of a disk's area: so much change around it is no disk's doing.
    veil_share: float = 0.5  # share; chosen
    # A disk changes the picture this far around itself, and half as far the face that it is laid on; the ring of ground
    # past its shadow that is judged is as wide.
    shadow_mm: float = 6.0  # mm; chosen
    # So far around a disk the ground is taken to look like the ground under it.
    ground_mm: float = 40.0  # mm; chosen
    # Colours of a place and of the ground that are compared, at most and at least.
    compared_colours: tuple[int, int] = (400, 40)  # count; chosen
    # Of a place: so much in colours that the ground has not is something that lies there.
    foreign_share: float = 0.2  # share; chosen

    # --- regions
    # Regions nearer than this are detected together.
    joined_mm: float = 60.0  # mm; chosen

    # --- template_search
    # Correlation of a disk's pixels with its last picture, and by how much it must exceed that at the old place.
    least_likeness: float = 0.7  # correlation; chosen
    least_gain: float = 0.1  # correlation; chosen

    # --- watcher
    # From one detection pass over the whole table to the next, the last again and again: the first may miss disks.
    whole_again_s: tuple[float, ...] = (1.0, 4.0, 15.0, 120.0)  # s; chosen


WATCH = load("watch", WatchOptions)
