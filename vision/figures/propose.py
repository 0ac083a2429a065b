"""Bases that nobody marked and no ring or card shows, to be confirmed by a person.

A round base looks to the network of disks (`vision/rims/cell_network.py`) like a disk on a table seen from nearer: in a
top view as many times larger as disks are larger than bases, its cells vote for the base's centre. Cells that agree are
a candidate; its outline is measured as if a person had marked it. Crowns of trees, figures on hills and spots of a mat
get few votes or have no outline at the height of the cloth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import ByteImage, FloatArray, frozen
from calibration.view import TableView
from vision.figures.mark import Mark
from vision.figures.outline import Pose, Round
from vision.figures.outline_fit import Fitted, Known, fit_outlines
from vision.figures.proposal_options import PROPOSALS
from vision.rims.cell_network import contrast, read_cells
from vision.rims.cells import CELL_PX, Cells, grouped
from vision.types.disc_overlap import sunflower
from vision.types.top_view import TopView, top_view

FACE_POINTS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A base that may stand there: its outline and the evidence for it."""

    fitted: Fitted
    evidence: FloatArray  # (3,): log of the share of its cells that vote for it, share that is owned, its outline

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", frozen(self.evidence, (3,)))

    @property
    def diameter_mm(self) -> float:
        """Its size."""
        assert isinstance(self.fitted.mark.footprint, Round)
        return self.fitted.mark.footprint.diameter_mm

    @property
    def confidence(self) -> float:
        """The probability that it is a base."""
        votes, owned, outline = self.evidence
        odds = PROPOSALS.balance + votes + PROPOSALS.owned_weight * owned + PROPOSALS.outline_weight * outline
        return float(1 / (1 + np.exp(-odds)))


def propose_bases(bgr: ByteImage, view: TableView, circles_mm: Sequence[float]) -> tuple[Candidate, ...]:
    """Round bases of some sizes, the likeliest first, no two in each other."""
    candidates = [
        each for each in candidates_of(bgr, view, circles_mm) if each.confidence >= PROPOSALS.least_confidence
    ]
    return apart(sorted(candidates, key=lambda each: -each.confidence))


def apart(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that stand in none before them."""
    kept: list[Candidate] = []
    for each in candidates:
        if not any(_in_each_other(each, other) for other in kept):
            kept.append(each)
    return tuple(kept)


def candidates_of(bgr: ByteImage, view: TableView, circles_mm: Sequence[float]) -> list[Candidate]:
    """What cells agree on, each at its outline, in every size that it may have."""
    if not circles_mm:
        return []
    top = top_view(bgr, view, PROPOSALS.px_per_mm, 0.0, 0.0)
    cells = read_cells(contrast(top.bgr), top, view)
    radii_px = [size / 2 * top.px_per_mm for size in circles_mm]
    found = []
    for centre, radius in zip(*grouped(cells, radii_px), strict=True):
        place = top.to_board(centre[None])
        if view.px_per_mm(place)[0] < PROPOSALS.least_px_per_mm:
            continue
        x, y = place[0].tolist()
        for size, radius_px in zip(circles_mm, radii_px, strict=True):
            # Each on its own: other sizes at one place would be set apart.
            if abs(math.log(radius_px / radius)) < math.log1p(PROPOSALS.size_within):
                mark = Mark("proposal", Round(size), Pose(x, y))
                fitted = fit_outlines(bgr, view, [mark], Known(PROPOSALS.known_mm, together=True))[0]
                found.append(Candidate(fitted, _evidence(top, cells, fitted.pose, radius_px, fitted.support)))
    return found


def _evidence(top: TopView, cells: Cells, pose: Pose, radius_px: float, support: float) -> FloatArray:
    """The evidence for a base there."""
    centre = top.to_pixels(np.array([[pose.x_mm, pose.y_mm]]))
    votes = cells.votes(centre, np.array([radius_px]))[0]
    share = (1 + votes) / (np.pi * (radius_px / CELL_PX) ** 2)
    return np.array([np.log(share), float(cells.owned_at(centre + radius_px * sunflower(FACE_POINTS)).mean()), support])


def _in_each_other(a: Candidate, b: Candidate) -> bool:
    here, there = a.fitted.pose, b.fitted.pose
    apart = math.hypot(here.x_mm - there.x_mm, here.y_mm - there.y_mm)
    sizes = (a.diameter_mm, b.diameter_mm)
    return apart < sum(sizes) / 2 - PROPOSALS.overlap * min(sizes)
