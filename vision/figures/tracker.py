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
from vision.figures.options import FIGURES
from vision.figures.stands import UNKNOWN_FACING_DEG, StandSighting
from vision.tracking.changes import moves_and_bumps
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Place, Removed
from vision.tracking.options import TRACKING

FigureSighting = BaseSighting | StandSighting


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


@dataclass(frozen=True, slots=True)
class FacingUnknown:
    """What marks the front of a regiment is hidden: a person must say which way it faces."""

    piece: str  # one of its stands
    place: Place


FigureChange = Moved | Turned | Bumped | Appeared | Noticed | Removed | Doubted | FacingUnknown


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
        return FigureMemory(tuple(added), (), len(added), looked=True), _unknown_facings(added)
    matches = _matches(memory, seen, untouched, recognised)
    taken = {match.id for match in matches.values()}
    known = [_updated(figure, matches.get(figure.id), figure.id in untouched) for figure in memory.figures]
    gone = {figure.id for figure in known if figure.missed >= TRACKING.confirm_after}
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
        *_unknown_facings([*newcomers, *noticed]),
    )
    after = FigureMemory(
        tuple(figure for figure in (*known, *newcomers, *noticed) if figure.id not in gone),
        tuple(sighting for sighting in unsure if sighting not in believed),
        memory.named + len(newcomers) + len(noticed),
        looked=True,
    )
    return after, changes


def with_facing(memory: FigureMemory, piece: str, facing_deg: float) -> FigureMemory:
    """The memory after a person has said which way a stand faces: its whole regiment is turned by as many quarters."""
    said = next((figure.seen for figure in memory.figures if figure.id == piece), None)
    if not isinstance(said, StandSighting):
        return memory
    quarters = round(((facing_deg - said.facing_deg + 180.0) % 360.0 - 180.0) / 90.0)
    figures = []
    for figure in memory.figures:
        seen = figure.seen
        if isinstance(seen, StandSighting) and not seen.facing_known and _kind(seen) == _kind(said):
            turned = (seen.facing_deg + 90.0 * quarters) % 360.0
            figure = replace(figure, seen=_facing(seen, turned))
        figures.append(figure)
    return replace(memory, figures=tuple(figures))


def without_facing(memory: FigureMemory, pieces: Collection[str]) -> FigureMemory:
    """The memory after a person has taken back which way some stands face."""
    return replace(
        memory,
        figures=tuple(
            replace(figure, seen=replace(seen, facing_sigma_deg=UNKNOWN_FACING_DEG, facing_known=False))
            if isinstance(seen := figure.seen, StandSighting) and figure.id in pieces
            else figure
            for figure in memory.figures
        ),
    )


def _facing(seen: StandSighting, facing_deg: float) -> StandSighting:
    return replace(seen, facing_deg=facing_deg, facing_sigma_deg=FIGURES.said_deg, facing_known=True)


def _unknown_facings(figures: Sequence[Figure]) -> tuple[FacingUnknown, ...]:
    """One stand of each regiment whose front is hidden."""
    found: dict[tuple[str, float, float], FacingUnknown] = {}
    for figure in figures:
        if isinstance(figure.seen, StandSighting) and not figure.seen.facing_known:
            found.setdefault(_kind(figure.seen), FacingUnknown(figure.id, figure.place))
    return tuple(found.values())


def _remembered_facing(old: FigureSighting, seen: FigureSighting) -> FigureSighting:
    """A sighting whose front is hidden faces, of the four ways its sides allow, most as it is known to have faced."""
    if not isinstance(old, StandSighting) or not isinstance(seen, StandSighting):
        return seen
    if seen.facing_known or not old.facing_known:
        return seen
    return _facing(seen, (seen.facing_deg + 90.0 * round(-_turn_deg(old, seen) / 90.0)) % 360.0)


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
        # Squared, so that a unit that marches by one place is all its models moving, not as one going round.
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
    seen = _remembered_facing(old, seen)
    jitter_mm = float(np.clip(TRACKING.jitter_sigmas * math.hypot(seen.sigma_mm, old.sigma_mm), *TRACKING.jitter_mm))
    if untouched or (_apart_mm(seen, old) < jitter_mm and abs(_turn_deg(old, seen)) < FIGURES.turned_deg):
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
        turns += [Turned(after.id, after.place, turn)] if abs(turn) >= FIGURES.turned_deg else []
    moved, bumped = moves_and_bumps(shifts)
    return [*moved, *bumped, *turns]


def _christened(seen: Sequence[FigureSighting], named: int) -> list[Figure]:
    """New pieces, named by their colour and a number that no other has had."""
    return [Figure(replace(each, id=f"{each.colour}-{named + number}")) for number, each in enumerate(seen, 1)]
