"""What each cell of a top view shows and which disk owns it, as a network tells it, and the disks that cells agree on.

The network sees some centimetres around each place. A cell that shows a face or a back says where the middle of its
disk is and how large the disk is; a disk is a set of cells that say the same, however few of it are seen.
`benchmarks/training` trains the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.rims.candidates import Rims, face_points
from vision.rims.options import RIMS
from vision.types.arrays import BoolArray, FloatImage, IntArray

CELL_PX = 4
KINDS = 5  # table, face, back, wall, thing
FACE, BACK = 1, 2
UNIT_PX = 32.0  # of what the network tells of middles and radii


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The cells that may show a disk, (K,) each, in top view pixels."""

    places: FloatArray  # (K, 2)
    owned: FloatArray  # chance that a disk owns it
    back: FloatArray  # share of that chance that it shows a back
    middles: FloatArray  # (K, 2) of the disk that owns it
    spread: FloatArray  # of the middle
    radii: FloatArray
    radius_spread: FloatArray  # of the log of the radius
    disks: FloatImage  # (rows, columns) of all cells: the chance that a disk owns it

    def owned_at(self, points: FloatArray) -> FloatArray:
        """The chance that a disk owns the cell at each point (..., 2)."""
        columns, rows = np.moveaxis(np.rint((points - (CELL_PX - 1) / 2) / CELL_PX).astype(np.intp), -1, 0)
        inside = (rows >= 0) & (columns >= 0) & (rows < self.disks.shape[0]) & (columns < self.disks.shape[1])
        rows, columns = (np.clip(at, 0, size - 1) for at, size in zip((rows, columns), self.disks.shape, strict=True))
        return np.where(inside, self.disks[rows, columns], 0.0)

    def inside(self, centre: FloatArray, radius: float) -> IntArray:
        """Which cells lie in a circle."""
        return np.flatnonzero(np.hypot(*(self.places - centre).T) < radius + CELL_PX / 2)

    def agreement(self, which: IntArray, centre: FloatArray, radius: float) -> FloatArray:
        """How much each of some cells says that it is owned by the disk of this centre and radius, 0 to 1."""
        off = np.hypot(*(self.middles[which] - centre).T)
        sizes = np.log(self.radii[which] / radius)
        near = off / (RIMS.vote_spread_px + RIMS.vote_spreads * self.spread[which])
        alike = sizes / (RIMS.vote_size + RIMS.vote_spreads * self.radius_spread[which])
        return np.asarray(self.owned[which] * np.exp(-0.5 * (near**2 + alike**2)), dtype=np.float64)

    def votes(self, centres: FloatArray, radii: FloatArray) -> FloatArray:
        """How many cells (N,) say that they are owned by each disk."""
        found = np.zeros(len(radii))
        for i, (centre, radius) in enumerate(zip(centres, radii.tolist(), strict=True)):
            found[i] = self.agreement(self.inside(centre, radius), centre, radius).sum()
        return found


def cells_of(told: FloatImage) -> Cells:
    """The cells that may show a disk, from what the network tells (KINDS + 5, rows, columns)."""
    kinds = np.exp(told[:KINDS] - told[:KINDS].max(axis=0))
    kinds /= kinds.sum(axis=0)
    owned = kinds[FACE] + kinds[BACK]
    rows, columns = np.nonzero(owned > RIMS.owned_from)
    of = told[KINDS:, rows, columns].astype(np.float64)
    places = np.column_stack([columns, rows]).astype(np.float64) * CELL_PX + (CELL_PX - 1) / 2
    mine = owned[rows, columns].astype(np.float64)
    return Cells(
        places,
        mine,
        kinds[BACK, rows, columns] / mine,
        places + UNIT_PX * of[:2].T,
        UNIT_PX * np.exp(np.clip(of[2], -5, 2)),
        UNIT_PX * np.exp(np.clip(of[3], -2, 2)),
        np.exp(np.clip(of[4], -5, 1)),
        owned,
    )


