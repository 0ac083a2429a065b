"""Cuts a disk's face out of the picture and lays it flat, as if seen from straight above."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.options import FACES
from vision.types.arrays import FloatImage
from vision.types.disc_overlap import UNIT_CIRCLE
from vision.types.poses import face_centre
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, Order
from vision.types.tone import Tone, picture_tone

PATCH_PX = 48


@dataclass(frozen=True, slots=True, eq=False)
class FacePatch:
    """One face laid flat: north up, pixel centres over +-`patch_reach` face radii, colours 0..1 as in the picture.

    `visible` is 1 where the face itself is seen, 0 where another disk lies on it or the picture ends.
    `blur` is the covariance (2, 2) of the picture's own blur, in face radii.
    `px_across` is the diameter of the face in the picture along its shorter axis.
    """

    bgr: FloatImage
    visible: FloatImage
    blur: FloatArray
    px_across: float
    homography: FloatArray  # from face radii (x east, y south) to pixels of the picture
    covers: tuple[DiskSighting, ...]  # that may hide some of it


def face_to_board(disk: DiskSighting, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Board points (N, 2) and heights (N,) of points (N, 2) on the face given in face radii (x east, y south)."""
    x, y, height = face_centre(disk)
    normal = disk.face_normal
    offsets = points * (disk.diameter_mm / 2)
    slope = normal[:2] / normal[2]
    # Walking along a tilted face covers less ground: shorten the offset along the direction of the slope.
    steep = float(np.hypot(*slope))
    if steep > 1e-6:
        downhill = slope / steep
        along = offsets @ downhill
        offsets = offsets - np.outer(along * (1 - normal[2]), downhill)
    heights = height - offsets @ slope
    return offsets + np.array([x, y]), heights


FIT_CORNERS = 0.7 * np.array(
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
)  # so far out it fits all of a face best
_FIT_GRID = np.stack(np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 4)), axis=-1).reshape(-1, 2)


def face_homography(view: TableView, disk: DiskSighting) -> FloatArray:
    """(3, 3) from face radii (x east, y south) to pixels; the lens's bending across one disk is too small to matter."""
    board, heights = face_to_board(disk, FIT_CORNERS)
    pixels = view.board_to_image(board, heights)
    matrix = cv2.getPerspectiveTransform(FIT_CORNERS.astype(np.float32), pixels.astype(np.float32))
    return np.asarray(matrix, dtype=np.float64)


_PATCH_STEP = 2 * FACES.patch_reach / PATCH_PX


def patch_axis() -> FloatArray:
    """Where the patch's pixel columns (and rows) lie, in face radii."""
    return np.asarray((np.arange(PATCH_PX) + 0.5) * _PATCH_STEP - FACES.patch_reach, dtype=np.float64)


_FACE = (patch_axis()[None, :] ** 2 + patch_axis()[:, None] ** 2 <= 1.0).astype(np.float32)


def warp_face(bgr: ByteImage, homography: FloatArray, size_px: int, reach: float) -> FloatImage:
    """The face laid flat in a square of size_px over +-reach face radii, colours 0 to 1."""
    source, to_source = _source_crop(bgr, homography, size_px, reach)
    warp = to_source @ homography @ _pixel_to_face(size_px, reach)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    flat = cv2.warpPerspective(source, warp, (size_px, size_px), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(flat, dtype=np.float32) * np.float32(1 / 255)


def cut_patch(bgr: ByteImage, view: TableView, disk: DiskSighting, covers: Sequence[DiskSighting]) -> FacePatch:
    """Lays the face flat and marks what of it the disks above it leave to be seen."""
    homography = face_homography(view, disk)
    flat = warp_face(bgr, homography, PATCH_PX, FACES.patch_reach)
    visible = _FACE.copy()
    _hide_outside(visible, bgr.shape, homography)
    for cover in covers:
        hide(visible, view, cover, homography, FACES.patch_reach)
    jacobian = homography[:2, :2] - homography[:2, 2:] * homography[2:, :2]
    (a, b), (c, d) = jacobian.tolist()
    size = a * d - b * c
    spread = np.array([[d, -b], [-c, a]]) / size
    # The product of the greatest and the least spread is the size, the sum of their squares that of all terms.
    squares = a * a + b * b + c * c + d * d
    least = math.sqrt(max(squares - math.sqrt(max(squares**2 - 4 * size**2, 0.0)), 0.0) / 2)
    blur = FACES.patch_optical_sigma_px**2 * spread @ spread.T
    return FacePatch(flat, visible, blur, 2 * least, homography, tuple(covers))


def _pixel_to_face(size_px: int, reach: float) -> FloatArray:
    step = 2 * reach / size_px
    return np.array([[step, 0, step / 2 - reach], [0, step, step / 2 - reach], [0, 0, 1]])


def _hide_outside(visible: FloatImage, shape: tuple[int, ...], homography: FloatArray) -> None:
    """Clears what lies beyond the edge of the picture."""
    corners = cv2.perspectiveTransform(_FIT_GRID.reshape(-1, 1, 2), homography).reshape(-1, 2)
    (left, top), (right, bottom) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    if min(left, top) >= 1 and right <= shape[1] - 2 and bottom <= shape[0] - 2:
        return
    axis = patch_axis()
    points = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 1, 2)
    pixels = cv2.perspectiveTransform(points, homography).reshape(*visible.shape, 2)
    inside = (pixels >= 1).all(axis=2) & (pixels[..., 0] <= shape[1] - 2) & (pixels[..., 1] <= shape[0] - 2)
    visible[~inside] = 0


