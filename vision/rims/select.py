"""Which candidate rims are disks: the fewest cards that explain the edges seen, each edge explained once.

A card's rim must show wherever nothing lies on it. So a candidate is worth the sum of its evidence outside the disks
already accepted, plus, for each accepted disk, whichever is better: lying below it (then nothing inside it counts) or
lying on it (then all of its rim inside counts, and the accepted disk loses the part of its rim that it would cover).
The cells that vote for a candidate and for no accepted disk speak for it too, and show that so much of it is visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.rims.candidates import Rims, face_points
from vision.rims.cells import Votes
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray, IntArray
from vision.types.poses import ANGLES


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """The accepted candidates, best first, the evidence each adds and the share of its face it then showed."""

    chosen: IntArray
    gains: FloatArray
    shown: FloatArray


def explain(rims: Rims, px_per_mm: float, leans: FloatArray, sure: int = 0, votes: Votes | None = None) -> Explanation:
    """Accepts candidates one by one, the most telling first, until what is left explains nothing more.

    `leans` (N, 2): how far a point at each rim seems to move for each mm it rises, in the same units for both.
    The first `sure` rims are known to be disks for other reasons: they are accepted before all others. `votes` are
    those of the cells inside each rim.
    """
    known = np.arange(len(rims.radii)) < sure
    hopeful = np.flatnonzero(known | ((rims.evidence > RIMS.clear).sum(axis=1) >= RIMS.fewest_clear))
    ballot = _Ballot(None if votes is None else votes.pick(hopeful), len(hopeful))
    rims, leans = rims.pick(hopeful), leans[hopeful]
    near = _near(rims, leans, px_per_mm)
    outward = rims.outward()
    faces = face_points(rims)
    evidence = rims.evidence.copy()
    open_ground = np.ones(evidence.shape, dtype=bool)
    waiting = np.ones(len(rims.radii), dtype=bool)
    worth = np.maximum(evidence.sum(axis=1), RIMS.least_evidence) + ballot.backing(np.arange(len(rims.radii)))
    share = np.ones(len(rims.radii))
    accepted: list[_Accepted] = []
    chosen: list[int] = []
    gains: list[float] = []
    shown: list[float] = []
    while waiting.any():
        worth[~waiting | (share < RIMS.shown_from)] = -np.inf
        best = int(worth.argmax()) if len(chosen) >= sure else len(chosen)
        if worth[best] < RIMS.select_accept_from and len(chosen) >= sure:
            break
        chosen.append(best)
        gains.append(float(worth[best]))
        shown.append(float(share[best]))
        waiting[best] = False
        around = np.flatnonzero(near[:, best])
        away = rims.points[around] - rims.centres[best]
        distance = np.maximum(np.hypot(away[..., 0], away[..., 1]), 1e-9)  # a rim may run through another's middle
        aligned = np.abs((away * outward[around]).sum(axis=2)) > RIMS.parallel * distance
        beyond = rims.beyond(best, rims.points[around]) / px_per_mm
        # Towards the camera a card shows its side, and what is below it.
        side = np.maximum(-(away @ leans[best]) / distance, 0) * RIMS.side_mm
        same_edge = (beyond > -RIMS.same_edge_inside_mm) & (beyond < RIMS.same_edge_outside_mm + side)
        in_border = (np.abs(beyond + rims.borders[best] / px_per_mm) < RIMS.same_edge_inside_mm) & aligned
        same_edge |= in_border & (in_border.mean(axis=1) > RIMS.mostly)[:, None]
        evidence[around] = np.where(same_edge & aligned, np.minimum(evidence[around], 0), evidence[around])
        inside = beyond < -RIMS.inside_by_mm
        latest = _Accepted.among(len(waiting))
        latest.rim_inside[around] = inside & open_ground[around]
        latest.loss[around] = _loss(rims, best, around, px_per_mm)
        latest.face_inside[around] = rims.beyond(best, faces[around]) < 0
        accepted.append(latest)
        open_ground[around] &= ~inside
        ballot.take(best, around)
        worth[around], share[around] = _weighed(around, evidence, open_ground, accepted, near[around][:, chosen])
        worth[around] += ballot.backing(around)
        share[around] = np.maximum(share[around], ballot.shares(around))
    return Explanation(hopeful[chosen], np.array(gains), np.array(shown))


class _Ballot:
    """The votes of cells for N rims; what votes for an accepted one is taken."""

    def __init__(self, votes: Votes | None, count: int) -> None:
        self._votes = votes
        last = max((int(cells.max(initial=-1)) for cells in votes.cells), default=-1) if votes else -1
        self._taken = np.zeros(last + 1)
        self._left = np.zeros(count) if votes is None else votes.left(np.arange(count), self._taken)

    def take(self, best: int, around: IntArray) -> None:
        """Takes what votes for an accepted rim from those around it."""
        if self._votes is not None:
            mine = self._votes.cells[best]
            self._taken[mine] = np.maximum(self._taken[mine], self._votes.agreement[best])
            self._left[around] = self._votes.left(around, self._taken)

    def backing(self, which: IntArray) -> FloatArray:
        """Log-odds that some rims are disks'."""
        return np.zeros(len(which)) if self._votes is None else self._votes.backing(which, self._left[which])

    def shares(self, which: IntArray) -> FloatArray:
        """The shares of some faces that their votes show."""
        return np.zeros(len(which)) if self._votes is None else self._left[which] / self._votes.within[which]


