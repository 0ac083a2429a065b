"""Good samples with something wrong in them: for `benchmarks.attack`."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from typing import Any


def damaged(content: bytes, chance: random.Random, as_json: bool) -> bytes:
    """A sample with something wrong: other values in a JSON document half of the time, else other bytes."""
    if as_json and chance.random() < 0.6:
        with contextlib.suppress(ValueError, RecursionError):
            document = json.loads(content)
            for _ in range(chance.randrange(1, 4)):
                document = _other_value(document, chance)
            return json.dumps(document).encode("utf-8", "surrogatepass")
    return _other_bytes(bytearray(content), chance)


def _other_value(document: Any, chance: random.Random) -> Any:
    """The document with one value somewhere replaced, dropped or doubled."""
    if isinstance(document, dict) and document and chance.random() < 0.85:
        key = chance.choice(list(document))
        if chance.random() < 0.1:
            return {other: value for other, value in document.items() if other != key}
        return {**document, key: _other_value(document[key], chance)}
    if isinstance(document, list) and document and chance.random() < 0.8:
        place = chance.randrange(len(document))
        if chance.random() < 0.15:
            return document[:place] + document[place:] * 2
        return [*document[:place], _other_value(document[place], chance), *document[place + 1 :]]
    return chance.choice(_STRANGE)(chance)


def _nested(chance: random.Random) -> Any:
    value: Any = 1
    for _ in range(chance.choice((60, 400))):
        value = [value]
    return value


_STRANGE: tuple[Callable[[random.Random], Any], ...] = (
    lambda _: None,
    lambda _: True,
    lambda chance: chance.choice((0, -1, 1, 2**31, 2**63, 10**30, 10**400)),
    lambda chance: chance.choice((0.0, -0.0, 1e-300, 1e300, -1e308, float("inf"), float("nan"), 1e-9)),
    lambda chance: chance.choice(
        ("", "a", "\0", "\x1b[2J", "../../etc/passwd", "/dev/zero", "=1+1", "\ud800", "é" * 300)
    ),
    lambda _: "x" * 100_000,
    lambda _: [],
    lambda _: {},
    lambda chance: [chance.uniform(-1e6, 1e6)] * chance.choice((1, 2, 3, 2500)),
    lambda _: {"schema": "pinpoint.scene/1"},
    _nested,
)


def _other_bytes(content: bytearray, chance: random.Random) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not content:
            break
        place = chance.randrange(len(content))
        kind = chance.randrange(6)
        if kind == 0:
            content[place] = chance.randrange(256)
        elif kind == 1:
            content[place] ^= 1 << chance.randrange(8)
        elif kind == 2:
            del content[place : place + chance.randrange(1, 64)]
        elif kind == 3:
            content[place:place] = chance.randbytes(chance.randrange(1, 64))
        elif kind == 4:
            content[place : place + 4] = chance.choice((b"\xff" * 4, b"\0" * 4, b"\x7f\xff\xff\xff", b"\x80\0\0\0"))
        else:
            del content[place:]
    return bytes(content)
