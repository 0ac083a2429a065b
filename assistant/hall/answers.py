"""Answers that all routes share: contents that the client may have already, and errors as JSON."""

from __future__ import annotations

import hashlib

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

NO_STORE = {"cache-control": "no-store"}


def unless_known(
    request: Request, content: str | bytes, kind: str = "application/json", tag: str | None = None
) -> Response:
    """The content, or 304 where the client has it."""
    data = content.encode() if isinstance(content, str) else content
    tag = tag or f'"{hashlib.sha256(data).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(None, 304, headers)
    return Response(data, 200, headers, kind)


async def http_error(_: Request, error: HTTPException) -> Response:
    """What is wrong with a request."""
    return JSONResponse({"error": error.detail}, error.status_code, NO_STORE)


async def database_error(_: Request, __: Exception) -> Response:
    """The database is away; without details, which may hold its address."""
    return JSONResponse({"error": "the database cannot be reached; nothing was taken, send it again"}, 503, NO_STORE)


async def unexpected(_: Request, __: Exception) -> Response:
    """Anything else; what went wrong inside is not told outside."""
    return JSONResponse({"error": "unexpected error in the hall"}, 500, NO_STORE)