def _near(rims: Rims, leans: FloatArray, px_per_mm: float) -> BoolArray:
    """Whether candidate i can be touched by j's being accepted (N, N): all others are as if it were not there."""
    reach = np.hypot(*(rims.points - rims.centres[:, None]).transpose(2, 0, 1)).max(axis=1, initial=0)
    apart = np.hypot(*(rims.centres[:, None] - rims.centres[None]).transpose(2, 0, 1))
    side = RIMS.same_edge_outside_mm + RIMS.side_mm * np.hypot(leans[:, 0], leans[:, 1])
    return np.asarray(apart <= reach[:, None] + (reach + side * px_per_mm)[None])


def _weighed(
    rows: IntArray,
    evidence: FloatArray,
    open_ground: BoolArray,
    accepted: Sequence[_Accepted],
    near: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """What some candidates are worth beside the accepted disks `near` (rows, accepted) them, and what they show."""
    worth = np.maximum((evidence[rows] * open_ground[rows]).sum(axis=1), RIMS.least_evidence)
    visible = np.ones((len(rows), RIMS.face), dtype=bool)
    for k in np.flatnonzero(near.any(axis=0)).tolist():
        disk, mine = accepted[k], np.flatnonzero(near[:, k])
        own = rows[mine]
        above = (evidence[own] * disk.rim_inside[own]).sum(axis=1) - disk.loss[own]
        worth[mine] += np.maximum(above, 0)
        visible[mine] &= ~(disk.face_inside[own] & (above <= 0)[:, None])
    return worth, visible.mean(axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class _Accepted:
    """One accepted disk as every candidate sees it."""

    rim_inside: BoolArray  # (N, ANGLES): points of the candidate's rim inside it, and inside none accepted before
    loss: FloatArray  # (N,): what it would lose of its own evidence under the candidate
    face_inside: BoolArray  # (N, RIMS.face): points of the candidate's face inside it

    @staticmethod
    def among(count: int) -> _Accepted:
        """One that touches nobody yet."""
        return _Accepted(
            np.zeros((count, ANGLES), dtype=bool), np.zeros(count), np.zeros((count, RIMS.face), dtype=bool)
        )


def _loss(rims: Rims, index: int, others: IntArray, px_per_mm: float) -> FloatArray:
    """What one rim would lose of its evidence if it lay under each of some others."""
    away = rims.points[index] - rims.centres[others][:, None, :]
    under = np.hypot(away[..., 0], away[..., 1]) < rims.radii[others][:, None] - RIMS.inside_by_mm * px_per_mm
    return np.asarray(np.maximum((rims.evidence[index] * under).sum(axis=1), 0), dtype=np.float64)
