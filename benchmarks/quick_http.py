"""A small HTTP client for load tests: one kept connection, JSON in and out, a tenth of a general client's time."""

from __future__ import annotations

import asyncio
import json
from typing import Any


class QuickClient:
    """Asks one server, one request at a time; a fault closes the connection and is raised."""

    def __init__(self, port: int, path: str, key: str, timeout_s: float) -> None:
        self._port, self._path, self._timeout_s = port, path, timeout_s
        self._head = f"Host: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> dict[str, Any]:
        """The answer to a question."""
        return await self._asked("GET", path, b"")

    async def post(self, path: str, body: bytes) -> dict[str, Any]:
        """The answer to JSON that was sent."""
        return await self._asked("POST", path, body)

    def close(self) -> None:
        """Lets the connection go."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _asked(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._once(method, path, body)
        except BaseException:
            self.close()
            raise

    async def _once(self, method: str, path: str, body: bytes) -> dict[str, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        reader, writer = self._streams
        head = f"{method} {self._path}{path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        data = await reader.readexactly(int(headers["content-length"]))
        if lines[0].split(" ")[1] != "200":
            raise ValueError(f"{lines[0]}: {data[:200]!r}")
        answer: dict[str, Any] = json.loads(data)
        return answer
