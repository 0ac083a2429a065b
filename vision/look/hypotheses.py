"""Stages two and three: rims proposed in the picture, and hypotheses of disks from rims and art."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray
from vision.confidence.by_rim import rim_log_odds
from vision.look.options import LOOK
from vision.look.picture import Picture
from vision.rims.candidates import Rims, circles, find_candidates, judge, on_field, settle
from vision.rims.cells import grouped, votes_of
from vision.rims.refine import leans, still_explaining
from vision.rims.select import explain
from vision.search.art_search import FoundFace
from vision.types.arrays import IntArray

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Hypotheses:
    """Rims that may be disks, with the confidence of each rim, the face found there and its index before."""

    rims: Rims
    odds: FloatArray  # log-odds that the rim is a disk's
    art: Sequence[FoundFace | None]
    was: IntArray  # -1 of a new one

    def pick(self, which: IntArray) -> Hypotheses:
        """Some of them."""
        return Hypotheses(self.rims.pick(which), self.odds[which], [self.art[i] for i in which], self.was[which])


def propose(picture: Picture, with_roster: bool) -> tuple[Rims, FloatArray]:
    """The rims that may be disks, and the log-odds of each; with a roster less likely ones too, for their faces."""
    edges, view, top, sizes_mm = picture.edges, picture.view, picture.top, picture.sizes_mm
    cells = picture.cells
    rims = on_field(find_candidates(edges, picture.points, sizes_mm), view, top)
    candidates = len(rims.radii)
    agreed = grouped(cells, [diameter / 2 * top.px_per_mm for diameter in sizes_mm])
    rims = rims.joined(on_field(settle(edges, *agreed), view, top))
    chosen = explain(rims, top.px_per_mm, leans(rims, view, top), votes=votes_of(cells, rims)).chosen
    rims, explained = still_explaining(picture.fitter, edges, rims.pick(chosen), cells)
    odds = rim_log_odds(rims, explained, cells)
    possible = np.asarray(odds > (LOOK.possible_from if with_roster else 0))
    _log.info("propose: %d candidates, %d rims, %d possible", candidates, len(odds), int(possible.sum()))
    return rims.pick(possible), odds[possible]


def with_art(picture: Picture, rims: Rims, odds: FloatArray, found: Sequence[FoundFace]) -> Hypotheses:
    """The rims and those of the faces found.

    A face found at a known rim speaks for it. One found elsewhere is a disk, and what speaks for the others then is
    what it leaves unexplained.
    """
    top, edges, view = picture.top, picture.edges, picture.view
    known: list[FoundFace | None] = [None] * len(odds)
    fresh: list[FoundFace] = []
    for face in found:
        apart_mm = np.linalg.norm(rims.centres - top.to_pixels(face.centre_mm[None]), axis=1) / top.px_per_mm
        wider_mm = 2 * rims.radii / top.px_per_mm - face.diameter_mm
        near = (apart_mm < LOOK.same_place * face.diameter_mm) & (np.abs(wider_mm) < LOOK.same_size * face.diameter_mm)
        if near.any():
            known[int(np.where(near, apart_mm, np.inf).argmin())] = face
        else:
            fresh.append(face)
    if not fresh:
        return Hypotheses(rims, odds, known, np.arange(len(odds)))
    middles = top.to_pixels(np.array([face.centre_mm for face in fresh]))
    radii = np.array([face.diameter_mm for face in fresh]) / 2 * top.px_per_mm
    every = judge(edges, circles(middles, radii)).joined(rims)
    explanation = explain(every, top.px_per_mm, leans(every, view, top), len(fresh), votes_of(picture.cells, every))
    chosen = every.pick(explanation.chosen)
    art = [(*fresh, *known)[i] for i in explanation.chosen]
    return Hypotheses(
        chosen, rim_log_odds(chosen, explanation, picture.cells), art, np.maximum(explanation.chosen - len(fresh), -1)
    )
