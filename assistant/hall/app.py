"""The hall's pages and interface: what tables send, what judges answer, what everybody sees."""

from __future__ import annotations

import base64
import binascii
import csv
import hmac
import io
import ipaddress
import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import anyio
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from assistant.hall.options import HallOptions
from assistant.hall.store import Entry, Row, Store, digest_of
from assistant.log.plain_text import csv_cell
from assistant.scene.values import JsonValue
from assistant.web.keys import from_here, given_key, host_of, same_origin

Result = TypeVar("Result")
Handler = Callable[[Request], Awaitable[Response]]

_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'"
_COOKIE = "pinpoint-hall"
_FILES = {"hall.css": "text/css", "hall.js": "text/javascript", "board.js": "text/javascript"}


class Role(IntEnum):
    """What a request may do."""

    NOBODY = 0
    SPECTATOR = 1
    TABLE = 2
    JUDGE = 3


@dataclass(frozen=True, slots=True)
class HallKeys:
    """Digests of the three secrets; the keys themselves are kept nowhere."""

    spectator: str
    table: str
    judge: str

    @staticmethod
    def of(spectator: str, table: str, judge: str) -> HallKeys:
        """From the keys."""
        return HallKeys(digest_of(spectator), digest_of(table), digest_of(judge))

    def role_of(self, key: str) -> Role:
        """Whose key it is; every comparison is made, each in constant time."""
        given = digest_of(key)
        pairs = ((self.judge, Role.JUDGE), (self.table, Role.TABLE), (self.spectator, Role.SPECTATOR))
        found = [role for known, role in pairs if hmac.compare_digest(given, known)]
        return max(found, default=Role.NOBODY)


