"""The kinds of overlay, as frozen data in millimetres on the table. Nothing here draws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from assistant.scene.values import Point


class Ink(Enum):
    """What a colour stands for; `palette` says which colour that is."""

    OWNER_1 = "owner 1"
    OWNER_2 = "owner 2"
    OWNER_3 = "owner 3"
    OWNER_4 = "owner 4"
    NEUTRAL = "neutral"
    MEASURE = "measure"
    FREE = "free"
    BLOCKED = "blocked"
    CLOSE = "too close"
    PIN = "pin"
    ENGAGEMENT = "engagement"
    REACH = "reach"
    CONTROL = "control"
    VIOLATION = "violation"
    NOTE = "note"
    TERRAIN = "terrain"
    ZONE = "zone"
    BAND = "band"
    SELECTED = "selected"
    GHOST = "ghost"


class Dash(Enum):
    """The pattern of a line: tells apart what colour alone must not."""

    SOLID = "solid"
    DASHED = "dashed"
    DOTTED = "dotted"
    DASH_DOT = "dash dot"


@dataclass(frozen=True, slots=True)
class PieceMark:
    """The outline of a piece at the height of its face, with its name and its place in a stack (1 is on top)."""

    id: str
    centre: Point
    outline: tuple[Point, ...]
    height_mm: float
    ink: Ink
    name: str = ""
    level: int | None = None
    hidden: bool = False
    held: bool = False
    doubtful: bool = False  # perhaps it is not what it is called, or no piece at all
    selected: bool = False
    faces: bool = False  # the first side of the outline is the front
    filled: bool = False
    double: bool = False  # every second owner has a double rim, for eyes that do not tell the colours apart


@dataclass(frozen=True, slots=True)
class HaloMark:
    """How far a piece may be from where it is drawn: two standard deviations inside and outside its outline."""

    inner: tuple[Point, ...]
    outer: tuple[Point, ...]
    height_mm: float
    text: str


@dataclass(frozen=True, slots=True)
class LineMark:
    """A straight line on the table; `text` stands at its middle, an arrow points to its end."""

    start: Point
    end: Point
    ink: Ink
    text: str = ""
    dash: Dash = Dash.SOLID
    arrow: bool = False
    height_mm: float = 2.0


@dataclass(frozen=True, slots=True)
class RingMark:
    """A circle on the table, with its text where there is room on the line."""

    centre: Point
    radius_mm: float
    ink: Ink
    text: str = ""
    dash: Dash = Dash.SOLID
    fill: float = 0.0


@dataclass(frozen=True, slots=True)
class AreaMark:
    """A closed outline with holes, lightly filled; its text stands in the middle, or on its rim."""

    outline: tuple[Point, ...]
    ink: Ink
    text: str = ""
    holes: tuple[tuple[Point, ...], ...] = ()
    dash: Dash = Dash.SOLID
    fill: float = 0.12
    text_on_rim: bool = False


@dataclass(frozen=True, slots=True)
class TraceMark:
    """A way from one place to another, with a dotted rim around `rim`: where the piece was, or should be."""

    start: Point
    end: Point
    rim: Point
    radius_mm: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class GhostMark:
    """A move that is only tried: the piece as it would lie, and whether the rules allow it (None: not known)."""

    start: Point
    end: Point
    outline: tuple[Point, ...]
    allowed: bool | None
    text: str


@dataclass(frozen=True, slots=True)
class VeilMark:
    """A region under a hand: what lies there is kept as it was."""

    outline: tuple[Point, ...]


Overlay = PieceMark | HaloMark | LineMark | RingMark | AreaMark | TraceMark | GhostMark | VeilMark
