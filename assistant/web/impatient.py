"""HTTP with a limit on how long a client may take to say what it wants; for every server of Pinpoint."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


def impatient(head_s: float) -> type[H11Protocol]:
    """The protocol; a connection whose first request has no whole head after so many seconds is cut off."""

    class Impatient(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.loop.call_later(head_s, self._look)

        def _look(self) -> None:
            if self.cycle is None and not self.transport.is_closing() and self.transport.get_protocol() is self:
                self.transport.abort()

    return Impatient
