"""Bases of a known size inside an area that a person drew round them: the places that most look like their outlines."""

from __future__ import annotations

import math

import numpy as np
from shapely import Polygon
from shapely.geometry import Point

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.figures.evidence import look_along
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Pose, Round

STEP_MM = 2 * FIGURES.mark_mm  # between the places that are tried: none is farther off than a person marks


def bases_within(bgr: ByteImage, view: TableView, outline_mm: FloatArray, size_mm: float, count: int) -> list[Pose]:
    """At most `count` middles of bases, the likeliest first, no two in each other."""
    tried = _tries(outline_mm)
    if not tried:
        return []
    marks = [Mark(str(k), Round(size_mm), Pose(*place)) for k, place in enumerate(tried)]
    evidence = look_along(bgr, view, marks, {mark.id: mark.pose for mark in marks})
    reach = math.ceil(STEP_MM / math.sqrt(2))  # to the next places on the diagonal
    line = np.arange(-reach, reach + 0.1, 1.0)
    dx, dy = (grid.ravel() for grid in np.meshgrid(line, line))
    shifts = np.stack([dx, dy, 0 * dx], axis=1)
    found: list[tuple[float, float, float]] = []
    for mark in marks:
        support = evidence[mark.id].support(shifts, np.array([FIGURES.height_mm]))[:, 0] / len(evidence[mark.id].joined)
        best = int(np.argmax(support))
        found.append((float(support[best]), mark.pose.x_mm + float(dx[best]), mark.pose.y_mm + float(dy[best])))
    chosen: list[Pose] = []
    area = Polygon(outline_mm)
    for value, x, y in sorted(found, reverse=True):
        if value <= 0 or len(chosen) == count:
            break
        free = all(np.hypot(x - pose.x_mm, y - pose.y_mm) > size_mm - 2 * FIGURES.touching_mm for pose in chosen)
        if free and area.contains(Point(x, y)):
            chosen.append(Pose(x, y))
    return chosen


def _tries(outline_mm: FloatArray) -> list[tuple[float, float]]:
    """Places all over an area."""
    area = Polygon(outline_mm)
    low, high = np.min(outline_mm, axis=0), np.max(outline_mm, axis=0)
    return [
        (float(x), float(y))
        for x in np.arange(low[0], high[0] + STEP_MM, STEP_MM)
        for y in np.arange(low[1], high[1] + STEP_MM, STEP_MM)
        if area.distance(Point(x, y)) < STEP_MM / 2
    ]