def grouped(cells: Cells, radii_px: Sequence[float]) -> tuple[FloatArray, FloatArray]:
    """Centres (N, 2) and radii of disks: the one that most cells agree on first, then those of what is left."""
    left = cells.owned.copy()
    sizes = np.array(sorted(radii_px))
    spread = RIMS.vote_size + RIMS.vote_spreads * cells.radius_spread[:, None]
    fits = np.exp(-0.5 * (np.log(cells.radii[:, None] / sizes) / spread) ** 2)
    found: list[tuple[FloatArray, float]] = []
    while True:
        best = _densest(cells, left[:, None] * fits)
        if best is None:
            break
        centre, size = best
        # Whatever comes of this middle, it is not looked at again for this size.
        fits[np.abs(cells.middles - centre).max(axis=1) <= 1.5 * CELL_PX, size] = 0
        near = np.flatnonzero((left > 0) & (np.hypot(*(cells.places - centre).T) < sizes[-1] + CELL_PX))
        for _ in range(RIMS.vote_rounds):
            agree = cells.agreement(near, centre, float(sizes[size]))
            if agree.sum() < RIMS.fewest_votes:
                break
            weight = agree / (RIMS.vote_spread_px + cells.spread[near]) ** 2
            centre = (cells.middles[near] * weight[:, None]).sum(axis=0) / weight.sum()
            size = int(np.argmax([cells.agreement(near, centre, float(s)).sum() for s in sizes]))
        agree = cells.agreement(near, centre, float(sizes[size]))
        taken = near[agree > RIMS.agreed_from * cells.owned[near]]
        if len(taken) and agree.sum() >= RIMS.fewest_votes:
            found.append((centre, float(sizes[size])))
        left[taken] = 0
    centres = np.array([centre for centre, _ in found]).reshape(-1, 2)
    return centres, np.array([radius for _, radius in found])


def _densest(cells: Cells, weights: FloatArray) -> tuple[FloatArray, int] | None:
    """The middle and the size (a column of `weights`) for which most is said; None where too little is."""
    if not len(cells.owned):
        return None
    at = np.floor(cells.middles / CELL_PX).astype(np.intp)
    low = at.min(axis=0)
    at -= low - 1
    shape = at.max(axis=0) + 2
    best, where = 0.0, None
    for size in range(weights.shape[1]):
        votes = np.zeros(shape)
        np.add.at(votes, (at[:, 0], at[:, 1]), weights[:, size])
        wide = np.asarray(cv2.blur(votes, (3, 3), borderType=cv2.BORDER_CONSTANT)) * 9
        peak = np.unravel_index(int(np.argmax(wide)), wide.shape)
        if wide[peak] > best:
            best, where = float(wide[peak]), (np.array(peak) + low - 0.5) * CELL_PX
            chosen = size
    return None if where is None or best < RIMS.fewest_votes / 2 else (where, chosen)


def backing(cells: Cells | None, rims: Rims) -> FloatArray:
    """Log-odds (N,) that each rim is a disk's, from the cells inside it; 0 where nothing is told of cells."""
    if cells is None:
        return np.zeros(len(rims.radii))
    votes, owned = telling(cells, rims)
    by_votes = np.clip(RIMS.vote_weight * (votes - RIMS.vote_balance), -RIMS.most_backing, RIMS.most_backing)
    return np.asarray(by_votes + RIMS.owned_weight * np.minimum(owned - RIMS.owned_balance, 0), dtype=np.float64)


def telling(cells: Cells, rims: Rims) -> tuple[FloatArray, FloatArray]:
    """The log of how many cells vote for each rim, and the share of its face that belongs to some disk."""
    votes = np.log1p(cells.votes(rims.centres, rims.radii))
    return votes, np.asarray(cells.owned_at(face_points(rims)).mean(axis=1), dtype=np.float64)


def not_owned(cells: Cells | None, rims: Rims) -> BoolArray:
    """Which rims (N,) run round something that is no disk, whatever is printed on it."""
    if cells is None:
        return np.zeros(len(rims.radii), dtype=bool)
    return np.asarray(cells.owned_at(face_points(rims)).mean(axis=1) < RIMS.owned_least)
