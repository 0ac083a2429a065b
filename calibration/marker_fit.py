"""Where a printed marker lies in a picture, to hundredths of a pixel.

The marker is drawn as the camera would see it (its code, the blur, the light, the tone curve) and moved until the
drawing agrees with the picture. Edges of a blurred black and white print look displaced towards the dark once a camera
has applied its tone curve; drawing in linear light and applying the curve afterwards reproduces that displacement
instead of measuring it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.kit import MARKER_CELLS, card_half_mm, marker_cells, marker_side_mm, square_mm
from calibration.lens import Lens

_FINE = 3  # subdivisions of a pixel when drawing
_TEXELS = 16  # texels per cell of the drawn code
_QUIET_CELLS = 2  # white around the drawn code
_ROUNDS = 12
_LARGEST_PX = 160.0  # a larger marker is measured in a reduced picture: it is sharp enough there


@dataclass(frozen=True, slots=True, eq=False)
class MarkerFit:
    """One measured marker: its corners in pixels, how sure they are, and how the picture looked there."""

    marker_id: int
    corners_px: FloatArray
    covariance_px2: FloatArray  # (8, 8) of the corners in the order x0 y0 x1 y1 …
    blur_px: float
    contrast: float
    residual: float  # what the drawing leaves unexplained, as a fraction of the contrast

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen(self.corners_px, (4, 2)))
        object.__setattr__(self, "covariance_px2", frozen(self.covariance_px2, (8, 8)))


def fit_marker(gray: ByteImage, marker_id: int, corners_px: FloatArray, lens: Lens | None = None) -> MarkerFit | None:
    """The marker near these corners, or None where the picture does not look like it."""
    start = np.asarray(corners_px, dtype=np.float64).reshape(4, 2)
    side_px = float(np.linalg.norm(start - np.roll(start, 1, axis=0), axis=1).mean())
    patch = _Patch.around(gray, marker_id, start, lens)
    if patch is None or side_px < 6:
        return None
    return _fit(patch, marker_id, start)


@cache
def _texture(marker_id: int) -> NDArray[np.float32]:
    cells = np.pad(marker_cells(marker_id), _QUIET_CELLS, constant_values=1.0)
    return np.kron(cells, np.ones((_TEXELS, _TEXELS))).astype(np.float32)


def _encode(linear: FloatArray) -> FloatArray:
    """The usual tone curve of a camera (sRGB), 0 to 1, continued beyond its ends so that a fit can wander there."""
    low = linear <= 0.0031308
    return np.where(low, 12.92 * linear, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)


def _encode_slope(linear: FloatArray) -> FloatArray:
    low = linear <= 0.0031308
    return np.where(low, 12.92, 1.055 / 2.4 * np.maximum(linear, 0.0031308) ** (1 / 2.4 - 1))


def _decode(encoded: FloatArray) -> FloatArray:
    low = encoded <= 0.04045
    return np.where(low, encoded / 12.92, ((np.maximum(encoded, 0.04045) + 0.055) / 1.055) ** 2.4)


@dataclass(frozen=True, slots=True, eq=False)
class _Patch:
    """The part of a picture around one marker, with every fine sample's place free of lens distortion."""

    values: FloatArray  # (h, w), 0 to 1
    fine_xy: FloatArray  # (h * FINE, w * FINE, 2), undistorted pixels
    to_plain: FloatArray  # polynomial patch pixel -> undistorted pixel
    origin: tuple[int, int]
    lens: Lens | None

    @staticmethod
    def around(gray: ByteImage, marker_id: int, corners: FloatArray, lens: Lens | None) -> _Patch | None:
        half = card_half_mm(marker_id)[0] / (marker_side_mm(marker_id) / 2)
        centre = corners.mean(axis=0)
        outline = centre + (corners - centre) * half
        low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, [gray.shape[1], gray.shape[0]])
        width, height = (int(v) for v in high - low)
        if width < 8 or height < 8:
            return None
        values = gray[low[1] : high[1], low[0] : high[0]].astype(np.float64) / 255.0
        fine = (np.arange(max(width, height) * _FINE) - (_FINE - 1) / 2) / _FINE
        x, y = np.meshgrid(fine[: width * _FINE], fine[: height * _FINE])
        xy = np.stack([x, y], axis=2) + low
        if lens is not None:
            xy = _undistort_smoothly(xy, lens)
        return _Patch(values, xy, np.zeros(0), (int(low[0]), int(low[1])), lens)


