"""An answer that is read from the database at most so often, however many pages ask for it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable


class Cached:
    """The last answer while it is new; lives in the server's event loop."""

    def __init__(self, read: Callable[[], Awaitable[str]], keep_s: float) -> None:
        self._read, self._keep_s = read, keep_s
        self._text, self._read_at = "", float("-inf")
        self._reading = asyncio.Lock()

    async def text(self) -> str:
        """The answer, read anew once it is old; whoever asks meanwhile waits for the same reading."""
        async with self._reading:
            if time.monotonic() - self._read_at >= self._keep_s:
                begun = time.monotonic()
                self._text = await self._read()
                self._read_at = begun
            return self._text

    def forget(self) -> None:
        """Something has changed: the next one who asks gets the new answer."""
        self._read_at = float("-inf")
