"""Pictures of a board become a Lens, with its uncertainty and what the pictures leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray, frozen
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.lens_views import BoardView, Rejected

CELLS = 4  # the picture's width and height are divided by this to say where views are lacking
_CELL_NAMES = (("far left", "left", "right", "far right"), ("top", "upper middle", "lower middle", "bottom"))
_LEAST_VIEWS = 4
_K3_VIEWS = 8  # with fewer views the sixth-order term only follows the noise
_OUTLIER = 3.0  # of the median view's error
_WORST_FOCAL_SIGMA = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class LensSolve:
    """A solved lens: what it is, how sure, how each view fits, and where in the picture views are lacking."""

    lens: Lens
    sigma: FloatArray  # of fx fy cx cy k1 k2 p1 p2 k3
    rms_px: float
    view_errors_px: tuple[tuple[str, float], ...]
    rejected: tuple[Rejected, ...]
    coverage: NDArray[np.int64]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", frozen(self.sigma, (9,)))

    @property
    def lacking(self) -> tuple[str, ...]:
        """The parts of the picture where no view has shown the board."""
        return lacking_parts(self.coverage)


def coverage_of(views: Sequence[BoardView], picture_size: tuple[int, int]) -> NDArray[np.int64]:
    """(CELLS, CELLS): how many board corners were seen in each part of the picture, rows from the top."""
    counts = np.zeros((CELLS, CELLS), dtype=np.int64)
    for view in views:
        cells = np.clip((view.pixels / picture_size * CELLS).astype(int), 0, CELLS - 1)
        np.add.at(counts, (cells[:, 1], cells[:, 0]), 1)
    return counts


def lacking_parts(coverage: NDArray[np.int64]) -> tuple[str, ...]:
    """Names of the parts without a corner."""
    return tuple(f"{_CELL_NAMES[1][row]} {_CELL_NAMES[0][column]}" for row, column in np.argwhere(coverage == 0))


def solve_lens(
    views: Sequence[BoardView], picture_size: tuple[int, int], rejected: Sequence[Rejected] = ()
) -> LensSolve | Failure:
    """The lens that explains these views best; views that fit far worse than the others are left out and named."""
    left_out = list(rejected)
    kept = list(views)
    while True:
        if len(kept) < _LEAST_VIEWS:
            reasons = "; ".join(f"{r.name}: {r.reason}" for r in left_out[:3])
            return Failure(
                f"{len(kept)} usable views of the board, at least {_LEAST_VIEWS} are needed"
                + (f" ({reasons})" * bool(reasons)),
                "take ten or more sharp pictures, the board tilted differently and in all parts of the picture",
            )
        solved = _calibrate(kept, picture_size)
        errors = np.array([error for _, error in solved.view_errors_px])
        worst = int(errors.argmax())
        if errors[worst] <= max(_OUTLIER * float(np.median(errors)), 0.3):
            break
        reason = (
            f"fits {errors[worst]:.2f} px badly where the others fit {np.median(errors):.2f} px: bent, moved or misread"
        )
        left_out.append(Rejected(kept.pop(worst).name, reason))
    focal_sigma = float(solved.sigma[0] / solved.lens.matrix[0, 0])
    if not focal_sigma < _WORST_FOCAL_SIGMA:
        return Failure(
            f"the focal length stays unsure by {focal_sigma:.0%}: the views are too much alike",
            "tilt the board by about 30 degrees, to different sides",
        )
    return LensSolve(
        solved.lens,
        solved.sigma,
        solved.rms_px,
        solved.view_errors_px,
        tuple(left_out),
        coverage_of(kept, picture_size),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    lens: Lens
    sigma: FloatArray
    rms_px: float
    view_errors_px: tuple[tuple[str, float], ...]


def _calibrate(views: Sequence[BoardView], picture_size: tuple[int, int]) -> _Solved:
    objects = [np.column_stack([view.board_mm, np.zeros(len(view.board_mm))]).astype(np.float32) for view in views]
    pixels = [view.pixels.astype(np.float32).reshape(-1, 1, 2) for view in views]
    flags = 0 if len(views) >= _K3_VIEWS else cv2.CALIB_FIX_K3
    result = cv2.calibrateCameraExtended(objects, pixels, picture_size, np.eye(3), np.zeros(5), flags=flags)
    rms, matrix, distortion, _, _, sigma, _, errors = result
    bent = np.asarray(distortion, dtype=np.float64).reshape(-1)[:5]
    lens = Lens(*picture_size, np.asarray(matrix, dtype=np.float64), bent)
    named = zip(views, np.asarray(errors).reshape(-1), strict=True)
    sure = np.asarray(sigma, dtype=np.float64).reshape(-1)[:9]
    return _Solved(lens, sure, float(rms), tuple((view.name, float(error)) for view, error in named))


def reprojection_px(lens: Lens, view: BoardView) -> float:
    """Root mean square distance of a view's corners from where this lens puts them, the pose fitted to the view."""
    objects = np.column_stack([view.board_mm, np.zeros(len(view.board_mm))])
    pixels = np.asarray(view.pixels)
    _, turn, shift = cv2.solvePnP(objects, pixels, lens.matrix, lens.distortion)
    shown, _ = cv2.projectPoints(objects, turn, shift, lens.matrix, lens.distortion)
    off = np.asarray(shown, dtype=np.float64).reshape(-1, 2) - pixels
    return float(np.sqrt(np.mean(np.sum(off**2, axis=1))))