def _undistort_smoothly(xy: FloatArray, lens: Lens) -> FloatArray:
    """Undistorts a small region through a cubic, exact to far below a thousandth of a pixel and much faster."""
    low, high = xy[0, 0], xy[-1, -1]
    scaled = (xy - (low + high) / 2) / np.maximum(high - low, 1.0) * 2
    knots = np.stack(np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 7)), axis=2).reshape(-1, 2)
    pixels = knots * np.maximum(high - low, 1.0) / 2 + (low + high) / 2
    plain = plain_pixels(pixels, lens)
    coefficients = np.linalg.lstsq(_cubic(knots), plain, rcond=None)[0]
    return np.asarray(_cubic(scaled.reshape(-1, 2)) @ coefficients).reshape(xy.shape)


def _cubic(points: FloatArray) -> FloatArray:
    x, y = points[:, 0], points[:, 1]
    return np.column_stack([np.ones_like(x), x, y, x * x, x * y, y * y, x**3, x * x * y, x * y * y, y**3])


def plain_pixels(pixels: FloatArray, lens: Lens) -> FloatArray:
    """Where the pixels would be if the lens had no distortion."""
    rays = lens.directions(pixels)
    return rays * [lens.matrix[0, 0], lens.matrix[1, 1]] + [lens.matrix[0, 2], lens.matrix[1, 2]]


def _distorted_pixels(plain: FloatArray, lens: Lens) -> FloatArray:
    rays = (plain - [lens.matrix[0, 2], lens.matrix[1, 2]]) / [lens.matrix[0, 0], lens.matrix[1, 1]]
    return lens.project(np.column_stack([rays, np.ones(len(rays))]))


def _exact_homography(source: FloatArray, target: FloatArray) -> FloatArray:
    rows = []
    for (x, y), (u, v) in zip(source, target, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    solution = np.linalg.solve(np.array(rows), target.reshape(-1))
    return np.append(solution, 1.0).reshape(3, 3)


def _apply(homography: FloatArray, points: FloatArray) -> FloatArray:
    h = homography
    x, y = points[..., 0], points[..., 1]
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    return np.stack([(h[0, 0] * x + h[0, 1] * y + h[0, 2]) / w, (h[1, 0] * x + h[1, 1] * y + h[1, 2]) / w], axis=-1)


def _coarse(fine: NDArray[np.float32]) -> FloatArray:
    height, width = fine.shape[0] // _FINE, fine.shape[1] // _FINE
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), dtype=np.float64)


def _draw(patch: _Patch, marker_id: int, to_card: FloatArray, blur_px: float) -> tuple[FloatArray, ...]:
    """The marker's whiteness at each pixel, its gradient along x and y, and its change with blur."""
    card = _apply(to_card, patch.fine_xy)
    texel = marker_side_mm(marker_id) / MARKER_CELLS / _TEXELS
    middle = (MARKER_CELLS / 2 + _QUIET_CELLS) * _TEXELS - 0.5
    maps = (card / texel + middle).astype(np.float32)
    sharp = cv2.remap(
        _texture(marker_id), maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=1.0
    )
    fine = cv2.GaussianBlur(sharp, (0, 0), max(blur_px * _FINE, 0.3), borderType=cv2.BORDER_REPLICATE)
    along_x = cv2.filter2D(fine, cv2.CV_32F, np.array([[-0.5, 0, 0.5]]) * _FINE)
    along_y = cv2.filter2D(fine, cv2.CV_32F, np.array([[-0.5], [0], [0.5]]) * _FINE)
    bend = cv2.Laplacian(fine, cv2.CV_32F) * (_FINE * _FINE * blur_px)
    return _coarse(fine), _coarse(along_x), _coarse(along_y), _coarse(bend)


