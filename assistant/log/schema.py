"""The tables of a .pinpoint file, its mark, and the way from older versions to this one."""

from __future__ import annotations

import sqlite3

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


def _guards(table: str) -> str:
    return "".join(
        f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, 'a game log is only added to'); END;\n"
        for verb in ("update", "delete")
    )


# Step n brings a file from version n to n + 1; a new file walks through all of them.
MIGRATIONS: tuple[str, ...] = (_VERSION_1 + "".join(_guards(table) for table in _APPEND_ONLY),)


def version() -> int:
    """The version this Pinpoint writes."""
    return len(MIGRATIONS)


def migrate(connection: sqlite3.Connection, start: int) -> None:
    """Brings a file from version `start` to this one, in one transaction."""
    steps = "".join(MIGRATIONS[start:])
    connection.executescript(
        f"BEGIN IMMEDIATE;\n{steps}PRAGMA application_id={APPLICATION_ID};\nPRAGMA user_version={version()};\nCOMMIT;"
    )


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
