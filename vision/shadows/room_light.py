"""From where light falls on a table, as the shadows of its cards tell."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from calibration.arrays import FloatArray
from vision.shadows.options import SHADOWS
from vision.types.arrays import BoolArray
from vision.types.non_negative import non_negative

_AROUND = np.arange(12) * (2 * np.pi / 12)
# (Q, 2): how far along x and y one goes towards the light for each mm one rises.
TOWARDS = np.array([[aside * np.cos(turn), aside * np.sin(turn)] for aside in SHADOWS.aside for turn in _AROUND])


def blocked(points_mm: FloatArray, centre_mm: FloatArray, radius_mm: float, height_mm: float) -> BoolArray:
    """(P, Q): whether a round thing of a height hides a direction of the light from a point on the cloth."""
    reach = TOWARDS * height_mm
    away = centre_mm - points_mm
    along = away @ reach.T
    length = (reach**2).sum(axis=1)
    nearest = np.clip(along / length, 0, 1)
    distance = (away**2).sum(axis=1)[:, None] - 2 * nearest * along + nearest**2 * length
    return np.asarray(distance < radius_mm**2)


def shadow(blocked: BoolArray, light: FloatArray) -> FloatArray:
    """The log of the share of the light that is left where directions (P, Q) are blocked."""
    return np.asarray(np.log(np.maximum(1 - blocked @ light, SHADOWS.room_light_darkest)))


Cells = tuple[FloatArray, FloatArray, FloatArray]


def light_without(cards: Mapping[int, Cells]) -> dict[int, FloatArray]:
    """The light (Q,) from each direction that explains the shadows of cards best: for each card, by all the others.

    Told of each card are, in cells beside it, how much of every direction is blocked (C, Q) and how much darker it is
    (C,), both against its own surroundings, and the weights (C,) of the cells.
    """
    hidden = np.vstack([blocked for blocked, _, _ in cards.values()])
    darker = np.concatenate([dark for _, dark, _ in cards.values()])
    usual = np.concatenate([weights for _, _, weights in cards.values()])
    weights, light = usual, np.zeros(len(TOWARDS))
    for _ in range(SHADOWS.fits):
        light = _fitted((hidden * weights[:, None]).T @ hidden, (hidden * weights[:, None]).T @ darker, light)
        error = np.abs(darker - hidden @ light)
        weights = usual / np.maximum(1, error / (2 * (1.4826 * float(np.median(error)) + SHADOWS.least_error)))
    starts = np.cumsum([0, *(len(dark) for _, dark, _ in cards.values())])
    squares, rights = [], []
    for first, last in pairwise(starts.tolist()):
        weighed = hidden[first:last] * weights[first:last, None]
        squares.append(weighed.T @ hidden[first:last])
        rights.append(weighed.T @ darker[first:last])
    square, right = np.array(squares), np.array(rights)
    return dict(zip(cards, _fitted(square.sum(axis=0) - square, right.sum(axis=0) - right, light), strict=True))


def _fitted(square: FloatArray, right: FloatArray, start: FloatArray) -> FloatArray:
    light = non_negative(square + SHADOWS.stiffness * np.eye(len(TOWARDS)), right, start)
    # Stiffness spreads the light over directions; it is not to dim it.
    explained = np.einsum("...i,...ij,...j->...", light, square, light)
    matched = (light * right).sum(axis=-1)
    return np.asarray(light * np.where(explained > 0, matched / np.maximum(explained, 1e-12), 1.0)[..., None])
