"""Comparing an answer with what a conformance case expects of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TOLERANCE = 0.01
WHOLE_MAPS = frozenset({"damage", "wounds", "impact"})


def matches(expect: object, answer: object) -> list[str]:
    """What keeps the answer from containing what was expected; nothing when it fits.

    Numbers may differ by 0.01, lists of pairs are sets, `damage`, `wounds` and `impact` must be the same whole map,
    lists of objects are compared in order, null must be there as null.

    >>> matches({"distance_mm": 1.0}, {"distance_mm": 1.004, "band": "short"})
    []
    >>> matches({"pins": [["a", "b"], ["c", "d"]]}, {"pins": [["c", "d"], ["a", "b"]]})
    []
    >>> matches({"damage": {}}, {"damage": {"a": 3}})
    ['damage.a: expected nothing, got 3']
    """
    return list(_differences(expect, answer, "", whole=False))


def _differences(expect: object, answer: object, path: str, whole: bool) -> list[str]:
    if isinstance(expect, Mapping):
        return _map_differences(expect, answer, path, whole)
    if isinstance(expect, Sequence) and not isinstance(expect, str):
        return _list_differences(expect, answer, path)
    same = type(expect) is type(answer) and expect == answer
    if _is_number(expect) and _is_number(answer):
        same = abs(_value(expect) - _value(answer)) <= TOLERANCE + 1e-9
    return [] if same else [f"{path or 'answer'}: expected {expect!r}, got {answer!r}"]


def _map_differences(expect: Mapping[object, object], answer: object, path: str, whole: bool) -> list[str]:
    if not isinstance(answer, Mapping):
        return [f"{path or 'answer'}: expected {dict(expect)!r}, got {answer!r}"]
    found: list[str] = []
    for key, value in expect.items():
        place = f"{path}.{key}" if path else str(key)
        if key not in answer:
            found.append(f"{place}: expected {value!r}, got nothing")
        else:
            found += _differences(value, answer[key], place, whole=str(key) in WHOLE_MAPS)
    if whole:
        found += [f"{path}.{key}: expected nothing, got {answer[key]!r}" for key in answer if key not in expect]
    return found


def _list_differences(expect: Sequence[object], answer: object, path: str) -> list[str]:
    if not isinstance(answer, Sequence) or isinstance(answer, str) or len(answer) != len(expect):
        return [f"{path or 'answer'}: expected {list(expect)!r}, got {answer!r}"]
    if expect and all(_is_pair(entry) for entry in expect):
        missing = [entry for entry in expect if not any(not matches(entry, other) for other in answer)]
        extra = [other for other in answer if not any(not matches(entry, other) for entry in expect)]
        return [f"{path}: expected {list(expect)!r}, got {list(answer)!r}"] if missing or extra else []
    found: list[str] = []
    for index, (entry, other) in enumerate(zip(expect, answer, strict=True)):
        found += _differences(entry, other, f"{path}[{index}]", whole=False)
    return found


def _is_pair(entry: object) -> bool:
    return isinstance(entry, list | tuple) and len(entry) == 2 and all(isinstance(part, str) for part in entry)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _value(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")
