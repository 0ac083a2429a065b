"""The table as seen from straight above, at a chosen height, through the lens model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.types.arrays import FloatImage

# The lens bends smoothly: between nodes so many pixels apart the map is linear to a hundredth of a pixel.
NODE_STEP = 16


@dataclass(frozen=True, slots=True, eq=False)
class TopView:
    """A picture whose pixel (row, column) shows the board point `to_board(column, row)` at `height_mm`."""

    bgr: ByteImage
    px_per_mm: float
    west_mm: float
    north_mm: float
    height_mm: float

    def to_board(self, points_px: FloatArray) -> FloatArray:
        """Board millimetres (N, 2) of top view pixels (N, 2)."""
        origin = np.array([self.west_mm, self.north_mm])
        return np.asarray(np.asarray(points_px) / self.px_per_mm + origin, dtype=np.float64)

    def to_pixels(self, points_mm: FloatArray) -> FloatArray:
        """Top view pixels (N, 2) of board millimetres (N, 2)."""
        origin = np.array([self.west_mm, self.north_mm])
        return np.asarray((np.asarray(points_mm) - origin) * self.px_per_mm, dtype=np.float64)


def top_view(
    bgr: ByteImage,
    view: TableView,
    px_per_mm: float,
    height_mm: float,
    margin_mm: float,
) -> TopView:
    """The whole battlefield and a margin round it, laid out as if every visible point were at `height_mm`."""
    box = (-margin_mm, -margin_mm, view.width_mm + margin_mm, view.depth_mm + margin_mm)
    return top_view_of(bgr, view, px_per_mm, height_mm, box)


def top_view_of(
    bgr: ByteImage,
    view: TableView,
    px_per_mm: float,
    height_mm: float,
    box_mm: tuple[float, float, float, float],
) -> TopView:
    """The part of the board between (west, north, east, south), laid out as if every point were at `height_mm`."""
    west, north, east, south = box_mm
    columns = math.ceil((east - west) * px_per_mm) + 1
    rows = math.ceil((south - north) * px_per_mm) + 1
    map_x, map_y = _pixel_maps(view, px_per_mm, height_mm, west, north, columns, rows)
    warped = cv2.remap(bgr, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return TopView(np.asarray(warped, dtype=np.uint8), px_per_mm, west, north, height_mm)


def _pixel_maps(
    view: TableView,
    px_per_mm: float,
    height_mm: float,
    west: float,
    north: float,
    columns: int,
    rows: int,
) -> tuple[FloatImage, FloatImage]:
    """Where in the picture (x and y) each top view pixel lies: exact at coarse nodes, linear between them."""
    # Enlarging puts each node in the middle of a square of NODE_STEP pixels; one more node around holds the borders.
    wide, high = math.ceil(columns / NODE_STEP) + 2, math.ceil(rows / NODE_STEP) + 2
    node_columns, node_rows = ((np.arange(count) - 0.5) * NODE_STEP - 0.5 for count in (wide, high))
    grid_x, grid_y = np.meshgrid(west + node_columns / px_per_mm, north + node_rows / px_per_mm)
    nodes = view.board_to_image(np.column_stack([grid_x.ravel(), grid_y.ravel()]), height_mm)
    planes = nodes.astype(np.float32).T.reshape(2, high, wide)
    size = (wide * NODE_STEP, high * NODE_STEP)
    inner = (slice(NODE_STEP, NODE_STEP + rows), slice(NODE_STEP, NODE_STEP + columns))
    map_x, map_y = (
        np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_LINEAR), dtype=np.float32) for plane in planes
    )
    return map_x[inner], map_y[inner]
