"""The newest camera picture of tables on air, in memory alone: a picture that nobody has looked at is gone."""

from __future__ import annotations

import time

from assistant.hall.options import HallOptions


class Frames:
    """Pictures by table; lives in the server's event loop."""

    def __init__(self, options: HallOptions) -> None:
        self._options = options
        self._kept: dict[str, tuple[float, bytes]] = {}
        self._asked_at = float("-inf")

    @property
    def wanted(self) -> bool:
        """Whether anybody has looked just now."""
        return time.monotonic() - self._asked_at < self._options.frame_kept_s

    def put(self, name: str, jpeg: bytes) -> None:
        """The newest picture of a table; pictures of others are forgotten once they are old."""
        now = time.monotonic()
        self._kept = {known: kept for known, kept in self._kept.items() if now - kept[0] < self._options.frame_kept_s}
        self._kept[name] = (now, jpeg)

    def get(self, name: str) -> bytes | None:
        """The picture of a table while it is new; asking for it has the table send more."""
        self._asked_at = time.monotonic()
        when, jpeg = self._kept.get(name, (float("-inf"), b""))
        return jpeg if self._asked_at - when < self._options.frame_kept_s else None
