"""What every request passes first: the key, the origin, the size; and the headers every answer carries."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.web.keys import Keys, Role, from_here, given_cookie, given_key, host_of, same_origin
from assistant.web.options import WebOptions
from assistant.web.rates import Rate

_COOKIE_S = 30 * 24 * 3600
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-src 'self'; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types pinpoint"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_METHODS = ("GET", "HEAD", "POST")


class RefusedError(Exception):
    """A request that goes no further; the application answers those that show up while a body is read."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Guard:
    """Lets through whom the link allows; `scope["role"]` says what they may do.

    On loopback everybody may look, unless the request names another host. Beyond it nobody gets anything without a key.
    """

    def __init__(self, app: ASGIApp, keys: Keys, loopback: bool, port: int, options: WebOptions) -> None:
        self._app = app
        self._keys = keys
        self._loopback = loopback
        self._cookie = f"pinpoint-{port}"  # browsers share cookies between the ports of a host
        self._options = options
        self._wrong = Rate(options.wrong_keys_per_s, options.wrong_keys_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return
        cookie: list[tuple[bytes, bytes]] = []

        async def send_guarded(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                own = {name for name, _ in message.get("headers", ())}
                message["headers"] = [
                    *message.get("headers", ()),
                    *(header for header in _HEADERS if header[0] not in own),
                    *cookie,
                ]
            await send(message)

        try:
            role, by_link = self._role(scope)
            if by_link:
                cookie = self._set_cookie(role)
            self._check(scope)
        except RefusedError as refused:
            await _refuse(scope, send_guarded, refused)
            return
        scope["role"] = role
        if scope["type"] == "http":
            receive = self._bounded(receive)
        await self._app(scope, receive, send_guarded)

    def _role(self, scope: Scope) -> tuple[Role, bool]:
        """What the request may do, and whether its link said so."""
        headers = scope["headers"]
        key = given_key(scope["query_string"], headers)
        if key is not None:
            role = self._keys.role_of(key)
            if role is Role.NOBODY:
                if not self._wrong.allows(address_of(scope)):
                    raise RefusedError(429, "too many wrong keys; wait a minute")
                raise RefusedError(401, "wrong key: use the link that the table shows")
            return role, not any(name == b"authorization" for name, _ in headers)
        # a cookie of an earlier run is no mistake of the person who comes back
        role = self._keys.role_of_cookie(given_cookie(self._cookie, headers) or "")
        if role is not Role.NOBODY:
            return role, False
        if self._loopback and from_here(host_of(headers)):
            return Role.WATCHER, False
        raise RefusedError(401, "a key is needed: use the link that the table shows")

    def _check(self, scope: Scope) -> None:
        acts = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if acts and not same_origin(scope["headers"]):
            raise RefusedError(403, "this page belongs to another site")
        if scope["type"] == "http":
            if scope["method"] not in _METHODS:
                raise RefusedError(405, f"unknown method; expected {', '.join(_METHODS)}")
            length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
            if not length.isdigit() or int(length) > self._options.body_bytes:
                raise RefusedError(413, f"too large: expected at most {self._options.body_bytes} bytes")

    def _bounded(self, receive: Receive) -> Receive:
        """A body of bounded size that arrives in bounded time; what comes after it is the client's leaving."""
        taken, whole = 0, False
        deadline_s = time.monotonic() + self._options.body_s

        async def bounded() -> Message:
            nonlocal taken, whole
            if whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, deadline_s - time.monotonic()))
            except TimeoutError:
                raise RefusedError(408, f"too slow: expected a whole body within {self._options.body_s:g} s") from None
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > self._options.body_bytes:
                raise RefusedError(413, f"too large: expected at most {self._options.body_bytes} bytes")
            return message

        return bounded

    def _set_cookie(self, role: Role) -> list[tuple[bytes, bytes]]:
        kept = f"Path=/; Max-Age={_COOKIE_S}; HttpOnly; SameSite=Lax"
        return [(b"set-cookie", f"{self._cookie}={self._keys.cookie(role)}; {kept}".encode())]


def address_of(scope: Scope) -> str:
    """The client's address."""
    client = scope.get("client")
    return str(client[0]) if client else ""


async def _refuse(scope: Scope, send: Send, refused: RefusedError) -> None:
    body = json.dumps({"error": refused.why}).encode()
    headers: Iterable[tuple[bytes, bytes]] = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if refused.status == 401:
        headers = [*headers, (b"www-authenticate", b'Bearer realm="pinpoint"')]
    kind = "http" if scope["type"] == "http" else "websocket.http"
    if kind == "websocket.http" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": refused.why})
        return
    await send({"type": f"{kind}.response.start", "status": refused.status, "headers": list(headers)})
    await send({"type": f"{kind}.response.body", "body": body})
