"""Files of which a player may ask for a part: without it no phone plays a clip."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response


def ranged(request: Request, content: bytes, kind: str) -> Response:
    """The whole file, or the bytes that the request's Range header asks for."""
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=3600"}
    unit, _, span = request.headers.get("range", "").partition("=")
    first, dash, last = span.partition("-")
    start, end = digits(first), digits(last) if last else len(content) - 1
    if unit != "bytes" or not dash or start is None or end is None:
        return Response(content, 200, headers, kind)
    end = min(end, len(content) - 1)
    if start > end:
        return Response(None, 416, {"Content-Range": f"bytes */{len(content)}"})
    headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
    return Response(content[start : end + 1], 206, headers, kind)


def digits(text: str) -> int | None:
    """A whole number from 0 of up to 18 digits; None for anything else.

    >>> digits("12"), digits("-1"), digits("9" * 5000), digits("\N{SUPERSCRIPT TWO}")
    (12, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
