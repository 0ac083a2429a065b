"""No two bases at one place: where two marks would fall on one base, both are placed anew together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.figures.options import FIGURES


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The places a body may be at: shifts (S, 3) of its middle and how likely each is (a logarithm)."""

    middle: FloatArray
    shifts: FloatArray
    likely: FloatArray
    diameter_mm: float | None  # of a single round base; others are never in each other's way

    @property
    def places(self) -> FloatArray:
        """(S, 2) on the table."""
        return np.asarray(self.middle + self.shifts[:, :2])


def set_apart(choices: Sequence[Choice]) -> list[FloatArray]:
    """The likeliest shift of each body, given that round bases do not stand in each other."""
    best = [int(np.argmax(choice.likely)) for choice in choices]
    rounds = [k for k, choice in enumerate(choices) if choice.diameter_mm is not None]
    for _ in range(FIGURES.rounds):
        here = [choice.places[k][None] for choice, k in zip(choices, best, strict=True)]
        clashes = [
            (i, j)
            for at, i in enumerate(rounds)
            for j in rounds[at + 1 :]
            if _against(choices[i], choices[j], here[i], here[j])[0, 0] > 1.0
        ]
        if not clashes:
            break
        for i, j in clashes:
            best[i], best[j] = _together(choices, best, rounds, i, j)
    return [choice.shifts[k] for choice, k in zip(choices, best, strict=True)]


def _together(choices: Sequence[Choice], best: Sequence[int], rounds: Sequence[int], i: int, j: int) -> tuple[int, int]:
    """The likeliest places of two bases, the others being where they are."""
    alone = []
    for me, other in ((i, j), (j, i)):
        likely = choices[me].likely.copy()
        for k in rounds:
            if k not in (me, other):
                likely -= _against(choices[me], choices[k], choices[me].places, choices[k].places[best[k]][None])[:, 0]
        alone.append(likely)
    both = alone[0][:, None] + alone[1][None] - _against(choices[i], choices[j], choices[i].places, choices[j].places)
    first, second = np.unravel_index(int(np.argmax(both)), both.shape)
    return int(first), int(second)


def _against(a: Choice, b: Choice, places_a: FloatArray, places_b: FloatArray) -> FloatArray:
    """How much speaks against each pair of places (A, B): a millimetre in each other is one standard deviation."""
    assert a.diameter_mm is not None and b.diameter_mm is not None
    apart = np.hypot(*(places_a[:, None] - places_b[None]).transpose(2, 0, 1))
    deep = np.maximum(0.0, (a.diameter_mm + b.diameter_mm) / 2 - FIGURES.touching_mm - apart)
    return np.asarray(np.minimum(deep**2 / 2, FIGURES.most_overlap_cost))
