"""Checksums of a log's rows and the chain over them.

Every row is written together with a row of `chain` that holds the row's SHA-256 and a link: the SHA-256 of the link
before it, the kind and id of the row and the row's checksum. A changed, added or removed row no longer fits the chain,
and the last link (the head) stands for the whole game. A picture that is given up for room leaves its checksum in the
chain and adds a mark, so that it is told apart from one that somebody removed.
"""

from __future__ import annotations

import hashlib
import sqlite3
import struct
from collections.abc import Sequence

from assistant.log.schema import COLUMNS

NO_LINK = bytes(32)  # what the first link is chained to
GIVEN_UP = "picture given up"


def checksum(row: Sequence[object]) -> bytes:
    """The SHA-256 of a row's columns without its id; every value is hashed with its type and length.

    >>> checksum((1.5, "a")) == checksum((1.5, "a")) != checksum((1.5, b"a"))
    True
    """
    engine = hashlib.sha256()
    for value in row:
        tag, data = _bytes_of(value)
        engine.update(tag + struct.pack(">Q", len(data)))
        engine.update(data)
    return engine.digest()


def next_link(link: bytes, kind: str, row_id: int, row_checksum: bytes) -> bytes:
    """The link that follows `link` when a row is added."""
    return checksum((link, kind, row_id, row_checksum))


def last_link(connection: sqlite3.Connection) -> bytes:
    """The head of a file's chain."""
    row = connection.execute("SELECT link FROM chain ORDER BY id DESC LIMIT 1").fetchone()
    return NO_LINK if row is None else bytes(row[0])


class SealedRows:
    """Adds rows to a file, each with its link in the chain; used inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, link: bytes) -> None:
        self.connection = connection
        self.link = link

    def add(self, table: str, *row: str | bytes | float | None, row_id: int | None = None) -> int:
        """Writes one row and seals it; its id."""
        names = COLUMNS[table]
        # seconds are stored as reals: a whole number would be hashed as another value than the one read back
        stored = [
            float(value) if name.endswith("_s") and isinstance(value, int) else value
            for name, value in zip(names, row, strict=True)
        ]
        marks = ", ".join("?" * (len(names) + 1))
        question = f"INSERT INTO {table} (id, {', '.join(names)}) VALUES ({marks})"
        new_id = self.connection.execute(question, (row_id, *stored)).lastrowid
        assert new_id is not None
        self.seal(table, new_id, checksum(stored))
        return new_id

    def give_up_picture(self, picture_id: int) -> None:
        """Removes a picture and says so in the chain."""
        self.connection.execute("DELETE FROM picture WHERE id = ?", (picture_id,))
        self.seal(GIVEN_UP, picture_id, NO_LINK)

    def seal(self, kind: str, row_id: int, row_checksum: bytes) -> None:
        """Adds a link for a row that is there."""
        self.link = next_link(self.link, kind, row_id, row_checksum)
        question = "INSERT INTO chain (kind, row_id, checksum, link) VALUES (?, ?, ?, ?)"
        self.connection.execute(question, (kind, row_id, row_checksum, self.link))


def seal_older(connection: sqlite3.Connection, at: str) -> None:
    """Seals every row of a file from before checksums, and remembers when that was done."""
    rows = SealedRows(connection, NO_LINK)
    count = 0
    for table, columns in COLUMNS.items():
        for row_id, *row in connection.execute(f"SELECT id, {', '.join(columns)} FROM {table} ORDER BY id"):
            rows.seal(table, row_id, checksum(row))
            count += 1
    rows.add("sitting", at, f"sealed {count}")


def _bytes_of(value: object) -> tuple[bytes, bytes]:
    match value:
        case None:
            return b"n", b""
        case int():
            return b"i", str(value).encode("ascii")
        case float():
            return b"f", struct.pack(">d", value)
        case str():
            return b"s", value.encode("utf-8", "surrogatepass")
        case bytes():
            return b"b", value
        case _:
            raise TypeError(f"no value of a log's row: {type(value).__name__}")
