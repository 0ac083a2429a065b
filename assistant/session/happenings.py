"""What the tracker noticed, as the events of the log."""

from __future__ import annotations

import math
from collections.abc import Iterable

from assistant.log.event import Event
from assistant.rules.game import ask, quoted
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene
from assistant.session.judgements import without_tokens
from assistant.session.moment import TableSetting
from vision.tracking.memory import (
    Appeared,
    Bumped,
    Change,
    Memory,
    Moved,
    Noticed,
    Pinned,
    Place,
    Removed,
    TokenChanged,
    Unpinned,
)

_LEAST_TOLERANCE_MM = 2.0
_MOST_TOLERANCE = 0.2  # of a diameter


class Happenings:
    """Turns changes into events that all happened at one moment, between two settled states."""

    def __init__(self, setting: TableSetting, before: Scene, memory: Memory, when: tuple[float, int, int]) -> None:
        self._setting = setting
        self._before = without_tokens(before)
        self._disks = {track.id: track.disk for track in memory.tracks}
        self._time_s, self._frame, self._from_frame = when

    def events(self, changes: Iterable[Change]) -> tuple[Event, ...]:
        """The events, in the order the tracker gives them."""
        return tuple(self._event(change) for change in changes)

    def _event(self, change: Change) -> Event:
        match change:
            case Moved():
                return self._at("moved", self._move(change))
            case Bumped(shifts):
                pieces: list[JsonValue] = [
                    {"piece": shift.piece, "from": _point(shift.start), "to": _point(shift.end)} for shift in shifts
                ]
                return self._at("bumped", {"pieces": pieces})
            case Appeared(piece, place, None):
                return self._at("appeared", {"piece": piece, "to": _point(place)})
            case Appeared(piece, place, cover):
                return self._at("note", {"piece": piece, "to": _point(place), "text": f"it lay under {cover}"})
            case Noticed(piece, place, there):
                text = "it was there all along" if there else "it was never there"
                return self._at("note", {"piece": piece, "to": _point(place), "text": text, "there": there})
            case Removed(piece, place):
                return self._at("removed", {"piece": piece, "from": _point(place)})
            case Pinned(top, bottom):
                return self._at("pinned", {"top": top, "bottom": bottom})
            case Unpinned(top, bottom):
                return self._at("unpinned", {"top": top, "bottom": bottom})
            case TokenChanged(piece, token, count):
                return self._at("token", {"piece": piece, "token": token, "change": count})

    def _at(self, kind: str, fields: dict[str, JsonValue]) -> Event:
        return Event(self._time_s, self._frame, kind, {**fields, "from_frame": self._from_frame})

    def _move(self, move: Moved) -> dict[str, JsonValue]:
        disk = self._disks[move.piece]
        distance_mm = math.dist(move.start, move.end)
        tolerance_mm = min(max(_LEAST_TOLERANCE_MM, 3 * disk.sigma_mm), _MOST_TOLERANCE * disk.diameter_mm)
        fields: dict[str, JsonValue] = {
            "piece": move.piece,
            "from": _point(move.start),
            "to": _point(move.end),
            "distance_mm": round(distance_mm, 1),
            "flips": max(1, math.ceil((distance_mm - tolerance_mm) / disk.diameter_mm)),
        }
        return fields | self._allowed(move, tolerance_mm / distance_mm)

    def _allowed(self, move: Moved, slack: float) -> dict[str, JsonValue]:
        """Whether the rules allow the move, given all that measuring may be off; nothing where the game cannot say."""
        reasons: JsonValue = []
        certainty = 1.0
        for share in (1.0, 1.0 - slack):
            x, y = (start + share * (end - start) for start, end in zip(move.start, move.end, strict=True))
            try:
                ruling = ask(
                    self._setting.game, self._before, f"move {quoted(move.piece)} {x:.3f} {y:.3f}", self._setting.house
                )
            except GameError:
                return {}
            if ruling.answer.get("legal") is True:
                return {"allowed": True}
            reasons = reasons or ruling.answer.get("reasons", [])
            certainty = ruling.certainty
        return {"allowed": False, "reasons": reasons, "certainty": round(certainty, 4)}


def _point(place: Place) -> list[JsonValue]:
    return [round(place[0], 2), round(place[1], 2)]
