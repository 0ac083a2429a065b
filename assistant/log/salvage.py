"""Reading a damaged file row by row: what one bad page hides does not hide the rest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.log.connection import FILE_ERRORS
from assistant.log.schema import COLUMNS
from assistant.log.sealing import GIVEN_UP, NO_LINK, checksum, next_link

_BEYOND = 2_000  # ids tried after the last known one where a table cannot be listed
_LISTED = {**COLUMNS, "chain": ("kind", "row_id", "checksum", "link")}

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Findings:
    """What does not fit: rows by what is wrong with them, and whether the chain itself is whole."""

    wrong: dict[Key, str]
    good: frozenset[Key]
    chain_whole: bool
    head: bytes
    entries: int


@dataclass(slots=True)
class _Chain:
    checksums: dict[Key, bytes] = field(default_factory=dict)
    wrong: dict[Key, str] = field(default_factory=dict)
    repaired: set[Key] = field(default_factory=set)  # rows that are right although their checksum is not
    head: bytes = NO_LINK
    entries: int = 0


def row_of(connection: sqlite3.Connection, table: str, row_id: int) -> tuple[object, ...] | None:
    """One row without its id; None where it is not there or cannot be read."""
    question = f"SELECT {', '.join(_LISTED[table])} FROM {table} WHERE id = ?"
    try:
        found: tuple[object, ...] | None = connection.execute(question, (row_id,)).fetchone()
    except FILE_ERRORS:
        return None
    return found


def ids_of(connection: sqlite3.Connection, table: str, known: int = 0) -> Iterator[int]:
    """The ids of a table's rows; where a page cannot be read, those behind it are tried one by one."""
    last = 0
    try:
        for (row_id,) in connection.execute(f"SELECT id FROM {table} ORDER BY id"):
            last = row_id
            yield row_id
        return
    except FILE_ERRORS:
        pass
    try:
        (newest,) = connection.execute(f"SELECT max(id) FROM {table}").fetchone()
    except FILE_ERRORS:
        newest = None
    most = min(max(newest or 0, known, last) + _BEYOND, last + 1_000_000)
    for row_id in range(last + 1, most):
        if row_of(connection, table, row_id) is not None:
            yield row_id


def examine(connection: sqlite3.Connection) -> Findings:
    """Holds every row against the chain, and the chain against itself."""
    chain = _read_chain(connection)
    wrong = dict(chain.wrong)
    good: set[Key] = set()
    known: dict[str, int] = {}
    for kind, row_id in chain.checksums:
        known[kind] = max(known.get(kind, 0), row_id)
    for table in COLUMNS:
        there = set(ids_of(connection, table, known.get(table, 0)))
        listed = {row_id for kind, row_id in chain.checksums if kind == table}
        for row_id in sorted(there | listed):
            why = _judged(connection, chain, table, row_id)
            if why is None:
                good.add((table, row_id))
            elif why:
                wrong[table, row_id] = why
    return Findings(wrong, frozenset(good), not chain.wrong, chain.head, chain.entries)


def _judged(connection: sqlite3.Connection, chain: _Chain, table: str, row_id: int) -> str | None:
    """What is wrong with a row; None where it is right, empty where it was given up in good order."""
    key = (table, row_id)
    expected = chain.checksums.get(key)
    row = row_of(connection, table, row_id)
    if row is None:
        return "" if table == "picture" and (GIVEN_UP, row_id) in chain.checksums else "missing or unreadable"
    if expected is None:
        return "no checksum"
    if expected == checksum(row) or (key in chain.repaired):
        return None
    return "the checksum does not match"


def _read_chain(connection: sqlite3.Connection) -> _Chain:
    chain = _Chain()
    expected_id = 1
    for entry_id in ids_of(connection, "chain"):
        if entry_id != expected_id:
            chain.wrong["chain", expected_id] = "missing or unreadable"
        expected_id = entry_id + 1
        match row_of(connection, "chain", entry_id):
            case (str(kind), int(row_id), bytes(row_checksum), bytes(link)):
                _follow(connection, chain, entry_id, (kind, row_id), row_checksum, link)
            case _:
                chain.wrong["chain", entry_id] = "missing or unreadable"
    return chain


def _follow(
    connection: sqlite3.Connection, chain: _Chain, entry_id: int, key: Key, row_checksum: bytes, link: bytes
) -> None:
    if next_link(chain.head, *key, row_checksum) != link:
        chain.wrong["chain", entry_id] = "it does not follow from the entry before"
        row = row_of(connection, *key) if key[0] in COLUMNS else None
        if row is not None and next_link(chain.head, *key, checksum(row)) == link:
            chain.repaired.add(key)
    chain.checksums[key] = row_checksum
    chain.head = link
    chain.entries += 1
