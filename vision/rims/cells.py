"""What each cell of a top view shows and which disk owns it, as a network predicts it, and what follows from that.

The network sees some centimetres around each place. A cell that shows a face or a back predicts where the centre of its
disk is, how large the disk is and how high its face lies; a disk is a set of cells that agree, however few of it are
visible. `benchmarks/training` trains the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.rims.candidates import Rims, face_points
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray, FloatImage, IntArray

CELL_PX = 4
UNIT_PX = 32.0  # of the centres and radii that the network predicts
UNIT_MM = 4.0  # of the heights


class Kind(IntEnum):
    """What a cell shows, as the network numbers it."""

    TABLE = 0
    FACE = 1
    BACK = 2
    WALL = 3
    THING = 4


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that may show a disk, (K,) each, in top view pixels."""

    places: FloatArray  # (K, 2)
    owned: FloatArray  # probability that a disk owns it
    centres: FloatArray  # (K, 2) of the disk that owns it
    spread: FloatArray  # of the centre
    radii: FloatArray
    radius_spread: FloatArray  # of the log of the radius
    heights_mm: FloatArray  # of the face of the disk that owns it
    height_spread_mm: FloatArray
    disks: FloatImage  # (rows, columns) of all cells: the probability that a disk owns it
    index: IntArray  # (rows, columns) of all cells: the number of the cell, -1 where it shows no disk

    def owned_at(self, points: FloatArray) -> FloatArray:
        """The probability that a disk owns the cell at each point (..., 2)."""
        columns, rows = np.moveaxis(np.rint((points - (CELL_PX - 1) / 2) / CELL_PX).astype(np.intp), -1, 0)
        inside = (rows >= 0) & (columns >= 0) & (rows < self.disks.shape[0]) & (columns < self.disks.shape[1])
        rows, columns = (np.clip(at, 0, size - 1) for at, size in zip((rows, columns), self.disks.shape, strict=True))
        return np.where(inside, self.disks[rows, columns], 0.0)

    def owned_on(self, shape: tuple[int, int], step_px: float) -> FloatImage:
        """The same at the points of a grid of so many rows and columns, this far apart."""
        rows, columns = (
            np.clip(np.rint((np.arange(count) * step_px - (CELL_PX - 1) / 2) / CELL_PX).astype(np.intp), 0, size - 1)
            for count, size in zip(shape, self.disks.shape, strict=True)
        )
        return self.disks[np.ix_(rows, columns)]

    def inside(self, centre: FloatArray, radius: float) -> IntArray:
        """Which cells lie in a circle."""
        reach = radius + CELL_PX / 2
        low = np.maximum(np.floor((centre - reach) / CELL_PX).astype(np.intp), 0)
        high = np.maximum(np.ceil((centre + reach) / CELL_PX).astype(np.intp) + 1, 0)
        near = self.index[low[1] : high[1], low[0] : high[0]].ravel()
        near = near[near >= 0]
        away = self.places[near] - centre
        return np.asarray(near[(away**2).sum(axis=1) < reach * reach], dtype=np.intp)

    def agreement(self, which: IntArray, centre: FloatArray, radius: float) -> FloatArray:
        """How far each of some cells agrees that the disk of this centre and radius owns it, 0 to 1."""
        off = ((self.centres[which] - centre) ** 2).sum(axis=1)
        near = off / (RIMS.vote_spread_px + self.spread[which]) ** 2
        sizes = np.log(self.radii[which] / radius)
        alike = sizes / (RIMS.vote_size + self.radius_spread[which])
        return np.asarray(self.owned[which] * np.exp(-0.5 * (near + alike**2)), dtype=np.float64)

    def votes(self, centres: FloatArray, radii: FloatArray) -> FloatArray:
        """How many cells (N,) agree on each disk."""
        circles = zip(centres, radii.tolist(), strict=True)
        return np.array([self.agreement(self.inside(c, r), c, r).sum() for c, r in circles], dtype=np.float64)


def cells_of(outputs: FloatImage) -> Cells:
    """The cells that may show a disk, from the outputs of the network (kinds + 7, rows, columns)."""
    kinds = np.exp(outputs[: len(Kind)] - outputs[: len(Kind)].max(axis=0))
    kinds /= kinds.sum(axis=0)
    owned = kinds[Kind.FACE] + kinds[Kind.BACK]
    rows, columns = np.nonzero(owned > RIMS.owned_from)
    index = np.full(owned.shape, -1, dtype=np.intp)
    index[rows, columns] = np.arange(len(rows))
    of = outputs[len(Kind) :, rows, columns].astype(np.float64)
    places = np.column_stack([columns, rows]).astype(np.float64) * CELL_PX + (CELL_PX - 1) / 2
    return Cells(
        places,
        owned[rows, columns].astype(np.float64),
        places + UNIT_PX * of[:2].T,
        UNIT_PX * np.exp(np.clip(of[2], -5, 2)),
        UNIT_PX * np.exp(np.clip(of[3], -2, 2)),
        np.exp(np.clip(of[4], -5, 1)),
        UNIT_MM * of[5],
        UNIT_MM * np.exp(np.clip(of[6], -4, 2)),
        owned,
        index,
    )


