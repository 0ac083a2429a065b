"""Bases and stands through time: what a look shows and what was remembered become what is there and what happened.

Models of one unit look alike, so a piece keeps its name by where it stands: what has not changed has not moved, and of
the rest the names are given so that all moves together are short.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.figures.bases import BaseSighting
from vision.figures.stands import StandSighting
from vision.tracking.changes import moves_and_bumps
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Place, Removed
from vision.tracking.options import TRACKING

FigureSighting = BaseSighting | StandSighting
TURNED_DEG = 4.0  # less is a fit that differs
LOOKS = 2  # so many looks in a row must show a piece gone, or a new one where nothing changed


@dataclass(frozen=True, slots=True)
class Turned:
    """A stand faces another way."""

    piece: str
    place: Place
    turn_deg: float  # clockwise


@dataclass(frozen=True, slots=True)
class Doubted:
    """A mark's outline is not seen well: a person should look."""

    piece: str
    place: Place


FigureChange = Moved | Turned | Bumped | Appeared | Noticed | Removed | Doubted


@dataclass(frozen=True, slots=True)
class Figure:
    """One base or stand through the game; `seen.id` is its name for good."""

    seen: FigureSighting
    missed: int = 0  # looks in a row that should have shown it and did not

    @property
    def id(self) -> str:
        """The name it keeps."""
        return self.seen.id

    @property
    def place(self) -> Place:
        """Where it stands."""
        return (self.seen.x_mm, self.seen.y_mm)


@dataclass(frozen=True, slots=True)
class FigureMemory:
    """All bases and stands on the table."""

    figures: tuple[Figure, ...] = ()
    doubts: tuple[FigureSighting, ...] = ()  # seen once where nothing has changed
    named: int = 0  # names given so far: none is given twice
    looked: bool = False

    @property
    def waiting(self) -> bool:
        """Whether another look must decide about a piece."""
        return bool(self.doubts) or any(figure.missed for figure in self.figures)


def begin_with(marked: Sequence[FigureSighting]) -> tuple[FigureMemory, tuple[FigureChange, ...]]:
    """What stands on the table as people marked it: the names are theirs."""
    doubts = tuple(Doubted(each.id, (each.x_mm, each.y_mm)) for each in marked if each.doubtful)
    return FigureMemory(tuple(Figure(each) for each in marked), (), len(marked), looked=True), doubts


def follow_figures(
    memory: FigureMemory,
    seen: Sequence[FigureSighting],
    untouched: Collection[str],
    fresh: Collection[str],
    recognised: Collection[str] = (),
) -> tuple[FigureMemory, tuple[FigureChange, ...]]:
    """What stands on the table now, and what has happened since.

    `untouched` are the known pieces whose place looks as it did, `fresh` the sightings whose place does not, and
    `recognised` those that bear the name of the known piece that they are.
    """
    if not memory.looked:
        added = _christened(seen, 0)
        return FigureMemory(tuple(added), (), len(added), looked=True), ()
    matches = _matches(memory, seen, untouched, recognised)
    taken = {match.id for match in matches.values()}
    known = [_updated(figure, matches.get(figure.id), figure.id in untouched) for figure in memory.figures]
    gone = {figure.id for figure in known if figure.missed >= LOOKS}
    left = [sighting for sighting in seen if sighting.id not in taken]
    unsure = [sighting for sighting in left if sighting.id not in fresh]
    believed = [sighting for sighting in unsure if any(_alike_near(sighting, doubt) for doubt in memory.doubts)]
    newcomers = _christened([sighting for sighting in left if sighting.id in fresh], memory.named)
    noticed = _christened(believed, memory.named + len(newcomers))
    changes = (
        *_moves(memory, known),
        *(Appeared(figure.id, figure.place, None) for figure in newcomers),
        *(Removed(figure.id, figure.place) for figure in known if figure.id in gone),
        *(Noticed(figure.id, figure.place, True) for figure in noticed),
    )
    after = FigureMemory(
        tuple(figure for figure in (*known, *newcomers, *noticed) if figure.id not in gone),
        tuple(sighting for sighting in unsure if sighting not in believed),
        memory.named + len(newcomers) + len(noticed),
        looked=True,
    )
    return after, changes


