"""JSON values as compressed bytes and back, whatever the bytes are."""

from __future__ import annotations

import json
import zlib

from assistant.scene.values import JsonValue

LARGEST_BYTES = 64 * 1024 * 1024


class PackingError(Exception):
    """Bytes that no log has written."""


def text_of(value: JsonValue) -> str:
    """Sorted compact JSON; plain ASCII, so that any text a person typed survives."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def value_of(text: object) -> object:
    """Reads JSON text."""
    if not isinstance(text, str):
        raise PackingError("expected a text")
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        raise PackingError("expected JSON") from None
    return value


def pack(value: JsonValue) -> bytes:
    """Compressed JSON."""
    return zlib.compress(text_of(value).encode("ascii"))


def unpack(data: object) -> object:
    """Reads compressed JSON; no small damage can unfold into more than a bounded size."""
    if not isinstance(data, bytes):
        raise PackingError("expected bytes")
    try:
        engine = zlib.decompressobj()
        raw = engine.decompress(data, LARGEST_BYTES)
        if not engine.eof:
            raise PackingError("expected one whole record")
        return value_of(raw.decode("ascii"))
    except (zlib.error, UnicodeDecodeError):
        raise PackingError("expected a compressed record") from None
