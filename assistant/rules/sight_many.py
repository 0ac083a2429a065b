"""Line of sight of many pairs of discs at once: cheap proofs for most of them, the exact search for the rest.

A pair sees when nothing stands in its window or when one of a few lines is free; it does not when one convex blocker
reaches from the one side of the window to the other. Only pairs with neither proof are searched exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from assistant.rules.shapes import Disc, Outline, is_convex, polygon
from assistant.rules.sight import SLIT_MM, free_line

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
# Where the lines that are tried leave the one disc and reach the other, aside of its centre, in radii.
TRIED = np.array([(0.0, 0.0), (0.9, 0.9), (-0.9, -0.9)])
TRIED_NEXT = np.array([(a, b) for a in (-0.99, -0.5, 0.0, 0.5, 0.99) for b in (-0.99, -0.5, 0.0, 0.5, 0.99)])


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of discs: centres (n, 2) and radii (n) of the one and of the other."""

    from_centres: Floats
    from_radii: Floats
    to_centres: Floats
    to_radii: Floats

    def __len__(self) -> int:
        return len(self.from_radii)


@dataclass(frozen=True, slots=True)
class Seen:
    """For each pair whether it sees, a free line (n, 2, 2) where it does, and which blockers stand in its window.

    `settled` is false where no cheap proof was found and no search was wanted; such a pair counts as not seeing.
    """

    visible: Bools
    lines: Floats
    standing: Bools
    settled: Bools


def see(pairs: Pairs, blockers: Sequence[Outline], ignored: Bools, search: bool = True) -> Seen:
    """Which pairs of discs see one another. `ignored` (n, blockers) names the blockers that do not count for a pair.

    Without `search` pairs that have no cheap proof stay unsettled.
    """
    delta = pairs.to_centres - pairs.from_centres
    apart: Floats = np.hypot(delta[:, 0], delta[:, 1])
    touching = apart <= pairs.from_radii + pairs.to_radii
    lines = np.stack([pairs.from_centres, pairs.to_centres], axis=1)
    shapes = np.array([polygon(blocker) for blocker in blockers], dtype=object)
    if not len(blockers) or not len(pairs):
        every = np.ones(len(pairs), dtype=bool)
        return Seen(every, lines, np.zeros((len(pairs), len(blockers)), dtype=bool), every)
    left, right = _tangents(pairs, delta, apart, touching)
    windows = shapely.polygons(np.concatenate([left, right[:, ::-1], left[:, :1]], axis=1))
    met: Bools = np.asarray(shapely.intersects(shapes[None, :], _column(windows)), dtype=bool)
    standing: Bools = met & ~ignored & ~touching[:, None]
    visible: Bools = np.logical_not(standing.any(axis=1))
    along = delta / np.where(touching, 1.0, apart)[:, None]
    _try_lines(TRIED, pairs, along, shapes, standing, visible, lines)
    blocked = _walled(blockers, shapes, left, right, standing) & ~visible
    rows = np.nonzero(~visible & ~blocked)[0]
    blocked[rows[_walled_inside(shapes, windows, left, right, standing, rows)]] = True
    _try_lines(TRIED_NEXT, pairs, along, shapes, standing, visible, lines, skip=blocked)
    if not search:
        return Seen(visible, lines, standing, visible | blocked)
    for index in np.nonzero(~visible & ~blocked)[0].tolist():
        a = Disc(_point(pairs.from_centres[index]), float(pairs.from_radii[index]))
        b = Disc(_point(pairs.to_centres[index]), float(pairs.to_radii[index]))
        found = free_line(a, b, [blockers[k] for k in np.nonzero(standing[index])[0].tolist()])
        if found is not None:
            visible[index] = True
            lines[index] = [found.start, found.end]
    return Seen(visible, lines, standing, np.ones(len(pairs), dtype=bool))


def _tangents(pairs: Pairs, delta: Floats, apart: Floats, touching: Bools) -> tuple[Floats, Floats]:
    """The outer tangents on either side of each pair, from the one disc to the other."""
    safe = np.where(touching, 1.0, apart)
    bearing = np.arctan2(delta[:, 1], delta[:, 0])
    lean = np.arccos(np.clip((pairs.from_radii - pairs.to_radii) / safe, -1.0, 1.0))
    sides = []
    for sign in (1.0, -1.0):
        normal = np.stack([np.cos(bearing + sign * lean), np.sin(bearing + sign * lean)], axis=1)
        start = pairs.from_centres + pairs.from_radii[:, None] * normal
        end = pairs.to_centres + pairs.to_radii[:, None] * normal
        sides.append(np.stack([start, end], axis=1))
    return sides[0], sides[1]


def _try_lines(
    offsets: Floats,
    pairs: Pairs,
    along: Floats,
    shapes: NDArray[np.object_],
    standing: Bools,
    visible: Bools,
    lines: Floats,
    skip: Bools | None = None,
) -> None:
    """Marks the pairs for which one of a few lines is free."""
    rows = np.nonzero(~visible if skip is None else ~visible & ~skip)[0]
    if not len(rows):
        return
    aside = np.stack([-along[rows, 1], along[rows, 0]], axis=1)[:, None]
    start = pairs.from_centres[rows, None] + pairs.from_radii[rows, None, None] * aside * offsets[None, :, :1]
    end = pairs.to_centres[rows, None] + pairs.to_radii[rows, None, None] * aside * offsets[None, :, 1:]
    tried = np.asarray(shapely.linestrings(np.stack([start, end], axis=2)), dtype=object)
    met: Bools = np.asarray(shapely.intersects(shapes[None, None, :], tried[..., None]), dtype=bool)
    free: Bools = np.logical_not((met & standing[rows][:, None, :]).any(axis=2))
    found = free.any(axis=1)
    first = free.argmax(axis=1)
    visible[rows[found]] = True
    lines[rows[found], 0] = start[found, first[found]]
    lines[rows[found], 1] = end[found, first[found]]


def _walled(
    blockers: Sequence[Outline], shapes: NDArray[np.object_], left: Floats, right: Floats, standing: Bools
) -> Bools:
    """The pairs whose window a single convex blocker crosses from side to side."""
    convex = np.array([is_convex(blocker) for blocker in blockers])
    sides = [_column(shapely.linestrings(side)) for side in (left, right)]
    across = standing & convex[None, :]
    for side in sides:
        across = across & np.asarray(shapely.intersects(shapes[None, :], side))
    walled: Bools = across.any(axis=1)
    return walled


def _walled_inside(
    shapes: NDArray[np.object_], windows: object, left: Floats, right: Floats, standing: Bools, rows: NDArray[np.intp]
) -> Bools:
    """Of some pairs, those in whose window one connected part of a blocker reaches from side to side."""
    places, columns = np.nonzero(standing[rows])
    inside = shapely.intersection(shapes[columns], _column(windows)[rows[places], 0])
    parts, owners = shapely.get_parts(np.asarray(inside, dtype=object), return_index=True)
    at = rows[places[owners]]
    across = np.ones(len(at), dtype=bool)
    for side in (left, right):
        across &= shapely.distance(parts, shapely.linestrings(side[at])) <= SLIT_MM
    walled = np.zeros(len(rows), dtype=bool)
    walled[places[owners][across]] = True
    return walled


def _column(shapes: object) -> NDArray[np.object_]:
    return np.asarray(shapes, dtype=object).reshape(-1, 1)


def _point(row: Floats) -> tuple[float, float]:
    return (float(row[0]), float(row[1]))