def _matches(
    memory: FigureMemory, seen: Sequence[FigureSighting], untouched: Collection[str], recognised: Collection[str]
) -> dict[str, FigureSighting]:
    """The sighting of each known piece that was seen."""
    from scipy.optimize import linear_sum_assignment  # loaded only where it is needed: that takes a while

    matches: dict[str, FigureSighting] = {each.id: each for each in seen if each.id in recognised}
    free = [each for each in seen if each.id not in matches]
    for figure in (f for f in memory.figures if f.id in untouched and f.id not in matches):
        near = [sighting for sighting in free if _alike_near(figure.seen, sighting)]
        if near:
            matches[figure.id] = min(near, key=lambda sighting: _apart_mm(figure.seen, sighting))
            free.remove(matches[figure.id])
    rest = [figure for figure in memory.figures if figure.id not in untouched and figure.id not in matches]
    for kind in dict.fromkeys(_kind(figure.seen) for figure in rest):
        fellows = [figure for figure in rest if _kind(figure.seen) == kind]
        found = [sighting for sighting in free if _kind(sighting) == kind]
        # Squared, so that a unit that marches by one place is told as all its models moving, not as one going round.
        costs = np.array([[_apart_mm(figure.seen, s) ** 2 for s in found] for figure in fellows])
        rows, columns = linear_sum_assignment(costs.reshape(len(fellows), len(found)))
        matches |= {fellows[r].id: found[c] for r, c in zip(rows.tolist(), columns.tolist(), strict=True)}
    return matches


def _kind(seen: FigureSighting) -> tuple[str, float, float]:
    """What never changes of a piece: its colour and its size."""
    if isinstance(seen, BaseSighting):
        return (seen.colour, seen.diameter_mm, 0.0)
    return (seen.colour, seen.width_mm, seen.depth_mm)


def _reach_mm(seen: FigureSighting) -> float:
    return seen.diameter_mm / 2 if isinstance(seen, BaseSighting) else min(seen.width_mm, seen.depth_mm) / 2


def _apart_mm(a: FigureSighting, b: FigureSighting) -> float:
    return math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm)


def _alike_near(a: FigureSighting, b: FigureSighting) -> bool:
    """Whether two sightings may be one piece that has not moved."""
    return _kind(a) == _kind(b) and _apart_mm(a, b) < _reach_mm(a)


def _updated(figure: Figure, seen: FigureSighting | None, untouched: bool) -> Figure:
    """A piece after a look; what lies within measuring's doubt has not moved."""
    if seen is None:
        return figure if untouched else replace(figure, missed=figure.missed + 1)
    old = figure.seen
    jitter_mm = float(np.clip(TRACKING.jitter_sigmas * math.hypot(seen.sigma_mm, old.sigma_mm), *TRACKING.jitter_mm))
    if untouched or (_apart_mm(seen, old) < jitter_mm and abs(_turn_deg(old, seen)) < TURNED_DEG):
        return replace(figure, missed=0)
    return Figure(replace(seen, id=old.id))


def _turn_deg(before: FigureSighting, after: FigureSighting) -> float:
    """How far a stand was turned, clockwise, -180 to 180; a base never is."""
    if isinstance(before, StandSighting) and isinstance(after, StandSighting):
        return (after.facing_deg - before.facing_deg + 180.0) % 360.0 - 180.0
    return 0.0


def _moves(memory: FigureMemory, known: Sequence[Figure]) -> list[FigureChange]:
    """Moves and bumps, and stands that only turned."""
    shifts, turns = [], []
    for before, after in zip(memory.figures, known, strict=True):
        shifts += [Moved(after.id, before.place, after.place)] if before.place != after.place else []
        turn = _turn_deg(before.seen, after.seen)
        turns += [Turned(after.id, after.place, turn)] if abs(turn) >= TURNED_DEG else []
    moved, bumped = moves_and_bumps(shifts)
    return [*moved, *bumped, *turns]


def _christened(seen: Sequence[FigureSighting], named: int) -> list[Figure]:
    """New pieces, named by their colour and a number that no other has had."""
    return [Figure(replace(each, id=f"{each.colour}-{named + number}")) for number, each in enumerate(seen, 1)]
