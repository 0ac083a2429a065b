"""The server of one game, on a thread of its own: started and stopped by whoever runs the game."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import sys
import threading
from io import BytesIO
from typing import Any, cast
from urllib.parse import quote

import segno
import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from assistant.web.address import DEFAULT_HOST, Address
from assistant.web.app import Web, application
from assistant.web.guard import Guard
from assistant.web.impatient import impatient
from assistant.web.keys import Keys
from assistant.web.live import SINK
from assistant.web.options import WebOptions
from assistant.web.table import ServedTable
from calibration.errors import InputError

_START_S = 10.0
_STOP_S = 3.0
_SWITCH_S = (
    0.0005  # each write gives Python's lock away; with the default of 5 ms the 200th watcher would wait a second
)


class GameServer:
    """Serves one table from `start` to `stop`."""

    def __init__(
        self,
        table: ServedTable,
        address: Address | None = None,
        keys: Keys | None = None,
        options: WebOptions | None = None,
    ) -> None:
        self._table = table
        self._address = address or Address()
        self._keys = keys or Keys()
        self._options = options or WebOptions()
        self._socket: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._failed: BaseException | None = None
        self._started = threading.Event()
        self._web: Web | None = None
        self._switch_s = sys.getswitchinterval()

    def start(self) -> None:
        """Begins to serve; an address that cannot be had is an InputError."""
        self._socket = _bound(self._address)
        self._switch_s = sys.getswitchinterval()
        sys.setswitchinterval(min(self._switch_s, _SWITCH_S))
        self._thread = threading.Thread(target=self._run, args=(self._socket,), name="pinpoint web", daemon=True)
        self._thread.start()
        if not self._started.wait(_START_S) or self._failed is not None:
            self.stop()
            raise InputError("cannot serve", self.url, str(self._failed or "the server did not start in time"))

    def stop(self) -> None:
        """Says goodbye to all clients and ends the thread."""
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(_STOP_S + 2.0)
            self._thread = None
            sys.setswitchinterval(self._switch_s)
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    @property
    def running(self) -> bool:
        """Whether it serves."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def watchers(self) -> int:
        """How many clients follow the game now."""
        return len(self._web.clients) if self._web is not None else 0

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self._socket is not None and _is_loopback(self._socket)

    @property
    def url(self) -> str:
        """The address that a browser can open."""
        host, port = self._address.host, self._address.port
        if self._socket is not None:
            host, port = self._socket.getsockname()[:2]
            if ipaddress.ip_address(host).is_unspecified:
                host = _own_address()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    @property
    def watch_link(self) -> str:
        """The link for everybody who may look."""
        return f"{self.url}?key={quote(self._keys.watch, safe='')}"

    @property
    def referee_link(self) -> str:
        """The link for the referee."""
        return f"{self.url}?key={quote(self._keys.referee, safe='')}"

    def qr_png(self, referee: bool = False, scale: int = 6) -> bytes:
        """A link as a QR code, to be shown in the window."""
        target = BytesIO()
        code = segno.make(self.referee_link if referee else self.watch_link, error="m", micro=False)
        code.save(target, kind="png", scale=scale, border=3)
        return target.getvalue()

    def _run(self, bound: socket.socket) -> None:
        try:
            asyncio.run(self._serve(bound))
        except BaseException as error:
            self._failed = error
        finally:
            self._started.set()

    async def _serve(self, bound: socket.socket) -> None:
        web = self._web = Web(self._table, self._options, None if _is_loopback(bound) else self._keys.watch)
        guard = Guard(application(web), self._keys, _is_loopback(bound), bound.getsockname()[1], self._options)
        config = uvicorn.Config(
            guard,
            http=impatient(self._options.head_s),
            ws=_Sockets,
            ws_max_size=4096,
            ws_ping_interval=20.0,
            ws_ping_timeout=20.0,
            ws_per_message_deflate=False,  # 200 watchers would each cost a compression
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=self._options.connections,
            timeout_keep_alive=20,
            timeout_graceful_shutdown=int(_STOP_S),
            h11_max_incomplete_event_size=16_384,
        )
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a client's mistakes are not the players' affair
        server = self._server = uvicorn.Server(config)
        web.clients.start(asyncio.get_running_loop())
        watching = asyncio.ensure_future(self._announce(server, web))
        try:
            await server.serve(sockets=[bound])
        finally:
            watching.cancel()
            web.stopping.set()
            web.clients.stop()
            web.close()

    async def _announce(self, server: uvicorn.Server, web: Web) -> None:
        """Says when it serves; and, when it is to stop, ends what would otherwise go on for ever."""
        while not server.started:
            await asyncio.sleep(0.01)
        self._started.set()
        while not server.should_exit:
            await asyncio.sleep(0.05)
        web.stopping.set()
        web.clients.stop()


class _Sockets(WebSocketsSansIOProtocol):
    """The WebSocket protocol, to which whole frames can be handed; see `live`.

    A client that takes nothing any more is cut off instead of waited for.
    """

    async def run_asgi(self) -> None:
        cast(dict[str, Any], self.scope)[SINK] = self
        await super().run_asgi()

    def pass_on(self, frames: bytes) -> bool:
        """Writes frames; False where the client takes nothing now."""
        if not self.writable.is_set() or self.transport.is_closing():
            return False
        self.transport.write(frames)
        return True

    async def send(self, message: Any) -> None:
        if message["type"] == "websocket.close" and not self.writable.is_set():
            self.transport.abort()
            return
        await super().send(message)


def _bound(address: Address) -> socket.socket:
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        family, kind, number, _, target = found[0]
        bound = socket.socket(family, kind, number)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(target)
            bound.listen(256)
        except OSError:
            bound.close()
            raise
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError("cannot serve", f"{address.host}:{address.port}", f"{why}; choose another HOST:PORT") from None
    return bound


def _is_loopback(bound: socket.socket) -> bool:
    return ipaddress.ip_address(bound.getsockname()[0]).is_loopback


def _own_address() -> str:
    """This machine's address in its network, as far as it has one; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: no packet goes there
            return str(probe.getsockname()[0])
        except OSError:
            return DEFAULT_HOST
