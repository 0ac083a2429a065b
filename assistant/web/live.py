"""The WebSocket feed: every client has its own short queue, and one that does not keep up is dropped.

A message is framed once and the same bytes are written to every client, all messages of one moment in one write: with a
call per client and message, 200 watchers would cost the follower's thread a sixth of its time.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import threading
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant.web.feed import Feed, Message, TableEvent
from assistant.web.options import WebOptions

TOO_SLOW = 1013  # try again later
GOING = 1001
SINK = "pinpoint.sink"  # where the server's protocol stands in a connection's scope
_TEXT_FRAME = 0x81


class Sink(Protocol):
    """The connection of one client, below the messages."""

    @property
    def writable(self) -> asyncio.Event:
        """Set while the client takes what is written."""
        ...

    def pass_on(self, frames: bytes) -> bool:
        """Writes frames; False where the client takes nothing now."""
        ...


def framed(messages: Sequence[Message]) -> bytes:
    """Messages as WebSocket frames from a server, which are the same for every client.

    >>> framed([Message(1, "note", "ab")]), len(framed([Message(1, "note", "a" * 200)])) - 200
    (b'\\x81\\x02ab', 4)
    """
    parts = []
    for message in messages:
        payload = message.text.encode()
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", _TEXT_FRAME, size)
        elif size < 65_536:
            head = struct.pack("!BBH", _TEXT_FRAME, 126, size)
        else:
            head = struct.pack("!BBQ", _TEXT_FRAME, 127, size)
        parts += [head, payload]
    return b"".join(parts)


class _Client:
    """One client and what waits for it."""

    def __init__(self, sink: Sink, last: int, options: WebOptions) -> None:
        self.last = last
        self._sink = sink
        self._options = options
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._ready = asyncio.Event()
        self.gone = asyncio.Event()
        self.ending = False

    def offer(self, messages: Sequence[Message], frames: bytes) -> None:
        """Hands over what is new; once too much waits, the client is dropped."""
        if self.gone.is_set() or messages[-1].seq <= self.last:
            return
        if messages[0].seq <= self.last:
            frames = framed([message for message in messages if message.seq > self.last])
        self.last = messages[-1].seq
        self.write(frames)

    def write(self, frames: bytes) -> None:
        """Writes at once where the client takes it, else keeps it for later."""
        if not self._waiting and self._sink.pass_on(frames):
            return
        self._waiting.append(frames)
        self._bytes += len(frames)
        if len(self._waiting) > self._options.client_messages or self._bytes > self._options.client_bytes:
            self.drop()
        self._ready.set()

    def drop(self) -> None:
        """Gives the client up."""
        self._waiting.clear()
        self.gone.set()

    def end(self) -> None:
        """The server stops."""
        self.ending = True
        self.gone.set()

    async def catch_up(self) -> None:
        """Writes what waits whenever the client takes something again; gives it up where it takes too long."""
        while True:
            self._ready.clear()
            while self._waiting:
                try:
                    await asyncio.wait_for(self._sink.writable.wait(), self._options.send_s)
                except TimeoutError:
                    self.drop()
                    return
                if self._waiting and self._sink.pass_on(self._waiting[0]):
                    self._bytes -= len(self._waiting.popleft())
            await self._ready.wait()


class LiveClients:
    """All clients of one server; lives in the server's event loop."""

    def __init__(self, feed: Feed, options: WebOptions) -> None:
        self._feed = feed
        self._options = options
        self._clients: set[_Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._news: list[Message] = []

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begins to listen to the feed."""
        self._loop = loop
        self._feed.subscribe(self._heard)

    def stop(self) -> None:
        """Says goodbye to every client."""
        self._feed.unsubscribe(self._heard)
        for client in self._clients:
            client.end()

    def __len__(self) -> int:
        return len(self._clients)

    def _heard(self, message: Message, told: TableEvent | None) -> None:
        """In the follower's thread: leaves the message for the loop and goes on."""
        del told
        with self._lock:
            first = not self._news
            self._news.append(message)
        if first and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._broadcast)

    def _broadcast(self) -> None:
        with self._lock:
            news, self._news = self._news, []
        frames = framed(news)
        for client in tuple(self._clients):
            client.offer(news, frames)

    async def serve(self, socket: WebSocket, after: int | None, session: str) -> None:
        """One client until it goes, is dropped or the server stops."""
        await socket.accept()
        if len(self._clients) >= self._options.clients:
            await socket.close(TOO_SLOW, "too many watchers")
            return
        first = self._feed.missed(after, session)
        client = _Client(socket.scope[SINK], first[-1].seq if first else self._feed.seq, self._options)
        if first:
            client.write(framed(first))
        self._clients.add(client)
        receiving = asyncio.ensure_future(_until_gone(socket))
        tasks = (receiving, asyncio.ensure_future(client.catch_up()), asyncio.ensure_future(client.gone.wait()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._clients.discard(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if receiving.cancelled():
            with contextlib.suppress(Exception):  # it may be gone, or take nothing any more
                why = (GOING, "the server stops") if client.ending else (TOO_SLOW, "too slow")
                await asyncio.wait_for(socket.close(*why), 1.0)


async def _until_gone(socket: WebSocket) -> None:
    """Reads and forgets what a client sends: the feed goes one way."""
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
