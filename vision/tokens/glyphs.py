"""Glyphs in the middle of tokens, whichever way they are turned; and black tokens, found by their glyph alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from vision.roster.kit import PrintedToken, channels_of, ramp, white_like
from vision.tokens.options import TOKENS
from vision.types.arrays import FloatImage
from vision.types.sighting import Side


@dataclass(frozen=True, slots=True, eq=False)
class FlatFace:
    """A face laid flat, north up, one pixel a millimetre, in the colours of print (0 to 1, BGR).

    `plain` is the face as it is without tokens, `strange` is 1 where the two differ; both None when the face is not
    known. `visible` is 1 where it is seen.
    """

    printed: FloatImage
    visible: FloatImage
    blur_mm: float
    side: Side = "unknown"
    plain: FloatImage | None = None
    strange: FloatImage | None = None

    @property
    def demand(self) -> float:
        """By how much more is demanded of a token on a face that is not known."""
        return TOKENS.unknown_demand if self.strange is None else 1.0


class TokenPeak(NamedTuple):
    """A place that may be a token's: row and column in the face, radius in mm, and how clear it is, 0 to 1."""

    row: int
    column: int
    radius_mm: float
    clarity: float


class GlyphFit(NamedTuple):
    """Around each pixel: how inky the middle is against the ground, how like a glyph it is, how inky the ground is."""

    contrast: FloatImage
    likeness: FloatImage
    ground: FloatImage


def fit_glyph(ink: FloatImage, radius_mm: float, blur_mm: float) -> GlyphFit:
    """Lays a glyph on every place, for a token of this radius in a picture of one pixel a millimetre."""
    glyph = _glyph(radius_mm, round(blur_mm, 1))
    mean = weighted(ink, glyph.share)
    spread = weighted(ink * ink, glyph.inside) - mean * mean * float(glyph.inside.sum())
    match = weighted(ink, glyph.wave)
    contrast = match / glyph.power
    likeness = np.asarray(match / np.sqrt(np.maximum(spread * glyph.power, 1e-6)), dtype=np.float32)
    return GlyphFit(contrast, likeness, mean - contrast * glyph.usual)


def glyph_contrast(ink: FloatImage, radius_mm: float, blur_mm: float) -> FloatImage:
    """The contrast of `fit_glyph` alone."""
    glyph = _glyph(radius_mm, round(blur_mm, 1))
    return weighted(ink, glyph.wave) / glyph.power