class Hall:
    """The handlers of all routes."""

    def __init__(self, store: Store, keys: HallKeys, options: HallOptions | None = None) -> None:
        self._store, self._keys, self._options = store, keys, options or HallOptions()

    def application(self) -> Starlette:
        """The ASGI application."""
        watch, table, judge = Role.SPECTATOR, Role.TABLE, Role.JUDGE
        routes = [
            self._route("/api/v1/tables", self.tables, watch),
            self._route("/api/v1/tables/{name}/state", self.state, watch),
            self._route("/api/v1/tables/{name}/events", self.events, watch),
            self._route("/api/v1/tables/{name}/pictures/{seq:int}.jpg", self.picture, watch),
            self._route("/api/v1/tables/{name}/last", self.last, table),
            self._route("/api/v1/tables/{name}/entries", self.entries, table, "POST"),
            self._route("/api/v1/queue", self.queue, watch),
            self._route("/api/v1/queue/{number:int}/answer", self.answer, judge, "POST"),
            self._route("/api/v1/air", self.air, judge, "POST"),
            self._route("/api/v1/pairings", self.pairings, judge, "POST"),
            self._route("/api/v1/results", self.result, judge, "POST"),
            self._route("/api/v1/results.csv", self.results_csv, watch),
            self._route("/api/v1/results.json", self.results_json, watch),
            self._route("/", self._page("hall.html"), watch),
            self._route("/judge", self._page("judge.html"), judge),
            self._route("/table/{name}", self._page("table.html"), watch),
            self._route("/overlay/board", self._page("overlay.html"), watch),
            self._route("/static/{file}", self.static, Role.NOBODY),
        ]
        errors: Mapping[Any, Any] = {
            HTTPException: _http_error,
            SQLAlchemyError: _database_error,
            Exception: _unexpected,
        }
        return Starlette(routes=routes, exception_handlers=errors)

    def _route(self, path: str, handler: Handler, least: Role, method: str = "GET") -> Route:
        async def guarded(request: Request) -> Response:
            role, keyed = self._role(request)
            if role < least:
                known = "this needs the judge's link" if least is Role.JUDGE else "this needs a key"
                raise HTTPException(403 if role > Role.NOBODY else 401, known)
            if method == "POST" and not same_origin(request.headers.raw):
                raise HTTPException(403, "a page of another server may not do this")
            if keyed and method == "GET" and not path.startswith("/api"):
                # the key leaves the address bar and stays in a cookie that no script can read
                answer: Response = RedirectResponse(request.url.path, 303)
                answer.set_cookie(_COOKIE, request.query_params["key"], httponly=True, samesite="strict")
            else:
                answer = await handler(request)
            answer.headers["content-security-policy"] = _POLICY
            answer.headers["x-content-type-options"] = "nosniff"
            answer.headers["referrer-policy"] = "no-referrer"
            answer.headers["cache-control"] = "no-store"
            return answer

        return Route(path, guarded, methods=[method])

    def _role(self, request: Request) -> tuple[Role, bool]:
        """What the request may do, and whether its key stands in the address."""
        given = given_key(request.url.query.encode(), request.headers.raw)
        if given is not None:
            return self._keys.role_of(given.decode("utf-8", "replace")), "key" in request.query_params
        role = self._keys.role_of(request.cookies[_COOKIE]) if _COOKIE in request.cookies else Role.NOBODY
        client = request.client.host if request.client else ""
        here = _is_loopback(client) and from_here(host_of(request.headers.raw))
        return (max(role, Role.SPECTATOR) if here else role), False

    # --- tables

    async def tables(self, _: Request) -> Response:
        """All tables with their newest state."""
        rows = await self._work(self._store.tables)
        return JSONResponse({"tables": [_table(row) for row in rows]})

    async def state(self, request: Request) -> Response:
        """One table as `pinpoint.state/1`."""
        name = request.path_params["name"]
        row = await self._work(lambda: self._store.table(name))
        if row is None:
            raise HTTPException(404, f"no table {name}")
        last = int(row["last_seq"])
        events = await self._work(lambda: self._store.events(name, max(0, last - 400), 400))
        shown = [{"seq": event["seq"], **event["body"]} for event in events[-self._options.shown_events :]]
        base = {
            "schema": "pinpoint.state/1",
            "t": 0.0,
            "game": "",
            "rulings": [],
            "round": None,
            "phase": None,
            "scene": None,
        }
        return JSONResponse({**base, **row["state"], "seq": last, "events": shown})

    async def events(self, request: Request) -> Response:
        """A table's events after a number."""
        name, after = request.path_params["name"], _whole(request, "after", 0)
        limit = min(_whole(request, "limit", 200), 1000)
        rows = await self._work(lambda: self._store.events(name, after, limit))
        last = await self._work(lambda: self._store.last_seq(name))
        return JSONResponse({"events": [{"seq": row["seq"], **row["body"]} for row in rows], "last": last})

    async def picture(self, request: Request) -> Response:
        """The picture of an important moment."""
        name, seq = request.path_params["name"], request.path_params["seq"]
        jpeg = await self._work(lambda: self._store.picture(name, seq))
        if jpeg is None:
            raise HTTPException(404, "no picture of that moment")
        return Response(jpeg, media_type="image/jpeg")

    async def last(self, request: Request) -> Response:
        """The newest number of a table, from which it goes on."""
        name = self._name(request)
        return JSONResponse({"last": await self._work(lambda: self._store.last_seq(name))})

    async def entries(self, request: Request) -> Response:
        """What a table reports; the answer says what has arrived and what judges said."""
        name, body = self._name(request), await self._body(request)
        entries = _entries(body.get("entries"), self._options)
        state = body.get("state")
        heard = body.get("heard")
        last = await self._work(lambda: self._store.add(name, entries, state if isinstance(state, dict) else {}))
        after = heard if isinstance(heard, int) else 0
        answers = await self._work(lambda: self._store.answers_for(name, after))
        return JSONResponse({"last": last, "answers": [dict(row) for row in answers[: self._options.queue_answers]]})

    # --- judges

    async def queue(self, request: Request) -> Response:
        """What waits for a judge, or everything with `all=1`."""
        rows = await self._work(lambda: self._store.queue(request.query_params.get("all") == "1"))
        return JSONResponse({"queue": [{**row, "table": row["table_name"]} for row in rows]})

    async def answer(self, request: Request) -> Response:
        """A judge answers; the table shows it with its next report."""
        body = await self._body(request)
        text, by = body.get("answer"), body.get("by", "judge")
        if not isinstance(text, str) or not text.strip() or len(text) > 500 or not isinstance(by, str) or len(by) > 80:
            raise HTTPException(400, 'expected {"answer": "text of up to 500 letters", "by": "name"}')
        number = request.path_params["number"]
        if not await self._work(lambda: self._store.answer(number, text.strip(), by)):
            raise HTTPException(404, "no open question with that number")
        return JSONResponse({"ok": True})

    async def air(self, request: Request) -> Response:
        """Which table the stream overlay follows."""
        body = await self._body(request)
        name = body.get("table")
        if name is not None and not isinstance(name, str):
            raise HTTPException(400, 'expected {"table": "name" or null}')
        await self._work(lambda: self._store.put_on_air(name))
        return JSONResponse({"ok": True})

    # --- pairings and results

    async def pairings(self, request: Request) -> Response:
        """Pairings as CSV (round,table,first,second) or as JSON with the same fields."""
        data = await self._bytes(request)
        rows = _pairings(data.decode("utf-8", "replace"), request.headers.get("content-type", ""))
        await self._work(lambda: self._store.set_pairings(rows))
        return JSONResponse({"pairings": len(rows)})

    async def result(self, request: Request) -> Response:
        """The result of one table."""
        body = await self._body(request)
        try:
            number, name = int(body["round"]), str(body["table"])
            first, second = float(body["first"]), float(body["second"])
        except (KeyError, TypeError, ValueError):
            raise HTTPException(400, 'expected {"round": 1, "table": "A", "first": 10, "second": 7}') from None
        if not (math.isfinite(first) and math.isfinite(second)):
            raise HTTPException(400, "scores are finite numbers")
        if not await self._work(lambda: self._store.set_result(number, name, first, second)):
            raise HTTPException(404, "nobody is paired at that table in that round")
        return JSONResponse({"ok": True})

    async def results_csv(self, _: Request) -> Response:
        """Pairings and results for a spreadsheet."""
        rows = await self._work(self._store.results)
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(_RESULT_COLUMNS)
        for row in _results(rows):
            writer.writerow([csv_cell(str(row[name])) if row[name] is not None else "" for name in _RESULT_COLUMNS])
        return Response(out.getvalue(), media_type="text/csv; charset=utf-8")

    async def results_json(self, _: Request) -> Response:
        """The same as JSON."""
        return JSONResponse({"results": _results(await self._work(self._store.results))})

    # --- pages

    def _page(self, name: str) -> Handler:
        async def page(_: Request) -> Response:
            return Response(_file(name), media_type="text/html; charset=utf-8")

        return page

    async def static(self, request: Request) -> Response:
        """Style and scripts."""
        name = request.path_params["file"]
        if name not in _FILES:
            raise HTTPException(404, "no such file")
        return Response(_file(name), media_type=f"{_FILES[name]}; charset=utf-8")

    # --- reading requests

    def _name(self, request: Request) -> str:
        name: str = request.path_params["name"]
        if not name.isprintable() or len(name) > self._options.name_letters:
            raise HTTPException(400, f"a table's name has up to {self._options.name_letters} printable letters")
        return name

    async def _bytes(self, request: Request) -> bytes:
        parts, size = [], 0
        async for part in request.stream():
            size += len(part)
            if size > self._options.body_bytes:
                raise HTTPException(413, f"a request has at most {self._options.body_bytes} bytes")
            parts.append(part)
        return b"".join(parts)

    async def _body(self, request: Request) -> dict[str, Any]:
        try:
            body = json.loads(await self._bytes(request), parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise HTTPException(400, "expected JSON") from None
        if not isinstance(body, dict):
            raise HTTPException(400, "expected a JSON object")
        return body

    async def _work(self, job: Callable[[], Result]) -> Result:
        """Database work on a thread: the loop goes on."""
        return await anyio.to_thread.run_sync(job)


def _table(row: Row) -> dict[str, JsonValue]:
    return {
        "name": row["name"],
        "last": row["last_seq"],
        "seen_at": row["seen_at"],
        "on_air": bool(row["on_air"]),
        "state": row["state"],
    }


def _entries(value: object, options: HallOptions) -> list[Entry]:
    if not isinstance(value, list) or len(value) > options.batch_entries:
        raise HTTPException(400, f"expected up to {options.batch_entries} entries")
    found = []
    for item in value:
        try:
            picture = base64.b64decode(item["picture"], validate=True) if "picture" in item else None
            entry = Entry(
                int(item["seq"]),
                float(item["t"]),
                str(item["kind"])[:20],
                dict(item["body"]),
                picture,
                str(item.get("asks", "")),
            )
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise HTTPException(400, "expected entries with seq, t, kind and body") from None
        if not math.isfinite(entry.t_s):
            raise HTTPException(400, "times are finite numbers")
        found.append(entry)
    return found


_RESULT_COLUMNS = ("round", "table", "first", "second", "first_score", "second_score")


def _results(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{name: row["table_name" if name == "table" else name] for name in _RESULT_COLUMNS} for row in rows]


def _pairings(text: str, kind: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text) if "json" in kind else list(csv.DictReader(io.StringIO(text)))
        found = [
            {
                "round": int(row["round"]),
                "table_name": str(row["table"]),
                "first": str(row["first"])[:120],
                "second": str(row["second"])[:120],
            }
            for row in rows
        ]
    except (KeyError, TypeError, ValueError):
        raise HTTPException(400, "expected rows with round, table, first, second as CSV or JSON") from None
    if len(found) > 10_000:
        raise HTTPException(413, "at most 10000 pairings at once")
    return found


@cache
def _file(name: str) -> str:
    return resources.files("assistant.hall").joinpath("static", name).read_text(encoding="utf-8")


def _whole(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 15:
        raise HTTPException(400, f"{name}: expected a whole number")
    return int(text)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _no_constant(name: str) -> float:
    raise ValueError(name)


async def _http_error(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, status_code=error.status_code)


async def _database_error(_: Request, __: Exception) -> Response:
    # no details: they may hold the database's address
    return JSONResponse({"error": "the database cannot be reached; nothing was taken, send it again"}, status_code=503)


async def _unexpected(_: Request, __: Exception) -> Response:
    return JSONResponse({"error": "unexpected error in the hall"}, status_code=500)
