"""A settled moment of a table as frozen values: millimetres, x east, y south, angles clockwise from north."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from assistant.scene.errors import SceneError

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Point = tuple[float, float]

MM_PER_INCH = 25.4
OFF_FIELD = frozenset({"reserve", "casualty"})


@dataclass(frozen=True, slots=True)
class Circle:
    """A disk or a round base."""

    diameter_mm: float

    @property
    def radius_mm(self) -> float:
        """Half the diameter."""
        return self.diameter_mm / 2


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangular stand: width across its front, depth from front to back."""

    width_mm: float
    depth_mm: float


Shape = Circle | Rect


@dataclass(frozen=True, slots=True)
class Table:
    """The battlefield: width along x, depth along y."""

    width_mm: float
    depth_mm: float
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays, from which edge (north, east, south, west), in which initiative order."""

    id: str
    edge: str | None = None
    initiative: int | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RangedAttack:
    """One ranged attack of a disk; `strength` is a number or the text d6."""

    range: str
    dice: int
    strength: int | str
    type: str = "physical"
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """A disk, base or stand. Off the field (reserve, casualty) it has no x and y."""

    id: str
    shape: Shape
    x: float | None = None
    y: float | None = None
    owner: str | None = None
    sigma_mm: float = 0.0
    facing_deg: float = 0.0
    profile: str | None = None
    unit: str | None = None
    size: float | None = None
    rank: str | float | None = None
    visible: bool = True
    stats: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, int] = field(default_factory=dict)
    keywords: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    ranged: tuple[RangedAttack, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def on_field(self) -> bool:
        """Whether it takes part in geometry."""
        return self.x is not None

    @property
    def centre(self) -> Point:
        """Where it lies; asking a piece off the field is an error."""
        if self.x is None or self.y is None:
            raise SceneError("", f"{self.id} is off the field and has no position")
        return (self.x, self.y)


@dataclass(frozen=True, slots=True)
class Terrain:
    """A flat piece of scenery by its outline."""

    id: str
    outline: tuple[Point, ...]
    keywords: tuple[str, ...] = ()
    size: float | None = None
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Zone:
    """A marked area; `value` is how many disks a deployment zone must hold."""

    id: str
    outline: tuple[Point, ...]
    owner: str | None = None
    kind: str | None = None
    value: int | None = None
    keywords: tuple[str, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Objective:
    """A marker to be held; `holder` is who held it before the check."""

    id: str
    x: float
    y: float
    circle_mm: float | None = None
    holder: str | None = None
    range_in: float | None = None
    size: float | None = None
    keywords: tuple[str, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrderCertainty:
    """How sure it is that `top` lies above `bottom` (0.5 to 1); pairs not named are certain."""

    top: str
    bottom: str
    certainty: float


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that lies on a table at one settled moment."""

    game: str
    table: Table
    players: tuple[Player, ...] = ()
    pieces: tuple[Piece, ...] = ()
    above: tuple[tuple[str, str], ...] = ()
    above_certainty: tuple[OrderCertainty, ...] = ()
    terrain: tuple[Terrain, ...] = ()
    zones: tuple[Zone, ...] = ()
    objectives: tuple[Objective, ...] = ()
    ruler_mm: Mapping[str, float] = field(default_factory=dict)
    round: int | None = None
    calibration: Mapping[str, JsonValue] = field(default_factory=dict)
    extra: Mapping[str, JsonValue] = field(default_factory=dict)

    def piece(self, identity: str) -> Piece:
        """The piece of that id; an unknown id is an error that names the ones there are."""
        for piece in self.pieces:
            if piece.id == identity:
                return piece
        known = ", ".join(sorted(piece.id for piece in self.pieces)[:12]) or "none"
        raise SceneError("", f"unknown piece {identity!r}; this scene has {known}")

    def on_field(self) -> tuple[Piece, ...]:
        """The pieces that lie on the table."""
        return tuple(piece for piece in self.pieces if piece.on_field)
