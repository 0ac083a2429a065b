"""What requests carry, read with bounds: wrong ones are an HTTPException with one line."""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from assistant.hall.options import HallOptions
from assistant.hall.values import Entry, Report
from assistant.web.ranges import digits


async def read_bytes(request: Request, most: int, within_s: float) -> bytes:
    """The body, not more than so many bytes, and not longer on its way than so many seconds."""
    parts, size = [], 0
    try:
        async with asyncio.timeout(within_s):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise HTTPException(413, f"a request has at most {most} bytes")
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, f"a request arrives within {within_s:g} s") from None
    return b"".join(parts)


async def read_object(request: Request, options: HallOptions) -> dict[str, Any]:
    """The body as a JSON object."""
    try:
        content = await read_bytes(request, options.body_bytes, options.body_s)
        body = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise HTTPException(400, "expected JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "expected a JSON object")
    return body


def report_of(name: str, body: Mapping[str, Any], options: HallOptions) -> Report:
    """A table's report."""
    state, scene, log = body.get("state"), body.get("scene"), body.get("log", "")
    return Report(
        name,
        log if isinstance(log, str) else "",
        tuple(_entries(body.get("entries", []), options)),
        state if isinstance(state, dict) else None,
        scene if isinstance(scene, dict) else None,
    )


def table_name(request: Request, options: HallOptions) -> str:
    """The table a request is about."""
    name: str = request.path_params["name"]
    if not name.isprintable() or len(name) > options.name_letters:
        raise HTTPException(400, f"a table's name has up to {options.name_letters} printable letters")
    return name


def path_number(request: Request, name: str) -> int:
    """A whole number of the path; what is none names nothing that the hall has."""
    value = digits(request.path_params[name])
    if value is None:
        raise HTTPException(404, "no such number")
    return value


def whole(request: Request, name: str, default: int) -> int:
    """A whole number of the query."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdecimal()) or len(text) > 15:
        raise HTTPException(400, f"{name}: expected a whole number")
    return int(text)


def _entries(value: object, options: HallOptions) -> list[Entry]:
    if not isinstance(value, list) or len(value) > options.batch_entries:
        raise HTTPException(400, f"expected up to {options.batch_entries} entries")
    found = []
    for item in value:
        try:
            picture = base64.b64decode(item["picture"], validate=True) if "picture" in item else None
            kind, asks = str(item["kind"])[:20], str(item.get("asks", ""))
            entry = Entry(int(item["seq"]), float(item["t"]), kind, dict(item["body"]), picture, asks)
        except (KeyError, TypeError, ValueError, OverflowError, binascii.Error):
            raise HTTPException(400, "expected entries with seq, t, kind and body") from None
        if not math.isfinite(entry.t_s) or not entry.kind.isprintable():
            raise HTTPException(400, "expected entries with finite times and plain kinds")
        found.append(entry)
    return found


def _no_constant(name: str) -> float:
    raise ValueError(name)
