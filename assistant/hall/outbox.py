"""What a table has to report: its log is the outbox.

Every event and settled state has its place in the log's chain, which is only added to. Their rank among events and
states is the number under which they are reported: the same after every restart, without a second file to keep.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.evidence.of_event import event_clip
from assistant.hall.options import HallOptions
from assistant.hall.values import ANSWER_TO, Entry
from assistant.log.entry import LoggedEvent
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.telling import sentence
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.errors import GameError
from assistant.scene.writing import scene_to_json
from assistant.web.evidence import evidence_file
from assistant.web.evidence_kinds import CARD, CLIP, GAP

_PENDING = "wanted"  # what the log says of a clip that is not written yet
_UNREADABLE = (GameError, sqlite3.Error, OSError)


@dataclass(frozen=True, slots=True)
class Proof:
    """The evidence of an entry; not `whole` while its clip is still being written."""

    files: Mapping[str, bytes]
    whole: bool


@dataclass(frozen=True, slots=True)
class Outbox:
    """Reads entries of a log by number; any number may be asked for again."""

    path: Path
    options: HallOptions

    def identity(self) -> str:
        """Tells the log from other logs of the same table; empty where it cannot be read now."""
        try:
            with GameLog(self.path) as log:
                return log.identity()
        except _UNREADABLE:
            return ""

    def after(self, rank: int, base: int = 0, names: Mapping[str, str] | None = None) -> list[Entry]:
        """The next entries after a rank, as many as one report holds; none where the log cannot be read now.

        Their numbers are their ranks counted on from `base`; `names` are what pieces are called in their sentences.
        """
        try:
            with GameLog(self.path) as log:
                return list(self._entries(log, rank, base, names or {}))
        except _UNREADABLE:
            return []

    def answered(self) -> set[int]:
        """The questions whose answers are in the log."""
        try:
            with GameLog(self.path) as log:
                found = [logged.event.fields.get(ANSWER_TO) for logged in log.events() if logged.event.type == "note"]
        except _UNREADABLE:
            return set()
        return {number for number in found if isinstance(number, int)}

    def proof(self, rank: int, age_s: float) -> Proof:
        """Move card, zoom and clip of the entry of a rank, first asked for so many seconds ago."""
        try:
            with GameLog(self.path) as log:
                kind, identity = next(iter(log.appended(rank - 1, 1)), ("", 0))
                logged = log.event(identity) if kind == "event" else None
                if logged is None:
                    return Proof({}, True)
                clip = event_clip(log, logged)
                if clip is not None and clip.record.status == _PENDING and age_s < self.options.clip_s:
                    return Proof({}, False)
                files = {name: content for name in (CARD, GAP, CLIP) if (content := evidence_file(log, logged, name))}
        except _UNREADABLE:
            return Proof({}, age_s > self.options.clip_s)
        small = {name: content for name, content in files.items() if len(content) <= self.options.body_bytes}
        return Proof(small, True)

    def _entries(self, log: GameLog, rank: int, base: int, names: Mapping[str, str]) -> Iterator[Entry]:
        for number, (kind, identity) in enumerate(
            log.appended(rank, self.options.batch_entries), start=base + rank + 1
        ):
            if kind == "state":
                state = log.state(identity)
                if state is not None:
                    yield Entry(number, state.t_s, "scene", scene_to_json(state.scene))
                    continue
            logged = log.event(identity) if kind == "event" else None
            if logged is None:
                yield Entry(number, 0.0, "lost", {"why": "this entry of the log cannot be read"})
                continue
            event = logged.event
            asks = _asks(event, names)
            picture = _picture(log, logged) if asks or event.type == "bumped" else None
            body = {"text": sentence(event, names), **event.to_json()}
            yield Entry(number, event.t_s, "event", body, picture, asks)


def _picture(log: GameLog, logged: LoggedEvent) -> bytes | None:
    """The picture of the state that an event led to, else the last one before it."""
    earlier = [picture for picture in log.pictures() if picture.frame <= logged.event.frame]
    of_state = [picture for picture in earlier if picture.state_id == logged.state_id]
    found = of_state or earlier
    return log.jpeg(found[-1].id) if found else None


def _asks(event: Event, names: Mapping[str, str]) -> str:
    """What a judge is asked by an event; empty for most."""
    text = sentence(event, names)
    if event.type == "violation":
        return f"violation: {text}"
    if event.type == "note" and event.fields.get("call") is not None:
        return f"call: {text}"
    certainty = event.fields.get("certainty")
    if event.type == "moved" and isinstance(certainty, int | float) and certainty < CLOSE_CALL:
        return f"close_call: {text}"
    return ""
