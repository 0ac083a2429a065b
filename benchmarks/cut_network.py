"""A network that can be cut: passes connections on to a port, until all of them are cut and none is let in."""

from __future__ import annotations

import asyncio
import contextlib


class CutNetwork:
    """Listens on a free port and passes on to another one, from `start` to `stop`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._is_cut = False

    async def start(self) -> int:
        """The port to use instead."""
        self._server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0, backlog=1024)
        return int(self._server.sockets[0].getsockname()[1])

    async def cut(self, seconds: float) -> None:
        """Ends every connection at once, with what is on its way, and lets none in for so long."""
        self._is_cut = True
        for writer in tuple(self._open):
            writer.transport.abort()
        await asyncio.sleep(seconds)
        self._is_cut = False

    async def stop(self) -> None:
        """Ends it."""
        if self._server is not None:
            self._server.close()
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        with contextlib.suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._open |= {writer, far_writer}
            try:
                await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
            finally:
                self._open -= {writer, far_writer}
        writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
