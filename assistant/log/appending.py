"""One moment of a game as rows at the end of the file, in one transaction."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from dataclasses import astuple, dataclass

from assistant.log.entry import Entry, Picture
from assistant.log.packing import pack, text_of
from assistant.log.plain_text import without_password
from assistant.log.sealing import SealedRows, last_link
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json

PICTURE_BUDGET_BYTES = 170_000_000
_TABLES = ("settings", "state", "event", "rulings", "picture", "clip", "chain")


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
    link: bytes
    state_id: int | None
    scene: bytes
    picture_bytes: int
    pictures_given_up: int = 0


def read_tail(connection: sqlite3.Connection) -> Tail:
    """The end of a file just opened."""
    state = connection.execute("SELECT id, scene FROM state ORDER BY id DESC LIMIT 1").fetchone()
    (picture_bytes,) = connection.execute("SELECT coalesce(sum(size_bytes), 0) FROM picture").fetchone()
    state_id, scene = (None, b"") if state is None else state
    return Tail(_newest(connection), last_link(connection), state_id, scene, picture_bytes)


def last_moment(connection: sqlite3.Connection) -> tuple[float, int] | None:
    """Seconds and frame of the last thing on record; None where there is nothing yet."""
    parts = " UNION ALL ".join(f"SELECT t_s, frame FROM {table}" for table in ("state", "event", "rulings", "picture"))
    t_s, frame = connection.execute(f"SELECT max(t_s), max(frame) FROM ({parts})").fetchone()
    return None if t_s is None else (t_s, frame)


def write(connection: sqlite3.Connection, tail: Tail, job: Job) -> Tail:
    """Adds one job behind `tail`; all of it is on the disk when this returns, none of it when it raises."""
    with _transaction(connection):
        rows = SealedRows(connection, tail.link)
        for name, value in job.settings:
            rows.add("settings", job.entry.t_s, name, value)
        state_id, scene = _write_scenes(rows, tail, job)
        _write_records(rows, job.entry, state_id)
        weight, given_up = _write_pictures(rows, tail, job.entry, state_id)
        for clip in job.entry.clips:
            rows.add("clip", *astuple(clip))
    return Tail(_newest(connection), rows.link, state_id, scene, weight, tail.pictures_given_up + given_up)


def note_sitting(connection: sqlite3.Connection, at: str, what: str) -> None:
    """Remembers that a sitting was opened or closed."""
    with _transaction(connection):
        SealedRows(connection, last_link(connection)).add("sitting", at, what)


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


def _newest(connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(connection.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0] for table in _TABLES)


def _write_scenes(rows: SealedRows, tail: Tail, job: Job) -> tuple[int | None, bytes]:
    """The state in force afterwards; a correction always stores its own: the state before it is what it overruled."""
    state_id, last = tail.state_id, tail.scene
    for scene, always in ((job.corrects, False), (job.entry.scene, job.corrects is not None)):
        if scene is None:
            continue
        packed = pack(scene_to_json(scene))
        if always or packed != last:
            last = packed
            state_id = rows.add("state", job.entry.t_s, job.entry.frame, packed)
    return state_id, last


def _write_records(rows: SealedRows, entry: Entry, state_id: int | None) -> None:
    for event in entry.events:
        fields = without_password(text_of(dict(event.fields)))
        rows.add("event", event.t_s, event.frame, event.type, fields, state_id)
    if entry.rulings or entry.scene is not None:  # no rulings on a scene is also something the rules said
        records = pack([dict(record) for record in entry.rulings])
        rows.add("rulings", entry.t_s, entry.frame, state_id, records)


def _write_pictures(rows: SealedRows, tail: Tail, entry: Entry, state_id: int | None) -> tuple[int, int]:
    """What all pictures weigh afterwards, and how many were given up for it."""
    weight, given_up = tail.picture_bytes, 0
    for picture in entry.pictures:
        size = len(picture.jpeg)
        while weight + size > PICTURE_BUDGET_BYTES and (victim := _least_missed(rows.connection, picture)):
            rows.give_up_picture(victim[0])
            weight -= victim[1]
            given_up += 1
        if weight + size > PICTURE_BUDGET_BYTES:
            given_up += 1
            continue
        caption = text_of(picture.caption)
        rows.add("picture", entry.t_s, entry.frame, state_id, caption, int(picture.key), size, picture.jpeg)
        weight += size
    return weight, given_up


def _least_missed(connection: sqlite3.Connection, newcomer: Picture) -> tuple[int, int] | None:
    """Id and size of the picture that makes room: the oldest plain one, or the oldest key one for a key picture."""
    question = "SELECT id, size_bytes FROM picture WHERE key <= ? ORDER BY key, id LIMIT 1"
    found: tuple[int, int] | None = connection.execute(question, (int(newcomer.key),)).fetchone()
    return found
