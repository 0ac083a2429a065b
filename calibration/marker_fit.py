"""Where a printed marker lies in a picture, to hundredths of a pixel.

The marker is drawn as the camera would see it (its code, the blur, the light, the tone curve) and moved until the
drawing agrees with the picture. Edges of a blurred black and white print look displaced towards the dark once a camera
has applied its tone curve; drawing in linear light and applying the curve afterwards reproduces that displacement
instead of measuring it. What a camera's own curve, sharpening or a print that spreads displace further is the same for
all edges of a marker: white grows or shrinks on all sides. Edges inside the code face all ways, so this growth is told
apart from the marker's size, and fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import homography
from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.kit import card_half_mm, marker_cells, marker_side_mm, square_mm
from calibration.lens import Lens
from calibration.tone import decode, encode, encode_with_slope

FloatImage = NDArray[np.float32]

_TEXELS = 16  # per cell of the drawn code
_QUIET_CELLS = 2  # white around the drawn code
_CORNER_DECIMALS = 3  # of a pixel: far below the error of any corner
_ROUNDS = 10
_ENOUGH_PX = 0.015
_LEAST_SIDE_PX = 7.0
_ENOUGH_SAMPLES = 3000  # pixels of one marker; more would not make it surer, only slower
_LEAST_BLUR_PX, _GREATEST_BLUR_PX = 0.15, 6.0
_GREATEST_GROWTH_PX = 1.5
_COVERED = 0.3
_GRAY = np.array([0.114, 0.587, 0.299])  # of blue, green, red


@dataclass(frozen=True, slots=True, eq=False)
class MarkerFit:
    """One measured marker: its corners in pixels, how sure they are, and how the picture looked there."""

    marker_id: int
    corners_px: FloatArray
    covariance_px2: FloatArray  # (8, 8) of the corners in the order x0 y0 x1 y1 …
    blur_px: float
    contrast: float
    clipped: float  # how much of the white is overexposed, 0 to 1
    residual: float  # what the drawing leaves unexplained, as a fraction of the contrast

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen(self.corners_px, (4, 2)))
        object.__setattr__(self, "covariance_px2", frozen(self.covariance_px2, (8, 8)))


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    """What is printed: a square code, and how far white reaches from its middle at least."""

    marker_id: int
    cells: FloatArray  # (n, n), 1 where white, black border included
    side_mm: float
    white_mm: float

    def texture(self) -> FloatImage:
        cells = np.pad(self.cells, _QUIET_CELLS, constant_values=1.0)
        return np.kron(cells, np.ones((_TEXELS, _TEXELS))).astype(np.float32)


@cache
def kit_print(marker_id: int) -> Print:
    """A kit marker as it is printed."""
    return Print(marker_id, marker_cells(marker_id), marker_side_mm(marker_id), card_half_mm(marker_id))


def fit_marker(bgr: ByteImage, marker_id: int, corners_px: FloatArray, lens: Lens | None = None) -> MarkerFit | None:
    """The kit marker near these corners, or None where the picture does not look like it."""
    return fit_print(bgr, kit_print(marker_id), corners_px, lens)


def fit_print(bgr: ByteImage, printed: Print, corners_px: FloatArray, lens: Lens | None = None) -> MarkerFit | None:
    """Any printed square code near these corners, or None where the picture does not look like it."""
    start = np.asarray(corners_px, dtype=np.float64).reshape(4, 2)
    side_px = float(np.linalg.norm(start - np.roll(start, 1, axis=0), axis=1).mean())
    if side_px < _LEAST_SIDE_PX:
        return None
    patch = _cut(bgr, printed, start, lens, fine=3 if side_px < 30 else 2)
    return None if patch is None else _fit(patch, printed, start)


@dataclass(frozen=True, slots=True, eq=False)
class _Patch:
    """The part of a picture around one marker, and where each fine sample would be without lens distortion."""

    bgr: FloatArray  # (h, w, 3), 0 to 1
    gray: FloatArray  # (h, w), 0 to 1
    fine_xy: FloatImage  # (h * fine, w * fine, 2), undistorted pixels from `origin`
    middle_xy: FloatArray  # (h, w, 2), the same for whole pixels
    origin: FloatArray
    fine: int
    lens: Lens | None

    def plain(self, pixels: FloatArray) -> FloatArray:
        return (pixels if self.lens is None else plain_pixels(pixels, self.lens)) - self.origin

    def seen(self, plain: FloatArray) -> FloatArray:
        return plain + self.origin if self.lens is None else distorted_pixels(plain + self.origin, self.lens)


def _cut(bgr: ByteImage, printed: Print, corners: FloatArray, lens: Lens | None, fine: int) -> _Patch | None:
    reach = 2 * printed.white_mm / printed.side_mm
    outline = corners.mean(axis=0) + (corners - corners.mean(axis=0)) * reach
    low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, [bgr.shape[1], bgr.shape[0]])
    width, height = (int(v) for v in high - low)
    if width < 8 or height < 8:
        return None
    colours = bgr[low[1] : high[1], low[0] : high[0]].astype(np.float64) / 255.0
    if colours.ndim == 2:
        colours = np.repeat(colours[:, :, None], 3, axis=2)
    x = (np.arange(width * fine) - (fine - 1) / 2) / fine + low[0]
    y = (np.arange(height * fine) - (fine - 1) / 2) / fine + low[1]
    whole = _grid(np.arange(width) + low[0], np.arange(height) + low[1], lens)
    origin = low.astype(np.float64)
    fine_xy = (_grid(x, y, lens) - origin).astype(np.float32)
    return _Patch(colours, colours @ _GRAY, fine_xy, whole - origin, origin, fine, lens)


def _grid(x: FloatArray | NDArray[np.int64], y: FloatArray | NDArray[np.int64], lens: Lens | None) -> FloatArray:
    """(h, w, 2): the grid's points, undistorted through a cubic that is exact to far below a thousandth of a pixel."""
    if lens is None:
        return np.stack(np.meshgrid(x, y), axis=2).astype(np.float64)
    span = np.array([x[-1] - x[0], y[-1] - y[0]]) / 2
    middle = np.array([x[-1] + x[0], y[-1] + y[0]]) / 2
    knots = np.linspace(-1, 1, 6)
    plain = plain_pixels(np.stack(np.meshgrid(knots, knots), axis=2).reshape(-1, 2) * span + middle, lens)
    basis = np.linalg.pinv(np.vander(knots, 4))
    across, down = np.vander((x - middle[0]) / span[0], 4), np.vander((y - middle[1]) / span[1], 4)
    layers = [down @ (basis @ plain[:, k].reshape(6, 6) @ basis.T) @ across.T for k in range(2)]
    return np.stack(layers, axis=2)


