"""One thing that happened on the table, as the contract writes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.log.errors import EntryError
from assistant.scene.reading import Fields, plain_json, short
from assistant.scene.values import JsonValue

EVENT_TYPES = (
    "appeared",
    "removed",
    "moved",
    "pinned",
    "unpinned",
    "token",
    "engagement",
    "violation",
    "bumped",
    "camera_moved",
    "camera_lost",
    "camera_back",
    "note",
    "correction",
)
_HEAD = ("t", "frame", "type")


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, when the table was at rest again.

    >>> Event(3.4, 103, "pinned", {"top": "a", "bottom": "b"}).to_json()
    {'t': 3.4, 'frame': 103, 'type': 'pinned', 'bottom': 'b', 'top': 'a'}
    """

    t_s: float
    frame: int
    type: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.type not in EVENT_TYPES:
            raise EntryError(f"unknown event type {self.type!r}: expected {', '.join(EVENT_TYPES)}")
        for name in _HEAD:
            if name in self.fields:
                raise EntryError(f"event {self.type} at {self.t_s} s: {name!r} is no field, it stands before them")
        check_moment(self.t_s, self.frame)
        plain_json(dict(self.fields), self.type)

    def to_json(self) -> dict[str, JsonValue]:
        """The contract's line: t, frame, type, then the fields by name."""
        return {"t": self.t_s, "frame": self.frame, "type": self.type, **dict(sorted(self.fields.items()))}

    @staticmethod
    def from_json(data: object) -> Event:
        """Reads one line of the contract; anything else is a GameError."""
        fields = Fields.of(data, "event")
        t_s = fields.number("t")
        frame = fields.take("frame")
        if not isinstance(frame, int):
            raise EntryError(f"expected a whole frame number, got {short(frame)}")
        return Event(t_s, frame, fields.text("type"), fields.rest())

    def pieces(self) -> tuple[str, ...]:
        """The ids of the pieces it speaks of, each once."""
        names = [self.fields.get(key) for key in ("piece", "top", "bottom", "attacker", "defender")]
        for key in ("pieces", "attackers", "defenders"):
            several = self.fields.get(key)
            for item in several if isinstance(several, list) else ():
                names.append(item.get("piece") if isinstance(item, dict) else item)
        return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


LONGEST_S = 1e8  # three years
LAST_FRAME = 10**11


def check_moment(t_s: float, frame: int) -> None:
    """Refuses a time or a frame number that no game has."""
    if not math.isfinite(t_s) or abs(t_s) > LONGEST_S or isinstance(frame, bool) or not 0 <= frame <= LAST_FRAME:
        raise EntryError(f"expected seconds and a frame number of a game, got {t_s} and {frame}")
