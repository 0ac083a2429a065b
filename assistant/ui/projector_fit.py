"""Finding where a projector shines: it shows four markers, the camera sees them on the table. Plain functions."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from assistant.scene.values import Point
from assistant.ui.overlays.projection import KeystoneProjection, homography
from calibration.arrays import ByteImage
from calibration.failure import Failure
from calibration.view import TableView

MARKERS = (40, 41, 42, 43)  # not among the printed kit's
_DICTIONARY = cv2.aruco.DICT_4X4_50
_SHARES = ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8))
_SIDE_SHARE = 0.22  # of the screen's shorter side


def marker_places(size_px: tuple[int, int]) -> tuple[tuple[Point, ...], float]:
    """Where the four markers stand on the screen (their middles), and how large they are."""
    width, height = size_px
    return tuple((width * x, height * y) for x, y in _SHARES), min(width, height) * _SIDE_SHARE


@cache
def marker_picture(identity: int, side_px: int) -> ByteImage:
    """A marker with its white border, as gray values."""
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    drawn = cv2.aruco.generateImageMarker(dictionary, identity, side_px)
    return np.asarray(cv2.copyMakeBorder(drawn, *(4 * (side_px // 4,)), cv2.BORDER_CONSTANT, value=255), dtype=np.uint8)


def fit_projector(bgr: ByteImage, view: TableView, size_px: tuple[int, int]) -> KeystoneProjection | Failure:
    """The projection under which the shown markers fall where the camera sees them, or how many it sees."""
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY))
    corners, ids, _ = detector.detectMarkers(bgr)
    seen: dict[int, Point] = {}
    numbers = np.zeros(0, dtype=np.int64) if ids is None else np.asarray(ids, dtype=np.int64).reshape(-1)
    for found, identity in zip(corners, map(int, numbers), strict=True):
        if identity in MARKERS:
            quad = np.asarray(found, dtype=np.float64).reshape(4, 2)
            board = view.image_to_board(quad)
            seen[identity] = _crossing(board.tolist())
    if len(seen) < len(MARKERS):
        return Failure(
            f"{len(seen)} of {len(MARKERS)} projected markers are seen",
            "darken the room, and let all four fall onto the bare table inside the camera's picture",
            tuple(sorted(seen)),
        )
    places, _ = marker_places(size_px)
    return KeystoneProjection(size_px, homography(tuple(seen[identity] for identity in MARKERS), places))


def field_corners(
    projection: KeystoneProjection, width_mm: float, depth_mm: float
) -> tuple[Point, Point, Point, Point]:
    """Where the battlefield's corners are on the screen, as shares of it; beyond 0 to 1 they are not lit."""
    field = np.array([[0.0, 0.0], [width_mm, 0.0], [width_mm, depth_mm], [0.0, depth_mm]])
    pixels = projection.to_picture(field) / np.array(projection.size_px, dtype=np.float64)
    a, b, c, d = ((float(x), float(y)) for x, y in pixels)
    return (a, b, c, d)


def _crossing(quad: list[list[float]]) -> Point:
    """Where the diagonals cross: a square's middle, under any perspective."""
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = quad
    first = (ax * cy - ay * cx, bx * dy - by * dx)
    scale = (ax - cx) * (by - dy) - (ay - cy) * (bx - dx)
    return (
        (first[0] * (bx - dx) - (ax - cx) * first[1]) / scale,
        (first[0] * (by - dy) - (ay - cy) * first[1]) / scale,
    )