def plain_pixels(pixels: FloatArray, lens: Lens) -> FloatArray:
    """Where the pixels would be if the lens had no distortion."""
    rays = lens.directions(pixels)
    return np.asarray(rays @ np.diag(np.diag(lens.matrix)[:2]) + lens.matrix[:2, 2], dtype=np.float64)


def distorted_pixels(plain: FloatArray, lens: Lens) -> FloatArray:
    """The way back from `plain_pixels`."""
    rays = (plain - lens.matrix[:2, 2]) / np.diag(lens.matrix)[:2]
    return lens.project(np.column_stack([rays, np.ones(len(rays))]))


@dataclass(frozen=True, slots=True, eq=False)
class _Drawing:
    """The marker's whiteness at each pixel, how it changes along x and y, with more blur and with more white."""

    white: FloatArray
    along_x: FloatArray
    along_y: FloatArray
    bend: FloatArray
    steep: FloatArray  # how much whiter a pixel gets for each pixel by which white grows on all sides


def _draw(patch: _Patch, texture: FloatImage, texel_mm: float, to_card: FloatArray, blur_px: float) -> _Drawing:
    middle = len(texture) / 2 - 0.5
    to_texture = np.array([[1 / texel_mm, 0, middle], [0, 1 / texel_mm, middle], [0, 0, 1]]) @ to_card
    maps = homography.apply(to_texture.astype(np.float32), patch.fine_xy)
    sharp = cv2.remap(
        texture,
        maps[..., 0],
        maps[..., 1],
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=1.0,
    )
    fine = cv2.GaussianBlur(sharp, (0, 0), blur_px * patch.fine, borderType=cv2.BORDER_REPLICATE)
    difference = np.array([[-0.5, 0.0, 0.5]]) * patch.fine
    along_x, along_y = (cv2.filter2D(fine, cv2.CV_32F, kernel) for kernel in (difference, difference.T))
    layers = (
        fine,
        along_x,
        along_y,
        cv2.Laplacian(fine, cv2.CV_32F) * (patch.fine**2 * blur_px),
        np.sqrt(along_x * along_x + along_y * along_y),  # cv2.magnitude differs from run to run
    )
    size = (patch.gray.shape[1], patch.gray.shape[0])
    return _Drawing(*(np.asarray(cv2.resize(x, size, interpolation=cv2.INTER_AREA), dtype=np.float64) for x in layers))


