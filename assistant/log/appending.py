"""One moment of a game as rows at the end of the file, in one transaction."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.log.entry import Entry, Picture
from assistant.log.packing import pack, text_of
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json

PICTURE_BUDGET_BYTES = 170_000_000
_TABLES = ("settings", "state", "event", "rulings", "picture")


@dataclass(frozen=True, slots=True)
class Job:
    """An entry to be written; `corrects` is the scene that a person overruled with the entry's."""

    entry: Entry
    corrects: Scene | None = None
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Tail:
    """Where a file ends: the newest row of each table, the last scene, and what its pictures weigh."""

    rows: tuple[int, ...]
    state_id: int | None
    scene: bytes
    picture_bytes: int
    pictures_given_up: int = 0


def read_tail(connection: sqlite3.Connection) -> Tail:
    """The end of a file just opened."""
    state = connection.execute("SELECT id, scene FROM state ORDER BY id DESC LIMIT 1").fetchone()
    (picture_bytes,) = connection.execute("SELECT coalesce(sum(size_bytes), 0) FROM picture").fetchone()
    state_id, scene = (None, b"") if state is None else state
    return Tail(_newest(connection), state_id, scene, picture_bytes)


def last_moment(connection: sqlite3.Connection) -> tuple[float, int] | None:
    """Seconds and frame of the last thing on record; None where there is nothing yet."""
    parts = " UNION ALL ".join(f"SELECT t_s, frame FROM {table}" for table in ("state", "event", "rulings", "picture"))
    t_s, frame = connection.execute(f"SELECT max(t_s), max(frame) FROM ({parts})").fetchone()
    return None if t_s is None else (t_s, frame)


def write(connection: sqlite3.Connection, tail: Tail, job: Job) -> Tail:
    """Adds one job behind `tail`; all of it is on the disk when this returns, none of it when it raises."""
    with _transaction(connection):
        for name, value in job.settings:
            _insert(connection, "settings (t_s, name, value)", job.entry.t_s, name, value)
        state_id, scene = _write_scenes(connection, tail, job)
        _write_records(connection, job.entry, state_id)
        weight, given_up = _write_pictures(connection, tail, job.entry, state_id)
    return Tail(_newest(connection), state_id, scene, weight, tail.pictures_given_up + given_up)


def note_sitting(connection: sqlite3.Connection, at: str, what: str) -> None:
    """Remembers that a sitting was opened or closed."""
    _insert(connection, "sitting (at, what)", at, what)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _insert(connection: sqlite3.Connection, columns: str, *row: object) -> int | None:
    marks = ", ".join("?" * len(row))
    return connection.execute(f"INSERT INTO {columns} VALUES ({marks})", row).lastrowid


def _newest(connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0] for table in _TABLES)


def _write_scenes(connection: sqlite3.Connection, tail: Tail, job: Job) -> tuple[int | None, bytes]:
    """The state in force afterwards; a correction always stores its own: the state before it is what it overruled."""
    state_id, last = tail.state_id, tail.scene
    for scene, always in ((job.corrects, False), (job.entry.scene, job.corrects is not None)):
        if scene is None:
            continue
        packed = pack(scene_to_json(scene))
        if always or packed != last:
            last = packed
            state_id = _insert(connection, "state (t_s, frame, scene)", job.entry.t_s, job.entry.frame, packed)
    return state_id, last


def _write_records(connection: sqlite3.Connection, entry: Entry, state_id: int | None) -> None:
    for event in entry.events:
        fields = text_of(dict(event.fields))
        columns = "event (t_s, frame, type, fields, state_id)"
        _insert(connection, columns, event.t_s, event.frame, event.type, fields, state_id)
    if entry.rulings or entry.scene is not None:  # no rulings on a scene is also something the rules said
        records = pack([dict(record) for record in entry.rulings])
        _insert(connection, "rulings (t_s, frame, state_id, records)", entry.t_s, entry.frame, state_id, records)


def _write_pictures(connection: sqlite3.Connection, tail: Tail, entry: Entry, state_id: int | None) -> tuple[int, int]:
    """What all pictures weigh afterwards, and how many were given up for it."""
    weight, given_up = tail.picture_bytes, 0
    columns = "picture (t_s, frame, state_id, caption, key, size_bytes, jpeg)"
    for picture in entry.pictures:
        size = len(picture.jpeg)
        while weight + size > PICTURE_BUDGET_BYTES and (victim := _least_missed(connection, picture)):
            connection.execute("DELETE FROM picture WHERE id = ?", victim[:1])
            weight -= victim[1]
            given_up += 1
        if weight + size > PICTURE_BUDGET_BYTES:
            given_up += 1
            continue
        row = (entry.t_s, entry.frame, state_id, text_of(picture.caption), int(picture.key), size, picture.jpeg)
        _insert(connection, columns, *row)
        weight += size
    return weight, given_up


def _least_missed(connection: sqlite3.Connection, newcomer: Picture) -> tuple[int, int] | None:
    """Id and size of the picture that makes room: the oldest plain one, or the oldest key one for a key picture."""
    question = "SELECT id, size_bytes FROM picture WHERE key <= ? ORDER BY key, id LIMIT 1"
    found: tuple[int, int] | None = connection.execute(question, (int(newcomer.key),)).fetchone()
    return found
