"""The hall's pages and interface: what tables send, what judges answer, what everybody sees."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from assistant.hall.access import COOKIE, HallKeys, Role, cookie_of, is_loopback, role_of, without_key
from assistant.hall.answers import NO_STORE, database_error, http_error, unexpected, unless_known
from assistant.hall.bodies import path_number, read_bytes, read_object, report_of, table_name, whole
from assistant.hall.cached import Cached
from assistant.hall.frames import Frames
from assistant.hall.inbox import Inbox
from assistant.hall.mirror import Mirror, MirroredTable
from assistant.hall.options import HallOptions
from assistant.hall.pages import HALL_PAGES, read_files
from assistant.hall.store import Store
from assistant.hall.tournament import read_pairings, read_results, results_csv, results_json
from assistant.web.evidence_kinds import KINDS
from assistant.web.keys import same_origin
from assistant.web.pages import OVERLAYS
from assistant.web.ranges import ranged
from assistant.web.rates import Rate

Result = TypeVar("Result")
Handler = Callable[[Request], Awaitable[Response]]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
_BOUNDARY = "pinpointframe"


class Hall:
    """The handlers of all routes."""

    def __init__(
        self, store: Store, keys: HallKeys, options: HallOptions | None = None, watch_key: str | None = None
    ) -> None:
        """`watch_key` is what judges are given for the addresses of overlays, where looking needs a key."""
        self._store, self._keys, self._options = store, keys, options or HallOptions()
        self._watch_key = watch_key
        self._inbox = Inbox(store.take, self._options.group_reports)
        self._mirror = Mirror(store, self._options)
        self._reading = asyncio.Lock()
        self._readers = ThreadPoolExecutor(self._options.read_threads, "hall reader")
        self._frames = Frames(self._options)
        self._waiting = Cached(self._queue_text, self._options.mirror_s)
        self._results = Cached(self._results_text, self._options.mirror_s)
        self._files = read_files()
        self._states: dict[str, tuple[tuple[int, bool], str]] = {}
        self._wrong_keys = Rate(self._options.wrong_keys_per_s, self._options.wrong_keys_burst)

    def application(self) -> Starlette:
        """The ASGI application."""
        watch, table, judge = Role.SPECTATOR, Role.TABLE, Role.JUDGE
        routes = [
            self._route("/api/v1/about", self.about, watch),
            self._route("/api/v1/tables", self.tables, watch),
            self._route("/api/v1/tables/{name}/state", self.state, watch),
            self._route("/api/v1/tables/{name}/events", self.events, watch),
            self._route("/api/v1/tables/{name}/evidence/{seq}/{file}", self.evidence, watch),
            self._route("/api/v1/tables/{name}/last", self.last, table),
            self._route("/api/v1/tables/{name}/entries", self.entries, table, "POST"),
            self._route("/api/v1/tables/{name}/evidence/{seq}", self.end_evidence, table, "POST"),
            self._route("/api/v1/tables/{name}/evidence/{seq}/{file}", self.add_evidence, table, "POST"),
            self._route("/api/v1/tables/{name}/frame", self.add_frame, table, "POST"),
            self._route("/api/v1/tables/{name}/key", self.table_key, judge),
            self._route("/api/v1/queue", self.queue, watch),
            self._route("/api/v1/queue/{number}/answer", self.answer, judge, "POST"),
            self._route("/api/v1/air", self.air_state, watch),
            self._route("/api/v1/air", self.put_on_air, judge, "POST"),
            self._route("/api/v1/frame.jpg", self.frame, watch),
            self._route("/api/v1/frame.mjpeg", self.frames, watch),
            self._route("/api/v1/pairings", self.pairings, judge, "POST"),
            self._route("/api/v1/results", self.set_results, judge, "POST"),
            self._route("/api/v1/results.csv", self.results_csv, watch),
            self._route("/api/v1/results.json", self.results_json, watch),
            *(self._route(path, self._page(file), role) for path, (file, role) in HALL_PAGES.items()),
            *(self._route(f"/overlay/{kind}", self._page("overlay.html"), watch) for kind in OVERLAYS),
            self._route("/static/{file}", self.static, Role.NOBODY),
        ]
        errors: Mapping[Any, Any] = {
            HTTPException: http_error,
            SQLAlchemyError: database_error,
            Exception: unexpected,
        }
        return Starlette(routes=routes, exception_handlers=errors)

    def _route(self, path: str, handler: Handler, least: Role, method: str = "GET") -> Route:
        is_page = method == "GET" and not path.startswith("/api")

        async def guarded(request: Request) -> Response:
            role = role_of(request, self._keys) if least > Role.NOBODY else Role.NOBODY
            if role < least:
                client = request.client.host if request.client else ""
                if role is Role.NOBODY and not self._wrong_keys.allows(client):
                    raise HTTPException(429, "too many wrong keys; wait a moment")
                known = "this needs the judge's link" if least is Role.JUDGE else "this needs a key"
                raise HTTPException(403 if role > Role.NOBODY else 401, known)
            if method == "POST" and not same_origin(request.headers.raw):
                raise HTTPException(403, "a page of another server may not do this")
            if is_page and "key" in request.query_params:
                # the key leaves the address bar and stays in a cookie that no script can read
                rest = without_key(request.query_params.multi_items())
                answer: Response = RedirectResponse(request.url.path + (f"?{rest}" if rest else ""), 303, NO_STORE)
                value = cookie_of(request.query_params["key"])
                answer.set_cookie(COOKIE, value, httponly=True, samesite="strict", max_age=self._options.cookie_s)
            else:
                answer = await handler(request)
            answer.headers.update(_HEADERS)
            answer.headers.setdefault("cache-control", "no-store")
            return answer

        return Route(path, guarded, methods=[method])

    async def about(self, request: Request) -> Response:
        """What this client may do; judges learn the key that overlays' addresses need beyond this machine."""
        role = role_of(request, self._keys)
        here = is_loopback(request.client.host if request.client else "")
        key = self._watch_key if role is Role.JUDGE and not here else None
        return JSONResponse({"role": role.name.lower(), "watch_key": key})

    # --- what tables send

    async def last(self, request: Request) -> Response:
        """The newest number of a table, from which it goes on, and where the numbers of its log begin."""
        name, log = table_name(request, self._options), request.query_params.get("log", "")
        if not log:
            return JSONResponse({"last": await self._work(lambda: self._store.last_seq(name))})
        if not log.isalnum() or len(log) > 64:
            raise HTTPException(400, "log: expected the identity of a log")
        place = await self._work(lambda: self._store.begin(name, log))
        return JSONResponse({"last": place.last, "base": place.base})

    async def entries(self, request: Request) -> Response:
        """What a table reports; the answer says what has arrived, what judges said and what is wanted."""
        body = await read_object(request, self._options)
        receipt = await self._inbox.take(report_of(table_name(request, self._options), body, self._options))
        return JSONResponse(receipt.to_json())

    async def add_evidence(self, request: Request) -> Response:
        """A file that shows what a question is about."""
        name, seq, file = table_name(request, self._options), path_number(request, "seq"), request.path_params["file"]
        content = await read_bytes(request, self._options.body_bytes, self._options.body_s)
        if file not in KINDS or not content:
            raise HTTPException(400, f"expected one of {', '.join(KINDS)}")
        if not await self._work(lambda: self._store.add_evidence(name, seq, file, content)):
            raise HTTPException(404, "no question of that number")
        return JSONResponse({"ok": True})

    async def end_evidence(self, request: Request) -> Response:
        """There is no more evidence of a question than was sent."""
        name, seq = table_name(request, self._options), path_number(request, "seq")
        await self._work(lambda: self._store.end_evidence(name, seq))
        return JSONResponse({"ok": True})

    async def add_frame(self, request: Request) -> Response:
        """The camera's picture of a table on air; the answer says whether anybody looks at it."""
        jpeg = await read_bytes(request, self._options.picture_bytes, self._options.body_s)
        if jpeg[:2] != b"\xff\xd8":
            raise HTTPException(400, "expected a JPEG")
        self._frames.put(table_name(request, self._options), jpeg)
        return JSONResponse({"wanted": self._frames.wanted})

    async def table_key(self, request: Request) -> Response:
        """A key with which one table can report, under its own name alone."""
        return JSONResponse({"key": self._keys.key_of_table(table_name(request, self._options))})

    # --- what everybody reads

    async def tables(self, request: Request) -> Response:
        """All tables with their newest state; with `version=` those that have changed since."""
        await self._refresh()
        text = self._mirror.list_text(request.query_params.get("version", ""))
        return Response(text, 200, NO_STORE, "application/json")

    async def state(self, request: Request) -> Response:
        """One table as `pinpoint.state/1`."""
        await self._refresh()
        table = self._mirror.tables.get(request.path_params["name"])
        if table is None:
            raise HTTPException(404, "no such table")
        return unless_known(request, await self._state_text(table))

    async def air_state(self, request: Request) -> Response:
        """The table on air, as `pinpoint.state/1` with its name."""
        await self._refresh()
        table = self._mirror.on_air
        if table is None:
            raise HTTPException(404, "no table has reported yet")
        return unless_known(request, await self._state_text(table))

    async def events(self, request: Request) -> Response:
        """A table's events after a number."""
        name, after = request.path_params["name"], whole(request, "after", 0)
        limit = min(whole(request, "limit", 200), 1000)
        rows = await self._work(lambda: self._store.events(name, after, limit))
        last = await self._work(lambda: self._store.last_seq(name))
        return JSONResponse({"events": [{**row["body"], "seq": row["seq"]} for row in rows], "last": last})

    async def evidence(self, request: Request) -> Response:
        """A picture or a clip of an important moment."""
        name, seq, file = (request.path_params[part] for part in ("name", "seq", "file"))
        if file == "picture.jpg":
            content, kind = await self._work(lambda: self._store.picture(name, seq)), "image/jpeg"
        else:
            content, kind = await self._work(lambda: self._store.evidence(name, seq, file)), KINDS.get(file, "")
        if content is None or not kind:
            raise HTTPException(404, "no such evidence")
        return ranged(request, content, kind)

    async def frame(self, request: Request) -> Response:
        """The newest camera picture of the table on air, or of the table `of=`."""
        jpeg = await self._frame(request)
        if jpeg is None:
            raise HTTPException(404, "no picture yet; the table sends one while it is on air")
        return Response(jpeg, 200, NO_STORE, "image/jpeg")

    async def frames(self, request: Request) -> Response:
        """The same again and again."""
        if await self._frame(request) is None:
            raise HTTPException(404, "no picture yet; the table sends one while it is on air")
        return StreamingResponse(
            self._parts(request), 200, NO_STORE, f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        )

    async def _parts(self, request: Request) -> AsyncIterator[bytes]:
        last: bytes | None = b""
        while (jpeg := await self._frame(request)) is not None:
            if jpeg is not last:
                head = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                yield head.encode() + jpeg + b"\r\n"
                last = jpeg
            await asyncio.sleep(self._options.frame_pause_s / 2)

    async def _frame(self, request: Request) -> bytes | None:
        name = request.query_params.get("of")
        if name is None:
            await self._refresh()
            table = self._mirror.on_air
            name = table.name if table is not None else ""
        return self._frames.get(name)

    # --- judges

    async def queue(self, request: Request) -> Response:
        """What waits for a judge, or everything with `all=1`."""
        everything = request.query_params.get("all") == "1"
        text = await self._queue_text(True) if everything else await self._waiting.text()
        return Response(text, 200, NO_STORE, "application/json")

    async def _queue_text(self, everything: bool = False) -> str:
        rows = await self._work(lambda: self._store.queue(everything))
        return json.dumps({"queue": [{**row, "table": row["table_name"]} for row in rows]})

    async def answer(self, request: Request) -> Response:
        """A judge answers; the table shows it with its next report."""
        body = await read_object(request, self._options)
        text, by = body.get("answer"), body.get("by", "judge")
        if not isinstance(text, str) or not text.strip() or len(text) > 500 or not isinstance(by, str) or len(by) > 80:
            raise HTTPException(400, 'expected {"answer": "text of up to 500 letters", "by": "name"}')
        if not (text.replace("\n", " ").isprintable() and by.isprintable()):
            raise HTTPException(400, "an answer has printable letters")
        number = path_number(request, "number")
        if not await self._work(lambda: self._store.answer(number, text.strip(), by)):
            raise HTTPException(404, "no open question with that number")
        self._waiting.forget()
        return JSONResponse({"ok": True})

    async def put_on_air(self, request: Request) -> Response:
        """Which table the stream overlays follow."""
        body = await read_object(request, self._options)
        name = body.get("table")
        if name is not None and not (isinstance(name, str) and name.isprintable()):
            raise HTTPException(400, 'expected {"table": "name" or null}')
        if not await self._work(lambda: self._store.put_on_air(name)):
            raise HTTPException(404, "no such table")
        return JSONResponse({"ok": True})

    # --- pairings and results

    async def pairings(self, request: Request) -> Response:
        """Pairings as CSV (round,table,first,second) or as JSON with the same fields."""
        rows = await self._rows(request, read_pairings)
        await self._work(lambda: self._store.set_pairings(rows))
        self._mirror.forget_pairings()
        self._results.forget()
        return JSONResponse({"pairings": len(rows)})

    async def set_results(self, request: Request) -> Response:
        """Results as CSV (round,table,first_score,second_score) or as JSON, one or many."""
        rows = await self._rows(request, read_results)
        unknown = await self._work(lambda: self._store.set_results(rows))
        if unknown:
            where = f"table {unknown[0]['table_name']} in round {unknown[0]['round']}"
            raise HTTPException(404, f"nobody is paired at {where}; nothing was taken")
        self._results.forget()
        return JSONResponse({"ok": True, "results": len(rows)})

    async def _rows(self, request: Request, read: Callable[[str, bool], list[dict[str, Any]]]) -> list[dict[str, Any]]:
        data = await read_bytes(request, self._options.body_bytes, self._options.body_s)
        try:
            rows = read(data.decode("utf-8", "replace"), "json" in request.headers.get("content-type", ""))
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, str(error).splitlines()[0]) from None
        if len(rows) > self._options.pairings:
            raise HTTPException(413, f"at most {self._options.pairings} rows at once")
        return rows

    async def results_csv(self, _: Request) -> Response:
        """Pairings and results for a spreadsheet."""
        rows = await self._work(self._store.results)
        named = {**NO_STORE, "content-disposition": 'attachment; filename="results.csv"'}
        return Response(results_csv(rows), 200, named, "text/csv; charset=utf-8")

    async def results_json(self, _: Request) -> Response:
        """The same as JSON."""
        return Response(await self._results.text(), 200, NO_STORE, "application/json")

    async def _results_text(self) -> str:
        return json.dumps({"results": results_json(await self._work(self._store.results))})

    # --- pages

    def _page(self, name: str) -> Handler:
        async def page(request: Request) -> Response:
            found = self._files[name]
            return unless_known(request, found.content, found.type, found.tag)

        return page

    async def static(self, request: Request) -> Response:
        """Style and scripts."""
        name = request.path_params["file"]
        if name not in self._files or name.endswith(".html"):
            raise HTTPException(404, "no such file")
        found = self._files[name]
        return unless_known(request, found.content, found.type, found.tag)

    # --- parts

    async def _refresh(self) -> None:
        if self._mirror.fresh:
            return
        async with self._reading:
            await self._work(self._mirror.read)

    async def _state_text(self, table: MirroredTable) -> str:
        known = self._states.get(table.name)
        away = self._mirror.is_away(table)
        if known is not None and known[0] == (table.changed_in, away):
            return known[1]
        rows = await self._work(lambda: self._store.last_events(table.name, self._options.shown_events))
        events = [{**row["body"], "seq": row["seq"]} for row in rows]
        texts = {str(event["seq"]): event.pop("text", event.get("type", "")) for event in events}
        pairing = table.pairing or {}
        people = [pairing["first"], pairing["second"]] if pairing else None
        beside: dict[str, Any] = {"events": events, "texts": texts, "table": table.name, "people": people}
        beside |= {"changed_at": table.changed_at, "away": away}
        text = json.dumps({**table.state, **beside}, separators=(",", ":"))
        self._states[table.name] = ((table.changed_in, away), text)
        return text

    async def _work(self, job: Callable[[], Result]) -> Result:
        """Database work on a thread: the loop goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, job)
