"""Flat terrain on the table: its outline, also where disks lie on it."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.terrain.background import (
    flat_lab,
    foreign_by_colour,
    foreign_by_difference,
    foreign_by_pattern,
    means_of_free,
)
from vision.terrain.options import TERRAIN
from vision.types.arrays import BoolArray, FloatImage
from vision.types.sighting import DiskSighting, TerrainSighting
from vision.types.top_view import TopView, top_view


def find_terrain(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], bare: ByteImage | None = None
) -> tuple[TerrainSighting, ...]:
    """The pieces of terrain inside the battlefield, largest first; only those that are rather terrain than not.

    With `bare`, the empty table from straight above, terrain is what differs from it. Without, it is what has colours
    that the rest of the table has not; where the table itself is too motley, less is found.
    """
    top = top_view(bgr, view, TERRAIN.fine_px_per_mm, TERRAIN.height_mm, 0.0)
    free = free_of(disks, top, view)
    if bare is None:
        flat = flat_lab(top.bgr, free)
        foreign, hue = (foreign_by_colour(flat, free, by_hue) for by_hue in (False, True))
        blobs, hue_blobs = _blobs([foreign, hue], free)
        found = _pieces(blobs, foreign, free)
        known = _filled([contour for contour, _ in found], hue)
        found += [piece for piece in _pieces(hue_blobs, hue, free) if not (known & _filled([piece[0]], hue)).any()]
        things = _filled(blobs, foreign)
        ground = free & (cv2.dilate(things, _disc(TERRAIN.pattern_mm)) == 0)
        pattern = foreign_by_pattern(flat_lab(top.bgr, ground), ground)
        (pattern_blobs,) = _blobs([pattern], ground)
        # A piece's edge is mixed with the pattern around it.
        for contour, confidence in _pieces(pattern_blobs, pattern, ground):
            grown = cv2.dilate(_filled([contour], pattern), _disc(TERRAIN.pattern_mm))
            found.append((_outer(np.asarray(grown, dtype=np.uint8)), confidence))
    else:
        foreign = _foreign_to(bare, top, free)
        (blobs,) = _blobs([foreign], free)
        found = _pieces(blobs, foreign, free)
    pieces = [(float(cv2.contourArea(contour)), confidence, _outline(contour, top)) for contour, confidence in found]
    pieces.sort(key=lambda piece: -piece[0])
    return tuple(
        TerrainSighting(f"terrain-{number}", outline, None, confidence)
        for number, (_, confidence, outline) in enumerate(pieces, start=1)
    )


def largest_outline(bgr: ByteImage, view: TableView, bare: ByteImage | None = None) -> FloatArray | None:
    """The outline of the largest thing that lies on the battlefield, whatever its shape; None where there is none."""
    top = top_view(bgr, view, TERRAIN.fine_px_per_mm, TERRAIN.height_mm, 0.0)
    free = np.ones(top.bgr.shape[:2], bool)
    foreign = foreign_by_colour(flat_lab(top.bgr, free), free) if bare is None else _foreign_to(bare, top, free)
    (blobs,) = _blobs([foreign], free)
    whole = [blob for blob in blobs if not _runs_off(blob, foreign)]
    largest = max(whole, key=cv2.contourArea, default=None)
    if largest is None or float(cv2.contourArea(largest)) / TERRAIN.fine_px_per_mm**2 < TERRAIN.least_area_mm2:
        return None
    return _outline(largest, top)


def flat_table(bgr: ByteImage, view: TableView) -> ByteImage:
    """The battlefield from straight above, corner to corner: what an empty table is kept as."""
    return top_view(bgr, view, 1.0, 0.0, 0.0).bgr


def _foreign_to(bare: ByteImage, top: TopView, free: BoolArray) -> FloatImage:
    rows, columns = free.shape
    small = cv2.resize(bare, (columns, rows), interpolation=cv2.INTER_AREA)
    return foreign_by_difference(top.bgr, np.asarray(small, dtype=np.uint8), free)


def _runs_off(contour: NDArray[np.int32], foreign: FloatImage) -> bool:
    left, top, width, height = cv2.boundingRect(contour)
    rows, columns = foreign.shape
    return left <= 1 or top <= 1 or left + width >= columns - 1 or top + height >= rows - 1


def free_of(disks: Sequence[DiskSighting], top: TopView, view: TableView) -> BoolArray:
    """Where the top view shows the table and not a disk."""
    free = np.ones(top.bgr.shape[:2], np.uint8)
    for disk in disks:
        for height_mm in (0.0, disk.face_height_mm):
            pixel = view.board_to_image(np.array([[disk.x_mm, disk.y_mm]]), height_mm)
            centre = top.to_pixels(view.image_to_board(pixel, top.height_mm))[0]
            radius = (disk.diameter_mm / 2 + TERRAIN.ring_mm[0]) * top.px_per_mm
            cv2.circle(free, (round(float(centre[0])), round(float(centre[1]))), round(radius), (0,), -1)
    return free > 0


def _blobs(foreign: Sequence[FloatImage], free: BoolArray) -> list[list[NDArray[np.int32]]]:
    """Outer contours of what is foreign to the table, in each way; under disks it goes on as around them."""
    near, wide = (means_of_free(foreign, free, reach_mm) for reach_mm in (4.0, 14.0))
    return [_contours(np.where(free, *means) > 0.5) for means in zip(near, wide, strict=True)]


def _contours(shown: BoolArray) -> list[NDArray[np.int32]]:
    """Outer contours of what is as wide as a piece, narrow gaps closed."""
    mask = shown.astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, _disc(14.0)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, _disc(12.0)).astype(np.uint8)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [np.asarray(contour, dtype=np.int32) for contour in contours]


def _pieces(
    blobs: Sequence[NDArray[np.int32]], foreign: FloatImage, free: BoolArray
) -> list[tuple[NDArray[np.int32], float]]:
    """The blobs that are rather pieces of terrain than not, with their confidences."""
    contours = [_without_inlets(_filled([blob], foreign)) for blob in blobs]
    rated = [(contour, _confidence(contour, foreign, free)) for contour in contours]
    return [(contour, confidence) for contour, confidence in rated if confidence >= 0.5]


def _filled(contours: Sequence[NDArray[np.int32]], like: FloatImage) -> ByteImage:
    drawn = cv2.drawContours(np.zeros(like.shape, np.uint8), contours, -1, (1,), -1)
    return np.asarray(drawn, dtype=np.uint8)


def _without_inlets(part: ByteImage) -> NDArray[np.int32]:
    """The outer contour of a part without the inlets that spots of the table's colour cut into it."""
    reach = round(TERRAIN.inlet_mm * TERRAIN.fine_px_per_mm)
    closed = cv2.morphologyEx(
        cv2.copyMakeBorder(part, reach, reach, reach, reach, cv2.BORDER_CONSTANT),
        cv2.MORPH_CLOSE,
        _disc(TERRAIN.inlet_mm),
    )
    return _outer(np.ascontiguousarray(closed[reach:-reach, reach:-reach], dtype=np.uint8))


