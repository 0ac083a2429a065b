"""Which rims still explain something once each is measured where the picture itself shows it."""

from __future__ import annotations

import numpy as np

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.rims.candidates import Rims, judge, rims_of
from vision.rims.cells import Cells, votes_of
from vision.rims.edges import EdgeField
from vision.rims.rim_fitter import RimFitter
from vision.rims.select import Explanation, explain
from vision.rims.stacking import stack
from vision.types.poses import Poses, slant
from vision.types.top_view import TopView


def still_explaining(fitter: RimFitter, edges: EdgeField, rims: Rims, cells: Cells) -> tuple[Rims, Explanation]:
    """The rims that still explain something, moved to where they are seen, and what each of them explains."""
    if not len(rims.radii):
        return rims, Explanation(np.zeros(0, dtype=np.intp), np.zeros(0), np.zeros(0))
    top, view = edges.top, fitter.view
    order = stack(rims, top.px_per_mm)
    fit = fitter.fit(_flat(rims, top), order.covered)
    rims = judge(edges, rims_of(fit.poses, view, top))
    explanation = explain(rims, top.px_per_mm, leans(rims, view, top), votes=votes_of(cells, rims))
    return rims.pick(explanation.chosen), explanation


def leans(rims: Rims, view: TableView, top: TopView) -> FloatArray:
    """How far (N, 2) a point at each rim seems to move on the cloth for each mm it rises."""
    return slant(view, top.to_board(rims.centres))


def _flat(rims: Rims, top: TopView) -> Poses:
    """All faces as if they lay flat at the top view's height: who leans is not known before who is there is."""
    count = len(rims.radii)
    heights = np.full(count, top.height_mm)
    return Poses(top.to_board(rims.centres), heights, np.zeros((count, 2)), rims.radii / top.px_per_mm)
