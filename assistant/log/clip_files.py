"""The folder of clips beside a log: which film belongs to a moment, and whether it is still what was written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Literal

from assistant.log.entry import ClipRecord

ClipState = Literal["whole", "missing", "changed"]


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip as it was found; `why` says in words what is wrong with one that is not whole."""

    record: ClipRecord
    path: Path
    state: ClipState
    why: str = ""


def clip_folder(log: Path) -> Path:
    """Where the clips of a log are kept: game.pinpoint has game.clips beside it."""
    return log.with_name(f"{log.name.removesuffix('.pinpoint')}.clips")


def look_for(log: Path, records: Iterable[ClipRecord]) -> tuple[Clip, ...]:
    """Every clip the log speaks of, held against its hash."""
    return tuple(_found(clip_folder(log) / record.name, record) for record in records)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _found(path: Path, record: ClipRecord) -> Clip:
    if record.status == "given up":
        return Clip(record, path, "missing", record.why or "given up")
    if record.status == "wanted":
        return Clip(record, path, "missing", "the program ended before it was written")
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):  # a pipe would be waited for without end
            return Clip(record, path, "changed", "it is no file")
        same = found.st_size == record.size_bytes and sha256_of(path) == record.sha256
    except OSError as error:
        return Clip(record, path, "missing", error.strerror or str(error))
    return Clip(record, path, "whole") if same else Clip(record, path, "changed", "its content is not what was written")
