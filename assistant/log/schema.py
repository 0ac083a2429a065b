"""The tables of a .pinpoint file, its mark, and the way from older versions to this one."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable

APPLICATION_ID = 0x50494E50  # "PINP"

_VERSION_1 = """
CREATE TABLE settings (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL) STRICT;
CREATE TABLE state (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, frame INTEGER NOT NULL, scene BLOB NOT NULL) STRICT;
CREATE TABLE event (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, frame INTEGER NOT NULL, type TEXT NOT NULL,
    fields TEXT NOT NULL, state_id INTEGER REFERENCES state (id)) STRICT;
CREATE TABLE rulings (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, frame INTEGER NOT NULL,
    state_id INTEGER REFERENCES state (id), records BLOB NOT NULL) STRICT;
CREATE INDEX rulings_of_state ON rulings (state_id);
CREATE TABLE picture (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, frame INTEGER NOT NULL,
    state_id INTEGER REFERENCES state (id), caption TEXT NOT NULL, key INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
    jpeg BLOB NOT NULL) STRICT;
CREATE INDEX picture_to_give_up ON picture (key, id);
CREATE TABLE sitting (id INTEGER PRIMARY KEY, at TEXT NOT NULL, what TEXT NOT NULL) STRICT;
"""
_APPEND_ONLY = ("settings", "state", "event", "rulings", "sitting")

# Checksums and clips. A row of `chain` seals one row of another table: see sealing.py.
_VERSION_2 = """
CREATE TABLE clip (id INTEGER PRIMARY KEY, t_s REAL NOT NULL, frame INTEGER NOT NULL, name TEXT NOT NULL,
    status TEXT NOT NULL, start_s REAL NOT NULL, end_s REAL NOT NULL, size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL, why TEXT NOT NULL) STRICT;
CREATE TABLE chain (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, row_id INTEGER NOT NULL, checksum BLOB NOT NULL,
    link BLOB NOT NULL, UNIQUE (kind, row_id)) STRICT;
"""
_APPEND_ONLY_2 = ("clip", "chain")

# The columns of every sealed table after its id, in the order in which they are hashed.
COLUMNS: dict[str, tuple[str, ...]] = {
    "settings": ("t_s", "name", "value"),
    "state": ("t_s", "frame", "scene"),
    "event": ("t_s", "frame", "type", "fields", "state_id"),
    "rulings": ("t_s", "frame", "state_id", "records"),
    "picture": ("t_s", "frame", "state_id", "caption", "key", "size_bytes", "jpeg"),
    "clip": ("t_s", "frame", "name", "status", "start_s", "end_s", "size_bytes", "sha256", "why"),
    "sitting": ("at", "what"),
}
SEALED_SINCE = 2  # files of older versions have no checksums


def _guards(table: str) -> str:
    return "".join(
        f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, 'a game log is only added to'); END;\n"
        for verb in ("update", "delete")
    )


# Step n brings a file from version n to n + 1; a new file walks through all of them.
MIGRATIONS: tuple[str, ...] = (
    _VERSION_1 + "".join(_guards(table) for table in _APPEND_ONLY),
    _VERSION_2 + "".join(_guards(table) for table in _APPEND_ONLY_2),
)


def version() -> int:
    """The version this Pinpoint writes."""
    return len(MIGRATIONS)


def migrate(
    connection: sqlite3.Connection, start: int, finish: Callable[[sqlite3.Connection], None] | None = None
) -> None:
    """Brings a file from version `start` to this one, in one transaction that `finish` may add rows to."""
    steps = "".join(MIGRATIONS[start:])
    connection.executescript(
        f"BEGIN IMMEDIATE;\n{steps}PRAGMA application_id={APPLICATION_ID};\nPRAGMA user_version={version()};"
    )
    try:
        if finish is not None:
            finish(connection)
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def layout(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Everything a file's schema says, in a fixed order."""
    return connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
    ).fetchall()


def expected_layout() -> list[tuple[object, ...]]:
    """The schema of a file of this version."""
    connection = sqlite3.connect(":memory:")
    try:
        migrate(connection, 0)
        return layout(connection)
    finally:
        connection.close()
