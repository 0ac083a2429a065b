"""Requests that a guest on the network may send to a served game: for `benchmarks.attack`.

Every address gets wrong types, huge and strange values, foreign origins, wrong keys, other methods, too large and too
slow bodies. A failure is an answer of 500 or above (but for 503, busy), a file from outside, a header that the request
wrote, something done without the referee's key, or a server that no longer answers.
"""

from __future__ import annotations

import contextlib
import random
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from tests.assistant.web.running import KEYS, Game, running

LOOKING = (
    "/api/v1/state",
    "/api/v1/about",
    "/api/v1/events",
    "/api/v1/moments",
    "/api/v1/scenes",
    "/api/v1/between",
    "/api/v1/frame.jpg",
    "/api/v1/evidence/1/clip.mp4",
    "/api/v1/alternatives",
    "/openapi.json",
    "/",
    "/overlays",
    "/static/phone.js",
)
ACTING = tuple(f"/api/v1/{name}" for name in ("correct", "stage", "tell", "verdict", "undo"))
POSTING = (*ACTING, "/api/v1/ask", "/api/v1/call")
FIELDS = ("at", "after", "limit", "first", "second", "width", "overlay", "full", "piece", "x", "y", "session", "key")
STRANGE = (
    "",
    "-1",
    "0",
    "1e999",
    "nan",
    "9" * 30,
    "9" * 5000,
    "\N{SUPERSCRIPT TWO}",
    "\0",
    "a\r\nSet-Cookie: eve=1",
    "../../../../etc/passwd",
    "%2e%2e%2f",
    "'; DROP TABLE event; --",
    "<script>alert(1)</script>",
    "\N{GAME DIE}" * 200,
)
BODIES: tuple[bytes, ...] = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"a"',
    b"\xff\xfe",
    b"[" * 30_000,
    b'{"question": 1e999}',
    b'{"question": "range \\ud800 b", "at": 1e308}',
    b'{"question": "pins", "at": 1' + b"0" * 400 + b"}",
    b'{"question": "' + b"x" * 60_000 + b'"}',
    b'{"question": ["a"], "at": {}}',
    b'{"kind": "move", "piece": "\\u0000", "x": "nan", "y": null, "why": "\\ud83d"}',
    b'{"kind": "\\ud800", "piece": {"a": [1]}, "x": 1e308, "y": -1e308, "by": "\\u001b[2J"}',
    b'{"round": 10000000000000000000000000000000000, "phase": "\\ud800"}',
    b'{"text": "advance \\udfff", "by": "\\r\\nX: y"}',
    b'{"event": -1, "seq": 1e30, "verdict": [], "text": "' + b"y" * 3000 + b'"}',
)
_HEADERS: tuple[tuple[str, bytes], ...] = (
    ("Range", b"bytes=\xb2-"),
    ("Range", b"bytes=" + b"9" * 5000 + b"-"),
    ("Range", b"bytes=5-2"),
    ("If-None-Match", b"\xff" * 100),
    ("Cookie", b"pinpoint-1=" + b"\xff\x00"[:1] * 3000),
    ("Authorization", b"Bearer \xff"),
    ("Authorization", b"Basic " + b"A" * 4000),
    ("Accept-Encoding", b"\x01"),
    ("X-Forwarded-For", b"127.0.0.1"),
)
_ANSWER_S = 10.0
_SOCKETS_EACH = 6  # of each wrong frame
_SLOW_READERS, _SHOWN = 40, 150
_CONNECTS = 3000


