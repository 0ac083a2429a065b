"""Where faces lie and how high they appear, by the network of strips."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.arrays import FloatArray
from vision.look.picture import Picture
from vision.rims.candidates import Rims
from vision.rims.cells import apparent_heights
from vision.rims.options import RIMS
from vision.rims.refine import leans
from vision.rims.strip_network import Circles, Measured


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredRims:
    """Rims where they were measured, with their covariances and the heights that their faces appear to have.

    `sigmas_mm` and `excesses_mm`: how sure the rim is of its place, and how much larger it is than the size given.
    """

    rims: Rims
    covariances_mm2: FloatArray  # (N, 2, 2)
    sigmas_mm: FloatArray
    excesses_mm: FloatArray
    heights_mm: FloatArray
    height_sigmas_mm: FloatArray


def measure_rims(picture: Picture, rims: Rims) -> MeasuredRims:
    """The rims moved to where the network measures them; the second time from where it measured them first."""
    moved, found = _moved(picture, _moved(picture, rims)[0])
    px_per_mm = picture.top.px_per_mm
    covariances = found.covariances / px_per_mm**2
    return MeasuredRims(
        moved,
        covariances + RIMS.strip_floor_mm**2 * np.eye(2),
        np.sqrt(covariances.trace(axis1=1, axis2=2) / 2),
        found.excesses / px_per_mm,
        *_common_heights(apparent_heights(picture.cells, moved), found),
    )


def _moved(picture: Picture, rims: Rims) -> tuple[Rims, Measured]:
    every = np.ones(len(rims.radii), dtype=bool)
    circles = Circles(rims.centres, rims.radii, leans(rims, picture.view, picture.top), every)
    found = picture.strips.measure(circles)
    return replace(rims, centres=rims.centres + found.shifts, points=rims.points + found.shifts[:, None]), found


def _common_heights(by_cells: tuple[FloatArray, FloatArray], found: Measured) -> tuple[FloatArray, FloatArray]:
    """The heights (N,) on which cells and strips agree, and their sigmas, in mm; the two err half together."""
    heights, sigmas = np.array([by_cells[0], found.heights_mm]), np.array([by_cells[1], found.height_sigmas_mm])
    precisions = sigmas**-2.0  # 0 where no cell speaks for a rim
    weights = precisions / precisions.sum(axis=0)
    own = np.sqrt(precisions) / precisions.sum(axis=0)  # the weighted sigmas
    together = np.sqrt((own**2).sum(axis=0) + own.prod(axis=0))
    return (weights * heights).sum(axis=0), np.hypot(RIMS.height_floor_mm, together)
