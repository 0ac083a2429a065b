"""How sure a measured answer is: probabilities from the pieces' sigmas, by formula where one holds, else by drawing.

A position has an independent normal error of `sigma_mm` on each axis. The distance of two centres then follows Rice's
law, which is the normal law once the centres are many sigmas apart. Answers no formula covers are asked again of
slightly shifted tables, always with the same seed, so that the same scene gets the same certainty.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.rules.measure import signed_gap_mm
from assistant.rules.shapes import Disc, Footprint

RICE_SIGMAS = 12.0  # nearer than this the normal law is off by more than a thousandth
DRAWS = 400
SEED = 20_117


def together_mm(*sigmas_mm: float) -> float:
    """The sigma of a difference of independent things."""
    return math.hypot(*sigmas_mm)


def normal_below(limit_mm: float, mean_mm: float, sigma_mm: float) -> float:
    """The chance that a normal measure is at most the limit; without any sigma it is 0 or 1.

    >>> normal_below(10.0, 10.0, 1.0), normal_below(10.0, 10.0, 0.0), normal_below(9.0, 10.0, 0.0)
    (0.5, 1.0, 0.0)
    """
    if sigma_mm <= 0.0:
        return 1.0 if mean_mm <= limit_mm + 1e-6 else 0.0
    return 0.5 * math.erfc((mean_mm - limit_mm) / (sigma_mm * math.sqrt(2)))


def apart_below(limit_mm: float, apart_mm: float, sigma_mm: float) -> float:
    """The chance that two points measured `apart_mm` apart are truly at most the limit apart.

    `sigma_mm` is that of their difference, on each axis.
    """
    if sigma_mm <= 0.0 or apart_mm > RICE_SIGMAS * sigma_mm:
        return normal_below(limit_mm, apart_mm, sigma_mm)
    if limit_mm <= 0.0:
        return 0.0
    from scipy.special import chndtr  # loaded only where it is needed: that takes a while

    return float(chndtr((limit_mm / sigma_mm) ** 2, 2.0, (apart_mm / sigma_mm) ** 2))


def gap_below(limit_mm: float, a: Footprint, b: Footprint, sigma_mm: float) -> float:
    """The chance that the gap between two footprints is at most the limit (below 0: overlapping by that much)."""
    if isinstance(a, Disc) and isinstance(b, Disc):
        reach = a.radius_mm + b.radius_mm
        return apart_below(limit_mm + reach, math.dist(a.centre, b.centre), sigma_mm)
    return normal_below(limit_mm, signed_gap_mm(a, b), sigma_mm)


def sure(chance_yes: float, answer: bool) -> float:
    """The certainty of a yes or no: the chance that it is right, never under a half.

    >>> sure(0.9, True), sure(0.2, False), sure(0.2, True)
    (0.9, 0.8, 0.5)
    """
    return min(1.0, max(0.5, chance_yes if answer else 1.0 - chance_yes))


def all_sure(certainties: Sequence[float]) -> float:
    """The certainty that several independent answers are right together.

    >>> all_sure([]), all_sure([0.9, 0.9])
    (1.0, 0.81)
    """
    return max(0.5, round(math.prod(certainties, start=1.0), 12))


def jointly_sure(certainties: Sequence[float]) -> float:
    """The least certainty that answers resting on the same measures are right together, however they hang together."""
    return max(0.5, 1.0 - sum(1.0 - certainty for certainty in certainties))


def drawn(right: Callable[[NDArray[np.float64]], bool], sigmas_mm: Sequence[float], draws: int = DRAWS) -> float:
    """The share of shifted tables on which an answer still holds, never under a half.

    `right` gets one shift (dx, dy) per piece, in the order of the sigmas. Without any sigma nothing is drawn.
    """
    scale = np.asarray(sigmas_mm, dtype=np.float64)
    if not scale.any():
        return 1.0
    shifts = np.random.default_rng(SEED).normal(size=(draws, len(scale), 2)) * scale[None, :, None]
    held = sum(1 for shift in shifts if right(shift))
    return max(0.5, held / draws)
