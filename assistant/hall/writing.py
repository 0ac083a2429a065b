"""Reports of many tables in one transaction: a handful of statements, however many tables report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table, bindparam, case, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from assistant.hall.options import HallOptions
from assistant.hall.schema import ENTRIES, LOGS, PICTURES, QUEUE, TABLES
from assistant.hall.values import JUDGED, Entry, Place, Receipt, Report, Row
from assistant.log.plain_text import one_line

_TEXT_LETTERS = 500
_ENTRY = ["table_name", "seq"]


def take(connection: Connection, reports: Sequence[Report], now: float, options: HallOptions) -> list[Receipt]:
    """Writes what follows on what is there, ignores the rest; a receipt for every report."""
    names = sorted({report.name for report in reports})
    tables = _locked(connection, names, now)
    last = {name: int(row.last_seq) for name, row in tables.items()}
    taken: list[tuple[str, Entry]] = []
    states: dict[str, Mapping[str, Any]] = {}
    scenes: dict[str, Mapping[str, Any]] = {}
    for report in reports:
        if report.log not in ("", tables[report.name].log):
            continue  # the numbers are those of another log
        for entry in report.entries:
            if entry.seq == last[report.name] + 1:
                last[report.name] = entry.seq
                taken.append((report.name, entry))
        if not report.entries or report.entries[-1].seq == last[report.name]:  # an older state changes nothing
            if report.state is not None:
                states[report.name] = report.state
            if report.scene is not None:
                scenes[report.name] = report.scene
    _insert_entries(connection, taken, now, options)
    _update_tables(connection, {name: last[name] for name, _ in taken}, states, scenes, now)
    _acknowledge(connection, taken, now)
    open_questions = _unsettled(connection, names)
    return [
        _receipt(last[report.name], open_questions[report.name], tables[report.name], options) for report in reports
    ]


def begin(connection: Connection, name: str, log: str, now: float) -> Place:
    """A table reports this log from now on: behind all that the table has reported, whatever logs it was from."""
    table = _locked(connection, [name], now)[name]
    if table.log == log:
        return Place(int(table.last_seq), int(table.base))
    taken = {"table_name": name, "log": str(table.log), "taken": int(table.last_seq) - int(table.base)}
    same = (LOGS.c.table_name == name, LOGS.c.log == table.log)
    connection.execute(LOGS.delete().where(*same))
    connection.execute(LOGS.insert().values(**taken))
    known = select(LOGS.c.taken).where(LOGS.c.table_name == name, LOGS.c.log == log)
    base = int(table.last_seq) - int(connection.execute(known).scalar_one_or_none() or 0)
    connection.execute(update(TABLES).where(TABLES.c.name == name).values(log=log, base=base))
    return Place(int(table.last_seq), base)


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], unique: list[str]) -> None:
    """Inserts rows, all with the same columns, except those whose unique columns are there already."""
    if rows:
        dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
        connection.execute(dialect.insert(table).on_conflict_do_nothing(index_elements=unique), list(rows))


def settle(connection: Connection, number: Any) -> None:
    """Closes questions about which nothing more is to be exchanged."""
    done = (QUEUE.c.heard_at.is_not(None)) & (QUEUE.c.evidence_done == 1)
    connection.execute(update(QUEUE).where(number, done).values(settled=1))


def _locked(connection: Connection, names: Sequence[str], now: float) -> dict[str, Any]:
    """The rows of tables, new ones too. They stay locked: no two senders interleave."""
    seen = (
        update(TABLES)
        .where(TABLES.c.name.in_(names))
        .values(seen_at=now)
        .returning(TABLES.c.name, TABLES.c.last_seq, TABLES.c.on_air, TABLES.c.log, TABLES.c.base)
    )
    rows = list(connection.execute(seen))
    if len(rows) < len(names):
        missing = sorted(set(names) - {str(row.name) for row in rows})
        fresh = {"last_seq": 0, "state": {}, "seen_at": now, "changed_at": now, "on_air": 0, "log": "", "base": 0}
        insert_new(connection, TABLES, [{"name": name, **fresh} for name in missing], ["name"])
        rows = list(connection.execute(seen))
    return {str(row.name): row for row in rows}


def _insert_entries(
    connection: Connection, taken: Sequence[tuple[str, Entry]], now: float, options: HallOptions
) -> None:
    entries, pictures, questions = [], [], []
    for name, entry in taken:
        key = {"table_name": name, "seq": entry.seq}
        beside = {"t_s": entry.t_s, "kind": entry.kind, "body": dict(entry.body), "received_at": now}
        entries.append({**key, **beside})
        if entry.picture and len(entry.picture) <= options.picture_bytes:
            pictures.append({**key, "jpeg": entry.picture})
        kind, _, text = entry.asks.partition(": ")
        if kind in JUDGED:
            questions.append({**key, "kind": kind, "text": one_line(text)[:_TEXT_LETTERS], "asked_at": now})
    insert_new(connection, ENTRIES, entries, _ENTRY)
    insert_new(connection, PICTURES, pictures, _ENTRY)
    insert_new(connection, QUEUE, questions, _ENTRY)


def _update_tables(
    connection: Connection,
    last: Mapping[str, int],
    states: Mapping[str, Mapping[str, Any]],
    scenes: Mapping[str, Mapping[str, Any]],
    now: float,
) -> None:
    columns: tuple[tuple[str, Mapping[str, Any]], ...] = (("last_seq", last), ("state", states), ("scene", scenes))
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for name in sorted({*last, *states, *scenes}):
        values = {column: of_table[name] for column, of_table in columns if name in of_table}
        groups[tuple(values)].append({"of_table": name, **{f"new_{column}": value for column, value in values.items()}})
    for group, rows in groups.items():
        new = {column: bindparam(f"new_{column}", type_=TABLES.c[column].type) for column in group}
        connection.execute(
            update(TABLES).where(TABLES.c.name == bindparam("of_table")).values(**new, changed_at=now), rows
        )


def _acknowledge(connection: Connection, taken: Sequence[tuple[str, Entry]], now: float) -> None:
    for name, entry in taken:
        if (number := entry.answers) is not None:
            question = (QUEUE.c.id == number) & (QUEUE.c.table_name == name)
            connection.execute(update(QUEUE).where(question, QUEUE.c.answered_at.is_not(None)).values(heard_at=now))
            settle(connection, question)


def _unsettled(connection: Connection, names: Sequence[str]) -> Mapping[str, list[Row]]:
    asked = (
        select(
            QUEUE.c.table_name, QUEUE.c.id, QUEUE.c.seq, QUEUE.c.kind, QUEUE.c.text, QUEUE.c.answer,
            QUEUE.c.answered_by, QUEUE.c.evidence_done,
            case((QUEUE.c.answered_at.is_(None), 0), else_=1).label("answered"),
            case((QUEUE.c.heard_at.is_(None), 0), else_=1).label("heard"),
        )
        .where(QUEUE.c.settled == 0, QUEUE.c.table_name.in_(names))
        .order_by(QUEUE.c.id)
    )  # fmt: skip
    found: dict[str, list[Row]] = defaultdict(list)
    for row in connection.execute(asked):
        found[str(row.table_name)].append(dict(row._mapping))
    return found


def _receipt(last: int, questions: Sequence[Row], table: Any, options: HallOptions) -> Receipt:
    told = ("id", "seq", "kind", "text", "answer", "answered_by")
    answers = [{name: row[name] for name in told} for row in questions if row["answered"] and not row["heard"]]
    wanted = [int(row["seq"]) for row in questions if not row["evidence_done"]]
    return Receipt(
        last,
        tuple(answers[: options.queue_answers]),
        sum(not row["answered"] for row in questions),
        tuple(wanted[-options.wanted_evidence :]),  # the newest first: that is what judges look at
        bool(table.on_air),
        str(table.log),
    )