def _fit(patch: _Patch, marker_id: int, start: FloatArray) -> MarkerFit | None:
    corners = plain_pixels(start, patch.lens) if patch.lens is not None else start.copy()
    side_mm = marker_side_mm(marker_id)
    source = square_mm(side_mm)
    height, width = patch.values.shape
    middle_xy = patch.fine_xy[_FINE // 2 :: _FINE, _FINE // 2 :: _FINE]
    slope_x = (np.arange(width) - width / 2) / width
    slope_y = ((np.arange(height) - height / 2) / height)[:, None]
    ramps = (np.broadcast_to(slope_x, (height, width)), np.broadcast_to(slope_y, (height, width)))
    blur = 0.8
    light: FloatArray | None = None
    damping = 1e-3
    cost = np.inf
    state = None
    for _ in range(_ROUNDS):
        to_card = np.linalg.inv(_exact_homography(source, corners))
        white, dx, dy, bend = _draw(patch, marker_id, to_card, blur)
        card = _apply(to_card, middle_xy)
        used = _usable(card, marker_id, corners, blur)
        if used.sum() < 60:
            return None
        if light is None:
            light = _first_light(patch.values[used], white[used])
        w = white[used]
        rx, ry = ramps[0][used], ramps[1][used]
        gain = light[1] + light[2] * rx + light[3] * ry
        linear = light[0] + gain * w
        shown = np.minimum(_encode(linear), 1.0)
        slope = np.where(linear < 1.0, _encode_slope(linear), 0.0)
        residual = patch.values[used] - shown
        moves = _corner_moves(source, corners, card[used])
        columns = [-(dx[used] * moves[k, :, 0] + dy[used] * moves[k, :, 1]) * gain * slope for k in range(8)]
        columns += [bend[used] * gain * slope, slope, w * slope, w * rx * slope, w * ry * slope]
        jacobian = np.column_stack(columns)
        spread = 1.4826 * float(np.median(np.abs(residual))) + 1e-3
        weight = 1.0 / np.maximum(1.0, np.abs(residual) / (2.5 * spread))
        cost = float((weight * residual**2).sum() / weight.sum())
        normal = jacobian.T @ (jacobian * weight[:, None])
        gradient = jacobian.T @ (weight * residual)
        damped = normal + damping * np.diag(np.diag(normal) + 1e-9)
        step = np.linalg.solve(damped, gradient)
        state = (normal, cost, residual, used)
        largest = float(np.abs(step[:8]).max())
        if largest > 3.0:
            step *= 3.0 / largest
        corners = corners + step[:8].reshape(4, 2)
        blur = float(np.clip(blur + np.clip(step[8], -0.4, 0.4), 0.2, 6.0))
        light = light + step[9:]
        if largest < 2e-3:
            break
    if state is None or light is None:
        return None
    normal, cost, residual, used = state
    covariance = np.linalg.pinv(normal)[:8, :8] * cost
    contrast = float(_encode(np.array(light[0] + light[1])) - _encode(np.array(light[0])))
    found = corners if patch.lens is None else _distorted_pixels(corners, patch.lens)
    return MarkerFit(marker_id, found, covariance, blur, contrast, float(np.sqrt(cost)) / max(contrast, 1e-3))


def _first_light(values: FloatArray, white: FloatArray) -> FloatArray:
    dark = float(np.median(_decode(values[white < 0.2]))) if (white < 0.2).any() else 0.02
    bright = float(np.median(_decode(values[white > 0.8]))) if (white > 0.8).any() else 0.8
    return np.array([dark, max(bright - dark, 0.05), 0.0, 0.0])


def _usable(card_mm: FloatArray, marker_id: int, corners: FloatArray, blur_px: float) -> NDArray[np.bool_]:
    """Pixels on the card and far enough from its outer edge that the table cloth does not bleed in."""
    side = marker_side_mm(marker_id)
    across = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    px_per_mm = np.array([across[1] + across[3], across[0] + across[2]]) / (2 * side)
    limit = np.array(card_half_mm(marker_id)) - (1.0 + 2.0 * blur_px) / px_per_mm
    limit = np.maximum(limit, side / 2 + 0.75 / px_per_mm)
    return np.asarray((np.abs(card_mm[..., 0]) < limit[0]) & (np.abs(card_mm[..., 1]) < limit[1]))


def _corner_moves(source: FloatArray, corners: FloatArray, card: FloatArray) -> FloatArray:
    """(8, N, 2): how far each card point moves in the picture for a pixel's move of each corner coordinate."""
    base = _apply(_exact_homography(source, corners), card)
    moves = np.empty((8, len(card), 2))
    step = 1e-3
    for k in range(8):
        moved = corners.copy().reshape(-1)
        moved[k] += step
        moves[k] = (_apply(_exact_homography(source, moved.reshape(4, 2)), card) - base) / step
    return moves
