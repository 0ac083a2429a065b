"""The evidence of an event for other screens: its move card, the zoom on what decided it, its clip."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from assistant.evidence.drawing import png_of
from assistant.evidence.of_event import event_card, event_clip, event_zooms
from assistant.log.entry import LoggedEvent
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.scene.errors import GameError
from assistant.web.evidence_kinds import CARD, CLIP, GAP, KINDS

_KEPT = 24  # pictures, drawn once for all who look


class Evidence:
    """Draws what a log knows of an event; called from worker threads."""

    def __init__(self, log: Path | None) -> None:
        self._log = log
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, str], bytes] = OrderedDict()

    def of(self, seq: int, event: Event, name: str) -> tuple[bytes, str] | None:
        """The content and its kind; None where there is none."""
        if self._log is None or name not in KINDS:
            return None
        with self._lock:
            known = self._kept.get((seq, name))
        content = known if known is not None else _content(self._log, event, name)
        if content is None:
            return None
        if name != CLIP:
            with self._lock:
                self._kept[(seq, name)] = content
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return content, KINDS[name]


def _content(path: Path, event: Event, name: str) -> bytes | None:
    try:
        with GameLog(path) as log:
            logged = next((entry for entry in log.events() if entry.event == event), None)
            return None if logged is None else evidence_file(log, logged, name)
    except (GameError, OSError):
        return None


def evidence_file(log: GameLog, logged: LoggedEvent, name: str) -> bytes | None:
    """The file of one of the `KINDS` for an event; None where there is none."""
    if name == CARD:
        card = event_card(log, logged)
        return None if card is None else png_of(card.picture)
    if name == GAP:
        zooms = event_zooms(log, logged, 1)
        return png_of(zooms[0].picture) if zooms else None
    clip = event_clip(log, logged)
    return clip.path.read_bytes() if clip is not None and clip.state == "whole" else None
