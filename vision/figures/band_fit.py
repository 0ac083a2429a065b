"""Where a narrow band runs, sub-pixel: profiles across it, and a robust fit of how far all of it is shifted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.figures.options import FIGURES
from vision.types.arrays import BoolArray, FloatImage

Ink = Callable[[FloatImage], FloatImage]


@dataclass(frozen=True, slots=True, eq=False)
class BandPoints:
    """Places along a band's middle line (N, 2), the outward direction at each (N, 2), and what moves it there."""

    places_mm: FloatArray
    outward: FloatArray
    design: FloatArray  # (N, K): how each unknown moves the band outward at each place


@dataclass(frozen=True, slots=True, eq=False)
class BandShift:
    """The shift of a whole band: the unknowns, their covariance, and which places agree."""

    unknowns: FloatArray
    covariance: FloatArray
    agrees: BoolArray

    @property
    def agreeing(self) -> float:
        """The share of places that agree."""
        return float(np.mean(self.agrees))


def offsets_mm(
    ink: Ink, view: TableView, points: BandPoints, width_mm: float, height_mm: float
) -> tuple[FloatArray, FloatArray]:
    """How far outward the band is at each place, and how well it is seen there (0 to 1).

    `ink` reads how much of the band's colour is at pixels (N, M, 2) of the picture, 0 to 1.
    """
    across, shifts, shapes = _shapes(width_mm)
    # Over a centimetre a camera's picture is linear to a hundredth of a pixel.
    ends = np.concatenate([points.places_mm + across[k] * points.outward for k in (0, -1)])
    first, last = np.split(view.board_to_image(ends, height_mm), 2)
    share = (across - across[0]) / (across[-1] - across[0])
    pixels = first[:, None] + share[None, :, None] * (last - first)[:, None]
    profile = ink(pixels.astype(np.float32)).astype(np.float64)
    score = profile @ shapes.T
    best = np.argmax(score, axis=1)
    inner = np.clip(best, 1, len(shifts) - 2)
    rows = np.arange(len(best))
    before, here, after = score[rows, inner - 1], score[rows, inner], score[rows, inner + 1]
    bend = before - 2 * here + after
    fine = np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, 1.0), 0.0)
    at_end = (best == 0) | (best == len(shifts) - 1)
    weight = np.where(at_end, 0.0, np.clip(score[rows, best] * 2, 0.0, 1.0))
    return shifts[inner] + np.clip(fine, -1, 1) * FIGURES.band_step_mm, np.where(
        weight > FIGURES.band_least_weight, weight, 0.0
    )


@cache
def _shapes(width_mm: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Places across a band, the shifts that are tried, and the band's shape at each (shifts, places)."""
    span = FIGURES.band_reach_mm + width_mm
    across = np.arange(-span, span + FIGURES.band_step_mm / 2, FIGURES.band_step_mm)
    shifts = np.arange(-FIGURES.band_reach_mm, FIGURES.band_reach_mm + FIGURES.band_step_mm / 2, FIGURES.band_step_mm)
    shapes = np.stack([_band(across - shift, width_mm) for shift in shifts])
    return across, shifts, np.asarray(shapes / np.abs(shapes[0]).clip(0).sum())


def _band(across: FloatArray, width_mm: float) -> FloatArray:
    """A blurred band about 0 with a lower ground on both sides, its mean 0."""
    rise = np.tanh((across + width_mm / 2) / FIGURES.band_soft_mm) - np.tanh(
        (across - width_mm / 2) / FIGURES.band_soft_mm
    )
    shape = rise / 2
    near = np.abs(across) <= width_mm
    return np.asarray(np.where(near, shape - shape[near].mean(), 0.0), dtype=np.float64)


def fit_shift(found_mm: FloatArray, weights: FloatArray, design: FloatArray, known_mm: FloatArray) -> BandShift | None:
    """The shift that most places agree on; None when too few see the band.

    `known_mm` is how well each unknown is known to be 0 beforehand (infinite: not at all).
    """
    least = max(8, 2 * design.shape[1])
    if np.count_nonzero(weights) < least:
        return None
    beforehand = np.diag(FIGURES.shared_places * (FIGURES.band_noise_mm / known_mm) ** 2) + 1e-9 * np.eye(
        design.shape[1]
    )
    trust = weights.copy()
    unknowns = np.zeros(design.shape[1])
    for _ in range(12):
        weighted = design * trust[:, None]
        unknowns = np.asarray(np.linalg.solve(design.T @ weighted + beforehand, weighted.T @ found_mm), np.float64)
        rest = found_mm - design @ unknowns
        trust = weights / (1 + (rest / FIGURES.band_outlier_mm) ** 2)
    rest = found_mm - design @ unknowns
    good = (weights > 0) & (np.abs(rest) < 2 * FIGURES.band_outlier_mm)
    if np.count_nonzero(good) < least:
        return None
    spread = max(FIGURES.band_noise_mm / 3, float(np.sqrt(np.mean(rest[good] ** 2))))
    information = design[good].T @ design[good] / (FIGURES.shared_places * spread**2) + np.diag(1 / known_mm**2)
    covariance = np.asarray(np.linalg.inv(information + 1e-6 * np.eye(design.shape[1])), dtype=np.float64)
    return BandShift(unknowns, covariance, good)


def pixel_doubt_mm2(view: TableView, place_mm: FloatArray, height_mm: float, seen: float) -> FloatArray:
    """(2, 2): what no number of places averages out, a share of a pixel, more where less of a band is seen."""
    scale = float(view.px_per_mm(place_mm[None, :], height_mm)[0])
    return np.eye(2) * (FIGURES.floor_px / scale / max(0.2, seen)) ** 2
