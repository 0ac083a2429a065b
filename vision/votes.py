"""Where circles of a known radius may be centred: edge points vote along their normals, counted by direction.

A circle is not a place where many edges point to, but one where edges from many directions do; so every sector of the
rim has its own count, each can fill up only once, and what is compared is the share of filled sectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from vision.arrays import FloatImage
from vision.edges import EdgeField

SECTORS = 16
CELL_PX = 2.5
LEAST_STRENGTH = 2.0  # of an edge that votes, in units of the table's texture
MOST_PEAKS = 350  # of one radius
FILL = 0.45  # share of a sector's arc length that must vote for the sector to count as filled


@dataclass(frozen=True, slots=True, eq=False)
class EdgePoints:
    """Thinned edge points of a top view: pixel, unit normal (either way), weight."""

    x: FloatImage
    y: FloatImage
    normal_x: FloatImage
    normal_y: FloatImage
    weight: FloatImage


def edge_points(field: EdgeField) -> EdgePoints:
    """The ridge points of the edge strength that stand out of the table's texture."""
    xx, yy, xy = field.tensor[..., 0], field.tensor[..., 1], field.tensor[..., 2]
    difference = xx - yy
    strength = np.sqrt((xx + yy + cv2.magnitude(difference, 2 * xy)) * 0.5)
    rows, columns = np.nonzero(strength[1:-1, 1:-1] > LEAST_STRENGTH)
    rows, columns = rows + 1, columns + 1
    angle = 0.5 * np.arctan2(2 * xy[rows, columns], difference[rows, columns])
    normal_x, normal_y = np.cos(angle), np.sin(angle)
    step_x, step_y = (
        np.rint(normal_x).astype(np.intp),
        np.rint(normal_y).astype(np.intp),
    )
    here = strength[rows, columns]
    ridge = (here >= strength[rows + step_y, columns + step_x]) & (here >= strength[rows - step_y, columns - step_x])
    weight = np.minimum(1.0, here[ridge] / (3 * LEAST_STRENGTH)) + 0.3
    return EdgePoints(
        columns[ridge].astype(np.float32),
        rows[ridge].astype(np.float32),
        normal_x[ridge],
        normal_y[ridge],
        weight.astype(np.float32),
    )


def filled_sectors(field: EdgeField, points: EdgePoints, radius_mm: float) -> FloatImage:
    """For every cell of CELL_PX, the share of the rim of a circle of this radius centred there that has edges."""
    scale = field.top.px_per_mm
    rows, columns = field.signal.shape[:2]
    cell = CELL_PX
    cell_rows, cell_columns = int(rows / cell) + 1, int(columns / cell) + 1
    radius = radius_mm * scale
    direction = np.arctan2(points.normal_y, points.normal_x) * np.float32(SECTORS / (2 * np.pi))
    signs = np.array([[1], [-1]], dtype=np.float32)
    column = np.rint((points.x - signs * radius * points.normal_x) / cell).astype(np.int32)
    row = np.rint((points.y - signs * radius * points.normal_y) / cell).astype(np.int32)
    sector = np.floor(direction + (1 - signs) * (SECTORS / 4)).astype(np.int32) % SECTORS
    inside = (column >= 0) & (column < cell_columns) & (row >= 0) & (row < cell_rows)
    index = (sector * cell_rows + row) * cell_columns + column
    weight = np.broadcast_to(points.weight, index.shape)
    counts = np.bincount(index[inside], weight[inside], minlength=SECTORS * cell_rows * cell_columns)
    sectors = counts.astype(np.float32).reshape(SECTORS, cell_rows, cell_columns)
    full = FILL * 2 * np.pi * radius / SECTORS
    share = np.zeros((cell_rows, cell_columns), dtype=np.float32)
    for votes in sectors:
        # A Gaussian of one cell has its peak at 1/6.3 of the sum; 9 of 16 neighbours' worth is what a true rim leaves.
        share += np.minimum(cv2.GaussianBlur(votes, (5, 5), 1.0) * (9 / full), 1.0)
    return np.asarray(share / SECTORS, dtype=np.float32)


def peaks(share: FloatImage, least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the local maxima of a map that reach `least`."""
    highest = cv2.dilate(share, np.ones((3, 3), dtype=np.uint8))
    rows, columns = np.nonzero((share >= highest) & (share >= least))
    return rows, columns


def vote_centres(
    field: EdgeField, points: EdgePoints, radius_mm: float, least: float, most: int = MOST_PEAKS
) -> FloatArray:
    """Top view pixels (N, 2) of the places where a circle of this radius may be centred, at most so many."""
    share = filled_sectors(field, points, radius_mm)
    rows, columns = peaks(share, least)
    if len(rows) > most:
        best = np.argsort(share[rows, columns])[-most:]
        rows, columns = rows[best], columns[best]
    return np.asarray(np.column_stack([columns, rows]) * CELL_PX, dtype=np.float64)
