"""Regression pins: numbers that a test found when it was written, stored beside it, so that a changed threshold shows.

Where a change is meant, write them anew with `pytest --write-pins` and the tests in question, and say in the commit
what changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

LONGEST_ARRAY = 32  # of larger ones mean and spread are stored
# Of the numbers found in whole pictures: on another processor rounding may turn a close decision about one disk.
OTHERWISE = 0.1
NUMBER = " was: "  # in a line about two numbers


@dataclass(frozen=True, slots=True)
class Pins:
    """The pins of one test; call it with what was found."""

    path: Path
    test: str
    writing: bool

    @property
    def stored(self) -> Any:
        """What is stored for this test; None where nothing is, and while it is written anew."""
        return None if self.writing else _read(self.path).get(self.test)

    def __call__(self, found: Any, whole_pictures: bool = False) -> None:
        """Fails where what was found differs from what is stored; in whole pictures a few numbers may."""
        now = json.loads(json.dumps(plain(found)))
        if self.writing:
            pins = {**_read(self.path), self.test: now}
            rows = (f"{json.dumps(name)}: {json.dumps(pins[name], ensure_ascii=False)}" for name in sorted(pins))
            self.path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
            return
        lines = differences(self.stored, now)
        few = len(lines) <= OTHERWISE * numbers_in(now)
        if whole_pictures and few and all(NUMBER in line for line in lines):
            return
        head = f"{len(lines)} differences; where they are meant: pytest --write-pins"
        assert not lines, "\n".join([head, *lines[:20]])


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers with four decimals, large arrays as their shape, mean and spread."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() | np.floating():
            return round(float(value), 4) if np.isfinite(value) else str(value)
        case np.integer() | np.bool_():
            return value.item()
        case np.ndarray():
            many = value.size > LONGEST_ARRAY
            return plain([*value.shape, value.mean(), value.std()] if many else value.tolist())
        case Mapping():
            return {str(key): plain(value[key]) for key in sorted(value, key=str)}
        case set() | frozenset():
            return sorted((plain(part) for part in value), key=str)
        case list() | tuple():
            return [plain(part) for part in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"no pin for {type(value)}")


def differences(pinned: Any, found: Any, where: str = "") -> list[str]:
    """Where two plain values differ: words at all, numbers by more than rounding on another processor explains."""
    if isinstance(pinned, dict) and isinstance(found, dict) and pinned.keys() == found.keys():
        return [line for key in pinned for line in differences(pinned[key], found[key], f"{where}/{key}")]
    if isinstance(pinned, list) and isinstance(found, list) and len(pinned) == len(found):
        pairs = enumerate(zip(pinned, found, strict=True))
        return [line for index, (one, other) in pairs for line in differences(one, other, f"{where}/{index}")]
    if isinstance(pinned, int | float) and isinstance(found, int | float):
        return [] if abs(pinned - found) <= 1e-3 + 2e-5 * abs(pinned) else [f"{where}: {found}{NUMBER}{pinned}"]
    return [] if pinned == found else [f"{where}: {_short(pinned)} is now {_short(found)}"]


def numbers_in(found: Any) -> int:
    """How many numbers a plain value holds."""
    if isinstance(found, dict):
        return sum(numbers_in(part) for part in found.values())
    if isinstance(found, list):
        return sum(numbers_in(part) for part in found)
    return int(isinstance(found, int | float))


def _short(value: Any) -> str:
    return f"{len(value)} entries" if isinstance(value, list | dict) else str(value)
