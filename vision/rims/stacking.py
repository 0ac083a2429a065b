"""Who lies on whom, and how sure.

Of two overlapping cards the upper one shows its rim inside the other, the lower one does not. All pairs are weighed
together: places of a rim that a third card covers tell nothing, and nobody lies above himself by way of others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.rims.candidates import Rims
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray
from vision.types.sighting import UNSEEN_ORDER


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """`above[i, j]`: i lies above j where their outlines cross in the picture; `probability[i, j]` that this is so."""

    above: BoolArray
    probability: FloatArray
    agreement: FloatArray  # (N, N): how far all kinds of evidence agree that i lies above j
    covered: BoolArray  # (N, ANGLES): places of a rim under another card


def stack(rims: Rims, px_per_mm: float, others: FloatArray | None = None) -> Stack:
    """The most likely order of all overlapping pairs.

    `others` (kinds, N, N): what other kinds of evidence say for each card's lying above each other.
    """
    count = len(rims.radii)
    inside = np.zeros((count, count, rims.evidence.shape[1]), dtype=bool)
    apart = np.zeros((count, count))
    for j in range(count):
        beyond = rims.beyond(j, rims.points) / px_per_mm
        apart[:, j] = beyond.min(axis=1)
        # Where two only just overlap, the few places there must do.
        margin = np.clip(-RIMS.shallow * apart[:, j], 0, RIMS.inside_by_mm)
        inside[:, j] = beyond < -margin[:, None]
    crossing = np.minimum(apart, apart.T) < 0
    np.fill_diagonal(crossing, False)
    inside[np.arange(count), np.arange(count)] = False
    by_place = _place_leads(rims.evidence)
    above = np.zeros((count, count), dtype=bool)
    probability = np.zeros((count, count))
    by_others = np.zeros((0, count, count)) if others is None else others - others.transpose(0, 2, 1)
    for _ in range(RIMS.stacking_rounds):
        lead = _leads(by_place, inside, above)
        above, probability = _without_cycles(lead - lead.T + by_others.sum(axis=0), crossing, rims.radii)
    covered = np.asarray((inside & above.T[:, :, None]).any(axis=1))
    agreement = _agreement(np.concatenate([[lead, -lead.T], by_others]))
    return Stack(above, probability, agreement, covered)


def _agreement(leads: FloatArray) -> FloatArray:
    """How far kinds of evidence (kinds, N, N) agree: the square of what is left for an order over all that is spoken.

    Much that speaks for an order says little where much else speaks against it. A single place of a rim is noise.
    """
    lead, spoken = leads.sum(axis=0), np.abs(leads).sum(axis=0)
    return np.asarray(np.sign(lead) * lead**2 / (spoken + 1.0), dtype=np.float64)


def _place_leads(evidence: FloatArray) -> FloatArray:
    """What each place (N, ANGLES) says for its card's lying above: the less a rim is seen at all, the less it misses.

    A card may be known by its art alone, with no edge to be seen against what it lies on.
    """
    clear = np.clip(np.quantile(evidence, RIMS.clearer, axis=1, keepdims=True) / RIMS.stacking_clear, 0, 1)
    return np.asarray(np.clip(evidence, -RIMS.most_place_odds * clear, RIMS.most_place_odds), dtype=np.float64)


def _leads(by_place: FloatArray, inside: BoolArray, above: BoolArray) -> FloatArray:
    """What speaks for each card's lying above each other (N, N): its rim seen there, where no third card covers it."""
    under = inside & above.T[:, :, None]  # [i, k]: places of i under k
    covers = under.sum(axis=1)
    open_to = covers[:, None, :] - under == 0  # [i, j]: places of i covered by none but perhaps j
    return np.asarray((by_place[:, None, :] * (inside & open_to)).sum(axis=2), dtype=np.float64)


def _without_cycles(lead: FloatArray, crossing: BoolArray, radii: FloatArray) -> tuple[BoolArray, FloatArray]:
    """Takes the clearest pairs first; a pair that would close a circle is turned round."""
    count = len(lead)
    reaches = np.eye(count, dtype=bool)
    above, probability = np.zeros((count, count), dtype=bool), np.zeros((count, count))
    pairs = [(i, j) for i in range(count) for j in range(i) if crossing[i, j]]
    for i, j in sorted(pairs, key=lambda pair: -abs(lead[pair])):
        # Of two that look the same a larger upper card would hide the smaller, so the smaller is the upper one.
        first = lead[i, j] > 0 or (lead[i, j] == 0 and radii[i] < radii[j])
        top, bottom = (i, j) if first else (j, i)
        sure = 1 / (1 + np.exp(-RIMS.odds_per_lead * abs(lead[i, j])))
        if reaches[bottom, top]:
            top, bottom, sure = bottom, top, UNSEEN_ORDER
        above[top, bottom], probability[top, bottom] = True, sure
        reaches |= np.outer(reaches[:, top], reaches[bottom])
    return above, probability