def grouped(cells: Cells, radii_px: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Centres (N, 2) and radii of disks: the one that most cells agree on first, then those of what is left."""
    sizes = np.array(sorted(radii_px))
    found: list[tuple[FloatArray, float]] = []
    if len(cells.owned):
        ballot = _Ballot(cells, sizes)
        while (best := ballot.leader()) is not None:
            centre, size, agree, near = _improved(cells, sizes, *best, ballot.left)
            if agree.sum() >= RIMS.fewest_votes:
                found.append((centre, float(sizes[size])))
                ballot.take(near[agree > RIMS.agreed_from * cells.owned[near]])
            ballot.close(*best)
    centres = np.array([centre for centre, _ in found]).reshape(-1, 2)
    return centres, np.array([radius for _, radius in found])


class _Ballot:
    """Votes of cells for centres, on a grid of cells for each size; cells that were taken vote no more."""

    def __init__(self, cells: Cells, sizes: FloatArray) -> None:
        at = np.floor(cells.centres / CELL_PX).astype(np.intp)
        self._low = at.min(axis=0) - 1
        self._at = at - self._low
        spread = RIMS.vote_size + cells.radius_spread[:, None]
        self._weights = cells.owned[:, None] * np.exp(-0.5 * (np.log(cells.radii[:, None] / sizes) / spread) ** 2)
        self._votes = np.zeros((len(sizes), *(self._at.max(axis=0) + 2)))
        np.add.at(self._votes.transpose(1, 2, 0), (self._at[:, 0], self._at[:, 1]), self._weights)
        self._wide = np.stack([self._summed(votes) for votes in self._votes])
        self.left = np.ones(len(cells.owned), dtype=bool)

    @staticmethod
    def _summed(votes: FloatArray) -> FloatArray:
        return np.asarray(cv2.boxFilter(votes, -1, (3, 3), normalize=False, borderType=cv2.BORDER_CONSTANT))

    def leader(self) -> tuple[FloatArray, int] | None:
        """The centre and the size (its number) that most cells vote for; None where too few do."""
        size, row, column = np.unravel_index(int(self._wide.argmax()), self._wide.shape)
        if self._wide[size, row, column] < RIMS.fewest_votes / 2:
            return None
        return (np.array([row, column]) + self._low + 0.5) * CELL_PX, int(size)

    def take(self, which: IntArray) -> None:
        """Removes the votes of cells that a disk owns."""
        fresh = which[self.left[which]]
        self.left[fresh] = False
        rows, columns = self._at[fresh].T
        np.subtract.at(self._votes.transpose(1, 2, 0), (rows, columns), self._weights[fresh])
        self._wide = np.minimum(self._wide, np.stack([self._summed(votes) for votes in self._votes]))

    def close(self, centre: FloatArray, size: int) -> None:
        """Closes a centre: whatever came of it, it does not lead again for this size."""
        row, column = np.floor(centre / CELL_PX).astype(np.intp) - self._low
        self._wide[size, max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = 0


def _improved(
    cells: Cells, sizes: FloatArray, centre: FloatArray, size: int, left: BoolArray
) -> tuple[FloatArray, int, FloatArray, IntArray]:
    """The centre and size that the cells around a leader agree on, their agreement, and which cells these are."""
    near = cells.inside(centre, float(sizes[-1]))
    near = near[left[near]]
    for _ in range(RIMS.vote_rounds):
        agree = cells.agreement(near, centre, float(sizes[size]))
        if agree.sum() < RIMS.fewest_votes:
            break
        weight = agree / (RIMS.vote_spread_px + cells.spread[near]) ** 2
        centre = (cells.centres[near] * weight[:, None]).sum(axis=0) / weight.sum()
        size = int(np.argmax([cells.agreement(near, centre, float(s)).sum() for s in sizes]))
    return centre, size, cells.agreement(near, centre, float(sizes[size])), near


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """How far the cells inside each of N rims agree that it is the rim of the disk that owns them."""

    cells: Sequence[IntArray]
    agreement: Sequence[FloatArray]
    within: FloatArray  # (N,): how many cells a face has
    owned: FloatArray  # (N,): share of the face that belongs to some disk

    def pick(self, which: IntArray) -> Votes:
        """Those of some of the rims."""
        return Votes(
            [self.cells[i] for i in which], [self.agreement[i] for i in which], self.within[which], self.owned[which]
        )

    def left(self, which: IntArray, taken: FloatArray) -> FloatArray:
        """The votes for some rims that accepted disks leave them; `taken` is the agreement of every cell with those."""
        return np.array([np.maximum(self.agreement[i] - taken[self.cells[i]], 0).sum() for i in which])

    def backing(self, which: IntArray, votes: FloatArray) -> FloatArray:
        """Log-odds that some rims are disks', from so many votes and from the share of their faces that disks own."""
        by_votes = RIMS.vote_weight * (np.log1p(votes) - RIMS.vote_balance)
        by_votes = np.clip(by_votes, -RIMS.most_backing, RIMS.most_backing)
        return np.asarray(by_votes + RIMS.owned_weight * np.minimum(self.owned[which] - RIMS.owned_balance, 0))


def votes_of(cells: Cells, rims: Rims) -> Votes:
    """What the cells inside each rim vote."""
    inside = [cells.inside(c, r) for c, r in zip(rims.centres, rims.radii.tolist(), strict=True)]
    circles = zip(inside, rims.centres, rims.radii.tolist(), strict=True)
    agreement = [cells.agreement(which, centre, radius) for which, centre, radius in circles]
    return Votes(inside, agreement, np.pi * (rims.radii / CELL_PX) ** 2, owned_shares(cells, rims))


def owned_shares(cells: Cells, rims: Rims) -> FloatArray:
    """The share of each face (N,) that belongs to some disk; caps, coasters and cards with art belong to none."""
    return np.asarray(cells.owned_at(face_points(rims)).mean(axis=1), dtype=np.float64)


def vote_features(cells: Cells, rims: Rims) -> tuple[FloatArray, FloatArray]:
    """The log of how many cells vote for each rim, and the share of its face that belongs to some disk."""
    return np.log1p(cells.votes(rims.centres, rims.radii)), owned_shares(cells, rims)


def ownership_leads(cells: Cells, rims: Rims) -> FloatArray:
    """For each pair of rims (N, N) what the cells of their overlap say for the first above the second.

    A cell votes for the disk that it shows, so in an overlap it votes for the upper one. Entry [i, j] minus entry
    [j, i] is the evidence, in the units of `stack`. Of a disk that hardly any cell votes for the cells know nothing.
    """
    count = len(rims.radii)
    leads = np.zeros((count, count))
    circles = list(zip(rims.centres, rims.radii.tolist(), strict=True))
    seen = cells.votes(rims.centres, rims.radii) > RIMS.seen_votes
    # Cells nearer to a rim than half their diagonal show both sides of it.
    own = [cells.inside(centre, radius - CELL_PX / np.sqrt(2)) for centre, radius in circles]
    apart = np.hypot(*(rims.centres[:, None] - rims.centres[None]).transpose(2, 0, 1))
    for i, j in np.argwhere(np.triu(apart < rims.radii[:, None] + rims.radii[None], 1)).tolist():
        if not (seen[i] and seen[j]):
            continue
        both = np.intersect1d(own[i], own[j], assume_unique=True)
        first, second = (cells.agreement(both, *circles[k]) for k in (i, j))
        ratio = np.log((first + RIMS.by_chance) / (second + RIMS.by_chance))
        lead = RIMS.ownership_lead * float(ratio.sum())
        leads[i, j] = float(np.clip(lead, -RIMS.most_ownership, RIMS.most_ownership))
    return leads


def apparent_heights(cells: Cells, rims: Rims) -> tuple[FloatArray, FloatArray]:
    """The height of each face (N,) as its cells predict it, and their own spread, both in mm.

    The spread is infinite where no cell speaks for a rim.
    """
    heights, sigmas = np.zeros(len(rims.radii)), np.full(len(rims.radii), np.inf)
    for i, (centre, radius) in enumerate(zip(rims.centres, rims.radii.tolist(), strict=True)):
        which = cells.inside(centre, radius)
        spread = cells.height_spread_mm[which]
        weight = cells.agreement(which, centre, radius) / spread
        if weight.sum() > 0:
            order = np.argsort(cells.heights_mm[which])
            summed = np.cumsum(weight[order])
            heights[i] = cells.heights_mm[which][order][np.searchsorted(summed, summed[-1] / 2)]
            sigmas[i] = (weight @ spread) / weight.sum()
    return heights, sigmas
