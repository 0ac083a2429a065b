"""Two hundred watchers on loopback while a film is followed: what they cost a frame, and how late they hear of events.

    python -m benchmarks.web_load [--watchers 200] [--rounds 3] [--film FOLDER --camera C.json --roster R.json]

The film is followed as fast as it goes, alternately without and with watchers, so that both are measured in one run on
the same machine; the server is on all the time. The watchers are WebSocket clients in a process of their own. A steady
frame is one at rest at which nothing had to be detected. The delay of an event is the time from when the follower hands
it to the feed until a watcher has it, over all watchers. Exits with 1 where a limit is broken.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import statistics
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import websockets

from assistant.cli.demo import GAME, ROSTER
from assistant.cli.inputs import game_of, scene_of_file
from assistant.cli.looking import pieces_of
from assistant.session import TableSetting, session_for
from assistant.session.referee import Referee
from assistant.web.address import Address
from assistant.web.feed import Message, TableEvent
from assistant.web.hosting import Host, Hosting
from calibration.lens import read_lens
from vision.camera.source import open_source
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

MOST_RATIO = 1.10
MOST_DELAY_S = 0.250
_EVENT = re.compile(r'\{"seq":(\d+),"type":"event"')
_CONNECT_S = 60.0


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--watchers", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--film", type=Path, default=GAME)
    parser.add_argument("--camera", type=Path, default=GAME / "camera.json")
    parser.add_argument("--roster", type=Path, default=ROSTER)
    args = parser.parse_args()
    alone: list[float] = []
    watched: list[float] = []
    delays: list[float] = []
    events = 0
    for number in range(args.rounds):
        alone += follow(args, 0)[0]
        frames, late, told = follow(args, args.watchers)
        watched += frames
        delays += late
        events += told
        print(f"round {number + 1}: {len(alone)} and {len(watched)} steady frames, {len(delays)} deliveries")
    ratio = statistics.median(watched) / statistics.median(alone)
    high = float(np.percentile(watched, 95) / np.percentile(alone, 95))
    p50, p95, worst = (float(value) for value in np.percentile(delays, [50, 95, 100]))
    missing = events * args.watchers - len(delays)
    print(f"steady frame, median: {1000 * statistics.median(alone):.2f} ms without watchers")
    print(f"with {args.watchers} watchers: x{ratio:.3f} (median), x{high:.3f} (95th percentile)")
    print(f"event delay: median {1000 * p50:.0f} ms, p95 {1000 * p95:.0f} ms, longest {1000 * worst:.0f} ms")
    print(f"{events} events, {missing} deliveries missing")
    return 0 if ratio <= MOST_RATIO and p95 <= MOST_DELAY_S and missing == 0 else 1


def follow(args: argparse.Namespace, watchers: int) -> tuple[list[float], list[float], int]:
    """Seconds of each steady frame, the delay of each delivery, and how many events there were."""
    setup, roster = scene_of_file(GAME / "setup.json"), read_roster(args.roster)
    setting = TableSetting(game_of(setup.game), setup.players, roster, setup.terrain)
    session = session_for(setting, pieces_of(setting.game, roster, ()), read_lens(args.camera))
    referee = Referee(session, setting)
    host = Host(setting, Hosting(Address("127.0.0.1", 0)), lambda: None)
    host.follow(referee, setting)
    published: dict[int, float] = {}

    def note(message: Message, told: TableEvent | None) -> None:
        if told is not None:
            published[message.seq] = time.monotonic()

    host.feed.subscribe(note)
    host.start()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    assert host.server is not None
    url = host.server.url.replace("http", "ws") + "api/v1/live"
    process = multiprocessing.get_context("spawn").Process(target=watch_all, args=(url, watchers, theirs))
    if watchers:
        process.start()
        if not ours.poll(_CONNECT_S):
            raise RuntimeError("the watchers could not connect")
        ours.recv()
    try:
        steady = _film(args, referee)
        received: list[tuple[int, float]] = []
        if watchers:
            time.sleep(1.0)  # for what is still on its way
            ours.send("stop")
            received = ours.recv()
            process.join()
    finally:
        host.stop()
        referee.close()
    return steady, [at - published[seq] for seq, at in received if seq in published], len(published)


def _film(args: argparse.Namespace, referee: Referee) -> list[float]:
    source = open_source(str(args.film))
    steady = []
    try:
        while isinstance(item := source.read(), Frame):
            start = time.perf_counter()
            update = referee.update(item)
            spent = time.perf_counter() - start
            if update is not None and update.moment.settled and "look" not in update.moment.spent_ms:
                steady.append(spent)
    finally:
        source.close()
    return steady


def watch_all(url: str, count: int, pipe: Connection[Any, Any]) -> None:
    """The process of the watchers: every event's number with when each of them had it."""
    received: list[tuple[int, float]] = []

    async def watch_one(ready: asyncio.Semaphore) -> None:
        async with websockets.connect(url, compression=None, max_size=None, ping_interval=None) as live:
            json.loads(await live.recv())
            ready.release()
            async for text in live:
                found = _EVENT.match(text if isinstance(text, str) else text.decode())
                if found is not None:
                    received.append((int(found[1]), time.monotonic()))

    async def run() -> None:
        ready = asyncio.Semaphore(0)
        tasks = []
        for _ in range(count):
            tasks.append(asyncio.create_task(watch_one(ready)))
            await ready.acquire()
        pipe.send("ready")
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wait() -> None:
            pipe.recv()
            loop.call_soon_threadsafe(stop.set)

        threading.Thread(target=wait, daemon=True).start()
        await stop.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(run())
    pipe.send(received)


if __name__ == "__main__":
    sys.exit(main())
