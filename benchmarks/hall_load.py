"""How many tables a hall bears: simulated tables report at a game's pace and at many times that, with faults.

    .venv/bin/python -m benchmarks.hall_load [--tables 40,200,1000] [--pace 1,10] [--seconds 30]
        [--faults hall,postgres,network] [--database URL] [--watchers 10] [--pause 5]

Without --database a PostgreSQL server of its own is started in a temporary folder, with durable commits. Each table
behaves as a reporting one does: a settled move (an event and a scene of 30 pieces) every 90 s divided by the pace, a
report every five seconds between, numbered and sent again until it is taken. Watchers are hall pages that ask once a
second for what has changed. With --faults, every few seconds in turn the hall is killed, PostgreSQL is ended without a
checkpoint, all connections of tables are cut for two seconds; everything is started again. Printed are entries and
requests a second, the delay from a move to its receipt, processor time, and losses, which must be none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sqlalchemy import text

from assistant.hall.options import HallOptions
from assistant.hall.store import Store
from benchmarks.cut_network import CutNetwork
from benchmarks.history import record
from benchmarks.postgres_server import PostgresServer
from benchmarks.quick_http import QuickClient

MOVE_S = 90.0  # between two settled moves of one table in a usual game
FAULT_S = 8.0  # between two faults
CUT_S = 2.0  # how long the network is away
FINISH_S = 600.0  # until every table must have reported everything
FAULTS = ("hall", "postgres", "network")
_OPTIONS = HallOptions()
_PIECE = {
    "circle_mm": 50.8, "face_height_mm": 2.0, "sigma_mm": 0.21, "owner": "order", "profile": "dwarf-warriors",
    "keywords": ["swift attack"], "traits": ["infantry"], "stats": {"movement": 3, "attack": 4, "toughness": 4},
}  # fmt: skip
SCENE = {
    "schema": "pinpoint.scene/1",
    "game": "diskwars",
    "table": {"width_mm": 914.4, "depth_mm": 914.4},
    "pieces": [{**_PIECE, "id": f"d{n:02}", "x": 30.0 * n, "y": 25.0 * n} for n in range(30)],
}
RULINGS = [
    {"kind": "engagement", "pieces": ["d01", "d02"], "sentence": "x" * 120, "certainty": 0.98} for _ in range(20)
]


@dataclass
class Sent:
    """What all tables have sent."""

    delays_s: list[float] = field(default_factory=list)
    requests: int = 0
    retries: int = 0
    entries: int = 0


class HallProcess:
    """A hall in a process of its own."""

    def __init__(self, database: str, port: int, key: str) -> None:
        self._command = [
            sys.executable, "-m", "assistant.cli.main", "hall", "--database", database,
            "--serve", f"127.0.0.1:{port}", "--table-key", key,
        ]  # fmt: skip
        self._process: subprocess.Popen[str] | None = None
        self._used_s = 0.0

    def start(self) -> None:
        """Returns when it serves; while the database is away it is started again, as a service manager does."""
        for _ in range(60):
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
            assert self._process.stdout is not None
            if any(line.startswith("table-key") for line in self._process.stdout):
                return
            self._process.wait()
            time.sleep(0.5)
        raise RuntimeError("the hall does not start")

    def kill(self) -> None:
        """Ends it at once, in the middle of whatever it does."""
        if self._process is not None:
            self._used_s += _cpu_s(self._process.pid)
            self._process.kill()
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None

    @property
    def cpu_s(self) -> float:
        """Processor seconds so far, start-ups included."""
        return self._used_s + (_cpu_s(self._process.pid) if self._process is not None else 0.0)


async def table(name: str, port: int, key: str, pace: float, args: argparse.Namespace, sent: Sent) -> int:
    """One table: how many entries it made. Returns when the hall has all of them."""
    rng = random.Random(name)
    client = QuickClient(port, f"/api/v1/tables/{name}", key, _OPTIONS.request_s)
    end = time.monotonic() + args.seconds
    heartbeat = time.monotonic() + rng.uniform(0, args.pause)
    move = time.monotonic() + rng.expovariate(pace / MOVE_S)
    made, last, pending = 0, 0, list[tuple[int, float]]()  # numbers of moves that were not confirmed, with their times
    pause_s = _OPTIONS.asking_pause_s
    while True:
        now = time.monotonic()
        while move <= min(now, end):
            made += 2
            pending.append((made, move))
            move += rng.expovariate(pace / MOVE_S)
        if now >= end and not pending:
            client.close()
            return made
        if not pending and now < heartbeat:
            await asyncio.sleep(max(0.0, min(heartbeat, move, end) - now))
            continue
        try:
            answer = await client.post("/entries", _body(last, made, bool(pending)))
            sent.requests += 1
            last, pause_s = int(answer["last"]), _OPTIONS.asking_pause_s
            heartbeat = time.monotonic() + args.pause
            while pending and pending[0][0] <= last:
                sent.delays_s.append(time.monotonic() - pending.pop(0)[1])
        except (OSError, EOFError, ValueError, KeyError, TimeoutError):
            sent.retries += 1
            await asyncio.sleep(pause_s * rng.uniform(0.7, 1.3))
            pause_s = min(2 * pause_s, _OPTIONS.longest_pause_s)


def _body(last: int, made: int, moved: bool) -> bytes:
    if not moved:
        return b'{"entries": []}'
    entries: list[dict[str, object]] = []
    for seq in range(last + 1, min(made, last + _OPTIONS.batch_entries) + 1):
        scene = seq % 2 == 0
        body = SCENE if scene else {"type": "moved", "t": seq, "n": seq, "piece": "d01", "text": "x" * 80}
        entries.append({"seq": seq, "t": seq, "kind": "scene" if scene else "event", "body": body})
    state = {"t": made, "status": {"camera": "live", "table": "resting", "recording": True}, "round": 2}
    return json.dumps({"entries": entries, "state": state, "scene": {"scene": SCENE, "rulings": RULINGS}}).encode()


async def watcher(port: int, key: str, sent: Sent) -> None:
    """A page of the hall: asks once a second for what has changed."""
    client, version = QuickClient(port, "/api/v1", key, _OPTIONS.request_s), ""
    while True:
        try:
            version = str((await client.get(f"/tables?version={version}"))["version"])
            sent.requests += 1
        except (OSError, EOFError, ValueError, KeyError, TimeoutError):
            pass
        await asyncio.sleep(1.0)


async def faults(
    kinds: Sequence[str],
    seconds: float,
    hall: HallProcess,
    server: PostgresServer | None,
    network: CutNetwork | None,
    made: list[str],
) -> None:
    """One fault after another, of each kind in turn, until the games end: then every table can report the rest."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for kind in kinds:
            await asyncio.sleep(FAULT_S)
            made.append(kind)
            if kind == "hall":
                await asyncio.to_thread(hall.kill)
                await asyncio.sleep(1)
                await asyncio.to_thread(hall.start)
            elif kind == "postgres" and server is not None:
                await asyncio.to_thread(server.restart)
            elif kind == "network" and network is not None:
                await network.cut(CUT_S)