def _source_crop(bgr: ByteImage, homography: FloatArray, size_px: int, reach: float) -> tuple[ByteImage, FloatArray]:
    """The part of the picture that holds the face, shrunk where it is far finer than asked for, and the map to it."""
    corners = cv2.perspectiveTransform(_FIT_GRID.reshape(-1, 1, 2) * reach, homography).reshape(-1, 2)
    height, width = bgr.shape[:2]
    low, high = np.floor(corners.min(axis=0)).astype(int) - 2, np.ceil(corners.max(axis=0)).astype(int) + 3
    (low_x, low_y), (high_x, high_y) = low.tolist(), high.tolist()
    left, top = min(max(low_x, 0), width - 2), min(max(low_y, 0), height - 2)
    right, bottom = min(max(high_x, left + 2), width), min(max(high_y, top + 2), height)
    crop = bgr[top:bottom, left:right]
    shift = np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1]], dtype=np.float64)
    factor = min(high_x - low_x, high_y - low_y) // size_px
    rows, columns = (bottom - top) // max(factor, 1), (right - left) // max(factor, 1)
    if factor < 2 or rows < 2 or columns < 2:
        return crop, shift
    small = cv2.resize(crop[: rows * factor, : columns * factor], (columns, rows), interpolation=cv2.INTER_AREA)
    half = (1 / factor - 1) / 2
    shrink = np.array([[1 / factor, 0, half], [0, 1 / factor, half], [0, 0, 1]])
    return np.asarray(small, dtype=np.uint8), shrink @ shift


def hide(visible: FloatImage, view: TableView, cover: DiskSighting, homography: FloatArray, scale: float) -> None:
    """Clears what the face and the edge of a covering disk hide, in a mask over +-scale face radii."""
    face = cv2.perspectiveTransform(_hull(view, cover), np.linalg.inv(homography)).reshape(-1, 2)
    pixels = (face + scale) * (len(visible) / (2 * scale)) - 0.5
    cv2.fillConvexPoly(visible, np.round(pixels * 16).astype(np.int32), (0.0,), lineType=cv2.LINE_8, shift=4)


def forget_hulls() -> None:
    """Lets go of what a detection pass remembered: the cache would keep its disks and views alive until the next."""
    _hull.cache_clear()


@lru_cache(maxsize=256)  # a disk that hides some of others is asked for again and again
def _hull(view: TableView, cover: DiskSighting) -> FloatArray:
    """The outline (N, 1, 2), in pixels, of what a disk hides."""
    reach = 1 + 2 * FACES.edge_guard_mm / cover.diameter_mm
    board, heights = face_to_board(cover, UNIT_CIRCLE * reach)
    both = np.concatenate([board, board]), np.concatenate([heights, heights - CARD_THICKNESS_MM])
    hull = cv2.convexHull(view.board_to_image(*both).astype(np.float32).reshape(-1, 1, 2))
    return np.asarray(hull, dtype=np.float64)


def covers_of(disks: Sequence[DiskSighting], orders: Sequence[Order]) -> dict[str, list[DiskSighting]]:
    """For each disk those that may hide some of it: all that lie above it or stand higher beside it.

    A pair whose order is a coin's toss covers both ways.
    """
    by_id = {disk.id: disk for disk in disks}
    result: dict[str, list[DiskSighting]] = {disk.id: [] for disk in disks}
    ordered = {frozenset((order.top, order.bottom)) for order in orders}
    for order in orders:
        if order.top in by_id and order.bottom in by_id:
            result[order.bottom].append(by_id[order.top])
            if order.probability < 0.7:
                result[order.top].append(by_id[order.bottom])
    places = np.array([[disk.x_mm, disk.y_mm, disk.diameter_mm / 2, disk.face_height_mm] for disk in disks]).reshape(
        -1, 4
    )
    rise = places[None, :, 3] - places[:, None, 3]
    gap = (
        np.hypot(*(places[None, :, :2] - places[:, None, :2]).transpose(2, 0, 1))
        - places[:, None, 2]
        - places[None, :, 2]
    )
    for lower, higher in np.argwhere((rise > CARD_THICKNESS_MM / 2) & (gap < 2 * rise)):
        if frozenset((disks[lower].id, disks[higher].id)) not in ordered:
            result[disks[lower].id].append(disks[higher])
    return result


def cut_patches(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order]
) -> tuple[FacePatch, ...]:
    """The faces of all disks, laid flat."""
    covers = covers_of(disks, orders)
    return tuple(cut_patch(bgr, view, disk, covers[disk.id]) for disk in disks)


@dataclass(frozen=True, slots=True, eq=False)
class CloseUps:
    """One patch for each disk of one picture."""

    bgr: ByteImage
    view: TableView
    tone: Tone
    patches: tuple[FacePatch, ...]


def take_close_ups(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    tone: Tone | None = None,
) -> CloseUps:
    """Lays the faces of all disks flat; the picture's tone is measured where it is not given."""
    return CloseUps(bgr, view, tone or picture_tone(bgr, view), cut_patches(bgr, view, disks, orders))


def rim_chroma(patch_bgr: FloatImage, visible: FloatImage | None) -> FloatArray | None:
    """Logarithms of red and of blue against green on the rim of a face laid flat; None where too little is seen."""
    axis = patch_axis()
    radius = np.hypot(axis[None, :], axis[:, None])
    band = (radius > FACES.band[0]) & (radius < FACES.band[1])
    if visible is not None:
        band &= visible > 0
    if int(band.sum()) < FACES.least_px:
        return None
    blue, green, red = np.maximum(np.median(patch_bgr[band], axis=0), 0.05)
    return np.log(np.array([red / green, blue / green], dtype=np.float64))