def glyph_strength(kind: PrintedToken, printed: FloatImage, row: int, column: int, blur_mm: float) -> float:
    """How much of a kind's glyph there is about here: 0 none, about 1 a clear one."""
    reach = int(max(TOKENS.radii_mm)) + TOKENS.beside_px + 1
    padded = cv2.copyMakeBorder(printed, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    part = np.asarray(padded[row : row + 2 * reach + 1, column : column + 2 * reach + 1], dtype=np.float32)
    near = slice(reach - 6, reach + 7)
    ink = kind.ink(part, part[near, near])
    middle = slice(reach - TOKENS.beside_px, reach + TOKENS.beside_px + 1)
    best = 0.0
    for radius_mm in TOKENS.radii_mm:
        found = fit_glyph(ink, radius_mm, blur_mm)
        alike = found.likeness[middle, middle]
        worth = found.contrast[middle, middle] * alike * (alike >= TOKENS.least_likeness)
        best = max(best, float(worth.max()))
    return best


def inside_of(radius_mm: float) -> FloatImage:
    """Weights that take the mean over a token of this radius."""
    return _glyph(radius_mm, 1.0).share


def weighted(image: FloatImage, weights: FloatImage) -> FloatImage:
    """Weighted sums around each pixel."""
    total = cv2.filter2D(np.ascontiguousarray(image), -1, weights, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(total, dtype=np.float32)


class _Glyph(NamedTuple):
    """A glyph as it is on average over all its turns: where the token is, how ink changes there, and its mean."""

    inside: FloatImage
    share: FloatImage  # the same with a sum of 1
    wave: FloatImage
    power: float  # of the wave
    usual: float


@cache
def _glyph(radius_mm: float, blur_mm: float) -> _Glyph:
    """That of a token of this radius."""
    fine = 8
    side = 2 * int(np.ceil(radius_mm)) + 1
    axis = (np.arange(side * fine) + 0.5) / fine - side / 2
    distance = np.hypot(axis[None, :], axis[:, None])
    glyph = np.where(distance < TOKENS.glyph * radius_mm, TOKENS.glyph_ink, 0.0)
    seen = cv2.resize(cv2.GaussianBlur(glyph, (0, 0), blur_mm * fine), (side, side), interpolation=cv2.INTER_AREA)
    small = cv2.resize(distance, (side, side), interpolation=cv2.INTER_AREA)
    pattern = np.asarray(seen, dtype=np.float32)
    inside = np.asarray(small <= TOKENS.inside * radius_mm, dtype=np.float32)
    share = inside / inside.sum()
    usual = float((pattern * share).sum())
    wave = (pattern - usual) * inside
    return _Glyph(inside, share, wave, float((wave * wave).sum()), usual)


def find_dark(face: FlatFace, kind: PrintedToken) -> list[TokenPeak]:
    """The black tokens on a face, by their pattern: black alone is in every picture."""
    printed, visible, plain, strange, blur_mm = face.printed, face.visible, face.plain, face.strange, face.blur_mm
    if blur_mm > TOKENS.most_blur_mm / face.demand:
        return []
    if float((white_like(printed) * visible).sum()) < TOKENS.least_strange_mm2 / 10:
        return []
    ink = kind.ink(printed, printed)
    fresh = ink if plain is None else ink - kind.ink(plain, plain)  # what the print has not
    channels = np.stack(list(channels_of(printed).values()))
    colourful = np.asarray(channels.max(axis=0) - channels.min(axis=0), dtype=np.float32)
    best, radius = np.zeros_like(ink), np.zeros_like(ink)
    for radius_mm in TOKENS.radii_mm:
        if 2 * radius_mm + 2 > len(ink):
            continue
        share = inside_of(radius_mm)
        possible = weighted(visible, share) > TOKENS.least_seen
        strangeness = None if strange is None else weighted(strange, share)
        if strangeness is not None:
            possible &= strangeness >= TOKENS.least_share
        if not possible.any():
            continue
        found = fit_glyph(ink, radius_mm, blur_mm)
        possible &= (found.likeness >= face.demand * TOKENS.least_likeness) & (found.ground < TOKENS.darkest)
        if not possible.any():
            continue
        worth = np.clip(found.likeness, 0, 1) * np.clip(found.contrast, 0, 1) * possible
        worth *= np.clip(found.contrast if plain is None else glyph_contrast(fresh, radius_mm, blur_mm), 0, 1)
        worth *= ramp(weighted(colourful, share), 0.4, 0.0)
        if strangeness is not None:
            worth *= 0.7 + 0.6 * strangeness
        radius[worth > best] = radius_mm
        best = np.maximum(best, worth)
    return peaks_of(best, radius, face.demand * TOKENS.least_glyph)


def peaks_of(clarity: FloatImage, radius: FloatImage, least: float) -> list[TokenPeak]:
    """The clearest places, clearest first, no two of them nearer than tokens can lie.

    Not local maxima alone: beside a printed spot a token may lie on the slope of its clarity.
    """
    left = clarity.copy()
    rows, columns = np.ogrid[: len(left), : len(left)]
    found: list[TokenPeak] = []
    while len(found) < TOKENS.most_tokens:
        row, column = (int(v) for v in np.unravel_index(int(left.argmax()), left.shape))
        if left[row, column] <= least:
            break
        found.append(TokenPeak(row, column, float(radius[row, column]), float(left[row, column])))
        left[np.hypot(rows - row, columns - column) < TOKENS.radii_mm[1]] = 0
    return found
