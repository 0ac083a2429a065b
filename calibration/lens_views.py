"""A calibration board in one picture: its corners, or why the picture is of no use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.kit import BOARD_SQUARE_MM, camera_board
from calibration.markers import to_gray

CHESSBOARDS = ((9, 6), (8, 6), (7, 6), (8, 5), (7, 5), (10, 7), (11, 8))  # inner corners, tried in this order
_LEAST_CORNERS = 8
_SOFTEST_EDGE_PX = 6.0  # from black to white; sharper ones are 1.5 to 3
_SAME_VIEW = 0.012  # of the picture's width: mean corner movement below which two views teach the same


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """One usable picture of the board: corners by number, where they are on the board (mm) and in the picture."""

    name: str
    numbers: NDArray[np.int64]
    board_mm: FloatArray
    pixels: FloatArray
    edge_px: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "board_mm", frozen(self.board_mm))
        object.__setattr__(self, "pixels", frozen(self.pixels))


@dataclass(frozen=True, slots=True)
class Rejected:
    """One picture that was not used, and why."""

    name: str
    reason: str


def find_view(
    name: str, picture: ByteImage, before: Sequence[BoardView] = (), chessboard: tuple[int, int] | None = None
) -> BoardView | Rejected:
    """The board in this picture: the kit's own, or a chessboard of the given (or a common) number of inner corners."""
    gray = to_gray(picture)
    found = None if chessboard is not None else _find_kit_board(name, gray)
    if found is None:
        known = {_chessboard_of(view) for view in before if _chessboard_of(view) is not None}
        sizes = [chessboard] if chessboard is not None else [s for s in CHESSBOARDS if not known or s in known]
        found = next((view for size in sizes if (view := _find_chessboard(name, gray, size)) is not None), None)
    if found is None:
        return Rejected(name, "no camera board or chessboard found: show all of it, flat and evenly lit")
    if len(found.pixels) < _LEAST_CORNERS:
        return Rejected(
            name, f"only {len(found.pixels)} corners of the board are seen, at least {_LEAST_CORNERS} needed"
        )
    if found.edge_px > _SOFTEST_EDGE_PX:
        return Rejected(name, f"blurred: edges are {found.edge_px:.1f} px wide; hold the board still and in focus")
    for other in before:
        if _movement(found, other) < _SAME_VIEW * gray.shape[1]:
            return Rejected(name, f"the same view as {other.name}: move or tilt the board")
    return found


def _chessboard_of(view: BoardView) -> tuple[int, int] | None:
    across = int(np.sum(view.board_mm[:, 1] == view.board_mm[0, 1]))
    size = (across, len(view.board_mm) // max(across, 1))
    return size if size in CHESSBOARDS and size[0] * size[1] == len(view.board_mm) else None


@cache
def _board_detector() -> cv2.aruco.CharucoDetector:
    return cv2.aruco.CharucoDetector(camera_board())


def _find_kit_board(name: str, gray: ByteImage) -> BoardView | None:
    corners, numbers, _, _ = _board_detector().detectBoard(gray)
    if corners is None or numbers is None or len(corners) < 4:
        return None
    ids = np.asarray(numbers, dtype=np.int64).reshape(-1)
    board = np.asarray(camera_board().getChessboardCorners(), dtype=np.float64)[ids, :2]
    pixels = _refine(gray, np.asarray(corners, dtype=np.float64).reshape(-1, 2))
    return BoardView(name, ids, board, pixels, edge_width_px(gray, pixels))


def _find_chessboard(name: str, gray: ByteImage, size: tuple[int, int]) -> BoardView | None:
    flags = cv2.CALIB_CB_ADAPTIVE_THRESH | cv2.CALIB_CB_NORMALIZE_IMAGE | cv2.CALIB_CB_FAST_CHECK
    done, corners = cv2.findChessboardCorners(gray, size, flags=flags)
    if not done:
        return None
    columns, rows = size
    numbers = np.arange(columns * rows, dtype=np.int64)
    board = np.column_stack([numbers % columns, numbers // columns]).astype(np.float64) * BOARD_SQUARE_MM
    pixels = _refine(gray, np.asarray(corners, dtype=np.float64).reshape(-1, 2))
    return BoardView(name, numbers, board, pixels, edge_width_px(gray, pixels))


def _refine(gray: ByteImage, pixels: FloatArray) -> FloatArray:
    """Sub-pixel saddle points, looked for in a window that no neighbouring corner reaches into."""
    apart = np.linalg.norm(pixels[:, None] - pixels[None], axis=2) + np.diag(np.full(len(pixels), np.inf))
    half = int(np.clip(np.median(apart.min(axis=1)) / 4, 2, 11))
    criteria = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 60, 1e-4)
    start = pixels.astype(np.float32).reshape(-1, 1, 2)
    return np.asarray(cv2.cornerSubPix(gray, start, (half, half), (-1, -1), criteria), dtype=np.float64).reshape(-1, 2)


def edge_width_px(gray: ByteImage, pixels: FloatArray) -> float:
    """How many pixels the board's edges take from black to white, at the typical corner."""
    widths = []
    for x, y in pixels.round().astype(int):
        part = gray[max(y - 6, 0) : y + 7, max(x - 6, 0) : x + 7].astype(np.float32)
        if min(part.shape) < 8:
            continue
        contrast = float(np.percentile(part, 95) - np.percentile(part, 5))
        slope = np.hypot(np.gradient(part, axis=0), np.gradient(part, axis=1))
        widths.append(contrast / max(float(np.percentile(slope, 98)), 1e-3))
    return float(np.median(widths)) if widths else np.inf


def _movement(first: BoardView, second: BoardView) -> float:
    """Mean distance in pixels between the corners both views have."""
    shared, here, there = np.intersect1d(first.numbers, second.numbers, return_indices=True)
    if len(shared) < 4 or not np.allclose(first.board_mm[here], second.board_mm[there]):
        return np.inf
    return float(np.linalg.norm(first.pixels[here] - second.pixels[there], axis=1).mean())
