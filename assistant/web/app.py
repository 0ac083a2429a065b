"""The server's addresses: the contract's, and what its own pages need besides."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from assistant.rules.record import ruling_to_json
from assistant.scene.values import JsonValue
from assistant.web.actions import ActionError, Actions
from assistant.web.asking import AskError, Asking
from assistant.web.evidence import Evidence
from assistant.web.feed import Seen
from assistant.web.finished import logged_picture
from assistant.web.guard import RefusedError, address_of
from assistant.web.keys import Role
from assistant.web.live import LiveClients
from assistant.web.openapi import document
from assistant.web.options import WebOptions
from assistant.web.pages import OVERLAYS, Page, read_pages
from assistant.web.pictures import Pictures
from assistant.web.ranges import digits, ranged
from assistant.web.rates import Rate
from assistant.web.table import ServedTable

Result = TypeVar("Result")
_BOUNDARY = "pinpointframe"
_STREAM_IDLE_S = 2.0  # a picture that does not change is sent again this often, so that a lost client is noticed


class JsonAnswer(Response):
    """JSON, never kept by a cache."""

    media_type = "application/json"

    def __init__(self, data: JsonValue, status: int = 200) -> None:
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        super().__init__(text, status, {"Cache-Control": "no-store"})


class Web:
    """The handlers of one server; all of them run in its event loop, what takes time in two workers of its own."""

    def __init__(self, table: ServedTable, options: WebOptions, watch_key: str | None = None) -> None:
        """`watch_key` is what overlays' addresses need where watching needs a key."""
        self._table = table
        self._watch_key = watch_key
        self._feed = table.feed
        self._options = options
        self._pages = read_pages()
        self._asking = Asking(table.feed, options)
        self._actions = Actions(table)
        self._pictures = Pictures()
        self._evidence = Evidence(table.log)
        self._asks = Rate(options.asks_per_s, options.asks_burst)
        self._calls = Rate(options.calls_per_s, options.calls_burst)
        self._workers = ThreadPoolExecutor(2, "pinpoint web worker")
        self._waiting = 0
        self._streams = 0
        self.clients = LiveClients(table.feed, options)
        self.stopping = asyncio.Event()

    def close(self) -> None:
        """Ends the workers; what waits for one is given up."""
        self._workers.shutdown(wait=True, cancel_futures=True)

    def routes(self) -> list[Route | WebSocketRoute]:
        """Every address there is."""
        api = "/api/v1"
        return [
            Route(f"{api}/state", self.state),
            Route(f"{api}/about", self.about),
            Route(f"{api}/events", self.events),
            Route(f"{api}/moments", self.moments),
            Route(f"{api}/scenes", self.scenes),
            Route(f"{api}/ask", self.ask, methods=["POST"]),
            Route(f"{api}/between", self.between),
            Route(f"{api}/frame.jpg", self.frame),
            Route(f"{api}/frame.mjpeg", self.stream),
            Route(f"{api}/evidence/{{seq}}/{{name}}", self.evidence),
            Route(f"{api}/alternatives", self.alternatives),
            Route(f"{api}/correct", self.acting(self._actions.correct), methods=["POST"]),
            Route(f"{api}/stage", self.acting(self._actions.stage), methods=["POST"]),
            Route(f"{api}/tell", self.acting(self._actions.tell), methods=["POST"]),
            Route(f"{api}/verdict", self.acting(self._actions.verdict), methods=["POST"]),
            Route(f"{api}/undo", self.acting(self._actions.undo), methods=["POST"]),
            Route(f"{api}/call", self.call, methods=["POST"]),
            WebSocketRoute(f"{api}/live", self.live),
            Route("/openapi.json", self.openapi),
            Route("/", self.page("phone.html")),
            Route("/overlays", self.page("overlays.html")),
            *(Route(f"/overlay/{name}", self.page("overlay.html")) for name in OVERLAYS),
            Route("/manifest.webmanifest", self.page("manifest.webmanifest")),
            Route("/sw.js", self.page("sw.js")),
            Route("/static/{name}", self.static),
        ]

    # --- looking

    async def state(self, request: Request) -> Response:
        """The whole state."""
        del request
        return JsonAnswer(self._feed.state())

    async def about(self, request: Request) -> Response:
        """What does not change, and what this client may do."""
        role = "referee" if request.scope["role"] is Role.REFEREE else "watcher"
        return JsonAnswer({**self._table.about(), "role": role, "watch_key": self._watch_key})

    async def events(self, request: Request) -> Response:
        """The events behind a number."""
        most = self._options.events_at_once
        after = _whole(request, "after", 0, 0, None)
        return JsonAnswer(self._feed.events(after, _whole(request, "limit", most, 1, most)))

    async def moments(self, request: Request) -> Response:
        """When the table came to rest."""
        del request
        return JsonAnswer({"moments": [*self._feed.moments()]})

    async def scenes(self, request: Request) -> Response:
        """The scene at a moment."""
        text = self._feed.scene_text(_seconds(request.query_params.get("at")))
        if text is None:
            raise HTTPException(404, "no settled table at that moment")
        return Response(text, 200, {"Cache-Control": "no-store"}, "application/json")

    async def ask(self, request: Request) -> Response:
        """One question."""
        self._limit(self._asks, request)
        body = await _body(request)
        question, at = body.get("question"), body.get("at")
        if not isinstance(question, str):
            raise HTTPException(400, "expected a question")
        at_s = None if at is None or isinstance(at, bool) or not isinstance(at, int | float) else _float(at)
        if at is not None and at_s is None:
            raise HTTPException(400, "at: expected seconds")
        ruling = await self._work(lambda: self._asking.ask(question, at_s))
        full = request.query_params.get("full") == "1"
        return JsonAnswer(ruling_to_json(ruling) if full else dict(ruling.answer))

    async def between(self, request: Request) -> Response:
        """All that the rules say of two pieces."""
        self._limit(self._asks, request)
        first, second = _text(request, "first"), _text(request, "second")
        at_s = _seconds(request.query_params.get("at"))
        return JsonAnswer({"rulings": await self._work(lambda: self._asking.between(first, second, at_s))})

    async def frame(self, request: Request) -> Response:
        """The picture."""
        self._limit(self._asks, request)
        width, overlay = self._picture_options(request)
        at_s = _seconds(request.query_params.get("at"))
        jpeg = await self._work(lambda: self._jpeg(at_s, width, overlay))
        return Response(jpeg, 200, {"Cache-Control": "no-store"}, "image/jpeg")

    async def stream(self, request: Request) -> Response:
        """The picture again and again."""
        width, overlay = self._picture_options(request)
        low, high = self._options.stream_fps
        fps = _number(request, "fps", 5.0)
        if not low <= fps <= high:
            raise HTTPException(400, f"fps: expected {low:g} to {high:g}")
        if self._streams >= self._options.streams:
            raise HTTPException(503, "too many pictures at a time; ask for frame.jpg")
        await self._work(lambda: self._jpeg(None, width, overlay))  # 404 now where there is no picture
        kind = f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
        return StreamingResponse(self._parts(width, overlay, 1 / fps), 200, {"Cache-Control": "no-store"}, kind)

    async def _parts(self, width: int | None, overlay: bool, pause_s: float) -> AsyncIterator[bytes]:
        self._streams += 1
        try:
            last, idle_s = b"", 0.0
            while not self.stopping.is_set():
                jpeg = await self._work(lambda: self._jpeg(None, width, overlay))
                if jpeg is not last or idle_s >= _STREAM_IDLE_S:
                    head = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    yield head.encode() + jpeg + b"\r\n"
                    last, idle_s = jpeg, 0.0
                await asyncio.sleep(pause_s)
                idle_s += pause_s
        finally:
            self._streams -= 1

    async def evidence(self, request: Request) -> Response:
        """The evidence of an event."""
        seq = digits(request.path_params["seq"])
        told = None if seq is None else self._feed.event(seq)
        name = request.path_params["name"]
        found = None if told is None else await self._work(lambda: self._evidence.of(told.seq, told.event, name))
        if found is None:
            raise HTTPException(404, "no such evidence")
        return ranged(request, *found)

    async def openapi(self, request: Request) -> Response:
        """The description of all this."""
        del request
        return JsonAnswer(document())

    async def live(self, socket: WebSocket) -> None:
        """The feed."""
        after = socket.query_params.get("after", "")
        await self.clients.serve(socket, digits(after), socket.query_params.get("session", ""))

    # --- refereeing

    def acting(self, act: Callable[[dict[str, JsonValue]], None]) -> Callable[[Request], Awaitable[Response]]:
        """A handler for something only a referee may do."""

        async def handler(request: Request) -> Response:
            _require_referee(request)
            return await self._act(request, act)

        return handler

    async def call(self, request: Request) -> Response:
        """A watcher calls the referee."""
        self._limit(self._calls, request)
        return await self._act(request, self._actions.call)

    async def alternatives(self, request: Request) -> Response:
        """What a piece may be instead."""
        _require_referee(request)
        piece = request.query_params.get("piece")
        place = None if piece is not None else (_number(request, "x"), _number(request, "y"))
        return JsonAnswer({"alternatives": self._actions.alternatives(piece, place)})

    async def _act(self, request: Request, act: Callable[[dict[str, JsonValue]], None]) -> Response:
        """Does it, and answers when it is in the game: with the number of the event that says so."""
        body = await _body(request)
        before = self._feed.seq
        act(body)
        waited_s = 0.0
        while waited_s < self._options.action_s and not self.stopping.is_set():
            told = self._feed.events_since(before, ("correction", "note"))
            if told:
                return JsonAnswer({"seq": told[-1].seq, "text": told[-1].text})
            await asyncio.sleep(0.02)
            waited_s += 0.02
        return JsonAnswer({"seq": None, "text": ""}, 202)

    # --- pages

    def page(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """A handler for one file."""

        async def handler(request: Request) -> Response:
            return _file(request, self._pages[name])

        return handler

    async def static(self, request: Request) -> Response:
        """A script, a style or a picture of the pages."""
        page = self._pages.get(request.path_params["name"])
        if page is None:
            raise HTTPException(404, "no such page")
        return _file(request, page)

    # --- parts

    def _limit(self, rate: Rate, request: Request) -> None:
        if not rate.allows(address_of(request.scope)):
            raise HTTPException(429, "too often; wait a moment")

    async def _work(self, job: Callable[[], Result]) -> Result:
        """Has a worker do it; refuses where too much waits already."""
        if self._waiting >= self._options.waiting_jobs:
            raise HTTPException(503, "busy; try again")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._workers, job)
        finally:
            self._waiting -= 1

    def _picture_options(self, request: Request) -> tuple[int | None, bool]:
        width = request.query_params.get("width")
        overlay = request.query_params.get("overlay", "0")
        if overlay not in ("0", "1"):
            raise HTTPException(400, "overlay: expected 0 or 1")
        return (None if width is None else _whole(request, "width", 0, *self._options.picture_px)), overlay == "1"

    def _jpeg(self, at_s: float | None, width: int | None, overlay: bool) -> bytes:
        seen: Seen | None = self._feed.seen if at_s is None else None
        if seen is None and self._table.log is not None:
            seen = self._logged(at_s)
        if seen is None:
            raise HTTPException(404, "no picture")
        return self._pictures.jpeg(seen, width, overlay)

    def _logged(self, at_s: float | None) -> Seen | None:
        return None if self._table.log is None else logged_picture(self._table.log, at_s)


