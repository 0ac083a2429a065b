"""Changing a roster file: names, owners and values of its disks, and taking one out. Plain functions, no Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.errors import InputError
from vision.roster.profiles import SCHEMA, read_roster


@dataclass(frozen=True, slots=True)
class RingOwner:
    """All figures with rings or cards of one colour: what they are called and whose they are."""

    colour: str
    name: str
    owner: str
    size_mm: float


def change_profile(path: Path, identity: str, fields: Mapping[str, object]) -> None:
    """Sets fields of one profile; None takes a field away."""
    data = _data(path)
    for entry in data["profiles"]:
        if entry.get("id") == identity:
            for key, value in fields.items():
                if value is None:
                    entry.pop(key, None)
                else:
                    entry[key] = value
    _write(path, data)


def remove_profile(path: Path, identity: str) -> None:
    """Takes one profile out; its picture stays beside the file."""
    data = _data(path)
    data["profiles"] = [entry for entry in data["profiles"] if entry.get("id") != identity]
    _write(path, data)


def write_rings(path: Path, rings: Sequence[RingOwner]) -> None:
    """A roster that gives each ring colour its owner and its unit."""
    profiles = [
        {
            "id": ring.name or ring.colour,
            "name": ring.name or ring.colour,
            "owner": ring.owner,
            "circle_mm": ring.size_mm,
            "ring": ring.colour,
        }
        for ring in rings
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, {"schema": SCHEMA, "profiles": profiles})


def values_of(text: str) -> dict[str, object]:
    """Values as people write them: `attack 3, keywords Tough Swift` becomes a profile's fields.

    >>> values_of("attack 3, defense 4.5")
    {'stats': {'attack': 3, 'defense': 4.5}}
    """
    stats: dict[str, float] = {}
    keywords: list[str] = []
    for part in text.split(","):
        name, _, value = part.strip().rpartition(" ")
        try:
            number = float(value)
        except ValueError:
            if part.strip():
                keywords.append(part.strip())
            continue
        stats[name.strip()] = int(number) if number.is_integer() else number
    fields: dict[str, object] = {}
    if stats:
        fields["stats"] = stats
    if keywords:
        fields["keywords"] = keywords
    return fields


def values_text(values: Mapping[str, Any]) -> str:
    """The same as a text to edit."""
    stats = values.get("stats")
    parts = [f"{name} {number:g}" for name, number in stats.items()] if isinstance(stats, dict) else []
    keywords = values.get("keywords")
    parts += [str(word) for word in keywords] if isinstance(keywords, list) else []
    return ", ".join(parts)


def _data(path: Path) -> dict[str, Any]:
    read_roster(path)  # says what is wrong with it
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def _write(path: Path, data: Mapping[str, object]) -> None:
    try:
        path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError("cannot write", str(path), error.strerror or str(error)) from None
