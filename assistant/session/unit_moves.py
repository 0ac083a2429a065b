"""What units did: all models of a unit that moved at once are one move, with the angle of a wheel, and what it met."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry import Point as Dot

from assistant.scene.values import Circle, JsonValue, Piece, Scene

Array = NDArray[np.float64]
LEAST_MODELS = 3  # of a unit on round bases that is told as one; two stands are enough
RIGID_MM = 8.0  # a regiment that keeps its shape so well was moved as one body
WHEEL_DEG = 4.0
PIVOT_MM = 10.0  # the front corner that a wheel turns about stays so near
CONTACT_MM = 1.0  # bases are in contact when no more is seen between them, beyond what measuring leaves open


@dataclass(frozen=True, slots=True)
class UnitMove:
    """A unit that moved as one: its pieces before and after, in one order."""

    unit: str
    before: tuple[Piece, ...]
    after: tuple[Piece, ...]

    def fields(self) -> dict[str, JsonValue]:
        """The move as an event's fields; a regiment's with how far it turned, and about which front corner."""
        start, end = _middle(self.before), _middle(self.after)
        pieces: list[JsonValue] = [
            {"piece": a.id, "from": _point(a.centre), "to": _point(b.centre)}
            for a, b in zip(self.before, self.after, strict=True)
        ]
        fields: dict[str, JsonValue] = {
            "unit": self.unit,
            "piece": self.before[0].id,
            "pieces": pieces,
            "from": _point(start),
            "to": _point(end),
            "distance_mm": round(math.dist(start, end), 1),
        }
        if not isinstance(self.before[0].shape, Circle):
            turn = self._turn_deg()
            if abs(turn) >= WHEEL_DEG:
                fields["turned_deg"] = round(turn, 1)
                pivot = self._pivot()
                if pivot is not None:
                    fields["wheel"] = {"angle_deg": round(turn, 1), "about": pivot}
        return fields

    def _turn_deg(self) -> float:
        turns = [
            (b.facing_deg - a.facing_deg + 180.0) % 360.0 - 180.0 for a, b in zip(self.before, self.after, strict=True)
        ]
        return float(np.median(turns))

    def _pivot(self) -> str | None:
        """The front corner of the whole regiment that stayed where it was."""
        was, now = _front_corners(self.before), _front_corners(self.after)
        apart = {side: math.dist(was[side], now[side]) for side in was}
        side = min(apart, key=lambda side: apart[side])
        return f"front {side}" if apart[side] <= PIVOT_MM else None


def unit_moves(moved: Collection[str], bumped: Collection[str], before: Scene, after: Scene) -> list[UnitMove]:
    """The units of which all models that are left have moved, some of them perhaps only a little."""
    old = {piece.id: piece for piece in before.on_field()}
    units: dict[str, list[Piece]] = {}
    for piece in after.on_field():
        if piece.unit and piece.id in old:
            units.setdefault(piece.unit, []).append(piece)
    found = []
    for unit, members in units.items():
        stands = all(not isinstance(piece.shape, Circle) for piece in members)
        if len(members) < (2 if stands else LEAST_MODELS) or not any(piece.id in moved for piece in members):
            continue
        if not all(piece.id in moved or piece.id in bumped for piece in members):
            continue
        move = UnitMove(unit, tuple(old[piece.id] for piece in members), tuple(members))
        if not stands or _kept_its_shape(move):
            found.append(move)
    return found


def met(pieces: Sequence[str], before: Scene, after: Scene) -> list[JsonValue]:
    """The units and pieces of other owners that moved pieces have come into contact with."""
    movers = [after.piece(name) for name in pieces]
    mine = {piece.owner for piece in movers}
    touched = {_called(p) for p in _touching(movers, after, mine)}
    was = [piece for piece in before.on_field() if piece.id in pieces]
    touched -= {_called(p) for p in _touching(was, before, mine)}
    return [*sorted(touched)]


def _touching(movers: Sequence[Piece], scene: Scene, mine: set[str | None]) -> list[Piece]:
    others = [piece for piece in scene.on_field() if piece.owner not in mine]
    return [
        other
        for other in others
        if any(
            _area(mover).distance(_area(other)) <= CONTACT_MM + math.hypot(mover.sigma_mm, other.sigma_mm)
            for mover in movers
        )
    ]


def _called(piece: Piece) -> str:
    return piece.unit or piece.id


def _area(piece: Piece) -> Polygon:
    if isinstance(piece.shape, Circle):
        return Dot(piece.centre).buffer(piece.shape.radius_mm, 24)
    return Polygon(_corners(piece))


def _corners(piece: Piece) -> Array:
    """Front left, front right, rear right, rear left."""
    assert not isinstance(piece.shape, Circle)
    angle = math.radians(piece.facing_deg)
    right = np.array([math.cos(angle), math.sin(angle)]) * piece.shape.width_mm / 2
    forward = np.array([math.sin(angle), -math.cos(angle)]) * piece.shape.depth_mm / 2
    return np.asarray(piece.centre + np.array([forward - right, forward + right, right - forward, -right - forward]))


def _front_corners(pieces: Sequence[Piece]) -> Mapping[str, tuple[float, float]]:
    """The outermost front corners of a regiment."""
    angle = math.radians(float(np.median([piece.facing_deg for piece in pieces])))
    right, forward = np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), -math.cos(angle)])
    corners = np.concatenate([_corners(piece) for piece in pieces])
    ahead = corners @ forward
    front = corners[ahead > ahead.max() - 15.0]
    along = front @ right
    left, far = front[int(np.argmin(along))], front[int(np.argmax(along))]
    return {"left": (float(left[0]), float(left[1])), "right": (float(far[0]), float(far[1]))}


def _kept_its_shape(move: UnitMove) -> bool:
    """Whether a turn and a shift of the whole explain where its stands went."""
    was, now = (np.array([piece.centre for piece in pieces]) for pieces in (move.before, move.after))
    a, b = was - was.mean(axis=0), now - now.mean(axis=0)
    turn = math.atan2(float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()), float((a * b).sum()))
    matrix = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return float(np.hypot(*(b - a @ matrix.T).T).max()) <= RIGID_MM


def _middle(pieces: Sequence[Piece]) -> tuple[float, float]:
    x, y = np.mean([piece.centre for piece in pieces], axis=0)
    return (float(x), float(y))


def _point(place: tuple[float, float]) -> list[JsonValue]:
    return [round(place[0], 2), round(place[1], 2)]
