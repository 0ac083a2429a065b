"""Disks that no detection pass showed, found by what changed: a round patch of their size, on an unchanged ground.

Whatever pattern the table has cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.index import FaceIndex
from vision.look.identify import identify
from vision.tracking.options import TRACKING
from vision.types.arrays import FloatImage
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, TableSighting
from vision.types.top_view import TopView, top_view_of
from vision.watch.options import WATCH
from vision.watch.pixel_evidence import allowed_levels

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Undetected:
    """Disks that no pass detected: those that have come, and those that were there and have gone."""

    came: tuple[DiskSighting, ...] = ()
    went: tuple[DiskSighting, ...] = ()


def undetected_disks(
    before: ByteImage,
    after: ByteImage,
    view: TableView,
    explained: Iterable[DiskSighting],
    sizes_mm: Sequence[float],
    noise_levels: float,
) -> Undetected:
    """Disks of these sizes that came or went between two pictures from the same view.

    `explained` are the disks that are known to have gone and those that were seen to come: where they lay or lie is no
    other news.
    """
    explained = list(explained)
    whole = (0.0, 0.0, view.width_mm, view.depth_mm)
    change = _Change.between(before, after, view, whole, WATCH.px_per_mm, noise_levels)
    came: list[DiskSighting] = []
    went: list[DiskSighting] = []
    while len(came) + len(went) < WATCH.most_at_once:
        known = [*explained, *came, *went]
        if _unexplained_mm2(change, known) < 0.5 * np.pi / 4 * min(sizes_mm) ** 2:
            break
        rough = _best(change, known, sizes_mm)
        if rough is None:
            break
        size_mm, place = rough
        within_mm = 2 / WATCH.px_per_mm  # how far the finer picture may correct a place
        reach = size_mm / 2 + WATCH.shadow_mm / 2 + WATCH.shadow_mm + 2 * within_mm
        near = (place[0] - reach, place[1] - reach, place[0] + reach, place[1] + reach)
        closer = _Change.between(before, after, view, near, WATCH.fine_px_per_mm, noise_levels)
        best = _best(closer, known, (size_mm,))
        if best is not None and math.dist(best[1], place) < within_mm:
            place = best[1]
        there_now = _rim_levels(closer.after, place, size_mm) > _rim_levels(closer.before, place, size_mm)
        which = came if there_now else went
        which.append(_disk(f"{'came' if there_now else 'went'}-{len(which)}", size_mm, place))
    return Undetected(tuple(came), tuple(went))


def recognised(
    bgr: ByteImage, view: TableView, found: Sequence[DiskSighting], faces: FaceIndex
) -> tuple[DiskSighting, ...]:
    """The patches with all that their faces tell; without those whose faces, where faces are known, are no disk's."""
    if not found:
        return ()
    disks = identify(bgr, view, TableSighting(tuple(found), ()), faces).disks
    if not faces.profiles:
        return disks
    return tuple(disk for disk in disks if disk.face.side != "unknown" or disk.face.confidence > WATCH.nearly_named)


def _disk(name: str, size_mm: float, place: tuple[float, float]) -> DiskSighting:
    covariance = WATCH.sigma_mm**2 * np.eye(2)
    return DiskSighting(name, *place, covariance, size_mm, CARD_THICKNESS_MM, confidence=TRACKING.likely_from)


@dataclass(frozen=True, slots=True, eq=False)
class _Change:
    """A part of the table from straight above, before and after; `mask` is 1 where it looks other than before."""

    before: TopView
    after: TopView
    mask: FloatImage

    @staticmethod
    def between(
        before: ByteImage, after: ByteImage, view: TableView, box: Box, px_per_mm: float, noise_levels: float
    ) -> _Change:
        """What changed, whatever the light does as a whole."""
        old, new = (top_view_of(picture, view, px_per_mm, CARD_THICKNESS_MM, box) for picture in (before, after))
        was, now = (picture[::16, ::16].reshape(-1, 3).astype(np.float32) for picture in (before, after))
        gain = np.median((now + 2) / (was + 2), axis=0)
        levels = np.abs(new.bgr - gain * old.bgr)
        # Resampling makes edges differ that have not changed.
        return _Change(old, new, (levels > 1.5 * allowed_levels(new.bgr, noise_levels)).any(axis=2).astype(np.float32))


