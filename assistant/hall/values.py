"""What tables and the hall tell each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant.scene.values import JsonValue

Row = Mapping[str, Any]

JUDGED = ("call", "violation", "close_call")
ANSWER_TO = "answer_to"  # field of the note with which a table logs a judge's answer: the number of the question


@dataclass(frozen=True, slots=True)
class Entry:
    """One numbered thing that a table reports."""

    seq: int
    t_s: float
    kind: str
    body: Mapping[str, JsonValue]
    picture: bytes | None = None
    asks: str = ""  # what a judge is asked, and of which kind: "call: …", "violation: …", "close_call: …"

    @property
    def answers(self) -> int | None:
        """The question whose answer this entry acknowledges."""
        number = self.body.get(ANSWER_TO) if self.body.get("judge") is True else None
        known = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 1 << 31
        return number if isinstance(number, int) and known else None


@dataclass(frozen=True, slots=True)
class Report:
    """One request of a table; without entries and states it says only that the table is there."""

    name: str
    log: str = ""  # identity of the log that the entries are from; empty: the one that is reported now
    entries: tuple[Entry, ...] = ()
    state: Mapping[str, JsonValue] | None = None  # None: as before
    scene: Mapping[str, JsonValue] | None = None  # scene, names and rulings; None: as before


@dataclass(frozen=True, slots=True)
class Place:
    """Where a log goes on: its entry number n is the table's number base + n, and `last` has arrived."""

    last: int
    base: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the hall answers."""

    last: int  # the newest number it has: the next report begins behind it
    answers: tuple[Row, ...] = ()  # judges' answers that the table has not acknowledged
    waiting: int = 0  # questions that no judge has answered
    evidence: tuple[int, ...] = ()  # numbers of entries of which evidence is wanted
    on_air: bool = False
    log: str = ""  # the log that is reported now; a table with another one begins anew

    def to_json(self) -> dict[str, Any]:
        """As it is sent."""
        return {
            "last": self.last,
            "answers": [dict(row) for row in self.answers],
            "waiting": self.waiting,
            "evidence": list(self.evidence),
            "on_air": self.on_air,
            "log": self.log,
        }
