"""Tokens of kinds that a player has enrolled, sought on disks by their own picture at every turn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.camera.options import CAMERA
from vision.roster.kit import channels_of
from vision.roster.things import TokenTemplate
from vision.tokens.glyphs import FlatFace, TokenPeak, peaks_of, weighted
from vision.tokens.options import TOKENS
from vision.types.arrays import FloatImage

_SHIFTS = tuple((down, across) for down in (-1, 0, 1) for across in (-1, 0, 1))


class EnrolledSpot(NamedTuple):
    """One token: its kind, and where and how alike it is."""

    kind: str
    peak: TokenPeak


def find_enrolled(face: FlatFace, templates: Sequence[TokenTemplate]) -> list[EnrolledSpot]:
    """The enrolled tokens on a face, of several at a place the likest.

    On a face that is not known only a clear drawing is believed.
    """
    found: list[EnrolledSpot] = []
    for template in templates:
        turns = _blurred(template, round(face.blur_mm, 1))
        if turns.shape[1] < len(face.printed):
            found.extend(_spots(face, template, turns))
    kept: list[EnrolledSpot] = []
    for spot in sorted(found, key=lambda spot: -spot.peak.clarity):
        if not any(_same_place(spot.peak, other.peak) for other in kept):
            kept.append(spot)
    return kept


def _same_place(one: TokenPeak, other: TokenPeak) -> bool:
    apart_mm = math.hypot(one.row - other.row, one.column - other.column)
    return apart_mm <= 0.7 * (one.radius_mm + other.radius_mm)


def _spots(face: FlatFace, template: TokenTemplate, turns: FloatImage) -> list[EnrolledSpot]:
    size = turns.shape[1]
    wide = _widened(face.printed, size // 2)
    bare = None if face.plain is None else _widened(face.plain, size // 2)
    places = _places(face.printed, face.visible, turns)
    if not places:
        return []
    around = [[(row + down, column + across) for down, across in _SHIFTS] for row, column in places]
    likeness_all, miss_all = _compare(np.stack([_part(wide, at, size) for shifts in around for at in shifts]), turns)
    found = []
    for number, shifts in enumerate(around):
        own = slice(number * len(_SHIFTS), (number + 1) * len(_SHIFTS))
        likeness, miss = likeness_all[own], miss_all[own]
        shift, turn = (int(v) for v in np.unravel_index(int((likeness - 2 * miss).argmax()), likeness.shape))
        alike, far = float(likeness[shift, turn]), float(miss[shift, turn])
        if alike < face.demand * TOKENS.least_likeness or far > TOKENS.enrolled_miss / face.demand:
            continue
        if bare is not None:
            mask = turns[turn, ..., 3]
            apart = ((_part(wide, shifts[shift], size) - _part(bare, shifts[shift], size)) ** 2).mean(axis=2)
            if far > TOKENS.better_than_face * float(np.sqrt((apart * mask).sum() / mask.sum())):
                continue
        found.append(EnrolledSpot(template.kind, TokenPeak(*shifts[shift], template.radius_mm, alike)))
    return found


def _widened(image: FloatImage, reach: int) -> FloatImage:
    """Room for a token at the very edge, and one pixel more."""
    edge = reach + 1
    return np.asarray(cv2.copyMakeBorder(image, edge, edge, edge, edge, cv2.BORDER_REPLICATE), dtype=np.float32)


def _part(wide: FloatImage, place: tuple[int, int], size: int) -> FloatImage:
    """The square around a place of the picture that was widened."""
    row, column = place
    return wide[row + 1 : row + 1 + size, column + 1 : column + 1 + size]


def _places(printed: FloatImage, visible: FloatImage, turns: FloatImage) -> list[tuple[int, int]]:
    """Where the face looks most like the token's mean over all turns."""
    mask = np.asarray(turns[..., 3].mean(axis=0), dtype=np.float32)
    mask = np.asarray(np.where(mask > 0.5, mask, 0), dtype=np.float32)
    share = mask / mask.sum()
    miss = np.zeros(printed.shape[:2], np.float32)
    for number, plane in enumerate(channels_of(printed).values()):
        mean = np.asarray(
            (turns[..., number] * turns[..., 3]).mean(axis=0) / np.maximum(turns[..., 3].mean(axis=0), 1e-3)
        )
        miss += weighted(plane * plane, share) - 2 * weighted(plane, np.asarray(share * mean, dtype=np.float32))
        miss += float((share * mean * mean).sum())
    likeness = np.where(weighted(visible, share) < TOKENS.least_seen, 0, np.exp(-miss)).astype(np.float32)
    return [(peak.row, peak.column) for peak in peaks_of(likeness, likeness, 0.0)]


def _compare(parts: FloatImage, turns: FloatImage) -> tuple[FloatArray, FloatArray]:
    """Of each part (P) at each turn: how alike the drawing is (-1 to 1) and how far the colours are apart, (P, T).

    A token may have a light of its own. All sums over pixels are products of matrices, for there are many.
    """
    mask = turns[..., 3].reshape(len(turns), -1)
    colours = turns[..., :3].reshape(len(turns), -1, 3)
    seen = parts.reshape(len(parts), -1, 3)
    weight = mask.sum(axis=1)
    filled = mask[..., None] * colours
    both = seen.reshape(len(parts), -1) @ filled.reshape(len(turns), -1).T
    own = (seen * seen).sum(axis=2) @ mask.T
    theirs = (filled * colours).sum(axis=(1, 2))
    seen_sums = np.einsum("pnc,tn->ptc", seen, mask)
    sums = filled.sum(axis=1)
    gain = np.clip(both / (theirs + 1e-6), *CAMERA.gain_limits)
    miss = np.sqrt(np.maximum(own - 2 * gain * both + gain * gain * theirs, 0) / (3 * weight))
    product = both - (seen_sums * sums).sum(axis=2) / weight
    power = (own - (seen_sums * seen_sums).sum(axis=2) / weight) * (theirs - (sums * sums).sum(axis=1) / weight)
    likeness = product / np.sqrt(np.maximum(power, 1e-6))
    return np.asarray(likeness, dtype=np.float64), np.asarray(miss, dtype=np.float64)


@cache
def _blurred(template: TokenTemplate, blur_mm: float) -> FloatImage:
    """The turns as a picture of this blur shows them."""
    more_mm = float(np.sqrt(max(blur_mm**2 - TOKENS.enrolled_blur_mm**2, 0.3**2)))
    soft = np.stack([cv2.GaussianBlur(turn, (0, 0), more_mm) for turn in template.turns]).astype(np.float32)
    soft[..., :3] /= np.maximum(soft[..., 3:], 1e-3)
    return soft
