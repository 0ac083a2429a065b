"""Requests that a guest may send to the hall of a tournament: for `benchmarks.attack`.

Every address of the application, with path parts, fields and bodies that are wrong, huge or hostile, by everybody from
a stranger to a judge. What may not be answered is the same as for a served game (`attack_web.wrong_answer`).
"""

from __future__ import annotations

import random
import re
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.routing import Route

from assistant.hall.access import HallKeys
from assistant.hall.app import Hall
from assistant.hall.store import Store
from benchmarks.attack_web import BODIES, STRANGE, ask, request, wrong_answer
from tests.assistant.hall.running import KEYS, running

_UNFINISHED = 20  # requests of each kind
_CUT_OFF_S = 60.0  # until all of them must be: a body has 30
_FIELDS = ("after", "since", "limit", "all", "round", "key", "table")
_HALL_BODIES: tuple[bytes, ...] = (
    b'{"entries": [{"seq": 1e999, "t": 1, "kind": "a", "body": {}}]}',
    b'{"entries": [{"seq": 99999999999999999999999, "t": 1, "kind": "a", "body": {}}], "log": "a"}',
    b'{"entries": [{"seq": 1, "t": 1e308, "kind": "\\u0000", "body": []}], "log": "a", "heard": 1e999}',
    b'{"entries": [{"seq": 1, "t": 1, "kind": "note", "body": {"text": "\\ud800"}}], "log": "\\ud800", "first": 1}',
    b'{"entries": [null, 1, "a"], "state": [1], "heard": {}}',
    b'{"entries": [], "state": {"scene": "\\u0000\\ud800"}, "log": {"a": 1}, "base": -1}',
    b'{"answer": "\\ud800 \\u0000", "by": "\\u001b[2J"}',
    b'{"answer": 5, "by": []}',
    b'{"table": "\\ud800"}',
    b'{"round": 1e999, "table": "A", "first": 1, "second": "nan"}',
    b'{"round": 1, "table": "A", "first": 1' + b"0" * 400 + b', "second": 2}',
    b'[{"round": 1, "table": "\\ud800", "first": "a", "second": "b"}]',
    b'[{"round": "9999999999999999999999", "table": null, "first": [], "second": {}}]',
    b"round,table,first,second\n1,\xff\xfe,\x00,=1+1\n",
    b"round,table,first,second\n" + b"1,A,b,c\n" * 20_000,
    b'"' * 50_000,
)


def hall_requests(store: Store, chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Requests without end, each with a name; the addresses are those that the application has."""
    known = Hall(store, HallKeys.of(**KEYS)).application().routes
    routes = [route for route in known if isinstance(route, Route) and not route.path.endswith(".mjpeg")]
    while True:
        route = chance.choice(routes)
        method = chance.choice(sorted(route.methods or {"GET"}))
        path = re.sub(r"\{(\w+)(:\w+)?\}", lambda found: _part(found, chance), route.path)
        if chance.random() < 0.5:
            path += f"?{chance.choice(_FIELDS)}={quote(chance.choice(STRANGE), safe='')}"
        body = chance.choice((*BODIES, *_HALL_BODIES)) if method == "POST" else b""
        key = chance.choice((*KEYS.values(), "", "wrong"))
        kind = chance.choice((b"application/json", b"text/csv", b"\xff"))
        name = f"{method} {path[:60]} {body[:40]!r}"
        yield name, request(method, path, body, key, [("Content-Type", kind)])


def _part(found: re.Match[str], chance: random.Random) -> str:
    if found[2] == ":int":
        return chance.choice(("1", "0", "9" * 18, "9" * 30, "9" * 5000))
    return quote(chance.choice(("A", *STRANGE)), safe="") or "A"


def _unfinished(address: tuple[str, int]) -> str:
    """Heads and bodies that never end: they are cut off, and others are served meanwhile; no WebSocket is opened."""
    head = b"GET /api/v1/about HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    body = request("POST", "/api/v1/tables/A/entries", b"{" * 50, KEYS["table"])[:-40]
    upgrade = request("GET", "/api/v1/about", key=KEYS["spectator"], headers=[("Upgrade", b"websocket")])
    held = []
    for content in (head, body) * _UNFINISHED:
        held.append(socket.create_connection(address, 10))
        held[-1].sendall(content)
    wrong = wrong_answer(ask(address, upgrade))
    served = ask(address, request("GET", "/api/v1/about", key=KEYS["spectator"]))
    wrong = wrong or ("" if served.status == 200 else f"others are answered {served.status}")
    end = time.monotonic() + _CUT_OFF_S
    for connection in held:
        connection.settimeout(max(0.1, end - time.monotonic()))
        try:
            while connection.recv(4096):
                pass
        except TimeoutError:
            wrong = wrong or "a client that never finishes its request is kept"
        except OSError:
            pass
        connection.close()
    return wrong


def told(count: int, seed: int, seconds: float) -> dict[str, Any]:
    """How many requests were sent to a hall of its own, and what went wrong."""
    end = time.monotonic() + seconds
    failures: list[str] = []
    tried = 0
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{Path(folder) / 'hall.db'}")
        with running(store) as (url, _):
            parts = urlsplit(url)
            address = (str(parts.hostname), int(parts.port or 80))
            stream: Iterator[tuple[str, bytes]] = hall_requests(store, random.Random(seed))
            while tried < count and time.monotonic() < end:
                name, content = next(stream)
                tried += 1
                wrong = wrong_answer(ask(address, content))
                if wrong:
                    failures.append(f"{name}: {wrong}")
            if wrong := _unfinished(address):
                failures.append(f"requests that never end: {wrong}")
        store.close()
    return {"tried": tried + 2 * _UNFINISHED, "failures": failures}
