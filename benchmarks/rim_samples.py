"""Places on the rims of true disks and on circles that are none, from pictures whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table_tops import Array
from benchmarks.true_rims import Table, read_table, true_rims
from vision.confidence.by_rim import grounds
from vision.rims.candidates import Rims, circles, find_candidates, settle
from vision.rims.cell_network import contrast, read_cells
from vision.rims.cells import grouped, vote_features, votes_of
from vision.rims.edges import EdgeField
from vision.rims.fit import softened
from vision.rims.options import RIMS
from vision.rims.refine import leans, still_explaining
from vision.rims.rim_fitter import RimFitter
from vision.rims.select import explain
from vision.rims.strips import CENTRE, REACH_PX, border_width, cut_strips, features, rim_colour, strongest
from vision.rims.votes import edge_points, vote_centres
from vision.types.arrays import BoolArray, FloatImage
from vision.types.poses import ANGLES
from vision.types.sighting import CARD_THICKNESS_MM
from vision.types.top_view import TopView

ANOTHER_PX, SAME_PLACE_PX, SAME_SIZE = 8.0, 6.0, 0.05  # between a circle and a disk of its size
MOST_CIRCLES = 30  # of one size that are none, near disks and far from them
NEAR_DISKS_PX = 60.0
BESIDE_PX = (6.0, 14.0)  # circles so far beside true ones are none either
SOME = 3  # of circles that are none, every third place is learnt from
A_THING = 0.2  # of its size: a circle so near to a round thing in place and size is left out, it has a true edge


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """Places or circles (N): what is told of each, and whether it is the visible edge, or the rim, of a card."""

    told: FloatImage | Array
    true: BoolArray

    @staticmethod
    def joined(parts: Sequence[Samples]) -> Samples:
        """All of them."""
        return Samples(np.concatenate([part.told for part in parts]), np.concatenate([part.true for part in parts]))


def places_of(path: Path) -> Samples | None:
    """The places of the picture of one truth file; None where its table is not found."""
    table = read_table(path)
    if table is None:
        return None
    rng = np.random.default_rng(0)
    rims, covered = true_rims(table)
    field = table.field
    told = [_places(field, rims, ~covered), _places(field, _shaken(rims, rng), ~covered)]
    for others in _circles_that_are_none(table, rims, rng):
        if len(others.radii):
            told.append(_places(field, others, np.zeros((len(others.radii), ANGLES), dtype=bool), SOME))
    return Samples.joined(told)


def circles_of(path: Path) -> Samples | None:
    """The circles that explain something of one truth file's picture, and what `rim_log_odds` weighs of them."""
    table = read_table(path)
    if table is None:
        return None
    top = table.field.top
    cells = read_cells(contrast(top.bgr), top, table.view)
    every = find_candidates(table.field, edge_points(table.field), table.sizes_mm)
    agreed = grouped(cells, [size / 2 * top.px_per_mm for size in table.sizes_mm])
    every = every.joined(settle(table.field, *agreed))
    chosen = explain(every, top.px_per_mm, leans(every, table.view, top), votes=votes_of(cells, every)).chosen
    rims = every.pick(chosen)
    fitter = RimFitter(softened(table.bgr), table.view, table.field.whiten, CARD_THICKNESS_MM, RIMS.radial_sigma_mm)
    rims, told = still_explaining(fitter, table.field, rims, cells)
    known = ~_round_things(table.truth, top, rims)
    disk = _are_disks(rims, true_rims(table)[0], SAME_PLACE_PX)
    return Samples(np.column_stack([grounds(rims, told), *vote_features(cells, rims)])[known], disk[known])


def _shaken(rims: Rims, rng: np.random.Generator) -> Rims:
    """The same as plain circles, each up to a pixel off."""
    return circles(rims.centres + rng.uniform(-1, 1, rims.centres.shape), rims.radii)


def _circles_that_are_none(table: Table, rims: Rims, rng: np.random.Generator) -> Iterator[Rims]:
    turn, away = rng.uniform(0, 2 * np.pi, len(rims.radii)), rng.uniform(*BESIDE_PX, len(rims.radii))
    yield circles(rims.centres + away[:, None] * np.column_stack([np.cos(turn), np.sin(turn)]), rims.radii)
    points = edge_points(table.field)
    for size in table.sizes_mm:
        centres = vote_centres(table.field, points, size / 2, RIMS.candidates_found_from)
        found = circles(centres, np.full(len(centres), size / 2 * table.field.top.px_per_mm))
        none = ~_are_disks(found, rims, ANOTHER_PX) & ~_round_things(table.truth, table.field.top, found)
        apart = np.linalg.norm(found.centres[:, None] - rims.centres[None], axis=2)
        near = apart.min(axis=1, initial=np.inf) < NEAR_DISKS_PX
        for which in (np.flatnonzero(none & near), np.flatnonzero(none & ~near)):
            yield found.pick(rng.choice(which, min(len(which), MOST_CIRCLES), replace=False))


def _are_disks(found: Rims, rims: Rims, reach_px: float) -> BoolArray:
    """Whether each circle found is one of the true rims."""
    apart = np.linalg.norm(found.centres[:, None] - rims.centres[None], axis=2)
    alike = np.abs(found.radii[:, None] / rims.radii[None] - 1) < SAME_SIZE
    return np.asarray((alike & (apart < reach_px)).any(axis=1))


def _round_things(truth: Mapping[str, Any], top: TopView, rims: Rims) -> BoolArray:
    """Whether each circle is about the edge of a thing beside the disks."""
    places_mm, sizes_mm = top.to_board(rims.centres), 2 * rims.radii / top.px_per_mm
    found = np.zeros(len(sizes_mm), dtype=bool)
    for thing in truth.get("distractors", ()):
        apart = np.hypot(places_mm[:, 0] - thing["x"], places_mm[:, 1] - thing["y"])
        alike = np.abs(sizes_mm - thing["size_mm"]) < A_THING * sizes_mm
        found |= alike & (apart < A_THING * sizes_mm)
    return found


def _places(field: EdgeField, rims: Rims, seen: BoolArray, step: int = 1) -> Samples:
    """The places of rims where an edge is clearest, every `step`th round each; `seen` (N, ANGLES)."""
    strips = cut_strips(field, rims.points, rims.outward(), rims.radii)
    at = strongest(strips)
    told = features(strips, rim_colour(strips, at), border_width(strips, at))
    slots = at - (CENTRE - REACH_PX)
    own = np.take_along_axis(told, slots[None, None], axis=1)[:, 0].transpose(2, 1, 0)[:, ::step]
    return Samples(own.reshape(-1, len(told)), seen[:, ::step].ravel())
