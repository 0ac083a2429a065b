"""The evidence of an event, for other screens."""

from __future__ import annotations

from pathlib import Path

from assistant.log.event import Event

KINDS = {"card.png": "image/png", "gap.png": "image/png", "clip.mp4": "video/mp4"}


def evidence_of(log: Path | None, event: Event, name: str) -> tuple[bytes, str] | None:
    """The content and its kind; None where there is none."""
    del log, event, name
    return None
