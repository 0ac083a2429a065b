"""A game log that cannot be read or written, in one line."""

from __future__ import annotations

from pathlib import Path

from assistant.log.plain_text import one_line
from assistant.scene.errors import GameError


class LogError(GameError):
    """Reads "<what> in <file>: <why>"; raised for damaged, foreign, newer, missing and unwritable logs."""

    def __init__(self, what: str, where: Path | str, why: str) -> None:
        why = one_line(why)  # it may quote what a damaged file holds
        super().__init__(f"{what} in {where}: {why}")
        self.what = what
        self.where = str(where)
        self.why = why


class EntryError(GameError):
    """An event or a picture that no log can take: a mistake of the program that made it."""
