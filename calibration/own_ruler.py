"""A player's own range ruler lying on a measured table: how long it is and where its segments end."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.failure import Failure
from calibration.markers import find_markers
from calibration.view import TableView

_PX_PER_MM = 2.0
_STRIP_HEIGHT_MM = 1.0
_SHORTEST_MM, _LONGEST_MM = 120.0, 700.0
_LEAST_SLENDER = 4.0
_LEAST_FILL = 0.85
_UNLIKE_CLOTH = 24.0  # grey levels, in colour
_LEAST_STEP = 14.0  # grey levels, in colour, at a segment's end
_LEAST_SEGMENT_MM = 12.0


@dataclass(frozen=True, slots=True)
class StripMeasure:
    """A measured ruler: its length, and how far from its end each segment's end lies, the nearest first."""

    length_mm: float
    width_mm: float
    marks_mm: tuple[float, ...]
    sigma_mm: float


def measure_strips(bgr: ByteImage, view: TableView) -> tuple[StripMeasure, ...] | Failure:
    """Every ruler-like strip on the table, longest first; a strip with kit markers on it is not one of them."""
    top = _top_view(bgr, view)
    kit = [corners.mean(axis=0) for corners in find_markers(top).values()]
    boxes = [box for box in _boxes(top) if not any(_inside(centre, box) for centre in kit)]
    strips = [strip for box in boxes if (strip := _measure(top, box, view)) is not None]
    if not strips:
        return Failure(
            "no ruler of your own is seen on the table",
            "lay it flat, away from disks and cards, on a cloth of another colour",
        )
    return tuple(sorted(strips, key=lambda strip: -strip.length_mm))


def _top_view(bgr: ByteImage, view: TableView) -> ByteImage:
    """The field from straight above, two pixels to a millimetre."""
    columns = (np.arange(round(view.width_mm * _PX_PER_MM)) + 0.5) / _PX_PER_MM
    rows = (np.arange(round(view.depth_mm * _PX_PER_MM)) + 0.5) / _PX_PER_MM
    x, y = np.meshgrid(columns, rows)
    pixels = view.board_to_image(np.column_stack([x.ravel(), y.ravel()]), _STRIP_HEIGHT_MM).astype(np.float32)
    maps = pixels.reshape(*x.shape, 2)
    return np.asarray(cv2.remap(bgr, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR), dtype=np.uint8)


def _boxes(top: ByteImage) -> list[FloatArray]:
    """Slender rectangles unlike the cloth: centre x y, length, width (pixels), and the long side's angle (radians)."""
    smooth = cv2.GaussianBlur(top, (0, 0), 1.5).astype(np.float32)
    small = cv2.resize(top, None, fx=0.05, fy=0.05, interpolation=cv2.INTER_AREA)
    cloth = cv2.resize(cv2.medianBlur(small, 15), (top.shape[1], top.shape[0])).astype(np.float32)
    mask = (np.abs(smooth - cloth).max(axis=2) > _UNLIKE_CLOTH).astype(np.uint8)
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8)), dtype=np.uint8)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    boxes = []
    for outline in outlines:
        (x, y), (first, second), degrees = cv2.minAreaRect(outline)
        length, width = max(first, second), min(first, second)
        if not _SHORTEST_MM * _PX_PER_MM < length < _LONGEST_MM * _PX_PER_MM or width * _LEAST_SLENDER > length:
            continue
        if float(cv2.contourArea(outline)) > _LEAST_FILL * length * width:
            angle = np.radians(degrees if first >= second else degrees + 90)
            boxes.append(np.array([x, y, length, width, float(angle)]))
    return boxes


def _measure(top: ByteImage, box: FloatArray, view: TableView) -> StripMeasure | None:
    """The strip in a box, cut out lengthwise: ends by contrast with the cloth, marks by changes right across."""
    x, y, length, width, angle = (float(v) for v in box)
    margin = 12
    cut = _cut(top, (x, y), angle, round(length) + 2 * margin, round(width * 0.7))
    profile = np.asarray(cut.mean(axis=0), dtype=np.float64)
    ends = _ends(profile, margin)
    if ends is None:
        return None
    start, stop = ends
    size = (stop - start) / _PX_PER_MM
    middle = np.array([[x + 0.5, y + 0.5]]) / _PX_PER_MM
    scale = view.calibration.scale_sigma
    px_mm = 1 / max(float(view.px_per_mm(middle)[0]), 1e-3)
    marks = [(mark - start) / _PX_PER_MM for mark in _marks(cut, start, stop)]
    sigma = float(np.hypot(0.3 * px_mm, scale * size))
    return StripMeasure(size, width / _PX_PER_MM, tuple(_from_nearer_end(marks, size)), sigma)


def _from_nearer_end(marks: list[float], size: float) -> list[float]:
    """Marks counted from the end whose first segment is the shortest, as rulers are read."""
    if marks and min(marks) > size - max(marks):
        marks = [size - mark for mark in marks]
    return sorted(marks)


def _cut(top: ByteImage, centre: tuple[float, float], angle: float, length: int, width: int) -> NDArray[np.float32]:
    """The strip turned to lie along x: (width, length, 3)."""
    cos, sin = np.cos(angle), np.sin(angle)
    u = np.arange(length) - (length - 1) / 2
    v = np.arange(width) - (width - 1) / 2
    x = centre[0] + u[None] * cos - v[:, None] * sin
    y = centre[1] + u[None] * sin + v[:, None] * cos
    return np.asarray(cv2.remap(top, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR), dtype=np.float32)


def _ends(profile: FloatArray, margin: int) -> tuple[float, float] | None:
    """Where the strip begins and ends along its cut: the strongest change near either end, between pixels."""
    change = np.abs(np.diff(profile, axis=0)).max(axis=1)
    head, tail = change[: 2 * margin], change[-2 * margin :]
    if head.max() < 4 or tail.max() < 4:
        return None
    return _peak(head) + 0.5, len(change) - len(tail) + _peak(tail) + 0.5


def _peak(values: FloatArray) -> float:
    """The place of the greatest value, between samples."""
    best = int(values.argmax())
    around = values[max(best - 2, 0) : best + 3]
    return max(best - 2, 0) + float((around * np.arange(len(around))).sum() / around.sum())


def _marks(cut: NDArray[np.float32], start: float, stop: float) -> list[float]:
    """Places where the strip changes over its whole width: a line across it, or another colour beyond."""
    change = np.abs(np.diff(cut, axis=1)).max(axis=2)
    across = np.sort(change, axis=0)[len(change) // 5]  # what at least four fifths of the width show
    apart = _LEAST_SEGMENT_MM * _PX_PER_MM
    marks: list[float] = []
    for place in np.argsort(-across):
        if across[place] < _LEAST_STEP:
            break
        inside = start + apart < place < stop - apart
        if inside and all(abs(place - mark) > apart / 2 for mark in marks):
            low = max(int(place) - 3, 0)
            around = np.asarray(across[low : int(place) + 4], dtype=np.float64)
            marks.append(low + float((around * np.arange(len(around))).sum() / around.sum()) + 0.5)
    return sorted(marks)


def _inside(point: FloatArray, box: FloatArray) -> bool:
    x, y, length, width, angle = (float(v) for v in box)
    along = (point - [x, y]) @ np.array([np.cos(angle), np.sin(angle)])
    beside = (point - [x, y]) @ np.array([-np.sin(angle), np.cos(angle)])
    return bool(abs(along) < length / 2 and abs(beside) < width / 2)
