"""A served game to test with: the bundled game's true states, shown when the test says so."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session.referee import Referee
from assistant.web.address import Address
from assistant.web.hosting import Host, Hosting
from assistant.web.keys import Keys
from assistant.web.server import GameServer
from tests.assistant.ui import table
from vision.camera.live import Outage
from vision.types.frame import Frame

KEYS = Keys("watch-secret", "referee-secret")
REFEREE = {"Authorization": f"Bearer {KEYS.referee}"}
WATCHER = {"Authorization": f"Bearer {KEYS.watch}"}


class Game:
    """Frames are followed in a thread of their own, as `watch` and the window do."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0, log: Path | None = None) -> None:
        writer = LogWriter.create(log, Settings(table.setting().game.id)) if log is not None else None
        self.referee = Referee(table.TruthSession(), table.setting(), writer)
        self._items: queue.Queue[Frame | Outage | str | None] = queue.Queue()
        self.host = Host(
            table.setting(),
            Hosting(Address(host, port), KEYS),
            lambda: self._items.put("look"),
            log,
            writer.start if writer else (0.0, 0),
        )
        self._index = 0
        self._thread = threading.Thread(target=self._follow, name="test follower")

    @property
    def server(self) -> GameServer:
        """The server."""
        assert self.host.server is not None
        return self.host.server

    def start(self) -> None:
        """Begins."""
        self.host.follow(self.referee, table.setting())
        self.host.start()
        self._thread.start()

    def show(self, state: int) -> None:
        """One frame of a state, followed when this returns."""
        self._index += 1
        self._items.put(table.frame(state, self._index))
        self._items.join()

    def lose(self) -> None:
        """The camera gives no picture."""
        self._items.put(Outage(time_s=self._index / 30, why="unplugged"))
        self._items.join()

    def stop(self) -> None:
        """Ends it all."""
        self._items.put(None)
        self._thread.join()
        self.host.stop()
        self.referee.close()

    def client(self, headers: dict[str, str] | None = None) -> httpx.Client:
        """A program that talks to the server."""
        return httpx.Client(base_url=self.server.url, headers=headers or {}, timeout=10.0)

    def _follow(self) -> None:
        while (item := self._items.get()) is not None:
            try:
                self.referee.update(None if isinstance(item, str) else item)
            finally:
                self._items.task_done()
        self._items.task_done()


@contextmanager
def running(**options: Any) -> Iterator[Game]:
    """A game that is served, and ended whatever happens."""
    game = Game(**options)
    game.start()
    try:
        yield game
    finally:
        game.stop()
