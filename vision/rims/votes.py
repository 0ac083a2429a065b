"""Where circles of a known radius may be centred: edge points vote along their normals, counted by direction.

A circle is not a place where many edges point to, but one where edges from many directions do; so every sector of the
rim has its own count, each can fill up only once, and what is compared is the share of filled sectors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray, FloatImage
from vision.types.workers import share_out

BAND_ROWS = 96  # pictures are worked through in bands of so many rows, which fit the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class EdgePoints:
    """Thinned edge points of a top view, those of one direction together."""

    x: FloatImage
    y: FloatImage
    normal_x: FloatImage  # of a unit normal, to either side
    normal_y: FloatImage
    weight: FloatImage
    sectors: tuple[slice, ...]  # which of them have their normals in the same of RIMS.sectors directions
    filled: dict[float, FloatImage] = field(default_factory=dict)  # what `filled_sectors` counted, by radius in mm


def edge_points(edges: EdgeField) -> EdgePoints:
    """The ridge points of the edge strength that stand out of the table's texture."""
    small = _shrunk(edges)
    starts = range(1, len(small) - 1, BAND_ROWS)
    found = share_out(lambda start: _points_in_band(small, edges.whiten, start), starts)
    x, y, angle, strength = (np.concatenate(parts) for parts in zip(*found, strict=True))
    x, y = (RIMS.shrunk * (at + np.float32(0.5)) - np.float32(0.5) for at in (x, y))
    weight = RIMS.shrunk * (np.minimum(1, strength / np.float32(3 * RIMS.least_strength)) + np.float32(0.3))
    return grouped_points(x, y, angle, weight)


def grouped_points(x: FloatImage, y: FloatImage, angle: FloatImage, weight: FloatImage) -> EdgePoints:
    """Edge points, those of one direction together; `angle` is the normal's, to either side."""
    sector = (np.floor(angle * np.float32(RIMS.sectors / (2 * np.pi))).astype(np.int8) % RIMS.sectors).astype(np.uint8)
    order = np.argsort(sector, kind="stable")
    ends = np.searchsorted(sector[order], np.arange(RIMS.sectors + 1)).tolist()
    angle = angle[order]
    return EdgePoints(
        x[order],
        y[order],
        np.cos(angle),
        np.sin(angle),
        weight[order],
        tuple(slice(*pair) for pair in pairwise(ends) if pair[0] < pair[1]),
    )


