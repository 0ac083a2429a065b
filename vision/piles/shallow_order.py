"""Who lies on whom where two cards overlap only a little, by whose border goes on through the area they share.

Of the upper card that area looks like its own border and print on both sides of it; of the lower card it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.options import FACES
from vision.faces.patch import face_homography
from vision.piles.options import PILES
from vision.types.arrays import BoolArray, IntArray
from vision.types.sighting import DiskSighting, Order


def shallow_leads(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order]
) -> FloatArray:
    """What the areas shared by two say for each disk's lying above each other (N, N), as rims say it; 0 where nothing.

    `orders` are the overlapping pairs as far as they are known: what a third disk covers tells nothing.
    """
    leads = np.zeros((len(disks), len(disks)))
    place = {disk.id: i for i, disk in enumerate(disks)}
    pairs = [(place[order.top], place[order.bottom]) for order in orders]
    faces = {i: _Face.of(view, disks[i]) for pair in pairs for i in pair}
    for i, j in pairs:
        thirds = [faces[top] for top, bottom in pairs if bottom in (i, j) and top not in (i, j)]
        leads[i, j] = _lead(bgr, faces[i], faces[j], thirds)
    return leads


@dataclass(frozen=True, slots=True, eq=False)
class _Face:
    """A face in the picture: maps between mm from its centre (x east, y south) and pixels."""

    radius_mm: float
    to_pixels: FloatArray  # (3, 3)
    from_pixels: FloatArray

    @staticmethod
    def of(view: TableView, disk: DiskSighting) -> _Face:
        radius = disk.diameter_mm / 2
        to_pixels = face_homography(view, disk) @ np.diag([1 / radius, 1 / radius, 1.0])
        return _Face(radius, to_pixels, np.asarray(np.linalg.inv(to_pixels), dtype=np.float64))

    def pixels(self, points_mm: FloatArray) -> FloatArray:
        return _mapped(points_mm, self.to_pixels)

    def points(self, pixels: FloatArray) -> FloatArray:
        return _mapped(pixels, self.from_pixels)

    def depths(self, pixels: FloatArray) -> FloatArray:
        """How far inside the rim pixels lie, in mm; negative outside."""
        at = self.points(pixels)
        return np.asarray(self.radius_mm - np.hypot(at[:, 0], at[:, 1]), dtype=np.float64)


def _mapped(points: FloatArray, matrix: FloatArray) -> FloatArray:
    """Points (N, 2), of which there may be none, seen through a homography."""
    homogeneous = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:], dtype=np.float64)


def _lead(bgr: ByteImage, one: _Face, other: _Face, thirds: Sequence[_Face]) -> float:
    """What speaks for one's lying above the other: less than 0 speaks for the other."""
    pixels = _shared(one, other)
    for third in thirds:
        pixels = pixels[third.depths(pixels) < -FACES.edge_guard_mm]
    if not PILES.fewest <= len(pixels) <= PILES.largest_mm2 / PILES.step_mm**2:
        return 0.0
    colours = _colours(bgr, pixels)
    gains = _likeness(bgr, pixels, colours, one, (other, *thirds))
    gains -= _likeness(bgr, pixels, colours, other, (one, *thirds))
    gains = gains[np.isfinite(gains)]
    return (
        PILES.lead * float(np.clip(gains, -PILES.most_sample_odds, PILES.most_sample_odds).mean())
        if len(gains) >= PILES.fewest
        else 0.0
    )


def _shared(one: _Face, other: _Face) -> FloatArray:
    """Pixels (N, 2) evenly spread over the area that two faces share, but for its edge."""
    at = one.points(other.pixels(np.zeros((1, 2))))[0]
    apart, both = float(np.hypot(*at)), one.radius_mm + other.radius_mm
    widest = min(one.radius_mm, float(np.sqrt(2 * one.radius_mm * max(both - apart, 0.0))) + PILES.step_mm)
    along = np.arange(max(-one.radius_mm, apart - other.radius_mm), one.radius_mm, PILES.step_mm)
    x, y = np.meshgrid(along, np.arange(-widest, widest, PILES.step_mm))
    toward = at / max(apart, 1e-6)
    points = np.column_stack([x.ravel(), y.ravel()]) @ np.array([toward, [-toward[1], toward[0]]])
    points = points[np.hypot(points[:, 0], points[:, 1]) < one.radius_mm - PILES.shallow_order_edge_mm]
    pixels = one.pixels(points)
    return np.asarray(pixels[other.depths(pixels) > PILES.shallow_order_edge_mm])


def _likeness(
    bgr: ByteImage, pixels: FloatArray, colours: FloatArray, own: _Face, others: Sequence[_Face]
) -> FloatArray:
    """Log-likelihood (N,) of what is seen if it is a card's own print; nan where that is seen nowhere else."""
    at = own.points(pixels)
    middle = float(np.arctan2(*at.mean(axis=0)[::-1]))
    turned = np.arctan2(at[:, 1], at[:, 0]) - middle
    half = float(np.abs(np.arctan2(np.sin(turned), np.cos(turned))).max()) + FACES.edge_guard_mm / own.radius_mm
    depths = own.radius_mm - np.hypot(at[:, 0], at[:, 1])
    slots = np.floor(depths / PILES.step_mm).astype(np.intp)
    mean, variance, seen = _beside(bgr, own, others, middle, half, np.arange(slots.max() + 1))
    variance = variance + PILES.noise**2
    log_likelihood = -0.5 * ((colours - mean[slots]) ** 2 / variance[slots] + np.log(variance[slots])).sum(axis=1)
    return np.where(seen[slots] < PILES.fewest / 2, np.nan, log_likelihood)


def _beside(
    bgr: ByteImage, own: _Face, others: Sequence[_Face], middle: float, half: float, slots: IntArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Mean and variance (D, 3) of a card's colours at each depth beside an arc, and how many places show them."""
    arc = np.arange(half, half + PILES.arc_mm / own.radius_mm, PILES.step_mm / own.radius_mm)
    turns = middle + np.concatenate([-arc, arc])
    reach = own.radius_mm - (slots + 0.5) * PILES.step_mm
    points = reach[:, None, None] * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    pixels = own.pixels(points.reshape(-1, 2))
    open_ground: BoolArray = np.ones(len(pixels), dtype=bool)
    for other in others:
        open_ground &= other.depths(pixels) < -FACES.edge_guard_mm
    shown = open_ground.reshape(len(slots), -1, 1)
    colours = _colours(bgr, pixels).reshape(len(slots), -1, 3)
    count = np.maximum(shown.sum(axis=1), 1)
    mean = (colours * shown).sum(axis=1) / count
    variance = ((colours - mean[:, None]) ** 2 * shown).sum(axis=1) / count
    return mean, variance, shown.sum(axis=(1, 2))


def _colours(bgr: ByteImage, pixels: FloatArray) -> FloatArray:
    at = pixels.astype(np.float32)[None]
    picked = cv2.remap(bgr, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(picked[0], dtype=np.float64)
