"""Files of which a player may ask for a part: without it no phone plays a clip."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response


def ranged(request: Request, content: bytes, kind: str) -> Response:
    """The whole file, or the bytes that the request's Range header asks for."""
    headers = {"Accept-Ranges": "bytes", "Cache-Control": "private, max-age=3600"}
    unit, _, span = request.headers.get("range", "").partition("=")
    first, dash, last = span.partition("-")
    if unit != "bytes" or not dash or "," in span or not first.isdigit() or not (last.isdigit() or not last):
        return Response(content, 200, headers, kind)
    start, end = int(first), min(int(last), len(content) - 1) if last else len(content) - 1
    if start > end:
        return Response(None, 416, {"Content-Range": f"bytes */{len(content)}"})
    headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
    return Response(content[start : end + 1], 206, headers, kind)
