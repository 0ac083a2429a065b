"""The tables as pages see them: read from the database at most twice a second, whoever looks."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.hall.options import HallOptions
from assistant.hall.store import Store
from assistant.hall.values import Row
from assistant.scene.values import JsonValue

_EMPTY: Mapping[str, JsonValue] = {
    "schema": "pinpoint.state/1",
    "t": 0.0,
    "game": "",
    "status": {"camera": "live", "table": "moving", "recording": True},
    "round": None,
    "phase": None,
    "scene": None,
    "rulings": [],
    "names": {},
    "course": None,
}


@dataclass(frozen=True, slots=True)
class MirroredTable:
    """One table as it was read."""

    name: str
    last: int
    seen_at: float
    changed_at: float
    on_air: bool
    state: Mapping[str, JsonValue]  # pinpoint.state/1 without its events
    pairing: Mapping[str, JsonValue] | None  # round, first and second of the table's newest pairing
    changed_in: int  # the number of the reading in which it was found changed
    text: str  # as it is sent in the list of tables

    @property
    def mark(self) -> tuple[int, float, bool]:
        """What differs once anything but the time of its last report has changed."""
        return (self.last, self.changed_at, self.on_air)


class Mirror:
    """What was read last; `read` is called from one thread at a time."""

    def __init__(self, store: Store, options: HallOptions) -> None:
        self._store, self._options = store, options
        self._run = secrets.token_hex(4)  # readings of another run have other numbers
        self._reading = 0
        self._read_at = self._paired_at = float("-inf")
        self._pairings: Mapping[str, Mapping[str, JsonValue]] = {}
        self.tables: Mapping[str, MirroredTable] = {}

    @property
    def fresh(self) -> bool:
        """Whether it was read just now."""
        return time.monotonic() - self._read_at < self._options.mirror_s

    def read(self) -> None:
        """Reads what has changed, unless that was done just now."""
        if self.fresh:
            return
        known, found = self.tables, self._store.marks()
        if time.monotonic() - self._paired_at > self._options.pairings_s:
            self._pairings, self._paired_at = _newest(self._store.results()), time.monotonic()
        pairings = self._pairings
        changed = {str(row["name"]) for row in found if not _same(known.get(str(row["name"])), row, pairings)}
        fresh = {str(row["name"]): row for row in self._store.tables(changed)} if changed else {}
        reading = self._reading + 1
        tables = {}
        for row in found:
            name = str(row["name"])
            if name in fresh:
                tables[name] = _mirrored(fresh[name], pairings.get(name), reading)
            elif name in known:
                tables[name] = replace(known[name], seen_at=float(row["seen_at"]))
        self.tables, self._read_at = tables, time.monotonic()
        if changed:
            self._reading = reading

    def forget_pairings(self) -> None:
        """New pairings were brought in: they are read with the next reading."""
        self._paired_at = float("-inf")

    def list_text(self, version: str) -> str:
        """The tables that changed after a version as JSON, all of them for an unknown one; and the new version."""
        run, _, number = version.partition("-")
        after = int(number) if run == self._run and number.isdecimal() else 0
        away = [table.name for table in self.tables.values() if self.is_away(table)]
        head = {"version": f"{self._run}-{self._reading}", "now": round(time.time(), 2), "away": away}
        told = ",".join(table.text for table in self.tables.values() if table.changed_in > after)
        return f'{json.dumps(head)[:-1]}, "tables": [{told}]}}'

    def is_away(self, table: MirroredTable) -> bool:
        """Whether a table has not reported for long, though its game has not ended."""
        status = table.state["status"]
        ended = isinstance(status, dict) and status.get("camera") == "ended"
        silent_s = abs(time.time() - table.seen_at)  # a moment in the future was told before the clock was set back
        return not ended and silent_s > self._options.away_s

    @property
    def on_air(self) -> MirroredTable | None:
        """The table that overlays follow: the one on air, else the first."""
        tables = self.tables.values()
        return next((table for table in tables if table.on_air), next(iter(tables), None))


def _mark(row: Row) -> tuple[int, float, bool]:
    return (int(row["last_seq"]), float(row["changed_at"]), bool(row["on_air"]))


def _same(table: MirroredTable | None, row: Row, pairings: Mapping[str, Mapping[str, JsonValue]]) -> bool:
    return table is not None and table.mark == _mark(row) and table.pairing == pairings.get(table.name)


def _newest(rows: Sequence[Row]) -> dict[str, Mapping[str, JsonValue]]:
    """The pairing of every table's newest round; rows come with rising rounds."""
    return {str(row["table_name"]): {name: row[name] for name in ("round", "first", "second")} for row in rows}


def _mirrored(row: Row, pairing: Mapping[str, JsonValue] | None, reading: int) -> MirroredTable:
    last, changed_at, on_air = _mark(row)
    state = {**_EMPTY, **row["state"], **(row["scene"] or {}), "seq": last}
    shown = {name: value for name, value in state.items() if name != "rulings"}
    told = {"name": row["name"], "last": last, "seen_at": row["seen_at"], "on_air": on_air}
    told["changed_at"] = changed_at
    text = json.dumps({**told, "pairing": pairing, "state": shown}, separators=(",", ":"))
    seen_at = float(row["seen_at"])
    return MirroredTable(str(row["name"]), last, seen_at, changed_at, on_air, state, pairing, reading, text)
