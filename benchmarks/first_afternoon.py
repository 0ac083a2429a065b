"""What one builds in a first afternoon: a homography onto the perfect square, Hough circles, edge strength for order.

It is here to be measured beside Pinpoint in the same run, so that figures mean something.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.markers import sight_markers, to_gray
from vision.types.disc_overlap import overlap_area_mm2
from vision.types.sighting import DiskSighting, Order, TableSighting

PX_PER_MM = 1.0
MARGIN_MM = 30.0


def first_afternoon(bgr: ByteImage, width_mm: float, depth_mm: float, sizes_mm: Sequence[float]) -> TableSighting:
    """Disks of the nearest known sizes, ordered by whose rim is stronger where they overlap."""
    flat = _flattened(bgr, width_mm, depth_mm)
    if flat is None:
        return TableSighting((), ())
    gray = np.asarray(cv2.medianBlur(to_gray(flat), 5), dtype=np.uint8)
    smallest, largest = (round(size / 2 * PX_PER_MM) for size in (min(sizes_mm), max(sizes_mm)))
    found = cv2.HoughCircles(
        gray,
        cv2.HOUGH_GRADIENT,
        dp=1.0,
        minDist=smallest,
        param1=120,
        param2=28,
        minRadius=smallest - 2,
        maxRadius=largest + 2,
    )
    circles: FloatArray = np.zeros((0, 3)) if found is None else np.asarray(found, dtype=np.float64).reshape(-1, 3)
    disks = tuple(_disk(number, circle, sizes_mm) for number, circle in enumerate(circles))
    disks = tuple(disk for disk in disks if 0 < disk.x_mm < width_mm and 0 < disk.y_mm < depth_mm)
    return TableSighting(disks, tuple(_orders(disks, gray)))


def _flattened(bgr: ByteImage, width_mm: float, depth_mm: float) -> ByteImage | None:
    seen = {marker.marker_id: marker.corners_px for marker in sight_markers(to_gray(bgr))}
    if not {0, 1, 2, 3} <= set(seen):
        return None
    centres = np.array([seen[number].mean(axis=0) for number in range(4)], dtype=np.float32)
    out = 30.0  # the middle of a token's card lies so far outside the field's corner
    nominal = [(-out, -out), (width_mm + out, -out), (width_mm + out, depth_mm + out), (-out, depth_mm + out)]
    target = (np.array(nominal, dtype=np.float32) + MARGIN_MM) * PX_PER_MM
    size = (round((width_mm + 2 * MARGIN_MM) * PX_PER_MM), round((depth_mm + 2 * MARGIN_MM) * PX_PER_MM))
    warped = cv2.warpPerspective(bgr, cv2.getPerspectiveTransform(centres, target), size)
    return np.asarray(warped, dtype=np.uint8)


def _disk(number: int, circle: FloatArray, sizes_mm: Sequence[float]) -> DiskSighting:
    x, y, radius = circle / PX_PER_MM
    diameter = min(sizes_mm, key=lambda size: abs(size - 2 * radius))
    return DiskSighting(f"h{number:02}", float(x - MARGIN_MM), float(y - MARGIN_MM), np.eye(2), diameter, 2.0)


def _orders(disks: Sequence[DiskSighting], gray: ByteImage) -> list[Order]:
    strength = cv2.magnitude(cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1))
    orders = []
    for i, first in enumerate(disks):
        for second in disks[:i]:
            if overlap_area_mm2(first, second) > 3:
                mine, theirs = _rim_inside(first, second, strength), _rim_inside(second, first, strength)
                top, bottom = (first, second) if mine > theirs else (second, first)
                orders.append(Order(top.id, bottom.id, 0.6))
    return orders


def _rim_inside(disk: DiskSighting, other: DiskSighting, strength: cv2.typing.MatLike) -> float:
    angles = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    x = disk.x_mm + disk.diameter_mm / 2 * np.cos(angles)
    y = disk.y_mm + disk.diameter_mm / 2 * np.sin(angles)
    inside = np.hypot(x - other.x_mm, y - other.y_mm) < other.diameter_mm / 2
    columns = np.clip(((x + MARGIN_MM) * PX_PER_MM).astype(int), 0, strength.shape[1] - 1)
    rows = np.clip(((y + MARGIN_MM) * PX_PER_MM).astype(int), 0, strength.shape[0] - 1)
    return float(np.asarray(strength)[rows, columns][inside].mean()) if inside.any() else 0.0
