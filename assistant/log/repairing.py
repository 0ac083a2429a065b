"""Saving what can be saved of a damaged log, as a new log."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from assistant.log.clip_files import clip_folder, look_for
from assistant.log.connection import create_file, open_any_version
from assistant.log.decoding import (
    Allowance,
    clip_of_row,
    event_of,
    jpeg_of_row,
    rulings_of,
    state_of,
)
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.packing import PackingError, text_of, value_of
from assistant.log.plain_text import without_password
from assistant.log.salvage import Key, examine, ids_of, row_of
from assistant.log.schema import COLUMNS, SEALED_SINCE
from assistant.log.sealing import NO_LINK, SealedRows
from assistant.log.settings import SETTING_NAMES
from assistant.log.verifying import describe
from assistant.scene.errors import GameError

_NAMED = 12  # lost rows that are named
_PAGE = 4096
_LEAF = 0x0D  # SQLite's mark of a table page without pages below it

Row = tuple[object, ...]


def repair(path: Path, new: Path) -> str:
    """Writes every row that is still right into a new log, which notes what is lost; the line says it too.

    Rows keep their ids. A row is right when its checksum is; in logs from before checksums, when it can be read.
    """
    with _opened(path) as (connection, found):
        rows, lost = _saved(connection, found, path)
        told = [f"{describe(connection, key)} ({why})" for key, why in lost.items()]
        more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        losses = ", ".join(told[:_NAMED]) + more or "nothing"

        def fill(target: sqlite3.Connection) -> None:
            sealed = SealedRows(target, NO_LINK)
            t_s, frame = _copy(connection, sealed, rows, path)
            note = text_of({"text": f"repaired from {path.name}: lost {losses}"})
            state_ids = [row_id for table, row_id in rows if table == "state"]
            sealed.add("event", t_s, frame, "note", note, max(state_ids, default=None))

        create_file(new, fill)
    _copy_clips(path, new)
    return f"saved {len(rows)} of {len(rows) + len(lost)} entries of {path} in {new}; lost {losses}"


def _saved(connection: sqlite3.Connection, found: int, path: Path) -> tuple[list[Key], dict[Key, str]]:
    """The rows that are kept, and what is wrong with the others."""
    if found >= SEALED_SINCE:
        findings = examine(connection)
        candidates = set(findings.good)
        lost = {key: why for key, why in findings.wrong.items() if key[0] in COLUMNS}
        if not findings.chain_whole:  # where the chain has holes, a row without checksum may still be right
            unsealed = {key for key, why in lost.items() if why == "no checksum"}
            candidates |= unsealed
            lost = {key: why for key, why in lost.items() if key not in unsealed}
    else:
        there = [table for table in COLUMNS if table != "clip"]
        candidates = {(table, row_id) for table in there for row_id in ids_of(connection, table)}
        lost = {}
    kept = []
    allowance = Allowance(path.stat().st_size)
    for table, row_id in sorted(candidates):
        why = _unreadable(table, (row_id, *(row_of(connection, table, row_id) or ())), allowance)
        if why:
            lost[table, row_id] = why
        else:
            kept.append((table, row_id))
    if not kept:
        raise LogError("nothing to save", path, "no entry of it can be read")
    return kept, lost


def _unreadable(table: str, row: Row, allowance: Allowance) -> str:
    """Why a row cannot be read; empty where it can."""
    readers: dict[str, Callable[[Row], object]] = {
        "event": event_of,
        "state": lambda row: state_of(row, allowance),
        "rulings": lambda row: rulings_of(row, allowance),
        "picture": jpeg_of_row,
        "clip": clip_of_row,
        "settings": _setting,
        "sitting": len,
    }
    try:
        if len(row) != len(COLUMNS[table]) + 1:
            return "missing or unreadable"
        readers[table](row)
    except (GameError, PackingError) as error:
        return str(error)[:80]
    return ""


def _setting(row: Row) -> None:
    _, _, name, text = row
    if name not in SETTING_NAMES:
        raise PackingError("unknown setting")
    value_of(text)


def _copy(connection: sqlite3.Connection, sealed: SealedRows, rows: list[Key], path: Path) -> tuple[float, int]:
    """Writes the rows, table by table; the last moment among them."""
    states = {row_id for table, row_id in rows if table == "state"}
    last_s, last_frame, game = 0.0, 0, ""
    for table, columns in COLUMNS.items():
        for row_id in (row_id for kind, row_id in rows if kind == table):
            row = dict(zip(columns, row_of(connection, table, row_id) or (), strict=True))
            if row.get("state_id") not in states and "state_id" in row:
                row["state_id"] = None  # a board that is not the one of the moment would be worse than none
            if table == "settings" and row["name"] == "game":
                game = str(row["value"])
            if table == "settings" and row["name"] == "source":
                row["value"] = without_password(str(row["value"]))
            if "frame" in row:
                last_s, last_frame = max(last_s, float(str(row["t_s"]))), max(last_frame, int(str(row["frame"])))
            sealed.add(table, *_plain(row.values()), row_id=row_id)
    if not game:
        sealed.add("settings", 0.0, "game", text_of(_game_of(connection, states, path)))
    return last_s, last_frame


def _plain(values: Iterable[object]) -> Iterator[str | bytes | float | None]:
    for value in values:
        assert value is None or isinstance(value, str | bytes | int | float)
        yield value


def _game_of(connection: sqlite3.Connection, states: set[int], path: Path) -> str:
    """The game by one of its scenes, where the setting that names it is lost."""
    for state_id in sorted(states)[:1]:
        row = row_of(connection, "state", state_id) or ()
        return state_of((state_id, *row), Allowance(path.stat().st_size)).scene.game
    raise LogError("nothing to save", path, "neither its settings nor a scene can be read")


def _copy_clips(path: Path, new: Path) -> None:
    """Takes the clips along that are still what was written; a clip that cannot be copied is listed as missing."""
    with GameLog(new) as log:
        whole = [clip.path for clip in look_for(path, log.clips()) if clip.state == "whole"]
    if whole:
        with contextlib.suppress(OSError):
            clip_folder(new).mkdir(exist_ok=True)
    for clip in whole:
        with contextlib.suppress(OSError):
            shutil.copy2(clip, clip_folder(new) / clip.name)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[tuple[sqlite3.Connection, int]]:
    """The log and its version, where need be with the first pages of a new log instead of its damaged ones."""
    try:
        connection, found = open_any_version(path)
    except LogError as error:
        if (
            error.what != "damaged game log"
            and "something else" not in error.why
            and "another program" not in error.why
        ):
            raise
        with tempfile.TemporaryDirectory(prefix="pinpoint-repair-") as folder:
            connection, found = open_any_version(_with_fresh_head(path, Path(folder)))
            try:
                yield connection, found
            finally:
                connection.close()
        return
    try:
        yield connection, found
    finally:
        connection.close()


def _with_fresh_head(path: Path, folder: Path) -> Path:
    """A copy whose header and list of tables are those of a new log: every log of a version has the same ones."""
    template = folder / "template.pinpoint"
    create_file(template)
    fresh = template.read_bytes()
    data = bytearray(path.read_bytes())
    if len(data) < len(fresh) or len(data) % _PAGE:
        raise LogError("nothing to save", path, "neither its header nor its length is that of a game log")
    for page in _schema_pages(fresh):
        data[page * _PAGE : (page + 1) * _PAGE] = fresh[page * _PAGE : (page + 1) * _PAGE]
    data[28:32] = struct.pack(">I", len(data) // _PAGE)
    data[32:40] = bytes(8)  # no list of free pages: the copy is only read
    copy = folder / "copy.pinpoint"
    copy.write_bytes(data)
    return copy


def _schema_pages(database: bytes) -> set[int]:
    """The pages, counted from 0, of the table of tables: its root and, where it has some, the leaves below it."""
    header = database[100:112]
    if header[0] == _LEAF:
        return {0}
    (cells,) = struct.unpack(">H", header[3:5])
    pages = {0, struct.unpack(">I", header[8:12])[0] - 1}
    for index in range(cells):
        (cell,) = struct.unpack(">H", database[112 + 2 * index : 114 + 2 * index])
        pages.add(struct.unpack(">I", database[cell : cell + 4])[0] - 1)
    return pages
