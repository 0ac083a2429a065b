"""The WebSocket feed: every client has its own short queue, and one that does not keep up is dropped."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

from starlette.websockets import WebSocket, WebSocketDisconnect

from assistant.web.feed import Feed, Message, TableEvent
from assistant.web.options import WebOptions

TOO_SLOW = 1013  # try again later
GOING = 1001


class _Client:
    """What waits for one client."""

    def __init__(self, last: int, options: WebOptions) -> None:
        self.last = last
        self._options = options
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._ready = asyncio.Event()
        self.gone = asyncio.Event()
        self.dropped = False
        self.ending = False

    def offer(self, message: Message) -> None:
        """Puts a message in the queue; one too many and the client is dropped."""
        if message.seq <= self.last or self.dropped:
            return
        self.last = message.seq
        self._waiting.append(message)
        self._bytes += len(message.text)
        if len(self._waiting) > self._options.client_messages or self._bytes > self._options.client_bytes:
            self.dropped = True
            self._waiting.clear()
            self.gone.set()
        self._ready.set()

    def end(self) -> None:
        """The server stops."""
        self.ending = True
        self._ready.set()

    async def next(self) -> Message | None:
        """The next message; None when the client is to go."""
        while not self._waiting:
            if self.dropped or self.ending:
                return None
            self._ready.clear()
            await self._ready.wait()
        message = self._waiting.popleft()
        self._bytes -= len(message.text)
        return message


class LiveClients:
    """All clients of one server; lives in the server's event loop."""

    def __init__(self, feed: Feed, options: WebOptions) -> None:
        self._feed = feed
        self._options = options
        self._clients: set[_Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

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
        """In the follower's thread: hands the message to the loop and goes on."""
        del told
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just been closed
                self._loop.call_soon_threadsafe(self._broadcast, message)

    def _broadcast(self, message: Message) -> None:
        for client in self._clients:
            client.offer(message)

    async def serve(self, socket: WebSocket, after: int | None, session: str) -> None:
        """One client until it goes, is dropped or the server stops."""
        await socket.accept()
        if len(self._clients) >= self._options.clients:
            await socket.close(TOO_SLOW, "too many watchers")
            return
        first = self._feed.missed(after, session)
        client = _Client(first[-1].seq if first else self._feed.seq, self._options)
        self._clients.add(client)
        sending = asyncio.ensure_future(self._send(socket, client, first))
        receiving = asyncio.ensure_future(_until_gone(socket))
        dropping = asyncio.ensure_future(client.gone.wait())  # a message may be stuck on its way to a slow client
        tasks = (sending, receiving, dropping)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._clients.discard(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if not receiving.done() or receiving.cancelled():
            with contextlib.suppress(Exception):  # it may be gone, or take nothing any more
                why = (GOING, "the server stops") if client.ending else (TOO_SLOW, "too slow")
                await asyncio.wait_for(socket.close(*why), 1.0)

    async def _send(self, socket: WebSocket, client: _Client, first: list[Message]) -> None:
        message: Message | None
        for message in first:
            await asyncio.wait_for(socket.send_text(message.text), self._options.send_s)
        while (message := await client.next()) is not None:
            await asyncio.wait_for(socket.send_text(message.text), self._options.send_s)


async def _until_gone(socket: WebSocket) -> None:
    """Reads and forgets what a client sends: the feed goes one way."""
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