def application(web: Web) -> Starlette:
    """The routes with every error as JSON."""
    handlers: dict[Any, Any] = {
        HTTPException: _http_error,
        AskError: _bad_request,
        ActionError: _action_error,
        RefusedError: _action_error,
        Exception: _unexpected,
    }
    return Starlette(routes=web.routes(), exception_handlers=handlers)


async def _http_error(request: Request, error: HTTPException) -> Response:
    del request
    answer = JsonAnswer({"error": str(error.detail)}, error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def _bad_request(request: Request, error: AskError) -> Response:
    del request
    return JsonAnswer({"error": str(error)}, 400)


async def _action_error(request: Request, error: ActionError | RefusedError) -> Response:
    del request
    return JsonAnswer({"error": str(error)}, error.status)


async def _unexpected(request: Request, error: Exception) -> Response:
    del request, error  # what went wrong inside is nobody's business outside
    return JsonAnswer({"error": "this could not be answered"}, 500)


def _require_referee(request: Request) -> None:
    if request.scope["role"] is not Role.REFEREE:
        raise HTTPException(403, "only the referee may do this")


async def _body(request: Request) -> dict[str, JsonValue]:
    """The JSON object of a request; an empty body is an empty object."""
    content = await request.body()
    if not content:
        return {}
    try:
        data = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400, "expected JSON") from None
    if not isinstance(data, dict):
        raise HTTPException(400, "expected a JSON object")
    return data


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _text(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value:
        raise HTTPException(400, f"{name}: expected a text")
    return value


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    value = _float(text)
    if value is None:
        raise HTTPException(400, "at: expected seconds")
    return value


def _number(request: Request, name: str, default: float | None = None) -> float:
    text = request.query_params.get(name)
    value = default if text is None else _float(text)
    if value is None:
        raise HTTPException(400, f"{name}: expected a number")
    return value


def _float(given: str | float) -> float | None:
    try:
        value = float(given)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _whole(request: Request, name: str, default: int, least: int, most: int | None) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    value = digits(text)
    if value is None or value < least or (most is not None and value > most):
        limits = f"from {least}" + (f" to {most}" if most is not None else "")
        raise HTTPException(400, f"{name}: expected a whole number {limits}")
    return value


def _file(request: Request, page: Page) -> Response:
    headers = {"ETag": page.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == page.tag:
        return Response(None, 304, headers)
    return Response(page.content, 200, headers, page.type)
