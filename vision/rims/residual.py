"""Cards that were overlooked: where edges of cards are left that no known rim explains, further circles are sought.

The rims found first rest on what each place of them shows. A back that lies on a face, or a border of the colour of
what is below, shows little there; a network that sees the surroundings knows such an edge all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.rims.candidates import Rims, on_field, settle
from vision.rims.card_edges import SHRUNK, CardEdges
from vision.rims.cells import Cells, backing
from vision.rims.edges import EdgeField
from vision.rims.options import RIMS
from vision.rims.refine import leans
from vision.rims.select import Explanation, explain
from vision.rims.strips import ANGLES, FACING
from vision.rims.votes import peaks
from vision.types.workers import share_out


def with_overlooked(
    edges: EdgeField,
    cards: CardEdges,
    view: TableView,
    rims: Rims,
    diameters_mm: Sequence[float],
    cells: Cells | None = None,
) -> tuple[Rims, Explanation]:
    """The rims, with those of cards that were overlooked, and what each of them explains."""
    top = edges.top
    seen = rims.evidence > 0
    left = cards.without(rims.points[seen], np.broadcast_to(FACING, seen.shape)[seen])
    radii_px = [diameter / 2 * top.px_per_mm for diameter in diameters_mm]
    wide = left.widened()  # a rim may be a little beside where a circle of a size would run
    centres = share_out(lambda radius: _middles(wide, radius), radii_px)
    radii = np.repeat(radii_px, [len(some) for some in centres])
    found = settle(replace(edges, cards=left), np.vstack(centres), radii)
    every = rims.joined(on_field(found, view, top))
    backed = backing(cells, every)
    while True:
        told = explain(every, top.px_per_mm, leans(every, view, top), backing=backed)
        unclear = told.chosen[
            (told.chosen >= len(rims.radii)) & (told.gains < RIMS.residual_clear * ANGLES * told.shown)
        ]
        if not len(unclear):
            return every.pick(told.chosen), told
        kept = np.delete(np.arange(len(every.radii)), unclear)
        every, backed = every.pick(kept), backed[kept]


def _middles(cards: CardEdges, radius_px: float) -> FloatArray:
    """Top view pixels (N, 2) that edges of cards run round at this distance."""
    share = np.asarray(cv2.GaussianBlur(cards.circled(radius_px), (0, 0), 1.0), dtype=np.float32)
    rows, columns = peaks(share, RIMS.filled_from)
    return np.asarray((np.column_stack([columns, rows]) + 0.5) * SHRUNK - 0.5, dtype=np.float64)