class Answer:
    """One answer: its status and its head, both empty where the connection was closed without one."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        head = content.partition(b"\r\n\r\n")[0]
        words = head.split(b" ", 2)
        self.status = int(words[1]) if len(words) > 2 and words[1].isdigit() else 0
        self.head = head.lower()


def ask(address: tuple[str, int], content: bytes, wait_s: float = _ANSWER_S) -> Answer:
    """Sends bytes and reads the answer until the server is done with it."""
    found = b""
    with socket.create_connection(address, wait_s) as connection:
        with contextlib.suppress(OSError):  # a server may refuse before it has read everything
            connection.sendall(content)
        with contextlib.suppress(OSError):
            while more := connection.recv(1 << 16):
                found += more
                if len(found) > 1 << 20:
                    break
    return Answer(found)


def request(
    method: str, path: str, body: bytes = b"", key: str = "", headers: Sequence[tuple[str, bytes]] = (), host: str = ""
) -> bytes:
    """One request as its bytes; nothing is checked."""
    lines = [f"{method} {path} HTTP/1.1".encode(), b"Host: " + (host or "127.0.0.1").encode(), b"Connection: close"]
    if key:
        lines.append(b"Authorization: Bearer " + key.encode())
    if body or method == "POST":
        lines.append(b"Content-Length: %d" % len(body))
    lines += [name.encode() + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def wrong_answer(answer: Answer) -> str:
    """What no answer may be."""
    if answer.status >= 500 and answer.status != 503:
        return f"status {answer.status}: {answer.content[-120:]!r}"
    if b"\r\nset-cookie: eve" in answer.head or b"\r\nx: y" in answer.head:
        return "a header that the request wrote"
    if b"root:x:" in answer.content:
        return "a file from outside"
    return ""


def requests(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Requests without end, each with a name."""
    while True:
        key = chance.choice((KEYS.referee, KEYS.watch, "", "wrong"))
        kind = chance.randrange(6)
        if kind == 0:
            fields = chance.sample(FIELDS, chance.randrange(1, 4))
            query = "&".join(f"{field}={quote(chance.choice(STRANGE), safe='')}" for field in fields)
            path = f"{chance.choice(LOOKING)}?{query}"
            yield path[:80], request("GET", path, key=key)
        elif kind == 1:
            path = chance.choice(POSTING)
            body = chance.choice(BODIES)
            yield f"{path} {body[:40]!r}", request("POST", path, body, key)
        elif kind == 2:
            name, value = chance.choice(_HEADERS)
            path = chance.choice((*LOOKING, "/sw.js", "/manifest.webmanifest"))
            yield f"{path} {name} {value[:20]!r}", request("GET", path, key=key, headers=[(name, value)])
        elif kind == 3:
            trail = chance.choice(("..%2f..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "....//etc/passwd", "%00"))
            path = chance.choice(("/static/", "/api/v1/evidence/1/", "/overlay/", "//", "/api/v1/evidence/")) + trail
            yield path, request("GET", path, key=key)
        elif kind == 4:
            method = chance.choice(("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "get", "A" * 500))
            yield method[:20], request(method, chance.choice(LOOKING), key=key)
        else:
            path = f"/api/v1/evidence/{'9' * chance.choice((3, 30, 5000))}/clip.mp4"
            yield path[:60], request("GET", path, key=key)


def fuzz_requests(count: int, seed: int, until: Callable[[], bool]) -> tuple[int, list[str]]:
    """Sends so many strange requests to a served game; how many, and what went wrong."""
    failures: list[str] = []
    tried = 0
    with tempfile.TemporaryDirectory() as folder, running(log=Path(folder) / "g.pinpoint") as game:
        address = _address(game)
        game.show(0)
        stream = requests(random.Random(seed))
        while tried < count and not until():
            name, content = next(stream)
            tried += 1
            wrong = wrong_answer(ask(address, content))
            if wrong:
                failures.append(f"{name}: {wrong}")
        failures += [f"{name}: {wrong}" for name, check in CHECKS.items() if (wrong := check(game))]
        tried += len(CHECKS)
    return tried, failures


def _address(game: Game) -> tuple[str, int]:
    parts = urlsplit(game.server.url)
    return str(parts.hostname), int(parts.port or 80)


def _alive(game: Game) -> str:
    begun = time.monotonic()
    answer = ask(_address(game), request("GET", "/api/v1/state", key=KEYS.watch))
    if answer.status != 200:
        return f"the server answers {answer.status}"
    return "" if time.monotonic() - begun < _ANSWER_S / 2 else f"an answer took {time.monotonic() - begun:.0f} s"


def _foreign_origin(game: Game) -> str:
    for origin in (b"https://evil.example", b"null", b"http://127.0.0.1.evil.example", b"file://"):
        for path in (*ACTING, "/api/v1/call", "/api/v1/ask"):
            headers = [("Origin", origin), ("Content-Type", b"text/plain")]
            answer = ask(_address(game), request("POST", path, b"{}", KEYS.referee, headers))
            if answer.status != 403:
                return f"{path} from {origin!r} is answered {answer.status}"
    return ""


def _without_key(game: Game) -> str:
    for path in ACTING:
        for key in ("", KEYS.watch, "wrong", KEYS.referee[:-1], KEYS.referee + "x"):
            answer = ask(_address(game), request("POST", path, b"{}", key))
            if answer.status not in (401, 403, 429):
                return f"{path} with {key!r} is answered {answer.status}"
    return ""


def _other_host(game: Game) -> str:
    answer = ask(_address(game), request("GET", "/api/v1/state", host="evil.example"))
    return "" if answer.status == 401 else f"a request for another host is answered {answer.status}"


def _many_wrong_keys(game: Game) -> str:
    statuses = [ask(_address(game), request("GET", "/api/v1/state", key=f"guess-{n}")).status for n in range(90)]
    if 429 not in statuses:
        return "wrong keys are not slowed down"
    return _alive(game)


def _huge_bodies(game: Game) -> str:
    large = request("POST", "/api/v1/ask", b"x" * 2_000_000, KEYS.watch)
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    head = b"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    doubled = b"POST /api/v1/ask HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 50\r\n\r\nabcde"
    for content in (large, head + chunk * 40, doubled, b"GET / HTTP/1.1\r\nA: " + b"x" * 100_000):
        answer = ask(_address(game), content)
        if answer.status not in (0, 400, 401, 413, 431):
            return f"answered {answer.status}: {content[:60]!r}"
    return _alive(game)


def _slow_clients(game: Game) -> str:
    """Heads and bodies that never end: they are cut off, and others are served meanwhile."""
    head = b"GET /api/v1/state HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    body = b"POST /api/v1/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\n{"
    held = []
    for number in range(60):
        connection = socket.create_connection(_address(game), _ANSWER_S)
        connection.sendall(head if number % 2 else body)
        held.append(connection)
    wrong = _alive(game)
    until = time.monotonic() + 25
    for connection in held:
        connection.settimeout(max(0.1, until - time.monotonic()))
        try:
            while connection.recv(4096):
                pass
        except TimeoutError:
            wrong = wrong or "a client that never finishes its request is kept"
        except OSError:
            pass
        connection.close()
    return wrong


def _frame(first: int, content: bytes, masked: bool = True, said: int | None = None) -> bytes:
    """A WebSocket frame as its bytes, of as many bytes as it says or of other many."""
    size = len(content) if said is None else said
    length = bytes((size,)) if size < 126 else (b"\x7f" + size.to_bytes(8))
    head = bytes((first, length[0] | (0x80 if masked else 0))) + length[1:]
    return head + (b"\0\0\0\0" if masked else b"") + content


_FRAMES: dict[str, bytes] = {
    "text that is none": _frame(0x81, b"\xff\xfe\xfd"),
    "unmasked": _frame(0x81, b"hello", masked=False),
    "unknown kind": _frame(0x8F, b"") * 500,
    "reserved bits": _frame(0xF1, b"a"),
    "of 2^62 bytes": _frame(0x82, b"x" * 5000, said=1 << 62),
    "of 2^63 bytes": _frame(0x82, b"x" * 5000, said=1 << 63),
    "larger than allowed": _frame(0x82, b"x" * 100_000),
    "going on with nothing": _frame(0x80, b"a"),
    "parts without end": _frame(0x01, b"a") + _frame(0x00, b"a" * 100) * 2000,
    "a new one in parts of another": _frame(0x01, b"a") + _frame(0x81, b"b"),
    "long ping": _frame(0x89, b"x" * 126),
    "parted ping": _frame(0x09, b"x"),
    "pings": _frame(0x89, b"x" * 125) * 3000,
    "goodbye of one byte": _frame(0x88, b"x"),
    "goodbye of no meaning": _frame(0x88, b"\0\1"),
    "goodbye and more": _frame(0x88, b"\x03\xe8") + _frame(0x81, b"a") * 100,
    "no frame": b"GET / HTTP/1.1\r\n\r\n" * 200,
    "nothing": b"",
}


def _opened_socket(game: Game) -> socket.socket:
    """A WebSocket of the feed, just asked for."""
    upgrade = [
        ("Upgrade", b"websocket"),
        ("Sec-WebSocket-Version", b"13"),
        ("Sec-WebSocket-Key", b"dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    opening = request("GET", "/api/v1/live", key=KEYS.watch, headers=upgrade)
    connection = socket.create_connection(_address(game), _ANSWER_S)
    connection.sendall(opening.replace(b"Connection: close", b"Connection: Upgrade"))
    return connection


def _socket_flood(game: Game) -> str:
    """Many WebSockets at once, each with something wrong, that take nothing of what is sent to them."""
    held = []
    for number, content in enumerate(list(_FRAMES.values()) * _SOCKETS_EACH):
        connection = _opened_socket(game)
        if number % 2:  # half of them once they are open, half before
            connection.recv(1)
        with contextlib.suppress(OSError):
            connection.sendall(content)
        held.append(connection)
    for state in range(1, 4):
        game.show(state)
    wrong = _alive(game)
    for connection in held:
        connection.close()
    return wrong or _alive(game)


def _slow_readers(game: Game) -> str:
    """Watchers that take nothing while the game goes on: they are dropped, and nobody waits for them."""
    held = [_opened_socket(game) for _ in range(_SLOW_READERS)]
    for connection in held:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    begun = time.monotonic()
    for number in range(_SHOWN):
        game.show(number % 8)
    spent_s = time.monotonic() - begun
    wrong = _alive(game) or ("" if spent_s < _SHOWN else f"{_SHOWN} states took {spent_s:.0f} s")
    for connection in held:
        connection.close()
    return wrong or _alive(game)


def _connects(game: Game) -> str:
    """Connections by the thousand that come and go, with and without a word."""
    for number in range(_CONNECTS):
        with socket.create_connection(_address(game), _ANSWER_S) as connection:
            if number % 2:
                connection.sendall(b"GET ")
    return _alive(game)


CHECKS: dict[str, Callable[[Game], str]] = {
    "posts of other sites": _foreign_origin,
    "acts without the key": _without_key,
    "another host's name": _other_host,
    "huge bodies": _huge_bodies,
    "slow clients": _slow_clients,
    "many sockets": _socket_flood,
    "slow readers": _slow_readers,
    "thousands of connects": _connects,
    "guessed keys": _many_wrong_keys,
}


def told(count: int, seed: int, seconds: float) -> dict[str, Any]:
    """What `benchmarks.attack` reads from this part's own process."""
    end = time.monotonic() + seconds
    tried, failures = fuzz_requests(count, seed, lambda: time.monotonic() > end)
    return {"tried": tried, "failures": failures}