def _rim_levels(top: TopView, place: tuple[float, float], size_mm: float) -> float:
    """How much what lies inside a circle differs from what lies outside, right at its line."""
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    height, width = top.bgr.shape[:2]
    sides = []
    for radius_mm in (size_mm / 2 - WATCH.rim_mm, size_mm / 2 + WATCH.rim_mm):
        pixels = np.round(top.to_pixels(np.array(place) + radius_mm * around)).astype(int)
        pixels = np.clip(pixels, 0, (width - 1, height - 1))
        sides.append(top.bgr[pixels[:, 1], pixels[:, 0]].astype(np.float64))
    return float(np.abs(sides[0] - sides[1]).mean())


def _unexplained_mm2(change: _Change, explained: Sequence[DiskSighting]) -> float:
    left = change.mask * _ground(change.mask, change.after, explained)
    opened = cv2.morphologyEx(left, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return float(opened.sum()) / change.after.px_per_mm**2


def _ground(changed: FloatImage, top: TopView, explained: Sequence[DiskSighting]) -> FloatImage:
    """1 where no explained disk lies or lay."""
    ground = np.ones_like(changed)
    for disk in explained:
        x, y = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
        radius = (disk.diameter_mm / 2 + WATCH.shadow_mm / 2) * top.px_per_mm
        cv2.circle(ground, (round(float(x)), round(float(y))), round(radius), 0.0, -1)
    return ground


def _best(
    change: _Change, explained: Sequence[DiskSighting], sizes_mm: Sequence[float]
) -> tuple[float, tuple[float, float]] | None:
    """The size and place of the patch that explains most of what stands out."""
    changed, top = change.mask, change.after
    ground = _ground(changed, top, explained)
    best: tuple[float, float, tuple[float, float]] | None = None
    for size_mm in sizes_mm:
        radius = size_mm / 2
        patch = _ring(0, radius - WATCH.rim_mm, top.px_per_mm)
        inside = cv2.filter2D(changed, -1, patch, borderType=cv2.BORDER_CONSTANT)
        news = cv2.filter2D(changed * ground, -1, patch, borderType=cv2.BORDER_CONSTANT)
        ring = _ring(radius + WATCH.shadow_mm / 2, radius + WATCH.shadow_mm / 2 + WATCH.shadow_mm, top.px_per_mm)
        bare = cv2.filter2D(ground, -1, ring, borderType=cv2.BORDER_CONSTANT)
        around = cv2.filter2D(changed * ground, -1, ring, borderType=cv2.BORDER_CONSTANT) / np.maximum(bare, 1e-3)
        possible = (
            (inside >= WATCH.least_inside)
            & (news >= WATCH.least_news)
            & (around <= WATCH.changed_ground)
            & (bare >= WATCH.least_judged)
        )
        stands_out = np.where(possible, inside - around, 0.0)
        for disk in explained:
            x, y = top.to_pixels(np.array([[disk.x_mm, disk.y_mm]]))[0]
            cv2.circle(
                stands_out, (round(float(x)), round(float(y))), round(TRACKING.duplicate_mm * top.px_per_mm), 0.0, -1
            )
        peak = float(stands_out.max())
        news_mm2 = peak * size_mm**2
        if peak > 0 and (best is None or news_mm2 > best[0]):
            x_mm, y_mm = top.to_board(_middle(stands_out, peak, 2 * top.px_per_mm / WATCH.px_per_mm)[None])[0]
            best = (news_mm2, size_mm, (float(x_mm), float(y_mm)))
    return best[1:] if best else None


def _middle(stands_out: FloatImage, peak: float, within_px: float) -> FloatArray:
    """The middle of all that is about as good as the best place, around it."""
    row, column = np.unravel_index(int(np.argmax(stands_out)), stands_out.shape)
    rows, columns = np.nonzero(stands_out >= peak - WATCH.near_best)
    near = np.hypot(rows - row, columns - column) <= within_px
    return np.array([columns[near].mean(), rows[near].mean()])


def _ring(inner_mm: float, outer_mm: float, px_per_mm: float) -> FloatArray:
    """Equal weights between two radii, one in all."""
    reach = int(np.ceil(outer_mm * px_per_mm))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    apart = np.hypot(x, y) / px_per_mm
    weights = ((apart >= inner_mm) & (apart <= outer_mm)).astype(np.float64)
    return np.asarray(weights / weights.sum())
