"""What the hall keeps, on PostgreSQL or SQLite with the same code: idempotent writes, plain reads."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, func, select, update
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from assistant.hall.options import HallOptions
from assistant.hall.schema import ENTRIES, EVIDENCE, PAIRINGS, PICTURES, QUEUE, SECRETS, TABLES
from assistant.hall.values import Place, Receipt, Report, Row
from assistant.hall.writing import begin, insert_new, settle, take
from calibration.errors import InputError


class Store:
    """The hall's database."""

    def __init__(self, url: str, options: HallOptions | None = None) -> None:
        """Connects and brings the database up to date; an InputError never shows its password."""
        self._options = options or HallOptions()
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):
            raise InputError(
                "wrong database", "--database", "expected sqlite:///FILE or postgresql+psycopg://…"
            ) from None
        self.shown = parsed.render_as_string(hide_password=True)
        try:
            self._engine = _engine(parsed, self._options)
            self._upgrade()
        except (SQLAlchemyError, ImportError, ArgumentError, TypeError) as error:
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

    def take(self, reports: Sequence[Report]) -> list[Receipt]:
        """Takes the entries that follow what is there, all or none of them; a receipt for every report."""
        with self._engine.begin() as connection:
            return take(connection, reports, time.time(), self._options)

    def begin(self, name: str, log: str) -> Place:
        """A table reports this log from now on."""
        with self._engine.begin() as connection:
            return begin(connection, name, log, time.time())

    def last_seq(self, name: str) -> int:
        """The newest number of a table that arrived, 0 before the first."""
        asked = select(TABLES.c.last_seq).where(TABLES.c.name == name)
        with self._engine.connect() as connection:
            return int(connection.execute(asked).scalar_one_or_none() or 0)

    def add_evidence(self, name: str, seq: int, file: str, content: bytes) -> bool:
        """Keeps a file of a question; one that is there stays. False where there is no such question."""
        with self._engine.begin() as connection:
            asked = select(QUEUE.c.id).where(QUEUE.c.table_name == name, QUEUE.c.seq == seq)
            if connection.execute(asked).scalar_one_or_none() is None:
                return False
            row = {"table_name": name, "seq": seq, "name": file, "content": content}
            insert_new(connection, EVIDENCE, [row], ["table_name", "seq", "name"])
            return True

    def end_evidence(self, name: str, seq: int) -> None:
        """The table has sent all the evidence it has of a question."""
        question = (QUEUE.c.table_name == name) & (QUEUE.c.seq == seq)
        with self._engine.begin() as connection:
            connection.execute(update(QUEUE).where(question).values(evidence_done=1))
            settle(connection, question)

    # --- what people read

    def marks(self) -> list[Row]:
        """Of every table, by name, what tells whether it has changed: no states."""
        asked = select(TABLES.c.name, TABLES.c.last_seq, TABLES.c.seen_at, TABLES.c.changed_at, TABLES.c.on_air)
        with self._engine.connect() as connection:
            return _rows(connection, asked.order_by(TABLES.c.name))

    def tables(self, names: Collection[str] | None = None) -> list[Row]:
        """Tables by name with their newest state and scene; all of them without names."""
        asked = select(TABLES).order_by(TABLES.c.name)
        if names is not None:
            asked = asked.where(TABLES.c.name.in_(sorted(names)))
        with self._engine.connect() as connection:
            return _rows(connection, asked)

    def events(self, name: str, after: int, limit: int) -> list[Row]:
        """A table's events after a number, oldest first."""
        asked = (
            select(ENTRIES.c.seq, ENTRIES.c.body)
            .where(ENTRIES.c.table_name == name, ENTRIES.c.kind == "event", ENTRIES.c.seq > after)
            .order_by(ENTRIES.c.seq)
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return _rows(connection, asked)

    def last_events(self, name: str, limit: int) -> list[Row]:
        """A table's newest events, oldest first."""
        asked = (
            select(ENTRIES.c.seq, ENTRIES.c.body)
            .where(ENTRIES.c.table_name == name, ENTRIES.c.kind == "event")
            .order_by(ENTRIES.c.seq.desc())
            .limit(limit)
        )
        with self._engine.connect() as connection:
            return _rows(connection, asked)[::-1]

    def picture(self, name: str, seq: int) -> bytes | None:
        """The picture of an entry."""
        asked = select(PICTURES.c.jpeg).where(PICTURES.c.table_name == name, PICTURES.c.seq == seq)
        return self._content(asked)

    def evidence(self, name: str, seq: int, file: str) -> bytes | None:
        """A file of a question."""
        same = (EVIDENCE.c.table_name == name, EVIDENCE.c.seq == seq, EVIDENCE.c.name == file)
        return self._content(select(EVIDENCE.c.content).where(*same))

    def _content(self, asked: Any) -> bytes | None:
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
        """What waits for a judge, oldest first, with the files there are; with everything also what was answered."""
        asked = select(QUEUE).order_by(QUEUE.c.id)
        same = (EVIDENCE.c.table_name == QUEUE.c.table_name) & (EVIDENCE.c.seq == QUEUE.c.seq)
        pictured = (PICTURES.c.table_name == QUEUE.c.table_name) & (PICTURES.c.seq == QUEUE.c.seq)
        files = select(QUEUE.c.id, EVIDENCE.c.name).join(EVIDENCE, same)
        pictures = select(QUEUE.c.id).join(PICTURES, pictured)
        if not everything:
            waits = QUEUE.c.answered_at.is_(None)
            asked, files, pictures = asked.where(waits), files.where(waits), pictures.where(waits)
        with self._engine.connect() as connection:
            rows = _rows(connection, asked)
            found: dict[int, list[str]] = {int(row["id"]): [] for row in rows}
            for number, name in connection.execute(files):
                found.setdefault(int(number), []).append(str(name))
            for number in connection.execute(pictures).scalars():
                found.setdefault(int(number), []).append("picture.jpg")
        return [{**row, "files": sorted(found[int(row["id"])])} for row in rows]

    def answer(self, number: int, text: str, by: str) -> bool:
        """A judge's answer; False where there is no such open question."""
        with self._engine.begin() as connection:
            done = connection.execute(
                update(QUEUE)
                .where(QUEUE.c.id == number, QUEUE.c.answered_at.is_(None))
                .values(answer=text, answered_by=by, answered_at=time.time())
            )
            return bool(done.rowcount)

    def put_on_air(self, name: str | None) -> bool:
        """Which table the stream overlays follow; False where there is no such table."""
        with self._engine.begin() as connection:
            connection.execute(update(TABLES).where(TABLES.c.on_air == 1).values(on_air=0))
            if name is None:
                return True
            return bool(connection.execute(update(TABLES).where(TABLES.c.name == name).values(on_air=1)).rowcount)

    # --- pairings and results

    def set_pairings(self, rows: Sequence[Row]) -> None:
        """Pairings of a round; a table's old pairing of the same round is replaced."""
        with self._engine.begin() as connection:
            for row in rows:
                same = (PAIRINGS.c.round == row["round"]) & (PAIRINGS.c.table_name == row["table_name"])
                connection.execute(PAIRINGS.delete().where(same))
                connection.execute(PAIRINGS.insert().values(**row))

    def set_results(self, rows: Sequence[Row]) -> list[Row]:
        """Results of tables: all of them are taken, or none; those for which nobody is paired are given back."""
        with self._engine.begin() as connection:
            unknown = []
            for row in rows:
                done = connection.execute(
                    update(PAIRINGS)
                    .where(PAIRINGS.c.round == row["round"], PAIRINGS.c.table_name == row["table_name"])
                    .values(first_score=row["first_score"], second_score=row["second_score"])
                )
                if not done.rowcount:
                    unknown.append(row)
            if unknown:
                connection.rollback()
            return unknown

    def results(self) -> list[Row]:
        """All pairings with their scores."""
        with self._engine.connect() as connection:
            return _rows(connection, select(PAIRINGS).order_by(PAIRINGS.c.round, PAIRINGS.c.table_name))

    # --- keys

    def add_key(self, role: str, digest: str) -> None:
        """Keeps the digest of a key; of each role the newest few stay valid."""
        with self._engine.begin() as connection:
            connection.execute(SECRETS.delete().where(SECRETS.c.role == role, SECRETS.c.digest == digest))
            connection.execute(SECRETS.insert().values(role=role, digest=digest))
            newest = select(SECRETS.c.id).where(SECRETS.c.role == role).order_by(SECRETS.c.id.desc())
            kept = list(connection.execute(newest.limit(self._options.keys_kept)).scalars())
            connection.execute(SECRETS.delete().where(SECRETS.c.role == role, SECRETS.c.id.not_in(kept)))

    def forget_keys(self) -> None:
        """Makes the keys of earlier starts invalid."""
        with self._engine.begin() as connection:
            connection.execute(SECRETS.delete())

    def key_digests(self, role: str) -> list[str]:
        """The digests of a role's valid keys."""
        with self._engine.connect() as connection:
            return list(connection.execute(select(SECRETS.c.digest).where(SECRETS.c.role == role)).scalars())


def _engine(url: URL, options: HallOptions) -> Engine:
    size = options.read_threads + 2  # pages, the one who writes reports, and a judge's answer
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, pool_size=size, max_overflow=0)
        event.listen(engine, "connect", _sqlite_settings)
        return engine
    quiet_ms = options.database_s * 1000
    limits: dict[str, Any] = {
        "connect_timeout": options.database_s,
        "tcp_user_timeout": quiet_ms,  # a cut network is noticed
        "keepalives_idle": options.database_s,
        "options": f"-c statement_timeout={quiet_ms} -c lock_timeout={quiet_ms}",
    }
    arguments = limits if url.get_driver_name() == "psycopg" else {}
    # with pre_ping a connection that a restart of the server has ended is replaced before it is used
    return create_engine(url, pool_size=size, max_overflow=0, pool_pre_ping=True, connect_args=arguments)


def _rows(connection: Connection, asked: Any) -> list[Row]:
    return [dict(row._mapping) for row in connection.execute(asked)]


def _sqlite_settings(connection: Any, _: Any) -> None:
    cursor = connection.cursor()
    for setting in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=10000", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