def _shrunk(edges: EdgeField) -> ByteImage:
    """The smoothed top view, shrunk."""
    rows, columns = (size // RIMS.shrunk for size in edges.top.bgr.shape[:2])
    whole = edges.top.bgr[: rows * RIMS.shrunk, : columns * RIMS.shrunk]
    small = cv2.resize(whole, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(
        cv2.GaussianBlur(small, (0, 0), RIMS.votes_smooth_mm * edges.top.px_per_mm / RIMS.shrunk), dtype=np.uint8
    )


def _points_in_band(
    small: ByteImage, whiten: FloatImage, start: int
) -> tuple[FloatImage, FloatImage, FloatImage, FloatImage]:
    """x, y, direction of the normal and strength of the ridge points in the rows from `start` on."""
    # Rows of the neighbours above and below come with it, and of theirs, for their gradients.
    first = max(0, start - 2)
    band = cv2.transform(small[first : start + BAND_ROWS + 2].astype(np.float32), whiten)
    xx, yy, xy = (np.zeros(band.shape[:2], dtype=np.float32) for _ in range(3))
    for colour in cv2.split(band):
        gx = cv2.Scharr(colour, cv2.CV_32F, 1, 0, scale=1 / 32)
        gy = cv2.Scharr(colour, cv2.CV_32F, 0, 1, scale=1 / 32)
        cv2.accumulateSquare(gx, xx)
        cv2.accumulateSquare(gy, yy)
        cv2.accumulateProduct(gx, gy, xy)
    difference, twist = xx - yy, xy + xy
    length = np.asarray(cv2.magnitude(difference, twist), dtype=np.float32)
    strength = np.sqrt((xx + yy + length) * np.float32(0.5))
    ridge = np.zeros(strength.shape, dtype=bool)
    ridge[1:-1, 1:-1] = ridges(strength, difference, twist, length)
    wanted = slice(start - first, start - first + BAND_ROWS)
    rows, columns = np.nonzero(ridge[wanted] & (strength[wanted] > RIMS.least_strength))
    rows = rows + wanted.start
    angle = np.float32(0.5) * np.arctan2(twist[rows, columns], difference[rows, columns])
    return columns.astype(np.float32), (rows + first).astype(np.float32), angle, strength[rows, columns]


def ridges(strength: FloatImage, difference: FloatImage, twist: FloatImage, length: FloatImage) -> BoolArray:
    """Whether a place (its frame of one pixel left out) is no weaker than its two neighbours along its normal.

    `difference` and `twist` are `length` times the cosine and sine of twice the normal's angle.
    """
    here = strength[1:-1, 1:-1]

    def stands_out(dx: int, dy: int) -> BoolArray:
        high, wide = strength.shape
        ahead = strength[1 + dy : high - 1 + dy, 1 + dx : wide - 1 + dx]
        behind = strength[1 - dy : high - 1 - dy, 1 - dx : wide - 1 - dx]
        return np.asarray(here >= np.maximum(ahead, behind))

    half = np.float32(0.5) * length[1:-1, 1:-1]
    cosine = difference[1:-1, 1:-1]
    level, upright, falling = cosine > half, cosine < -half, twist[1:-1, 1:-1] > 0
    slanting = (falling & stands_out(1, 1)) | (~falling & stands_out(1, -1))
    straight = (level & stands_out(1, 0)) | (upright & stands_out(0, 1))
    return np.asarray(straight | (~(level | upright) & slanting))


def filled_sectors(edges: EdgeField, points: EdgePoints, radius_mm: float) -> FloatImage:
    """For every cell of RIMS.cell_px, the share of the rim of a circle of this radius centred there that has edges."""
    if radius_mm not in points.filled:
        rows, columns = edges.smooth.shape[:2]
        points.filled[radius_mm] = count_sectors((rows, columns), points, radius_mm * edges.top.px_per_mm)
    return points.filled[radius_mm]


def count_sectors(shape: tuple[int, int], points: EdgePoints, radius: float) -> FloatImage:
    """The same for a radius in pixels of a picture of this shape."""
    rows, columns = shape
    cell_rows, cell_columns = int(rows / RIMS.cell_px) + 1, int(columns / RIMS.cell_px) + 1
    frame = int(radius / RIMS.cell_px) + 2  # centres outside of the picture have cells too, which are cut off
    high, wide = cell_rows + 2 * frame, cell_columns + 2 * frame
    cell, reach, first = np.float32(1 / RIMS.cell_px), np.float32(radius / RIMS.cell_px), np.float32(frame + 0.5)
    # A Gaussian of one cell has its peak at 1/6.3 of the sum; 9 of 16 neighbours' worth is what a true rim leaves.
    weight = points.weight * np.float32(9 / (RIMS.fill * 2 * np.pi * radius / RIMS.sectors))
    votes = np.empty((high, wide), dtype=np.float32)
    inner = votes[frame : frame + cell_rows, frame : frame + cell_columns]
    soft, share = (np.zeros((cell_rows, cell_columns), dtype=np.float32) for _ in range(2))
    for part in points.sectors:
        x, y = points.x[part] * cell + first, points.y[part] * cell + first
        step_x, step_y = points.normal_x[part] * reach, points.normal_y[part] * reach
        for column, row in ((x - step_x, y - step_y), (x + step_x, y + step_y)):
            votes.fill(0)
            index = row.astype(np.intp) * wide + column.astype(np.intp)
            np.add.at(votes.reshape(-1), index, weight[part])
            cv2.GaussianBlur(inner, (5, 5), 1.0, dst=soft)
            share += np.minimum(soft, np.float32(1), out=soft)
    return np.asarray(share / np.float32(RIMS.sectors), dtype=np.float32)


def peaks(share: FloatImage, least: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows and columns of the local maxima of a map that reach `least`."""
    highest = cv2.dilate(share, np.ones((3, 3), dtype=np.uint8))
    rows, columns = np.nonzero((share >= highest) & (share >= least))
    return rows, columns


def vote_centres(
    edges: EdgeField, points: EdgePoints, radius_mm: float, least: float, most: int = RIMS.most_peaks
) -> FloatArray:
    """Top view pixels (N, 2) of the places where a circle of this radius may be centred, at most so many."""
    share = filled_sectors(edges, points, radius_mm)
    rows, columns = peaks(share, least)
    if len(rows) > most:
        best = np.argsort(share[rows, columns])[-most:]
        rows, columns = rows[best], columns[best]
    return np.asarray(np.column_stack([columns, rows]) * RIMS.cell_px, dtype=np.float64)
