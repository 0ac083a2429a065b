"""Which pieces stand where they stood though the camera was knocked: by their appearance in both pictures.

After a knock the table is measured anew, so every place may seem shifted a little, all alike. An outline fitted anew
differs by millimetres where neighbours hide it; the piece's own paint shows the shift far better.
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


Shots = Mapping[str, Shot]  # by piece: the picture that last showed it where its mark is


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a piece seems to have moved between two pictures, and how much it looks there as it did."""

    dx_mm: float
    dy_mm: float
    likeness: float


def stayed(shots: Shots, now: Shot, marks: Sequence[Mark]) -> frozenset[str]:
    """The pieces that only seem shifted as all are; without two that look alike no common shift is known."""
    shifts = {mark.id: shift_of(shots[mark.id], now, mark) for mark in marks}
    alike = {name: shift for name, shift in shifts.items() if shift.likeness >= FIGURES.knock_likeness}
    if not alike:
        return frozenset()
    common = np.median([[shift.dx_mm, shift.dy_mm] for shift in alike.values()], axis=0)
    return frozenset(
        name
        for name, shift in alike.items()
        if np.hypot(shift.dx_mm - common[0], shift.dy_mm - common[1]) < FIGURES.stayed_mm
    )


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
    return np.asarray(cv2.GaussianBlur(bgr, (0, 0), FIGURES.soft_px), dtype=np.float32)


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