@dataclass(frozen=True, slots=True, eq=False)
class _Light:
    """What black and white send to the camera: per colour how dark black is, and white's gain with its slopes."""

    dark: FloatArray  # (3,) of blue, green, red
    tint: FloatArray  # (3,) of white, green being 1
    terms: FloatArray  # change of dark, gain, slope of the gain along x and along y

    @property
    def contrast(self) -> float:
        """How far apart black and white are in the picture."""
        dark = self.dark[1] + self.terms[0]
        black, white = encode(np.array([dark, dark + self.terms[1]]))
        return float(max(min(white, 1.0) - black, 1e-3))

    def shown(self, white: FloatArray, ramps: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Gray values, and their change with whiteness and with dark; a colour beyond white no longer changes."""
        gain = self.terms[1] + ramps @ self.terms[2:]
        linear = self.dark + self.terms[0] + (gain * white)[:, None] * self.tint
        below = linear < 1.0
        shown, slopes = encode_with_slope(linear)
        values, slopes = np.where(below, shown, 1.0) @ _GRAY, np.where(below, slopes, 0.0)
        return values, gain * (slopes @ (self.tint * _GRAY)), slopes @ _GRAY

    def columns(self, white: FloatArray, ramps: FloatArray, by_white: FloatArray, by_dark: FloatArray) -> FloatArray:
        """(N, 4): change of the gray values with each term."""
        gain = self.terms[1] + ramps @ self.terms[2:]
        by_gain = by_white * white / np.where(np.abs(gain) < 1e-6, 1e-6, gain)
        return np.column_stack([by_dark, by_gain, by_gain[:, None] * ramps])


def _first_light(colours: FloatArray, white: FloatArray) -> _Light:
    """Black and white as the picture shows them where the drawing is surely black or white."""
    linear = decode(colours)
    blacks, whites = linear[white < 0.1], linear[white > 0.9]
    dark = np.median(blacks, axis=0) if len(blacks) else np.full(3, 0.02)
    bright = np.median(whites, axis=0) if len(whites) else np.full(3, 0.8)
    rise = np.maximum(bright - dark, 0.02)
    tint = rise / rise[1]
    # Where white is overexposed its colour shows only on the way up.
    if bright.max() > 0.97:
        way_up = (linear.max(axis=1) < 0.9) & ((linear - dark)[:, 1] > 0.25 * rise[1])
        if way_up.sum() >= 8:
            ratios = (linear[way_up] - dark) / (linear[way_up, 1:2] - dark[1])
            tint = np.clip(np.median(ratios, axis=0), 0.3, 3.0)
    return _Light(dark, tint, np.array([0.0, float(rise[1]), 0.0, 0.0]))


def _usable(card_mm: FloatArray, printed: Print, corners: FloatArray, blur_px: float) -> NDArray[np.bool_]:
    """Pixels on the card and far enough from its outer edge that the table cloth does not bleed in."""
    side = printed.side_mm
    across = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)
    px_per_mm = np.array([across[1] + across[3], across[0] + across[2]]) / (2 * side)
    limit = printed.white_mm - (1.0 + 2.0 * blur_px) / px_per_mm
    limit = np.maximum(limit, side / 2 + 0.75 / px_per_mm)
    return np.asarray((np.abs(card_mm[..., 0]) < limit[0]) & (np.abs(card_mm[..., 1]) < limit[1]))


def _fit(patch: _Patch, printed: Print, start: FloatArray) -> MarkerFit | None:
    source = square_mm(printed.side_mm)
    texture = printed.texture()
    texel_mm = printed.side_mm / len(printed.cells) / _TEXELS
    height, width = patch.gray.shape
    ramps = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, width), np.linspace(-0.5, 0.5, height)), axis=2).reshape(-1, 2)
    colours = patch.bgr.reshape(-1, 3)
    corners = patch.plain(start)
    blur, growth = 0.6, 0.0
    light: _Light | None = None
    normal, cost = np.eye(14), np.inf
    used = np.zeros(0, dtype=np.intp)
    for turn in range(_ROUNDS):
        to_card = homography.inverse(homography.from_corners(source, corners))
        drawing = _draw(patch, texture, texel_mm, to_card, blur)
        card = homography.apply(to_card, patch.middle_xy)
        # The same pixels from the third turn on: with others each time the fit would never come to rest.
        if turn < 3:
            used = np.flatnonzero(_usable(card, printed, corners, blur))
            used = used[:: 1 + len(used) // _ENOUGH_SAMPLES]
        if len(used) < 60:
            return None
        steep = drawing.steep.ravel()[used]
        white = np.clip(drawing.white.ravel()[used] + growth * steep, 0.0, 1.0)
        if light is None:
            light = _first_light(colours[used], white)
        shown, by_white, by_dark = light.shown(white, ramps[used])
        residual = patch.gray.ravel()[used] - shown
        slopes = np.column_stack([drawing.along_x.ravel()[used], drawing.along_y.ravel()[used]]) * -by_white[:, None]
        jacobian = np.column_stack(
            [
                homography.corner_drag(source, corners, card.reshape(-1, 2)[used], slopes),
                drawing.bend.ravel()[used] * by_white,
                steep * by_white,
                light.columns(white, ramps[used], by_white, by_dark),
            ]
        )
        spread = 1.4826 * float(np.median(np.abs(residual))) + 2e-3
        # What is off by a good part of the contrast lies over the marker, and counts for nothing.
        covered = 1.0 / (1.0 + (residual / (_COVERED * light.contrast)) ** 4)
        weight = covered / np.maximum(1.0, np.abs(residual) / (2.5 * spread))
        cost = float((weight * residual**2).sum() / weight.sum())
        normal = jacobian.T @ (jacobian * weight[:, None])
        step = np.linalg.solve(normal + np.diag(1e-4 * np.diag(normal) + 1e-9), jacobian.T @ (weight * residual))
        largest = float(np.abs(step[:8]).max())
        step *= min(1.0, 2.0 / largest)
        corners = corners + step[:8].reshape(4, 2)
        blur = float(np.clip(blur + np.clip(step[8], -0.3, 0.3), _LEAST_BLUR_PX, _GREATEST_BLUR_PX))
        growth = float(np.clip(growth + step[9], -_GREATEST_GROWTH_PX, _GREATEST_GROWTH_PX))
        light = _Light(light.dark, light.tint, light.terms + step[10:])
        if largest < _ENOUGH_PX:
            break
    if light is None or not np.isfinite(corners).all():
        return None
    covariance = np.asarray(np.linalg.pinv(normal, hermitian=True), dtype=np.float64)[:8, :8] * cost
    unexplained = float(np.sqrt(cost)) / light.contrast
    clipped = _clipped(colours[used], white)
    # Sums of single precision differ by 1e-7 px from run to run: rounded, the same picture gives the same table again.
    seen = np.round(patch.seen(corners), _CORNER_DECIMALS)
    return MarkerFit(printed.marker_id, seen, covariance, blur, light.contrast, clipped, unexplained)


def _clipped(colours: FloatArray, white: FloatArray) -> float:
    whites = colours[white > 0.9]
    return float((whites.max(axis=1) > 0.985).mean()) if len(whites) else 0.0
