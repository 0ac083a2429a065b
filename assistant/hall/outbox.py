"""What a table has to report: its log is the outbox.

Every event and settled state has its place in the log's chain, which is only added to. Their rank among events and
states is the number under which they are reported: the same after every restart, without a second file to keep.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.hall.options import HallOptions
from assistant.hall.store import Entry
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.telling import sentence
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.errors import GameError
from assistant.scene.writing import scene_to_json

PICTURED = ("violation", "bumped", "moved")


@dataclass
class Outbox:
    """Reads entries of a log by number; any number may be asked for again."""

    path: Path
    options: HallOptions

    def after(self, seq: int) -> list[Entry]:
        """The next entries after a number, as many as one report holds; none where the log cannot be read now."""
        try:
            with GameLog(self.path) as log:
                return list(self._entries(log, seq))
        except (GameError, sqlite3.Error, OSError):
            return []

    def _entries(self, log: GameLog, seq: int) -> Iterator[Entry]:
        for number, (kind, identity) in enumerate(log.appended(seq, self.options.batch_entries), start=seq + 1):
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
            picture = self._picture(log, event) if event.type in PICTURED else None
            body = {"text": sentence(event, {}), **event.to_json()}
            yield Entry(number, event.t_s, "event", body, picture, _asks(event))

    def _picture(self, log: GameLog, event: Event) -> bytes | None:
        found = [picture for picture in log.pictures() if picture.frame == event.frame]
        return log.jpeg(found[-1].id) if found else None


def _asks(event: Event) -> str:
    """What a judge is asked by an event; empty for most."""
    text = sentence(event, {})
    if event.type == "violation":
        return f"violation: {text}"
    if event.type == "note" and event.fields.get("call") is not None:
        return f"call: {text}"
    certainty = event.fields.get("certainty")
    if event.type == "moved" and isinstance(certainty, int | float) and certainty < CLOSE_CALL:
        return f"close_call: {text}"
    return ""
