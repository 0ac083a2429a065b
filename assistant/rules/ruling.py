"""What a rule says: the answer, why, how sure, and the lines that show it on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from assistant.scene.values import JsonValue, Point

CLOSE_CALL = 0.95


class Verdict(Enum):
    """Yes, no, or: too close to call, measure by hand."""

    YES = "yes"
    NO = "no"
    TOO_CLOSE = "too close"


class Meaning(Enum):
    """What a mark on the table stands for; the window chooses its colour from this."""

    MEASURE = "measure"
    FREE = "free"
    BLOCKED = "blocked"
    PIN = "pin"
    ENGAGEMENT = "engagement"
    REACH = "reach"
    CONTROL = "control"
    VIOLATION = "violation"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line on the table, with a short text at its middle."""

    start: Point
    end: Point
    meaning: Meaning
    text: str = ""


@dataclass(frozen=True, slots=True)
class Ring:
    """A circle on the table."""

    centre: Point
    radius_mm: float
    meaning: Meaning
    text: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """A closed outline on the table, with holes."""

    outline: tuple[Point, ...]
    meaning: Meaning
    text: str = ""
    holes: tuple[tuple[Point, ...], ...] = ()


Mark = Line | Ring | Area


@dataclass(frozen=True, slots=True)
class Ruling:
    """One thing the rules say of a scene.

    `kind` names it (pin, range, sight, engagement, violation, control, ...), `rule` is the catalogue's number,
    `sentence` is for a player, `evidence` lies on the table in mm, `margin_mm` is how far the measure is from flipping
    the answer, `certainty` (0.5 to 1) the probability that the answer is right, `answer` the question's JSON fields.
    """

    kind: str
    verdict: Verdict
    sentence: str
    rule: str
    pieces: tuple[str, ...] = ()
    evidence: tuple[Mark, ...] = ()
    margin_mm: float | None = None
    certainty: float = 1.0
    answer: Mapping[str, JsonValue] = field(default_factory=dict)
    house: tuple[str, ...] = ()  # readings that this ruling depends on, as "name=value"

    @property
    def close_call(self) -> bool:
        """Whether a person should measure by hand."""
        return self.certainty < CLOSE_CALL
