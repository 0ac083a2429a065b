r"""A scene as lines of text that a person can read, type and compare, and that round-trip.

>>> print(to_notation(from_notation('''
... scene diskwars table=914.4x914.4 round=1
... player order edge=south
... piece a circle=50.8 at=100,200 owner=order tokens.damage=2 keywords=["swift counter"]
... piece b circle=38.1 at=130,200
... above a b
... terrain hill outline=0,0;100,0;100,80 keywords=["high ground"]
... ''')))
scene diskwars table=914.4x914.4 round=1
player order edge=south
piece a circle=50.8 at=100,200 keywords=["swift counter"] owner=order tokens.damage=2
piece b circle=38.1 at=130,200
above a b
terrain hill keywords=["high ground"] outline=0,0;100,0;100,80

One thing a line: its kind, its name, then field=value. A value is a plain word, a number or JSON; anything that is not
a plain word stands in double quotes.
"""

from __future__ import annotations

import json
import re

from assistant.scene.errors import SceneError
from assistant.scene.reading import SCHEMA, plain_json, scene_from_json
from assistant.scene.values import JsonValue, Scene
from assistant.scene.writing import scene_to_json

_LISTS = {"player": "players", "piece": "pieces", "terrain": "terrain", "zone": "zones", "objective": "objectives"}
_MAPS = ("stats", "tokens")
_SHORTHAND = ("at", "circle", "rect", "table", "table_extra", "outline", *_MAPS)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_POINTS = re.compile(rf"{_NUMBER},{_NUMBER}(?:;{_NUMBER},{_NUMBER})*\Z")
_SIDES = re.compile(rf"({_NUMBER})x({_NUMBER})\Z")
_CONSTANTS = ("true", "false", "null")
_BARE = re.compile(r"[^\s=\"\[{]+")
_DECODER = json.JSONDecoder()


class _Bare(str):
    """A word that stood without quotes, and so may be a number or a shorthand."""


def to_notation(scene: Scene) -> str:
    """The scene as text, one thing a line."""
    data = scene_to_json(scene)
    lines = [_scene_line(data)]
    for kind, name in _LISTS.items():
        if kind == "terrain":
            lines += [f"above {_value(top)} {_value(bottom)}" for top, bottom in scene.above]
        entries = data.pop(name)
        assert isinstance(entries, list)
        lines += [_entry_line(kind, dict(entry)) for entry in entries if isinstance(entry, dict)]
    return "\n".join(lines)


def from_notation(text: str) -> Scene:
    """Reads the text back; blank lines and lines that start with # are passed over."""
    data: dict[str, object] | None = None
    lists: dict[str, list[object]] = {name: [] for name in _LISTS.values()}
    above: list[object] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"line {number}"
        words, fields = _parse(line, where)
        kind = words[0] if words else None
        if kind == "scene" and len(words) == 2:
            if data is not None:
                raise SceneError(where, "a second scene line")
            data = {**_expand(fields, where), "schema": SCHEMA, "game": words[1]}
        elif kind == "above" and len(words) == 3 and not fields:
            above.append(words[1:])
        elif isinstance(kind, str) and kind in _LISTS and len(words) == 2:
            lists[_LISTS[kind]].append({**_expand(fields, where), "id": words[1]})
        else:
            raise SceneError(where, f"expected scene, above, {', '.join(_LISTS)} and a name, got {line.strip()[:40]!r}")
    if data is None:
        raise SceneError("", "expected a line that starts with scene")
    return scene_from_json({**data, **lists, "above": above})


def _scene_line(data: dict[str, JsonValue]) -> str:
    table = data.pop("table")
    assert isinstance(table, dict)
    width, depth = table.pop("width_mm"), table.pop("depth_mm")
    fields = {key: value for key, value in data.items() if key not in ("schema", "game", "above", *_LISTS.values())}
    words = [f"scene {_value(data['game'])} table={json.dumps(width)}x{json.dumps(depth)}"]
    if table:
        words.append(f"table_extra={_value(table)}")
    return " ".join(words + [f"{_key(key)}={_value(value)}" for key, value in sorted(fields.items())])


