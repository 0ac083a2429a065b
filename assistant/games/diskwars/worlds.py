"""The tables that a detected one may truly be: drawn once for a scene, asked by every answer that rests on stacks.

Each doubtful fact (who overlaps whom, in which order, what lies between, whether a detection is a disk at all, what was
not detected, who stands on which terrain) is drawn with its chance, for all answers alike. So a pin, the engagement it
makes and the disk it keeps from acting are judged on the same tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.games.diskwars.field import Field
from assistant.games.diskwars.stacks import Pin, is_between, middles, pins, place_certainty
from assistant.rules.chance import SEED
from assistant.rules.doubt import chance_of

DRAWS = 400
NEVER = 0.5 / DRAWS  # rarer facts are not drawn; the chance that none of them happens is `Worlds.rest`


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that may be otherwise than it was detected, and how likely that is."""

    kind: str  # overlap, order, between, false, misread, hidden, pinned, pile, terrain
    of: tuple[str, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class World:
    """One table that may be the true one: how likely, and what of it is otherwise than detected."""

    share: float
    pins: tuple[Pin, ...]
    absent: frozenset[str]  # detections that are no disks
    misread: frozenset[str]  # disks whose owner or token is another
    pinned: frozenset[str]  # disks that lie pinned by a disk nobody detected
    incomplete: bool  # some pile holds a disk nobody detected
    terrain: frozenset[tuple[str, str]]  # disk and terrain whose overlap is otherwise


@dataclass(frozen=True, slots=True)
class Worlds:
    """All tables that were drawn; `rest` is the chance of all facts that were too sure to be drawn."""

    tables: tuple[World, ...]
    rest: float

    def certainty(self, holds: Iterable[bool]) -> float:
        """The certainty of what holds on some of the tables, in their order; never under a half."""
        return max(0.5, self.rest * sum(world.share for world, yes in zip(self.tables, holds, strict=True) if yes))


def worlds(field: Field) -> Worlds:
    """The tables that a scene may truly be; a scene without any doubt is one."""
    usual = pins(field)
    facts = list(_facts(field, usual))
    some = [fact for fact in facts if fact.chance > NEVER]
    rest = float(np.prod([1.0 - fact.chance for fact in facts if fact.chance <= NEVER]))
    if not some:
        return Worlds((_world(field, usual, 1.0, ()),), rest)
    rng = np.random.default_rng(SEED)
    steps = (np.arange(DRAWS) + 0.5) / DRAWS  # every fact's own share is met exactly
    happens = np.stack([rng.permutation(steps) < fact.chance for fact in some], axis=1)
    rows, counts = np.unique(happens, axis=0, return_counts=True)
    drawn = [
        _world(field, usual, float(count) / DRAWS, [fact for fact, yes in zip(some, row.tolist(), strict=True) if yes])
        for row, count in zip(rows, counts, strict=True)
    ]
    return Worlds(tuple(drawn), rest)


def _facts(field: Field, usual: Sequence[Pin]) -> Iterator[Fact]:
    near = field.reach[:, None] + field.reach[None, :]
    first, second = np.nonzero(np.triu((field.gaps <= near) & (near > 0), 1))
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        pair = field.disks[i].id, field.disks[j].id
        yield Fact("overlap", pair, 1.0 - field.overlap_certainty(*pair))
    for pair in field.overlapping:
        upper = pair if pair in field.order else pair[::-1]
        yield Fact("order", upper, 1.0 - max(0.5, field.order.get(upper, 0.5)))
    for triple in middles(field):
        yield Fact("between", triple, 1.0 - place_certainty(field, *triple))
    for pin in usual:
        yield Fact("hidden", (pin.top, pin.bottom), 1.0 - field.contact.get((pin.top, pin.bottom), 1.0))
    for disk in field.disks:
        yield Fact("false", (disk.id,), chance_of(disk, "false"))
        yield Fact("misread", (disk.id,), chance_of(disk, "misread"))
        yield Fact("pinned", (disk.id,), chance_of(disk, "pinned"))
    for pile in _piles(field):
        yield Fact("pile", pile, max(chance_of(field.disks[field.place(name)], "pile") for name in pile))
    for place, disk in enumerate(field.disks):
        for column, piece in enumerate(field.scene.terrain):
            yield Fact("terrain", (disk.id, piece.id), 1.0 - field.terrain_certainty(place, column))


def _world(field: Field, usual: tuple[Pin, ...], share: float, happened: Sequence[Fact]) -> World:
    told: dict[str, set[tuple[str, ...]]] = {}
    for fact in happened:
        told.setdefault(fact.kind, set()).add(fact.of)
    absent = frozenset(of[0] for of in told.get("false", ()))
    changed = {"overlap", "order", "between", "false", "hidden"} & set(told)
    return World(
        share,
        _pins(field, told, absent) if changed else usual,
        absent,
        frozenset(of[0] for of in told.get("misread", ())),
        frozenset(of[0] for of in told.get("pinned", ()))
        | frozenset(bottom for _, bottom in told.get("hidden", ()) if bottom not in absent),
        "pile" in told,
        frozenset((disk, piece) for disk, piece in told.get("terrain", ())),
    )


def _pins(field: Field, told: dict[str, set[tuple[str, ...]]], absent: frozenset[str]) -> tuple[Pin, ...]:
    """The pins of a table on which some facts are otherwise."""
    order = set(field.order)
    for pair in told.get("overlap", ()):
        known = {pair, pair[::-1]} & order
        order = order - known if known else order | {(pair[0], pair[1])}
    for upper, lower in told.get("order", ()):
        if (upper, lower) in order:
            order = (order - {(upper, lower)}) | {(lower, upper)}
    order = {pair for pair in order if not absent & set(pair)}
    below: dict[str, set[str]] = {}
    for upper, lower in order:
        below.setdefault(upper, set()).add(lower)
    found = []
    for top, bottom in sorted(order - told.get("hidden", set())):
        middles_now = [name for name in below[top] if name != bottom and bottom in below.get(name, ())]
        turned = told.get("between", set())
        if not any(_between(field, (top, name, bottom)) != ((top, name, bottom) in turned) for name in middles_now):
            found.append(Pin(top, bottom, 1.0))
    return tuple(found)


def _between(field: Field, triple: tuple[str, str, str]) -> bool:
    return is_between([field.disc(field.place(name)) for name in triple], field.house["between"])


def _piles(field: Field) -> list[tuple[str, ...]]:
    """Disks connected by overlaps; a disk alone is a pile too."""
    pile_of = {disk.id: {disk.id} for disk in field.disks}
    for first, second in field.overlapping:
        if pile_of[first] is not pile_of[second]:
            joined = pile_of[first] | pile_of[second]
            for name in joined:
                pile_of[name] = joined
    return [tuple(sorted(pile)) for pile in {id(pile): pile for pile in pile_of.values()}.values()]
