"""Local search for known disks that a detection pass missed: their last picture is matched around their place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import apart_mm, same_size
from vision.types.sighting import DiskSighting, TableSighting
from vision.watch.options import WATCH
from vision.watch.pixel_evidence import outline_px


def search_nearby(
    tracks: Iterable[Track], sighting: TableSighting, before: ByteImage, after: ByteImage, view: TableView
) -> tuple[DiskSighting, ...]:
    """Disks that changed, are detected nowhere near, and whose last picture is found close by."""
    missed = (track for track in tracks if track.visible and not _seen_near(track, sighting))
    found = (_found_nearby(track, before, after, view) for track in missed)
    return tuple(disk for disk in found if disk is not None)


def _seen_near(track: Track, sighting: TableSighting) -> bool:
    return any(
        same_size(track.disk, seen) and apart_mm(track.disk, seen) < TRACKING.slight_mm[1] + TRACKING.same_place_mm
        for seen in sighting.disks
    )


def _found_nearby(track: Track, before: ByteImage, after: ByteImage, view: TableView) -> DiskSighting | None:
    outline = outline_px(track.disk, view, WATCH.rim_mm)
    centre = np.array([[track.disk.x_mm, track.disk.y_mm]])
    reach = round(TRACKING.slight_mm[1] * float(view.px_per_mm(centre)[0]))
    left, top = np.floor(outline.min(axis=0)).astype(int)
    right, bottom = np.ceil(outline.max(axis=0)).astype(int) + 1
    height, width = after.shape[:2]
    if left < reach or top < reach or right > width - reach or bottom > height - reach:
        return None
    patch = before[top:bottom, left:right]
    search = after[top - reach : bottom + reach, left - reach : right + reach]
    mask = np.zeros(patch.shape[:2], dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(outline - (left, top)).astype(np.int32)], 1)
    mask = np.repeat(mask[:, :, None], 3, axis=2)
    likeness = cv2.matchTemplate(search, patch, cv2.TM_CCOEFF_NORMED, mask=mask)
    likeness = np.nan_to_num(likeness, nan=-1.0, posinf=-1.0, neginf=-1.0)
    down, right_by = np.unravel_index(int(np.argmax(likeness)), likeness.shape)
    best, stayed = float(likeness[down, right_by]), float(likeness[reach, reach])
    if best < WATCH.least_likeness or best < stayed + WATCH.least_gain:
        return None
    pixel = view.board_to_image(centre, track.disk.face_height_mm) + np.array([[right_by - reach, down - reach]])
    x_mm, y_mm = view.image_to_board(pixel, track.disk.face_height_mm)[0]
    covariance = track.disk.covariance + WATCH.sigma_mm**2 * np.eye(2)
    return replace(track.disk, id=f"nearby-{track.id}", x_mm=float(x_mm), y_mm=float(y_mm), covariance=covariance)
