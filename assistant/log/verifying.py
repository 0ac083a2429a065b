"""Is a log whole and unchanged? One line, and yes or no."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from assistant.log.clip_files import look_for
from assistant.log.clock import moment_text
from assistant.log.connection import FILE_ERRORS, open_any_version
from assistant.log.decoding import clip_of_row
from assistant.log.entry import ClipRecord
from assistant.log.errors import LogError
from assistant.log.event import LONGEST_S
from assistant.log.packing import PackingError
from assistant.log.salvage import Findings, Key, examine, ids_of, row_of
from assistant.log.schema import COLUMNS, SEALED_SINCE
from assistant.scene.errors import GameError

_NAMED = 3  # findings that the line names


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found, in one line."""

    unchanged: bool
    line: str


def verify(path: Path) -> Verdict:
    """Holds every row and every clip against its checksum; LogError for what is no log or has no checksums."""
    try:
        connection, found = open_any_version(path)
    except LogError as error:
        if error.what != "damaged game log":
            raise
        return Verdict(False, f"changed: {error}")
    try:
        if found < SEALED_SINCE:
            why = "it was written before Pinpoint kept them, so nobody can say whether it was changed"
            raise LogError("no checksums", path, why)
        with contextlib.suppress(*FILE_ERRORS):
            connection.execute("BEGIN")  # one view of a log that is still being written
        return _verdict(connection, path, examine(connection))
    finally:
        connection.close()


def describe(connection: sqlite3.Connection, key: Key) -> str:
    """A row by its name and, where it can be read, its moment."""
    table, row_id = key
    name = "entry" if table == "chain" else table
    row = row_of(connection, table, row_id) if table in COLUMNS else None
    t_s = row[0] if row else None
    told = isinstance(t_s, float) and 0 <= t_s <= LONGEST_S
    return f"{name} {row_id} at {moment_text(t_s)}" if told and isinstance(t_s, float) else f"{name} {row_id}"


def _verdict(connection: sqlite3.Connection, path: Path, findings: Findings) -> Verdict:
    clips = look_for(path, _clip_records(connection))
    changed = [f"clip {clip.record.name}" for clip in clips if clip.state == "changed"]
    # damage in the chain follows from damage in a row's own checksum: the rows are named first
    wrong = sorted(findings.wrong, key=lambda key: (key[0] == "chain", key))
    named = [f"{describe(connection, key)} ({findings.wrong[key]})" for key in wrong] + changed
    if named or not findings.entries:
        more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
        return Verdict(False, f"changed: {', '.join(named[:_NAMED]) or 'all checksums are gone'}{more} in {path}")
    films = [clip for clip in clips if clip.record.name.endswith(".mp4")]  # the others are their strips
    parts = [f"{findings.entries} entries", f"{sum(clip.state == 'whole' for clip in films)} clips"]
    missing = [clip.record.name for clip in clips if clip.state == "missing"]
    if missing:
        parts.append(f"{len(missing)} clips missing ({', '.join(missing[:_NAMED])})")
    parts += _sittings(connection)
    return Verdict(True, f"whole and unchanged: {', '.join(parts)} in {path}, head {findings.head.hex()[:16]}")


def _sittings(connection: sqlite3.Connection) -> list[str]:
    rows = [row for row_id in ids_of(connection, "sitting") if (row := row_of(connection, "sitting", row_id))]
    told = [f"{str(what)[7:]} of them sealed on {str(at)[:10]}" for at, what in rows if str(what).startswith("sealed ")]
    return told + (["not closed"] if not rows or rows[-1][1] != "closed" else [])


def _clip_records(connection: sqlite3.Connection) -> list[ClipRecord]:
    last: dict[str, ClipRecord] = {}
    for row_id in ids_of(connection, "clip"):
        row = row_of(connection, "clip", row_id)
        if row is None:
            continue
        with contextlib.suppress(GameError, PackingError):
            record = clip_of_row((row_id, *row))
            last[record.name] = record
    return list(last.values())