def _entry_line(kind: str, entry: dict[str, JsonValue]) -> str:
    words = [kind, _value(entry.pop("id"))]
    shape = entry.pop("shape", None)
    if isinstance(shape, dict):
        sides = shape.get("rect_mm")
        if isinstance(sides, list):
            words.append("rect=" + "x".join(json.dumps(side) for side in sides))
        else:
            words.append(f"circle={json.dumps(shape['circle_mm'])}")
    if "x" in entry and kind in ("piece", "objective"):
        words.append(f"at={json.dumps(entry.pop('x'))},{json.dumps(entry.pop('y'))}")
    for key, value in sorted(entry.items()):
        if key in _MAPS and isinstance(value, dict) and value and all(_KEY.match(name) for name in value):
            words += [f"{key}.{name}={_value(item)}" for name, item in sorted(value.items())]
        elif key == "outline" and isinstance(value, list) and kind in ("terrain", "zone"):
            points = [point for point in value if isinstance(point, list)]
            words.append("outline=" + ";".join(",".join(json.dumps(part) for part in point) for point in points))
        else:
            words.append(f"{_key(key)}={_value(value)}")
    return " ".join(words)


def _key(key: str) -> str:
    return key if _KEY.match(key) and key not in _SHORTHAND else json.dumps(key)


def _value(value: JsonValue) -> str:
    if isinstance(value, str) and _WORD.match(value) and value not in _CONSTANTS:
        return value
    return json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False)


def _parse(line: str, where: str) -> tuple[list[object], list[tuple[str, object]]]:
    """The words before the first field, and the fields."""
    words: list[object] = []
    fields: list[tuple[str, object]] = []
    seen: set[tuple[bool, str]] = set()
    position = 0
    while position < len(line):
        if line[position].isspace():
            position += 1
            continue
        word, position = _read(line, position, where)
        if position < len(line) and line[position] == "=":
            if not isinstance(word, str) or (isinstance(word, _Bare), word) in seen:
                raise SceneError(where, f"expected each field once, got {word!r}")
            seen.add((isinstance(word, _Bare), word))
            value, position = _read(line, position + 1, where)
            fields.append((word, value))
        elif fields:
            raise SceneError(where, f"expected field=value, got {word!r}")
        else:
            words.append(str(word) if isinstance(word, str) else word)
    return words, fields


def _read(line: str, position: int, where: str) -> tuple[object, int]:
    """One word, number or JSON value from a position on, and where it ends."""
    if line[position : position + 1] in ('"', "[", "{"):
        try:
            value, end = _DECODER.raw_decode(line, position)
        except (ValueError, RecursionError):
            raise SceneError(where, f"expected JSON at column {position + 1}") from None
        return plain_json(value, where), end
    found = _BARE.match(line, position)
    if found is None:
        raise SceneError(where, f"expected a word or a value at column {position + 1}")
    return _Bare(found.group()), found.end()


def _expand(fields: list[tuple[str, object]], where: str) -> dict[str, object]:
    """Fields as the JSON they stand for."""
    data: dict[str, object] = {}
    table_extra: dict[str, object] = {}
    for key, raw in fields:
        if not isinstance(key, _Bare):
            data[key] = _scalar(raw, where)
        elif key in ("table", "rect") and isinstance(raw, _Bare) and (sides := _SIDES.match(raw)):
            width, depth = (_number(side, where) for side in sides.groups())
            if key == "table":
                data["table"] = {"width_mm": width, "depth_mm": depth}
            else:
                data["shape"] = {"rect_mm": [width, depth]}
        elif key == "table_extra" and isinstance(raw, dict):
            table_extra = raw
        elif key == "circle":
            data["shape"] = {"circle_mm": _scalar(raw, where)}
        elif key in ("at", "outline") and isinstance(raw, _Bare) and _POINTS.match(raw):
            points = [[_number(part, where) for part in point.split(",")] for point in raw.split(";")]
            if key == "at":
                data["x"], data["y"] = points[0]
            else:
                data["outline"] = points
        elif (owner := key.split(".", 1))[0] in _MAPS and len(owner) == 2:
            inner = data.setdefault(owner[0], {})
            if not isinstance(inner, dict):
                raise SceneError(where, f"{owner[0]} is there twice")
            inner[owner[1]] = _scalar(raw, where)
        else:
            data[str(key)] = _scalar(raw, where)
    table = data.get("table")
    if table_extra and isinstance(table, dict):
        data["table"] = {**table_extra, **table}
    return data


def _scalar(raw: object, where: str) -> object:
    """A bare word is a text, a number or a constant; JSON stays what it is."""
    if not isinstance(raw, _Bare):
        return raw
    if raw in _CONSTANTS:
        return json.loads(raw)
    return _number(raw, where) if re.fullmatch(_NUMBER, raw) else str(raw)


def _number(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        raise SceneError(where, f"expected a number, got {text[:40]!r}") from None