async def load(
    port: int,
    key: str,
    tables: int,
    pace: float,
    args: argparse.Namespace,
    hall: HallProcess,
    server: PostgresServer | None,
) -> tuple[list[int], Sent, list[str]]:
    """All tables at once, the pages that watch them, and the faults."""
    sent, happened = Sent(), list[str]()
    network = CutNetwork(port) if "network" in args.faults else None
    reached = await network.start() if network is not None else port
    beside = [asyncio.create_task(watcher(port, key, sent)) for _ in range(args.watchers)]
    if args.faults:
        beside.append(asyncio.create_task(faults(args.faults, args.seconds, hall, server, network, happened)))
    playing = [table(f"T{number:04}", reached, key, pace, args, sent) for number in range(tables)]
    try:
        made = await asyncio.wait_for(asyncio.gather(*playing), args.seconds + FINISH_S)
    finally:
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        if network is not None:
            await network.stop()
    sent.entries = sum(made)
    return list(made), sent, happened


def lost(database: str, made: Sequence[int]) -> int:
    """Entries that are missing, twice there or out of order."""
    store = Store(database)
    try:
        wrong = 0
        with store.engine.connect() as connection:
            asked = text("SELECT table_name, count(*), min(seq), max(seq), count(DISTINCT seq) FROM entries GROUP BY 1")
            rows = {str(row[0]): tuple(int(value) for value in row[1:]) for row in connection.execute(asked)}
        for number, count in enumerate(made):
            found = rows.get(f"T{number:04}", (0, 1, 0, 0))
            wrong += abs(found[0] - count) + (found[1:] != (1, count, count) if count else 0)
        for name in ("T0000", f"T{len(made) - 1:04}"):
            numbers = [row["body"]["n"] for row in store.events(name, 0, 1_000_000)]
            wrong += numbers != list(range(1, 2 * len(numbers), 2))
        return wrong
    finally:
        store.close()


