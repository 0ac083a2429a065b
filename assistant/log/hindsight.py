"""The settled states of a game as they are known afterwards: with disks that were detected late, without false ones.

A detection pass may miss a disk that a later one finds, or take something for a disk; the log says so by a `note` with
the field `there`. Neither is an event of the game, so the states before it are corrected.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.log.event import Event
from assistant.scene.values import Circle, Piece, Scene

_SAME_PLACE_MM = 4.0
_TOUCHING_MM = 1.0  # disks whose edges overlap by less only touch


@dataclass(frozen=True, slots=True)
class _Noticed:
    """A disk that a note speaks of: it was there all along, or never."""

    piece: str
    there: bool


def with_hindsight(scenes: Sequence[Scene], events: Iterable[Event]) -> Iterator[Scene]:
    """The scenes of a game, oldest first, corrected by what its notes say of them."""
    noticed = [
        _Noticed(str(event.fields["piece"]), event.fields["there"] is True)
        for event in events
        if event.type == "note" and isinstance(event.fields.get("there"), bool)
    ]
    never = {one.piece for one in noticed if not one.there}
    firsts = {
        one.piece: next((scene for scene in scenes if _find(scene, one.piece)), None) for one in noticed if one.there
    }
    late = {name: first for name, first in firsts.items() if first is not None and name not in never}
    waiting = set(late)
    for scene in scenes:
        waiting -= {piece.id for piece in scene.pieces}
        corrected = _without(scene, never)
        for name in sorted(waiting):
            corrected = _with(corrected, name, late[name])
        yield corrected


def _without(scene: Scene, names: set[str]) -> Scene:
    if not names & {piece.id for piece in scene.pieces}:
        return scene
    pieces = tuple(piece for piece in scene.pieces if piece.id not in names)
    above = tuple(pair for pair in scene.above if not names & set(pair))
    certainty = tuple(order for order in scene.above_certainty if not names & {order.top, order.bottom})
    return replace(scene, pieces=pieces, above=above, above_certainty=certainty)


def _with(scene: Scene, name: str, first: Scene) -> Scene:
    """The scene with a disk that a later one shows, under what lay on it then or overlaps it only here."""
    piece = _find(first, name)
    if piece is None:
        return scene
    pairs = set(scene.above)
    for other in scene.on_field():
        later = _find(first, other.id)
        lies_so = later is not None and later.on_field and math.dist(later.centre, other.centre) < _SAME_PLACE_MM
        known = [pair for pair in first.above if set(pair) == {name, other.id}]
        if lies_so:
            pairs |= set(known)
        elif _overlap(piece, other):
            pairs.add((other.id, name))
    return replace(scene, pieces=(*scene.pieces, piece), above=tuple(sorted(pairs)))


def _overlap(first: Piece, second: Piece) -> bool:
    if not isinstance(first.shape, Circle) or not isinstance(second.shape, Circle):
        return False
    reach_mm = first.shape.radius_mm + second.shape.radius_mm - _TOUCHING_MM
    return math.dist(first.centre, second.centre) < reach_mm


def _find(scene: Scene, name: str) -> Piece | None:
    return next((piece for piece in scene.pieces if piece.id == name), None)
