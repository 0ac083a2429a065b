"""How many tables a hall bears: simulated tables send at a game's pace and at many times that, with outages.

    .venv/bin/python -m benchmarks.hall_load --database URL --tables 40 --seconds 30 --pace 10 [--kill]

Each simulated table sends one entry every 90 s divided by the pace, on its own connections, numbered and sent again
until it is taken. Printed are entries a second, the delay from sending to having been taken, and losses, which must be
none. With --kill the hall is killed and started again every ten seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import secrets
import subprocess
import sys
import time
from dataclasses import dataclass, field

import httpx
import numpy as np

from assistant.hall.store import Store
from benchmarks.history import record

ENTRY_S = 90.0  # between two entries of one table in a usual game
SCENE = {"schema": "pinpoint.scene/1", "pieces": [{"id": f"d{n:02}", "x": 10.0 * n, "y": 5.0 * n} for n in range(30)]}


@dataclass
class Sent:
    """What all tables have sent."""

    delays_s: list[float] = field(default_factory=list)
    retries: int = 0


class HallProcess:
    """A hall in a process of its own."""

    def __init__(self, database: str, port: int, key: str) -> None:
        self._command = [
            sys.executable, "-m", "assistant.cli.main", "hall", "--database", database,
            "--serve", f"127.0.0.1:{port}", "--table-key", key,
        ]  # fmt: skip
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Returns when it serves."""
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("table-key"):
                return

    def kill(self) -> None:
        """At once, without a goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


async def table(name: str, url: str, key: str, args: argparse.Namespace, sent: Sent) -> int:
    """One table: sends until the time is over; how many entries it made."""
    rng = random.Random(name)
    headers = {"Authorization": f"Bearer {key}"}
    seq, end = 0, time.monotonic() + args.seconds
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=10) as client:
        while time.monotonic() < end:
            pause_s = rng.expovariate(args.pace / ENTRY_S)
            await asyncio.sleep(min(pause_s, max(0.0, end - time.monotonic())))
            if time.monotonic() >= end:
                break
            seq += 1
            start = time.monotonic()
            entry = {"seq": seq, "t": start, "kind": "event", "body": {"type": "note", "text": "x" * 200}}
            body = json.dumps({"entries": [entry], "state": {"scene": SCENE}, "heard": 0})
            while True:
                try:
                    answer = await client.post(f"/api/v1/tables/{name}/entries", content=body)
                    if answer.status_code == 200 and answer.json()["last"] >= seq:
                        break
                except httpx.HTTPError:
                    pass
                sent.retries += 1
                await asyncio.sleep(0.3)
            sent.delays_s.append(time.monotonic() - start)
    return seq


async def load(url: str, key: str, args: argparse.Namespace, hall: HallProcess) -> tuple[list[int], Sent]:
    """All tables at once, and the kills."""
    sent = Sent()

    async def kills() -> None:
        while True:
            await asyncio.sleep(10)
            hall.kill()
            await asyncio.sleep(1)
            await asyncio.to_thread(hall.start)

    killing = asyncio.create_task(kills()) if args.kill else None
    made = await asyncio.gather(*(table(f"T{number:04}", url, key, args, sent) for number in range(args.tables)))
    if killing is not None:
        killing.cancel()
    return list(made), sent


def main() -> None:
    """Prints one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--database", default="sqlite:////tmp/hall-load.db")
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--pace", type=float, default=10.0)
    parser.add_argument("--port", type=int, default=8439)
    parser.add_argument("--kill", action="store_true")
    args = parser.parse_args()
    key = secrets.token_urlsafe(12)
    hall = HallProcess(args.database, args.port, key)
    hall.start()
    start = time.monotonic()
    try:
        made, sent = asyncio.run(load(f"http://127.0.0.1:{args.port}", key, args, hall))
    finally:
        hall.kill()
    seconds = time.monotonic() - start
    store = Store(args.database)
    kept = sum(count for name, count in store.counts().items() if name.startswith("T"))
    delays = np.array(sent.delays_s or [0.0]) * 1000
    print(
        f"{args.tables} tables, pace x{args.pace:g}: {sum(made)} entries in {seconds:.0f} s "
        f"({sum(made) / seconds:.1f} a second), delay {np.median(delays):.0f} ms median, "
        f"{np.percentile(delays, 95):.0f} ms p95, {sent.retries} tries again, {sum(made) - kept} lost"
    )
    data = f"{args.tables} tables, pace x{args.pace:g}{', killed' if args.kill else ''}"
    record("hall_load", data, {"p95 ms": float(np.percentile(delays, 95)), "lost": float(sum(made) - kept)})


if __name__ == "__main__":
    main()
