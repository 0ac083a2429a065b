"""A game played by dice: true tables, what a camera would report of them, and what truly happened in between."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from vision.tracking.memory import Evidence
from vision.types.disc_overlap import covered_share, overlap_area_mm2
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting

TABLE_MM = 914.4
SIZES_MM = (38.1, 50.8, 76.2)
KINDS = ("activation", "damage", "wound")
Told = tuple[object, ...]


@dataclass(frozen=True)
class Piece:
    """A true disk; a greater `layer` lies above."""

    id: str
    x: float
    y: float
    diameter_mm: float
    profile: str
    layer: int
    tokens: dict[str, int] = field(default_factory=dict)

    def seen_as(self, name: str, x: float, y: float, profile: str | None, visible: float) -> DiskSighting:
        face = FaceReading(profile, "up" if profile else "down", 0.0, 0.97 if profile else 0.0)
        covariance = 0.16 * np.eye(2)
        return DiskSighting(
            name, x, y, covariance, self.diameter_mm, 2.0, visible_fraction=visible, face=face, tokens=self.tokens
        )

    def exact(self) -> DiskSighting:
        return self.seen_as(self.id, self.x, self.y, self.profile, 1.0)


@dataclass(frozen=True)
class Table:
    """All pieces of one settled moment."""

    pieces: tuple[Piece, ...]

    @cached_property
    def _above(self) -> set[tuple[str, str]]:
        found = set()
        for top in self.pieces:
            for bottom in self.pieces:
                near = math.dist((top.x, top.y), (bottom.x, bottom.y)) < (top.diameter_mm + bottom.diameter_mm) / 2
                if near and top.layer > bottom.layer and overlap_area_mm2(top.exact(), bottom.exact()) > 3.0:
                    found.add((top.id, bottom.id))
        return found

    @cached_property
    def _visible_shares(self) -> dict[str, float]:
        disks = {piece.id: piece.exact() for piece in self.pieces}
        covers: dict[str, list[DiskSighting]] = {piece.id: [] for piece in self.pieces}
        for top, bottom in self._above:
            covers[bottom].append(disks[top])
        return {identity: 1.0 - covered_share(disk, covers[identity]) for identity, disk in disks.items()}

    def above(self) -> set[tuple[str, str]]:
        return self._above

    def visible_share(self, piece: Piece) -> float:
        return self._visible_shares[piece.id]

    def hidden(self) -> set[str]:
        return {piece.id for piece in self.pieces if self.visible_share(piece) < 0.015}

    def clear_cut(self) -> bool:
        """Whether no pair nearly touches and no piece is nearly hidden: what no camera could tell."""
        for index, first in enumerate(self.pieces):
            for second in self.pieces[:index]:
                gap = math.dist((first.x, first.y), (second.x, second.y)) - (first.diameter_mm + second.diameter_mm) / 2
                if -2.5 < gap < 2.5:
                    return False
        shares = [self.visible_share(piece) for piece in self.pieces]
        return all(share < 0.005 or share > 0.25 for share in shares)

    def by_id(self) -> dict[str, Piece]:
        return {piece.id: piece for piece in self.pieces}

    def free(self) -> list[Piece]:
        """The pieces nothing lies on."""
        pinned = {bottom for _, bottom in self.above()}
        return [piece for piece in self.pieces if piece.id not in pinned]


class DiceGame:
    """Tables one after another; everything follows from the seed."""

    def __init__(self, seed: int, pieces: int = 12) -> None:
        self.dice = np.random.default_rng(seed)
        self._count = 0
        self._layer = 0
        self.table = Table(())
        for _ in range(pieces):
            self.table = self._with_new(self.table, apart=True)

    def act(self) -> list[Told]:
        """Something happens; what it was, as (type, piece...) with true names."""
        action = self.dice.choice(
            ["move", "move", "move", "cover", "remove", "appear", "bump", "token", "token", "nothing"]
        )
        before = self.table
        told: list[Told] = getattr(self, f"_{action}")()
        gone, come = before.above() - self.table.above(), self.table.above() - before.above()
        return told + [("pinned", *pair) for pair in sorted(come)] + [("unpinned", *pair) for pair in sorted(gone)]

    def _nothing(self) -> list[Told]:
        return []

    def _move(self) -> list[Told]:
        for _ in range(200):
            piece = self._pick(self.table.free())
            flips = int(self.dice.integers(1, 5))
            angle = self.dice.uniform(0, 2 * math.pi)
            step = flips * piece.diameter_mm
            moved = self._put(piece, piece.x + step * math.cos(angle), piece.y + step * math.sin(angle))
            if self._settle(self._replaced(moved)):
                return [("moved", piece.id, flips)]
        return []

    def _cover(self) -> list[Told]:
        """A large disk is laid right on a smaller one."""
        large = [piece for piece in self.table.free() if piece.diameter_mm > 60]
        small = [piece for piece in self.table.free() if piece.diameter_mm < 60]
        for _ in range(50 if large and small else 0):
            top, bottom = self._pick(large), self._pick(small)
            distance = math.dist((top.x, top.y), (bottom.x, bottom.y))
            x, y = (float(value) for value in self.dice.normal((bottom.x, bottom.y), 2.0))
            flips = math.dist((top.x, top.y), (x, y)) / top.diameter_mm
            if distance > 100 and 0.1 < flips % 1 < 0.9 and self._settle(self._replaced(self._put(top, x, y))):
                return [("moved", top.id, math.ceil(math.dist((top.x, top.y), (x, y)) / top.diameter_mm))]
        return []

    def _remove(self) -> list[Told]:
        if len(self.table.pieces) < 6:
            return []
        piece = self._pick(self.table.free())
        after = Table(tuple(other for other in self.table.pieces if other.id != piece.id))
        return [("removed", piece.id)] if self._settle(after) else []

    def _appear(self) -> list[Told]:
        for _ in range(50):
            after = self._with_new(self.table, apart=False)
            if self._settle(after):
                return [("appeared", after.pieces[-1].id)]
        return []

    def _bump(self) -> list[Told]:
        for _ in range(50):
            chosen = self.dice.choice(len(self.table.pieces), size=3, replace=False)
            after = self.table
            for index in chosen:
                piece = self.table.pieces[int(index)]
                angle, step = self.dice.uniform(0, 2 * math.pi), self.dice.uniform(4.0, 11.0)
                shifted = replace(piece, x=piece.x + step * math.cos(angle), y=piece.y + step * math.sin(angle))
                after = Table(tuple(shifted if p.id == piece.id else p for p in after.pieces))
            names = {self.table.pieces[int(index)].id for index in chosen}
            same_pins = after.above() == self.table.above() and not names & (after.hidden() | self.table.hidden())
            if same_pins and self._settle(after):
                return [("bumped", *sorted(names))]
        return []

    def _token(self) -> list[Told]:
        piece = self._pick([p for p in self.table.pieces if self.table.visible_share(p) > 0.9])
        kind = str(self.dice.choice(KINDS))
        change = -1 if piece.tokens.get(kind) else 1
        marked = replace(piece, tokens={**piece.tokens, kind: piece.tokens.get(kind, 0) + change})
        self.table = self._replaced(marked)
        return [("token", piece.id, kind, change)]

    def _pick(self, pieces: list[Piece]) -> Piece:
        return pieces[int(self.dice.integers(len(pieces)))]

    def _put(self, piece: Piece, x: float, y: float) -> Piece:
        self._layer += 1
        return replace(piece, x=x, y=y, layer=self._layer)

    def _replaced(self, piece: Piece) -> Table:
        return Table(tuple(piece if other.id == piece.id else other for other in self.table.pieces))

    def _settle(self, after: Table) -> bool:
        inside = all(20 < piece.x < TABLE_MM - 20 and 20 < piece.y < TABLE_MM - 20 for piece in after.pieces)
        newly_hidden = after.hidden() - self.table.hidden()
        if not inside or not after.clear_cut() or len(newly_hidden) > 1:
            return False
        self.table = after
        return True

    def _with_new(self, table: Table, apart: bool) -> Table:
        self._count += 1
        self._layer += 1
        for _ in range(500):
            diameter = float(self.dice.choice(SIZES_MM))
            x, y = (float(value) for value in self.dice.uniform(60, TABLE_MM - 60, 2))
            profile = f"profile-{int(self.dice.integers(8))}-{diameter}"
            after = Table((*table.pieces, Piece(f"true-{self._count}", x, y, diameter, profile, self._layer)))
            if after.clear_cut() and not (apart and after.above()):
                return after
        raise AssertionError("no room on the table")

    def look(self, noise_mm: float = 0.3, missed: Iterable[str] = ()) -> tuple[TableSighting, dict[str, str]]:
        """What a camera reports, in a random order under names of its own; and what these names truly are."""
        shown = [
            piece for piece in self.table.pieces if self.table.visible_share(piece) > 0.12 and piece.id not in missed
        ]
        order = self.dice.permutation(len(shown))
        names = {shown[int(index)].id: f"s{number}" for number, index in enumerate(order)}
        disks = []
        for index in order:
            piece = shown[int(index)]
            x, y = (float(value) for value in self.dice.normal((piece.x, piece.y), noise_mm))
            profile = piece.profile if self.dice.random() < 0.85 else None
            disks.append(piece.seen_as(names[piece.id], x, y, profile, self.table.visible_share(piece)))
        orders = tuple(
            Order(names[a], names[b], 0.98) for a, b in sorted(self.table.above()) if a in names and b in names
        )
        return TableSighting(tuple(disks), orders), {name: true for true, name in names.items()}


def evidence_between(before: Table, after: Table, tracks: dict[str, str], names: dict[str, str]) -> Evidence:
    """What pixels would say; `tracks` and `names` give the true name of tracks and sightings."""
    old, new = before.by_id(), after.by_id()
    lies_as_before = {
        identity for identity in old if identity in new and _place(old[identity]) == _place(new[identity])
    }
    came = [piece.exact() for piece in after.pieces if piece.id not in lies_as_before]
    same = {}
    marked = set()
    for track, identity in tracks.items():
        if identity in old and before.visible_share(old[identity]) > 0.015:
            left = 1.0 - covered_share(old[identity].exact(), came) if identity in lies_as_before else 0.25
            same[track] = left
            if identity in lies_as_before and old[identity].tokens != new[identity].tokens:
                marked.add(track)
    fresh = {
        name
        for name, identity in names.items()
        if identity not in lies_as_before or before.visible_share(old[identity]) < 0.12
    }
    return Evidence(same, frozenset(marked), frozenset(fresh))


def _place(piece: Piece) -> tuple[float, float]:
    return (piece.x, piece.y)
