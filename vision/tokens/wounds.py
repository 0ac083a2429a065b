"""Wound tokens: black with a white sign in the middle, sought by that pattern, for black alone is in every picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vision.roster.token_colours import planes, ramp, white_like
from vision.tokens.flat_face import FlatFace
from vision.tokens.glyphs import RADII_MM, fit_sign, ink_of, inside_of, weighted
from vision.types.arrays import FloatImage

_LEAST_WHITE_MM2 = 4.0
_LEAST_SEEN = 0.85
_DARKEST = 0.5  # the black of a token is no lighter
_APART_MM = 10.0
_MOST = 4
# How well the pattern must fit, and how much of it there must be: on a face that is known and on one that is not.
_LIKENESS_KNOWN, _LIKENESS_UNKNOWN = 0.72, 0.78
_SURE_KNOWN, _SURE_UNKNOWN = 0.32, 0.36
_BLUR_KNOWN_MM, _BLUR_UNKNOWN_MM = 2.2, 2.0  # in more blur any dark print with a light spot looks alike
_LEAST_STRANGE = 0.3  # share of the token that differs from the print


class Wound(NamedTuple):
    """One wound: row and column in the face, radius in mm, and how sure it is, 0 to 1."""

    row: int
    column: int
    radius_mm: float
    clarity: float


def find_wounds(face: FlatFace) -> list[Wound]:
    """The wounds on a face."""
    printed, visible, plain, strange, blur_mm = face.printed, face.visible, face.plain, face.strange, face.blur_mm
    if blur_mm > (_BLUR_UNKNOWN_MM if plain is None else _BLUR_KNOWN_MM):
        return []
    if float((white_like(printed) * visible).sum()) < _LEAST_WHITE_MM2:
        return []
    ink = ink_of("wound", printed, printed)
    fresh = ink if plain is None else ink - ink_of("wound", plain, plain)
    needed = _LIKENESS_UNKNOWN if plain is None else _LIKENESS_KNOWN
    blue, green, red = planes(printed)
    colourful = np.maximum(np.maximum(blue, green), red) - np.minimum(np.minimum(blue, green), red)
    best, radius = np.zeros_like(ink), np.zeros_like(ink)
    for radius_mm in RADII_MM:
        if 2 * radius_mm + 2 > len(ink):
            continue
        share = inside_of(radius_mm)
        strangeness = None if strange is None else weighted(strange, share)
        if strangeness is not None and strangeness.max() < _LEAST_STRANGE:
            continue
        possible = weighted(visible, share) > _LEAST_SEEN
        if strangeness is not None:
            possible &= strangeness >= _LEAST_STRANGE
        if not possible.any():
            continue
        found = fit_sign(ink, radius_mm, blur_mm)
        possible &= (found.likeness >= needed) & (found.ground < _DARKEST)
        if not possible.any():
            continue
        worth = np.clip(found.likeness, 0, 1) * np.clip(found.contrast, 0, 1) * possible
        worth *= np.clip(fit_sign(fresh, radius_mm, blur_mm).contrast, 0, 1)
        worth *= ramp(weighted(colourful, share), 0.4, 0.0)
        if strangeness is not None:
            worth *= 0.7 + 0.6 * strangeness
        radius[worth > best] = radius_mm
        best = np.maximum(best, worth)
    return _tops(best, radius, _SURE_UNKNOWN if plain is None else _SURE_KNOWN)


def _tops(worth: FloatImage, radius: FloatImage, least: float) -> list[Wound]:
    """The places where it is worth most, no two near each other."""
    worth = worth.copy()
    rows, columns = np.ogrid[: len(worth), : len(worth)]
    found: list[Wound] = []
    while len(found) < _MOST:
        row, column = (int(v) for v in np.unravel_index(int(worth.argmax()), worth.shape))
        if worth[row, column] < least:
            break
        found.append(Wound(row, column, float(radius[row, column]), float(worth[row, column])))
        worth[np.hypot(rows - row, columns - column) < _APART_MM] = 0
    return found