def _outer(mask: ByteImage) -> NDArray[np.int32]:
    """The outer contour of the largest blob of a mask."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(contours, key=cv2.contourArea), dtype=np.int32)


def _confidence(contour: NDArray[np.int32], foreign: FloatImage, free: BoolArray) -> float:
    """The probability that a blob is a piece of terrain: one colour apart from the table, of a likely size and shape.

    A ruler, a card or a printed stream is too long or too square or runs off the field; a coaster is a circle.
    """
    area_px = float(cv2.contourArea(contour))
    area_mm2 = area_px / TERRAIN.fine_px_per_mm**2
    if not TERRAIN.least_area_mm2 <= area_mm2 <= TERRAIN.most_area_mm2 or _runs_off(contour, foreign):
        return 0.0
    whole = _filled([contour], foreign)
    core = (cv2.erode(whole, _disc(10.0)) > 0) & free
    around = (cv2.dilate(whole, _disc(24.0)) > 0) & (cv2.dilate(whole, _disc(8.0)) == 0) & free
    if core.sum() < 20 or around.sum() < 20:
        return 0.0
    inside, outside = float(foreign[core].mean()), float(foreign[around].mean())
    solidity = area_px / max(float(cv2.contourArea(cv2.convexHull(contour))), 1.0)
    roundness = 4 * np.pi * area_px / max(float(cv2.arcLength(contour, True)), 1.0) ** 2
    _, sides, _ = cv2.minAreaRect(contour)
    longish = max(sides) / max(min(sides), 1.0)
    squareness = area_px / max(sides[0] * sides[1], 1.0)
    distances = np.hypot(*(contour[:, 0] - contour[:, 0].mean(axis=0)).T)
    wobble = float(distances.std() / distances.mean())
    parts = (
        _ramp(inside, 0.7, 0.9),
        _ramp(outside, 0.2, 0.06),
        _ramp(solidity, 0.74, 0.82),
        _ramp(roundness, 0.42, 0.52),
        _ramp(longish, 3.0, 2.4),
        _ramp(squareness, 0.88, 0.82),
        _ramp(wobble, 0.02, 0.035),
    )
    return float(np.prod(parts)) * 0.97


def _outline(contour: NDArray[np.int32], top: TopView) -> FloatArray:
    """The contour as a smooth ring of points, in mm."""
    ring = contour[:, 0].astype(np.float64)
    steps = np.hypot(*np.diff(ring, axis=0, append=ring[:1]).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    places = np.linspace(0, along[-1], 4 * TERRAIN.points, endpoint=False)
    closed = np.concatenate([ring, ring[:1]])
    even = np.stack([np.interp(places, along, closed[:, axis]) for axis in (0, 1)], axis=1)
    spectrum = np.fft.fft(even[:, 0] + 1j * even[:, 1])
    frequency = np.abs(np.fft.fftfreq(len(spectrum), 1 / len(spectrum)))
    smooth = np.fft.ifft(spectrum * np.exp(-((frequency / 24.0) ** 2)))
    points = np.stack([smooth.real, smooth.imag], axis=1)[::4]
    return top.to_board(points)


def _disc(diameter_mm: float) -> ByteImage:
    size = max(1, round(diameter_mm * TERRAIN.fine_px_per_mm)) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)


def _ramp(value: float, start: float, end: float) -> float:
    return float(np.clip((value - start) / (end - start), 0, 1))
