"""Which pieces stand where they stood though the camera was knocked: by their appearance in both pictures.

After a knock the table is measured anew, so every place may seem shifted a little, places near each other alike. An
outline fitted anew differs by millimetres where neighbours hide it; the piece's own paint shows the shift far better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.figures.mark import Mark
from vision.figures.options import FIGURES
from vision.figures.outline import Round, axes
from vision.types.arrays import FloatImage
from vision.types.top_view import TopView, top_view_of


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture and how it was taken."""

    bgr: ByteImage
    view: TableView


UNEVEN = 5.0 / 450.0  # mm per mm: a table measured anew seems stretched, turned or sheared by about so much
Shots = Mapping[str, Shot]  # by piece: the picture that last showed it where its mark is


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a piece seems to have moved between two pictures, and how much it looks there as it did."""

    dx_mm: float
    dy_mm: float
    likeness: float


def stayed(shots: Shots, now: Shot, marks: Sequence[Mark]) -> frozenset[str]:
    """The pieces that only seem shifted as the table around them is."""
    shifts = [(mark, shift_of(shots[mark.id], now, mark)) for mark in marks]
    alike = [(mark, shift) for mark, shift in shifts if shift.likeness >= FIGURES.knock_likeness]
    if not alike:
        return frozenset()
    places = np.array([[mark.pose.x_mm, mark.pose.y_mm] for mark, _ in alike])
    off = left_over(places, np.array([[shift.dx_mm, shift.dy_mm] for _, shift in alike]))
    return frozenset(mark.id for (mark, _), much in zip(alike, off, strict=True) if np.hypot(*much) < FIGURES.stayed_mm)


def left_over(places_mm: FloatArray, shifts_mm: FloatArray) -> FloatArray:
    """What is left of shifts (N, 2) at places once the shift that varies evenly over the table is taken off.

    Few pieces show hardly more than a common shift, and some may have been moved: far ones count little.
    """
    design = np.column_stack([np.ones(len(places_mm)), places_mm - places_mm.mean(axis=0)])
    known = np.diag([0.0, 1.0, 1.0]) / UNEVEN**2
    fitted = np.tile(np.median(shifts_mm, axis=0), (len(shifts_mm), 1))
    for _ in range(FIGURES.rounds):
        weights = 1 / (FIGURES.stayed_mm**2 + ((shifts_mm - fitted) ** 2).sum(axis=1))
        weighed = design * weights[:, None]
        fitted = design @ np.linalg.solve(weighed.T @ design + known, weighed.T @ shifts_mm)
    return np.asarray(shifts_mm - fitted)


def shift_of(before: Shot, now: Shot, mark: Mark) -> Shift:
    """The shift within some millimetres after which a piece looks most as it did."""
    middle = np.array([mark.pose.x_mm, mark.pose.y_mm])
    reach = float(np.hypot(*(corners_mm(mark) - middle).T).max()) + FIGURES.around_mm
    was = top_view_of(before.bgr, before.view, 1.0, FIGURES.height_mm, square(middle, reach))
    here = top_view_of(now.bgr, now.view, 1.0, FIGURES.height_mm, square(middle, reach + FIGURES.knock_reach_mm))
    template, scene = (soft(top.bgr) for top in (was, here))
    inside = np.repeat(cover(was, (mark,))[..., None], 3, axis=2)
    likeness = cv2.matchTemplate(scene, template, cv2.TM_CCOEFF_NORMED, mask=inside)
    likeness = np.where(np.isfinite(likeness), likeness, -1.0)
    row, column = (int(at) for at in np.unravel_index(int(np.argmax(likeness)), likeness.shape))
    return Shift(column - FIGURES.knock_reach_mm, row - FIGURES.knock_reach_mm, float(likeness[row, column]))


def soft(bgr: ByteImage) -> FloatImage:
    """A picture without the grain that differs from one to the next."""
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), FIGURES.around_mm), dtype=np.float32)


def corners_mm(mark: Mark) -> FloatArray:
    """A footprint as a polygon on the table (N, 2)."""
    middle = np.array([mark.pose.x_mm, mark.pose.y_mm])
    if isinstance(mark.footprint, Round):
        turns = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
        return np.asarray(middle + np.stack([np.cos(turns), np.sin(turns)], axis=1) * mark.footprint.diameter_mm / 2)
    right, forward = axes(mark.pose.facing_deg)
    u, v = right * mark.footprint.width_mm / 2, forward * mark.footprint.depth_mm / 2
    return np.asarray(middle + np.array([v - u, v + u, u - v, -u - v]))


def square(middle: FloatArray, reach: float) -> tuple[float, float, float, float]:
    """A box about a place: west, north, east, south."""
    return (float(middle[0] - reach), float(middle[1] - reach), float(middle[0] + reach), float(middle[1] + reach))


def cover(own: TopView, body: Sequence[Mark]) -> FloatImage:
    """1 where the body's footprints and a little around them are."""
    shape = np.zeros(own.bgr.shape[:2], np.uint8)
    for mark in body:
        cv2.fillPoly(shape, [np.round(own.to_pixels(corners_mm(mark))).astype(np.int32)], 1)
    wide = 2 * round(FIGURES.around_mm * own.px_per_mm) + 1
    return np.asarray(cv2.dilate(shape, np.ones((wide, wide), np.uint8)), dtype=np.float32)
