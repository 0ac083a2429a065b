"""The glyph in the middle of a token: a letter in ink on the token's ground, whichever way it is turned."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from vision.roster.token_colours import planes
from vision.tokens.options import TOKENS
from vision.types.arrays import FloatImage


class GlyphFit(NamedTuple):
    """Around each pixel: how inky the middle is against the ground, how like a glyph it is, how inky the ground is."""

    contrast: FloatImage
    likeness: FloatImage
    ground: FloatImage


def ink_of(kind: str, printed: FloatImage, token: FloatImage) -> FloatImage:
    """How inky each pixel is, against the brightest of the token: 0 as the ground, 1 as the glyph.

    The glyph is white on red and on black, and black on the other kinds.
    """
    blue, green, red = planes(printed)
    if kind == "damage":
        return np.asarray(np.minimum(blue, green) / _bright(token[:, :, 2]), dtype=np.float32)
    if kind == "wound":
        return np.asarray((blue + green + red) / 3, dtype=np.float32)
    light = blue if kind == "empowerment" else np.minimum(green, red)
    bright = _bright(token[:, :, 0] if kind == "empowerment" else token[:, :, 1:].min(axis=2))
    return np.asarray(1 - light / bright, dtype=np.float32)


def _bright(values: FloatImage) -> float:
    return max(float(np.percentile(values, 80)), 0.1)


def fit_glyph(ink: FloatImage, radius_mm: float, blur_mm: float) -> GlyphFit:
    """Lays a glyph on every place, for a token of this radius in a picture of one pixel a millimetre."""
    pattern, inside = _pattern(radius_mm, round(blur_mm, 1))
    share = inside / inside.sum()
    usual = float((pattern * share).sum())
    wave = (pattern - usual) * inside
    power = float((wave * wave).sum())
    mean = weighted(ink, share)
    spread = weighted(ink * ink, inside) - mean * mean * float(inside.sum())
    match = weighted(ink, wave)
    contrast = match / power
    likeness = np.asarray(match / np.sqrt(np.maximum(spread * power, 1e-6)), dtype=np.float32)
    return GlyphFit(contrast, likeness, mean - contrast * usual)


def glyph_strength(kind: str, printed: FloatImage, row: int, column: int, blur_mm: float) -> float:
    """How much of a kind's glyph there is about here: 0 none, about 1 a clear one."""
    reach = int(max(TOKENS.glyphs_radii_mm)) + TOKENS.beside_px + 1
    padded = cv2.copyMakeBorder(printed, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    part = np.asarray(padded[row : row + 2 * reach + 1, column : column + 2 * reach + 1], dtype=np.float32)
    near = slice(reach - 6, reach + 7)
    ink = ink_of(kind, part, part[near, near])
    middle = slice(reach - TOKENS.beside_px, reach + TOKENS.beside_px + 1)
    best = 0.0
    for radius_mm in TOKENS.glyphs_radii_mm:
        found = fit_glyph(ink, radius_mm, blur_mm)
        alike = found.likeness[middle, middle]
        worth = found.contrast[middle, middle] * alike * (alike >= TOKENS.least_likeness)
        best = max(best, float(worth.max()))
    return best


def inside_of(radius_mm: float) -> FloatImage:
    """Weights that take the mean over a token of this radius."""
    _, inside = _pattern(radius_mm, 1.0)
    return np.asarray(inside / inside.sum(), dtype=np.float32)


def weighted(image: FloatImage, weights: FloatImage) -> FloatImage:
    """Weighted sums around each pixel."""
    total = cv2.filter2D(np.ascontiguousarray(image), -1, weights, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total, dtype=np.float32)


@cache
def _pattern(radius_mm: float, blur_mm: float) -> tuple[FloatImage, FloatImage]:
    """How inky a token of this radius is on average over all its turns, and where it is."""
    fine = 8
    side = 2 * int(np.ceil(radius_mm)) + 1
    axis = (np.arange(side * fine) + 0.5) / fine - side / 2
    distance = np.hypot(axis[None, :], axis[:, None])
    glyph = np.where(distance < TOKENS.glyph * radius_mm, TOKENS.glyph_ink, 0.0)
    seen = cv2.resize(cv2.GaussianBlur(glyph, (0, 0), blur_mm * fine), (side, side), interpolation=cv2.INTER_AREA)
    small = cv2.resize(distance, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(seen, dtype=np.float32), np.asarray(small <= TOKENS.inside * radius_mm, dtype=np.float32)
