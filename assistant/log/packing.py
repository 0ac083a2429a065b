"""JSON values as compressed bytes and back, whatever the bytes are."""

from __future__ import annotations

import json
import zlib

from assistant.scene.values import JsonValue

LARGEST_BYTES = 16_000_000  # one record; a state of 5,000 pieces has about 2 MB


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


def unpack(data: object, most_bytes: int = LARGEST_BYTES) -> tuple[object, int]:
    """Reads compressed JSON, and how long it was unpacked; more than `most_bytes` is refused before it is unpacked."""
    if not isinstance(data, bytes):
        raise PackingError("expected bytes")
    most_bytes = min(most_bytes, LARGEST_BYTES)
    try:
        engine = zlib.decompressobj()
        raw = engine.decompress(data, most_bytes + 1)
        if len(raw) > most_bytes:
            raise PackingError("it unpacks to more than a game log of this size holds")
        if not engine.eof:
            raise PackingError("expected one whole record")
        return value_of(raw.decode("ascii")), len(raw)
    except (zlib.error, UnicodeDecodeError):
        raise PackingError("expected a compressed record") from None