def measure(tables: int, pace: float, args: argparse.Namespace, server: PostgresServer | None) -> None:
    """Prints one line."""
    database = server.create(f"hall_{tables}_{pace:g}") if server is not None else args.database
    key = secrets.token_urlsafe(12)
    hall = HallProcess(database, args.port, key)
    hall.start()
    started_s, used_s = hall.cpu_s, server.cpu_s() if server is not None else 0.0
    start, own_s = time.monotonic(), time.process_time()
    try:
        made, sent, happened = asyncio.run(load(args.port, key, tables, pace, args, hall, server))
        seconds = time.monotonic() - start
        hall_s = hall.cpu_s - started_s
        database_s = server.cpu_s() - used_s if server is not None and "postgres" not in args.faults else 0.0
    finally:
        hall.kill()
    missing = lost(database, made)
    delays = np.array(sent.delays_s or [0.0]) * 1000
    p50, p95, p99 = (float(np.percentile(delays, part)) for part in (50, 95, 99))
    request_ms = 1000 * hall_s / max(1, sent.requests)
    counted = ", ".join(f"{happened.count(kind)} {kind}" for kind in args.faults)
    own = (time.process_time() - own_s) / seconds
    parts = [
        f"{tables} tables, pace x{pace:g}: {sent.entries} entries and {sent.requests} requests in {seconds:.0f} s "
        f"({sent.entries / seconds:.1f} and {sent.requests / seconds:.0f} a second)",
        f"delay {p50:.0f} / {p95:.0f} / {p99:.0f} / {delays.max():.0f} ms (median, p95, p99, longest)",
        f"processor: hall {hall_s / seconds:.0%} ({request_ms:.2f} ms a request), "
        f"database {database_s / seconds:.0%}, tables {own:.0%}",
        *([f"faults: {counted}"] if counted else []),
        f"{sent.retries} tries again, {missing} lost",
    ]
    print("; ".join(parts), flush=True)
    data = f"{tables} tables, pace x{pace:g}, {database.split(':')[0]}{', faults' if args.faults else ''}"
    figures = {"p50 ms": p50, "p95 ms": p95, "p99 ms": p99, "lost": float(missing), "hall cpu": hall_s / seconds}
    record("hall_load", data, figures)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Prints one line for every number of tables and pace."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--database", help="default: a PostgreSQL server of its own")
    parser.add_argument("--tables", default="40,200,1000")
    parser.add_argument("--pace", default="1,10")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pause", type=float, default=_OPTIONS.pause_s, help="seconds between reports without news")
    parser.add_argument("--watchers", type=int, default=10)
    parser.add_argument("--port", type=int, default=8439)
    parser.add_argument("--faults", type=lambda value: [kind for kind in value.split(",") if kind], default=[])
    args = parser.parse_args()
    if set(args.faults) - set(FAULTS):
        parser.error(f"--faults: expected some of {','.join(FAULTS)}")
    if args.database and "postgres" in args.faults:
        parser.error("--faults postgres needs a server of its own: leave --database out")
    server = None if args.database else PostgresServer()
    try:
        if server is not None:
            server.start()
        for tables in args.tables.split(","):
            for pace in args.pace.split(","):
                measure(int(tables), float(pace), args, server)
    finally:
        if server is not None:
            server.stop()


if __name__ == "__main__":
    main()
