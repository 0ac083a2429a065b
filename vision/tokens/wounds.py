"""Wound tokens: black with a white glyph in the middle, sought by that pattern, for black alone is in every picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from vision.roster.token_colours import planes, ramp, white_like
from vision.tokens.flat_face import FlatFace
from vision.tokens.glyphs import fit_glyph, ink_of, inside_of, weighted
from vision.tokens.options import TOKENS
from vision.types.arrays import FloatImage


class Wound(NamedTuple):
    """One wound: row and column in the face, radius in mm, and how sure it is, 0 to 1."""

    row: int
    column: int
    radius_mm: float
    clarity: float


def find_wounds(face: FlatFace) -> list[Wound]:
    """The wounds on a face."""
    printed, visible, plain, strange, blur_mm = face.printed, face.visible, face.plain, face.strange, face.blur_mm
    if blur_mm > (TOKENS.blur_unknown_mm if plain is None else TOKENS.blur_known_mm):
        return []
    if float((white_like(printed) * visible).sum()) < TOKENS.least_white_mm2:
        return []
    ink = ink_of("wound", printed, printed)
    fresh = ink if plain is None else ink - ink_of("wound", plain, plain)
    needed = TOKENS.likeness_unknown if plain is None else TOKENS.likeness_known
    blue, green, red = planes(printed)
    colourful = np.maximum(np.maximum(blue, green), red) - np.minimum(np.minimum(blue, green), red)
    best, radius = np.zeros_like(ink), np.zeros_like(ink)
    for radius_mm in TOKENS.glyphs_radii_mm:
        if 2 * radius_mm + 2 > len(ink):
            continue
        share = inside_of(radius_mm)
        strangeness = None if strange is None else weighted(strange, share)
        if strangeness is not None and strangeness.max() < TOKENS.least_strange:
            continue
        possible = weighted(visible, share) > TOKENS.least_seen
        if strangeness is not None:
            possible &= strangeness >= TOKENS.least_strange
        if not possible.any():
            continue
        found = fit_glyph(ink, radius_mm, blur_mm)
        possible &= (found.likeness >= needed) & (found.ground < TOKENS.darkest)
        if not possible.any():
            continue
        worth = np.clip(found.likeness, 0, 1) * np.clip(found.contrast, 0, 1) * possible
        worth *= np.clip(fit_glyph(fresh, radius_mm, blur_mm).contrast, 0, 1)
        worth *= ramp(weighted(colourful, share), 0.4, 0.0)
        if strangeness is not None:
            worth *= 0.7 + 0.6 * strangeness
        radius[worth > best] = radius_mm
        best = np.maximum(best, worth)
    return _tops(best, radius, TOKENS.wounds_sure_unknown if plain is None else TOKENS.wounds_sure_known)


def _tops(worth: FloatImage, radius: FloatImage, least: float) -> list[Wound]:
    """The places where it is worth most, no two near each other."""
    worth = worth.copy()
    rows, columns = np.ogrid[: len(worth), : len(worth)]
    found: list[Wound] = []
    while len(found) < TOKENS.most:
        row, column = (int(v) for v in np.unravel_index(int(worth.argmax()), worth.shape))
        if worth[row, column] < least:
            break
        found.append(Wound(row, column, float(radius[row, column]), float(worth[row, column])))
        worth[np.hypot(rows - row, columns - column) < TOKENS.wounds_apart_mm] = 0
    return found
