"""From the table to a picture and back: through the camera, straight from above, or onto a projector's four corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from assistant.scene.values import Point, Table
from calibration.arrays import FloatArray
from calibration.view import TableView

_AROUND_MM = 64.0  # the corner tokens lie around the field


class Projection(Protocol):
    """Maps millimetres on the table at a height to pixels of a picture, and pixels back."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the picture."""

    def to_picture(self, points_mm: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Pixels (N, 2) of board points (N, 2)."""

    def to_board(self, points_px: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Board points (N, 2) under pixels (N, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class PhotoProjection:
    """The camera's own perspective."""

    view: TableView

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the camera's picture."""
        return (self.view.lens.width, self.view.lens.height)

    def to_picture(self, points_mm: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Through the lens."""
        return self.view.board_to_image(points_mm, height_mm)

    def to_board(self, points_px: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Where the sight line meets the plane at that height."""
        return self.view.image_to_board(points_px, height_mm)


@dataclass(frozen=True, slots=True)
class TopProjection:
    """Straight from above: the board scaled, with a margin around it."""

    width_mm: float
    depth_mm: float
    px_per_mm: float = 1.2
    margin_mm: float = 40.0

    @staticmethod
    def of(table: Table) -> TopProjection:
        """A picture of the whole table, about a thousand pixels high."""
        return TopProjection(table.width_mm, table.depth_mm, 1080 / (table.depth_mm + 80.0))

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of the drawn board with its margin."""
        return (
            round((self.width_mm + 2 * self.margin_mm) * self.px_per_mm),
            round((self.depth_mm + 2 * self.margin_mm) * self.px_per_mm),
        )

    def to_picture(self, points_mm: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Seen from infinitely high, so heights change nothing."""
        del height_mm
        return (np.asarray(points_mm, dtype=np.float64).reshape(-1, 2) + self.margin_mm) * self.px_per_mm

    def to_board(self, points_px: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """The point straight under the pixel."""
        del height_mm
        return np.asarray(points_px, dtype=np.float64).reshape(-1, 2) / self.px_per_mm - self.margin_mm


@dataclass(frozen=True, slots=True, eq=False)
class KeystoneProjection:
    """Onto a projector: the battlefield's NW, NE, SE, SW corners fall on four given pixels."""

    size_px: tuple[int, int]
    board_to_screen: FloatArray  # 3 x 3

    def to_picture(self, points_mm: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """Projector pixels; what is projected lies on the cloth, so heights change nothing."""
        del height_mm
        return _apply(self.board_to_screen, points_mm)

    def to_board(self, points_px: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """The board point that a projector pixel lights."""
        del height_mm
        return _apply(np.asarray(np.linalg.inv(self.board_to_screen), dtype=np.float64), points_px)


def keystone(
    corners_px: tuple[Point, Point, Point, Point], width_mm: float, depth_mm: float, size_px: tuple[int, int]
) -> KeystoneProjection:
    """The projection that lays the battlefield's corners (NW, NE, SE, SW) onto four pixels of a screen."""
    board = ((0.0, 0.0), (width_mm, 0.0), (width_mm, depth_mm), (0.0, depth_mm))
    return KeystoneProjection(size_px, homography(board, corners_px))


def table_area(projection: Projection, width_mm: float, depth_mm: float) -> tuple[float, float, float, float]:
    """Where the table with its corner tokens is in the picture, to the next ten pixels: what is shown must not tremble.

    Left, top, right, bottom.
    """
    x0, y0, x1, y1 = -_AROUND_MM, -_AROUND_MM, width_mm + _AROUND_MM, depth_mm + _AROUND_MM
    corners = projection.to_picture(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
    (left, top), (right, bottom) = (corners.min(axis=0) / 10).round() * 10, (corners.max(axis=0) / 10).round() * 10
    return (float(left), float(top), float(right), float(bottom))


def homography(source: tuple[Point, ...], target: tuple[Point, ...]) -> FloatArray:
    """The 3 x 3 matrix that maps four (or more) points onto others, exactly for four; the source is scaled first."""
    points = np.asarray(source, dtype=np.float64)
    scale = float(np.abs(points).max()) or 1.0
    rows = []
    for (x, y), (u, v) in zip(points / scale, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y, -v])
    _, _, vectors = np.linalg.svd(np.asarray(rows, dtype=np.float64))
    matrix = vectors[-1].reshape(3, 3) @ np.diag([1 / scale, 1 / scale, 1.0])
    return np.asarray(matrix / matrix[2, 2], dtype=np.float64)


def _apply(matrix: FloatArray, points: FloatArray) -> FloatArray:
    flat = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    mapped = np.column_stack([flat, np.ones(len(flat))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:], dtype=np.float64)
