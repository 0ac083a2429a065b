"""A hall on a thread, with faults on request, and tables whose logs are written as a session would."""

from __future__ import annotations

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assistant.games import GAMES
from assistant.hall.access import HallKeys
from assistant.hall.app import Hall
from assistant.hall.options import HallOptions
from assistant.hall.reporting import Reporter
from assistant.hall.serving import hall_server
from assistant.hall.store import Store
from assistant.hall.talking import HallClient
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from tests.assistant.log.pretend import moments

KEYS = {"spectator": "watching-key", "table": "table-key", "judge": "judge-key"}
QUICK = HallOptions(
    pause_s=0.02,
    asking_pause_s=0.02,
    longest_pause_s=0.05,
    request_s=3.0,
    batch_entries=7,
    mirror_s=0.0,
    head_s=2.0,
    body_s=2.0,
)


class Faulty:
    """An application that dies at random: before a request is worked on, or after, with its answer lost."""

    def __init__(self, app: Any, faults: int, seed: int) -> None:
        self._app, self._left, self._rng = app, faults, random.Random(seed)
        self.before = self.after = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        posting = scope["type"] == "http" and scope["path"].endswith("/entries")
        fault = posting and self._left > 0 and self._rng.random() < 0.7
        if not fault:
            await self._app(scope, receive, send)
            return
        self._left -= 1
        if self._rng.random() < 0.5:
            self.before += 1
            raise ConnectionResetError("killed before it was taken")
        self.after += 1

        async def swallow(message: Any) -> None:
            del message

        await self._app(scope, receive, swallow)
        raise ConnectionResetError("killed after it was taken")


@contextmanager
def running(store: Store, faults: int = 0, seed: int = 1) -> Iterator[tuple[str, Faulty]]:
    """The address of a hall, and its faults."""
    faulty = Faulty(Hall(store, HallKeys.of(**KEYS), QUICK).application(), faults, seed)
    bound = socket.socket()
    bound.bind(("127.0.0.1", 0))
    bound.listen(100)
    server = hall_server(faulty, QUICK)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}", faulty
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def write_game(path: Path, count: int, seed: int = 1) -> LogWriter:
    """A log with so many moments, still open."""
    log = LogWriter.create(path, Settings(game="diskwars"))
    for entry in moments("diskwars", count, seed):
        log.append(entry)
    return log


class Listening:
    """What a reporter needs of a referee."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def listen(self, listener: object) -> None:
        """Nobody calls."""

    def stop_listening(self, listener: object) -> None:
        """Nothing to end."""

    def note(self, text: str, fields: object) -> None:
        """Keeps what was said."""
        del fields
        self.notes.append(text)


def reporter(path: Path, url: str, name: str = "A", key: str = KEYS["table"]) -> tuple[Reporter, Listening]:
    """A reporter of a log, and what its table hears."""
    referee = Listening()
    client = HallClient(url, name, key, QUICK)
    return Reporter(referee, TableSetting(GAMES[0]), path, client), referee  # type: ignore[arg-type]
