"""What the hall keeps, on PostgreSQL or SQLite with the same code: idempotent writes, plain reads."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from assistant.hall.options import HallOptions
from assistant.hall.schema import ENTRIES, PAIRINGS, PICTURES, QUEUE, SECRETS, TABLES
from assistant.scene.values import JsonValue
from calibration.errors import InputError

JUDGED = ("call", "violation", "close_call")
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One numbered thing that a table reports."""

    seq: int
    t_s: float
    kind: str
    body: Mapping[str, JsonValue]
    picture: bytes | None = None
    asks: str = ""  # what a judge is asked, and of which kind: "call: …", "violation: …", "close_call: …"


class Store:
    """The hall's database."""

    def __init__(self, url: str, options: HallOptions | None = None) -> None:
        """Connects and brings the database up to date; an InputError never shows its password."""
        self._options = options or HallOptions()
        try:
            parsed = make_url(url)
        except ArgumentError:
            raise InputError(
                "wrong database", "--database", "expected sqlite:///FILE or postgresql+psycopg://…"
            ) from None
        self.shown = parsed.render_as_string(hide_password=True)
        try:
            self._engine = create_engine(parsed, pool_pre_ping=True)
            if parsed.get_backend_name() == "sqlite":
                event.listen(self._engine, "connect", _sqlite_settings)
            self._upgrade()
        except (SQLAlchemyError, ImportError, ArgumentError) as error:
            why = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
            raise InputError("no database", self.shown, why) from None

    def close(self) -> None:
        """Lets the connections go."""
        self._engine.dispose()

    @property
    def engine(self) -> Engine:
        """For tests and maintenance."""
        return self._engine

    def _upgrade(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
        with self._engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    # --- what tables send

    def last_seq(self, name: str) -> int:
        """The newest number of a table that arrived, 0 before the first."""
        with self._engine.connect() as connection:
            return _last_seq(connection, name)

    def add(self, name: str, entries: Sequence[Entry], state: Mapping[str, JsonValue]) -> int:
        """Takes entries that follow what is there; others are ignored. The newest number, from which to go on."""
        now = time.time()
        with self._engine.begin() as connection:
            _upsert_table(connection, name, now)
            # The row is locked until the end: two senders of one table cannot interleave.
            locked = select(TABLES.c.last_seq).where(TABLES.c.name == name).with_for_update()
            last = int(connection.execute(locked).scalar_one())
            for entry in entries:
                if entry.seq != last + 1:
                    continue
                last = entry.seq
                self._insert(connection, name, entry, now)
            values: dict[str, Any] = {"last_seq": last, "seen_at": now}
            if entries and entries[-1].seq == last:
                values["state"] = dict(state)
            connection.execute(update(TABLES).where(TABLES.c.name == name).values(**values))
            return last

    def _insert(self, connection: Connection, name: str, entry: Entry, now: float) -> None:
        row = {"table_name": name, "seq": entry.seq, "t_s": entry.t_s, "kind": entry.kind}
        _insert_new(connection, ENTRIES, {**row, "body": dict(entry.body), "received_at": now}, ["table_name", "seq"])
        if entry.picture and len(entry.picture) <= self._options.picture_bytes:
            picture = {"table_name": name, "seq": entry.seq, "jpeg": entry.picture}
            _insert_new(connection, PICTURES, picture, ["table_name", "seq"])
        kind, _, text = entry.asks.partition(": ")
        if kind in JUDGED:
            asked = {"table_name": name, "seq": entry.seq, "kind": kind, "text": text[:500], "asked_at": now}
            _insert_new(connection, QUEUE, asked, ["table_name", "seq"])

    # --- what people read

    def tables(self) -> list[Row]:
        """All tables by name, with their newest state."""
        with self._engine.connect() as connection:
            return _rows(connection, select(TABLES).order_by(TABLES.c.name))

    def table(self, name: str) -> Row | None:
        """One table."""
        with self._engine.connect() as connection:
            return next(iter(_rows(connection, select(TABLES).where(TABLES.c.name == name))), None)

    def events(self, name: str, after: int, limit: int) -> list[Row]:
        """A table's events after a number."""
        asked = (
            select(ENTRIES.c.seq, ENTRIES.c.body)
            .where(ENTRIES.c.table_name == name, ENTRIES.c.kind == "event", ENTRIES.c.seq > after)
            .order_by(ENTRIES.c.seq)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return _rows(connection, asked)

    def picture(self, name: str, seq: int) -> bytes | None:
        """The picture of an entry."""
        asked = select(PICTURES.c.jpeg).where(PICTURES.c.table_name == name, PICTURES.c.seq == seq)
        with self._engine.connect() as connection:
            found = connection.execute(asked).scalar_one_or_none()
        return bytes(found) if found is not None else None

    def counts(self) -> Mapping[str, int]:
        """Entries per table: what the load test compares."""
        asked = select(ENTRIES.c.table_name, func.count()).group_by(ENTRIES.c.table_name)
        with self._engine.connect() as connection:
            return {str(name): int(count) for name, count in connection.execute(asked)}

    # --- judges

    def queue(self, everything: bool = False) -> list[Row]:
        """What waits for a judge, oldest first; with everything also what was answered."""
        asked = select(QUEUE).order_by(QUEUE.c.id)
        if not everything:
            asked = asked.where(QUEUE.c.answered_at.is_(None))
        with self._engine.connect() as connection:
            return _rows(connection, asked)

    def answer(self, number: int, text: str, by: str) -> bool:
        """A judge's answer; False where there is no such open question."""
        with self._engine.begin() as connection:
            done = connection.execute(
                update(QUEUE)
                .where(QUEUE.c.id == number, QUEUE.c.answered_at.is_(None))
                .values(answer=text, answered_by=by, answered_at=time.time())
            )
            return bool(done.rowcount)

    def answers_for(self, name: str, after_id: int) -> list[Row]:
        """The answers a table has not heard, by the number of the question."""
        asked = (
            select(QUEUE.c.id, QUEUE.c.seq, QUEUE.c.kind, QUEUE.c.text, QUEUE.c.answer, QUEUE.c.answered_by)
            .where(QUEUE.c.table_name == name, QUEUE.c.answered_at.is_not(None), QUEUE.c.id > after_id)
            .order_by(QUEUE.c.answered_at)
        )
        with self._engine.connect() as connection:
            return _rows(connection, asked)

    def put_on_air(self, name: str | None) -> None:
        """Which table the stream overlays follow."""
        with self._engine.begin() as connection:
            connection.execute(update(TABLES).values(on_air=0))
            if name is not None:
                connection.execute(update(TABLES).where(TABLES.c.name == name).values(on_air=1))

    # --- pairings and results

    def set_pairings(self, rows: Sequence[Row]) -> None:
        """Pairings of a round; a table's old pairing of the same round is replaced."""
        with self._engine.begin() as connection:
            for row in rows:
                same = (PAIRINGS.c.round == row["round"]) & (PAIRINGS.c.table_name == row["table_name"])
                connection.execute(PAIRINGS.delete().where(same))
                connection.execute(PAIRINGS.insert().values(**row))

    def set_result(self, round_number: int, name: str, first: float, second: float) -> bool:
        """The result of one table; False where nobody plays there."""
        with self._engine.begin() as connection:
            done = connection.execute(
                update(PAIRINGS)
                .where(PAIRINGS.c.round == round_number, PAIRINGS.c.table_name == name)
                .values(first_score=first, second_score=second)
            )
            return bool(done.rowcount)

    def results(self) -> list[Row]:
        """All pairings with their scores."""
        with self._engine.connect() as connection:
            return _rows(connection, select(PAIRINGS).order_by(PAIRINGS.c.round, PAIRINGS.c.table_name))

    # --- keys

    def set_key(self, name: str, key: str) -> None:
        """Keeps the digest of a key."""
        with self._engine.begin() as connection:
            connection.execute(SECRETS.delete().where(SECRETS.c.name == name))
            connection.execute(SECRETS.insert().values(name=name, digest=digest_of(key)))

    def key_digest(self, name: str) -> str | None:
        """The digest of a key that was kept."""
        with self._engine.connect() as connection:
            found = connection.execute(select(SECRETS.c.digest).where(SECRETS.c.name == name)).scalar_one_or_none()
        return str(found) if found is not None else None


def digest_of(key: str) -> str:
    """What is stored of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def _last_seq(connection: Connection, name: str) -> int:
    found = connection.execute(select(TABLES.c.last_seq).where(TABLES.c.name == name)).scalar_one_or_none()
    return int(found or 0)


def _upsert_table(connection: Connection, name: str, now: float) -> None:
    _insert_new(connection, TABLES, {"name": name, "last_seq": 0, "state": {}, "seen_at": now, "on_air": 0}, ["name"])


def _insert_new(connection: Connection, table: Any, row: Mapping[str, Any], unique: list[str]) -> None:
    """Inserts a row unless one with the same unique columns is there."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    connection.execute(dialect.insert(table).values(**row).on_conflict_do_nothing(index_elements=unique))


def _rows(connection: Connection, asked: Any) -> list[Row]:
    return [dict(row._mapping) for row in connection.execute(asked)]


def _sqlite_settings(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
