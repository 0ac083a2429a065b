"""Options of `vision.tracking`: each with its unit, its origin and what it decides.

Origins: physics; kit (printed sizes and colours); fitted (by which command, on which data); chosen (by trial on the
sample tables and on drawn ones). `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class TrackingOptions:
    """Thresholds, by the module that uses them."""

    # --- assignment
    # A disk from nowhere, or gone: two of these against one odd match.
    new_cost: float = 2.5  # ratio; chosen
    # A disk that may be there unseen.
    unseen_cost: float = 0.5  # ratio; chosen
    # Two detections of a disk that lies still are nearer than this.
    same_place_mm: float = 5.0  # mm; chosen
    # Hands seldom put a disk where another one lay.
    same_place_gain: float = 2.0  # ratio; chosen
    # A face recognised with certainty: more than lying at the old place, and than the longest way, speak against it.
    recognised_gain: float = 4.0  # ratio; chosen

    # --- changes
    # A bump: noticed from, at most.
    slight_mm: tuple[float, float] = (2.0, 15.0)  # mm; chosen
    # One disk alone: a bump is noticed from, and from there on it was moved.
    single_mm: tuple[float, float] = (3.0, 8.0)  # mm; chosen
    # Of a disk that another covers: it may have been out of sight.
    revealed_share: float = 0.9  # ratio; chosen

    # --- confirmation
    # Detection passes that show a tentative track until it is confirmed; and that miss an unnamed track, with nothing
    # over it, for each that detected it, until it is dropped (twice as many where its face was recognised).
    confirm_after: int = 2  # count; chosen
    # Confidence from which one detection confirms a disk where nothing has changed, or overrules a known order.
    sure_from: float = 0.9  # probability; chosen
    # The same for one whose face is known, and how surely that must be.
    named_from: tuple[float, float] = (0.6, 0.95)  # ratio; chosen
    # Confidence from which a detection counts where something has changed, be it of a disk or of an order.
    likely_from: float = 0.8  # probability; chosen
    # Two detections whose centres are nearer show one disk, or a hidden one that comes to light.
    duplicate_mm: float = 10.0  # mm; chosen

    # --- orders
    hidden_share: float = 0.985  # ratio; chosen
    # That a disk that was moved lies on what did not move.
    put_on_top: float = 0.97  # ratio; chosen

    # --- terrain_memory
    # Of the two outlines' common area: the same piece.
    same_share: float = 0.6  # ratio; chosen

    # --- tracker
    # Share of unchanged pixels from which a disk is taken not to have been touched.
    still_same: float = 0.93  # ratio; chosen
    # Share of a face that is unchanged, or under other disks, from which an undetected disk is taken to be there.
    most_of_face: float = 0.6  # share; chosen
    # What two fits of a resting disk may differ.
    jitter_sigmas: float = 3.0  # sigmas; chosen
    # At least, at most.
    jitter_mm: tuple[float, float] = (1.0, 2.5)  # mm; chosen


TRACKING = load("tracking", TrackingOptions)
