"""Options of `vision.camera`: each with its unit, its origin and what it decides.

Origins: physics; chosen (by trial on drawn films and pictures). Limits of devices and networks are not among them:
they stand in the modules that talk to these. `benchmarks/sweep.py` tries other values.
"""

from __future__ import annotations

from dataclasses import dataclass

from vision.types.options import load


@dataclass(frozen=True, slots=True)
class CameraOptions:
    """Thresholds, by the module that uses them."""

    # --- motion
    # Of the small grey picture in which motion and change are detected.
    width_px: int = 480  # px; chosen
    # Motion is the difference to a picture this much older: slow hands are detected, single-frame flicker is not.
    lag_s: float = 0.15  # s; chosen
    # Light is taken to be even over this much of the small picture.
    neighbourhood_px: int = 25  # px; chosen
    # Local over overall brightness: a shadow dims less, a lamp brightens less; beyond it something covers the place.
    gain_limits: tuple[float, float] = (0.6, 1.6)  # ratio; chosen
    # What counts as a difference in a noiseless picture, and how much more for each level of noise (in all pictures).
    least_levels: float = 6.0  # grey levels; chosen
    noise_factor: float = 5.0  # ratio; chosen
    # Share of the way that the estimated noise goes with a frame, and its limit.
    noise_pace: float = 0.05  # share; chosen
    most_noise_levels: float = 5.0  # grey levels; chosen
    # Of the light that there was: less is darkness.
    dark_share: float = 0.12  # share; chosen
    # Of the detail that there was: less is a cover, out of focus, unless the detail left correlates by `same_detail`.
    detail_share: float = 0.4  # share; chosen
    same_detail: float = 0.2  # correlation; chosen
    # From where on a place is overexposed and nothing of its print is left.
    overexposed_level: int = 248  # grey levels; chosen

    # --- settling
    # At rest this long before a detection pass; while a hand is over the table, the same for the rest of it.
    settle_s: float = 0.2  # s; chosen
    partial_settle_s: float = 1.0  # s; chosen
    # What reaches in from outside and does not stir for so long is no arm.
    object_after_s: float = 10.0  # s; chosen
    # Around the battlefield, where motion counts as well.
    field_margin_mm: float = 25.0  # mm; chosen
    # Of the small picture: fewer changed cells are noise.
    least_cells: int = 6  # cells; chosen
    # Around what moves, and around an arm with its shadow.
    held_margin_cells: int = 3  # cells; chosen
    arm_margin_cells: int = 12  # cells; chosen

    # --- standpoint
    # Shift of the markers from one rest to the next: a stand that gives way shifts them by less than a knock does.
    knock_px: float = 1.5  # px; chosen

    # --- table_camera
    # Frames at rest whose mean is detected on.
    averaged_frames: int = 8  # count; chosen
    # So long nothing is seen of the table before the camera is reported as covered.
    covered_s: float = 0.5  # s; chosen
    # Between tries to find the table, and between passes that found nothing new, at first and at most.
    retry_s: tuple[float, float] = (1.0, 15.0)  # s; chosen

    # --- quality
    # Below it a millimetre is lost between two pixels and the documented accuracy does not hold.
    least_px_per_mm: float = 0.7  # px/mm; physics
    # Grey level of what is bright on the table (paper, light cloth), and of which percentile of all levels.
    dark_level: float = 62.0  # grey levels; chosen
    bright_percent: float = 97.0  # percent; chosen
    # Width of the sharpest edges, as a standard deviation: soft in the picture, and on the table.
    blur_px: float = 1.9  # px; chosen
    blur_mm: float = 1.1  # mm; chosen
    # Edges are measured within so many pixels, on so many pixels at least, by this percentile of their widths.
    edge_px: int = 9  # px; chosen
    least_edges: int = 150  # px; chosen
    sharpest_percent: float = 15.0  # percent; chosen
    # Of a piece's face that is overexposed.
    glare_share: float = 0.15  # share; chosen


CAMERA = load("camera", CameraOptions)
