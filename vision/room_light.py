"""From where light falls on a table, as the shadows of its cards tell."""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from calibration.arrays import FloatArray
from vision.arrays import BoolArray

_AROUND = np.arange(12) * (2 * np.pi / 12)
_ASIDE = (0.3, 0.7, 1.6, 3.6)  # how far light goes sideways while it falls by one
# (Q, 2): how far along x and y one goes towards the light for each mm one rises.
TOWARDS = np.array([[aside * np.cos(turn), aside * np.sin(turn)] for aside in _ASIDE for turn in _AROUND])
STIFFNESS = 20.0  # how much the fit holds every direction to be dark
FITS = 3  # rounds in which what fits badly weighs less
DARKEST = 0.08  # of the light is left in the deepest shadow


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
    return np.asarray(np.log(np.maximum(1 - blocked @ light, DARKEST)))


class RoomLight:
    """The light from each direction that explains the shadows of cards best: of all of them, or of all but one.

    Of each card, how much of every direction is blocked (C, Q) and how much darker it is (C,) in cells beside it, both
    against its own surroundings, and the weights (C,) of the cells.
    """

    def __init__(self, cards: dict[int, tuple[FloatArray, FloatArray, FloatArray]]) -> None:
        self._names = np.concatenate([np.full(len(darker), card) for card, (_, darker, _) in cards.items()])
        self._blocked = np.vstack([blocked for blocked, _, _ in cards.values()])
        self._darker = np.concatenate([darker for _, darker, _ in cards.values()])
        usual = np.concatenate([weights for _, _, weights in cards.values()])
        self._weights = usual
        for _ in range(FITS):
            error = np.abs(self._darker - self._blocked @ self._fitted(*self._normal()))
            scale = 1.4826 * float(np.median(error)) + 1e-3
            self._weights = usual / np.maximum(1, error / (2 * scale))
        self._all = self._normal()

    def without(self, card: int) -> FloatArray:
        """The light (Q,) as all other cards tell."""
        own = self._names == card
        whole, mine = self._all, self._normal(own)
        return self._fitted(whole[0] - mine[0], whole[1] - mine[1])

    def _normal(self, which: BoolArray | slice = slice(None)) -> tuple[FloatArray, FloatArray]:
        weighed = self._blocked[which] * self._weights[which][:, None]
        return weighed.T @ self._blocked[which], weighed.T @ self._darker[which]

    @staticmethod
    def _fitted(square: FloatArray, right: FloatArray) -> FloatArray:
        root = np.linalg.cholesky(square + STIFFNESS * np.eye(len(right)))
        light = nnls(root.T, np.linalg.solve(root, right))[0]
        # Stiffness spreads the light over directions; it is not to dim it.
        explained = float(light @ square @ light)
        return np.asarray(light * (float(light @ right) / explained if explained > 0 else 1.0))
