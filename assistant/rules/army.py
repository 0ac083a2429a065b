"""Army lists: what every game's list has in common, what checks find, and the roster that follows from a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.scene.errors import GameError
from assistant.scene.reading import piece_from_json, plain_json
from assistant.scene.values import JsonValue, Scene

SCHEMA = "pinpoint.army/1"
MOST_UNITS = 500
_OWN = ("name", "profile", "models", "points", "count")


class ArmyError(GameError):
    """An army list that cannot be read: the field, what was expected, what was found."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A building rule that is broken (`sure`), or that cannot be checked because a value is not known."""

    rule: str
    where: str
    text: str
    sure: bool


@dataclass(frozen=True, slots=True)
class ArmyReport:
    """What a check found, what else is worth saying, the profiles of a roster, and how many of each the army has."""

    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]
    profiles: tuple[Mapping[str, JsonValue], ...]
    counts: Mapping[str, int]


ArmyCheck = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], ArmyReport]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a list: how many models, what it costs (None: not given), and the fields its pieces have."""

    name: str
    models: int
    points: int | None
    fields: Mapping[str, Any]

    @property
    def profile(self) -> str:
        """The id of its profile."""
        given = self.fields.get("profile")
        return given if isinstance(given, str) and given else slug(self.name)

    def flag(self, name: str) -> bool:
        """Whether a field such as `warlord` is true."""
        return self.fields.get(name) is True

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of words in lower case; one word alone will do."""
        value = self.fields.get(name)
        some = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        return tuple(str(word).lower() for word in some)


def slug(title: str) -> str:
    """A title as an id.

    >>> slug("Palace Guard!")
    'palace-guard'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def head_of(data: object, games: Iterable[str]) -> Mapping[str, Any]:
    """The list as an object with the right schema and a known game."""
    if not isinstance(data, Mapping):
        raise ArmyError("expected an object with schema, game and what the army has")
    if data.get("schema") != SCHEMA:
        raise ArmyError(f"schema: expected {SCHEMA!r}, got {data.get('schema')!r}")
    known = list(games)
    if data.get("game") not in known:
        raise ArmyError(f"game: expected one of {', '.join(known)}, got {data.get('game')!r}")
    return data


def units_of(data: Mapping[str, Any], key: str, path: str = "") -> list[Unit]:
    """A list of units."""
    entries = data.get(key)
    where = f"{path}{key}"
    if not isinstance(entries, list) or not entries:
        raise ArmyError(f"{where}: expected a list of at least one unit")
    if len(entries) > MOST_UNITS:
        raise ArmyError(f"{where}: expected at most {MOST_UNITS} units, got {len(entries)}")
    return [unit_of(entry, f"{where}[{index}]") for index, entry in enumerate(entries)]


def unit_of(entry: object, path: str) -> Unit:
    """One unit; a title alone is a unit of one model."""
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping):
        raise ArmyError(f"{path}: expected an object with a name")
    name = entry.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ArmyError(f"{path}.name: expected a text, got {name!r}")
    models, points = _count(entry, "models", path, 1), _count(entry, "points", path, None)
    return Unit(name.strip(), models or 1, points, {key: value for key, value in entry.items() if key != "name"})


def _count(entry: Mapping[Any, Any], name: str, path: str, default: int | None) -> int | None:
    value = entry.get(name, default)
    if value is None:
        return None
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not 0 <= value <= 100_000
        or (name == "models" and not value)
    ):
        raise ArmyError(f"{path}.{name}: expected a whole number, got {value!r}")
    return value


def points_findings(units: Sequence[Unit], limit: int, rule: str) -> list[Finding]:
    """Whether the units cost more than the limit, or may: where a cost is not given it is not checked."""
    total = sum(unit.points for unit in units if unit.points is not None)
    if total > limit:
        return [Finding(rule, "army", f"{total} points, {limit} allowed", True)]
    open_cost = sorted({unit.name for unit in units if unit.points is None})
    if open_cost:
        return [Finding(rule, "army", f"the points of {', '.join(open_cost)} are not given", False)]
    return []


def limit_of(data: Mapping[str, Any], default: int) -> int:
    """The points an army may cost."""
    value = data.get("points", default)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ArmyError(f"points: expected a whole number over 0, got {value!r}")
    return value


def owner_of(data: Mapping[str, Any]) -> str | None:
    """Whose army it is, where the list says so."""
    owner = data.get("player")
    if owner is not None and not isinstance(owner, str):
        raise ArmyError(f"player: expected a text, got {owner!r}")
    return owner


def profiles_of(units: Sequence[Unit], owner: str | None, size_mm: float) -> tuple[Mapping[str, JsonValue], ...]:
    """Profiles for a roster, each once: what a piece of the unit is and can do."""
    found: dict[str, dict[str, JsonValue]] = {}
    for unit in units:
        if unit.profile in found:
            continue
        profile: dict[str, JsonValue] = {"id": unit.profile, "name": unit.name, "owner": owner, "circle_mm": size_mm}
        for key, value in unit.fields.items():
            if key not in _OWN:
                profile[key] = plain_json(value, f"{unit.name}.{key}")
        rect = profile.get("rect_mm")
        if isinstance(rect, list) and rect and isinstance(rect[0], int | float):
            profile["circle_mm"] = rect[0]
        found[unit.profile] = profile
    return tuple(found.values())


def counts_of(units: Sequence[Unit]) -> dict[str, int]:
    """How many models of each profile a list has."""
    counts = Counter[str]()
    for unit in units:
        counts[unit.profile] += unit.models
    return dict(counts)


def with_reserves(scene: Scene, report: ArmyReport, owner: str) -> Scene:
    """The scene with the pieces of an army that are not on the table in its owner's reserve."""
    taken, pieces = {piece.id for piece in scene.pieces}, list(scene.pieces)
    for profile in report.profiles:
        identity = str(profile["id"])
        there = sum(1 for piece in scene.pieces if (piece.profile, piece.owner) == (identity, owner))
        fields = {
            k: v for k, v in profile.items() if k not in ("id", "name", "circle_mm", "rect_mm", "owner", "art", "back")
        }
        rect = profile.get("rect_mm")
        shape: JsonValue = {"rect_mm": rect} if isinstance(rect, list) else {"circle_mm": profile["circle_mm"]}
        for number in range(there + 1, report.counts.get(identity, 0) + 1):
            name = next(n for n in (f"{identity}-{number}", f"{owner}-{identity}-{number}") if n not in taken)
            taken.add(name)
            own = {"id": name, "owner": owner, "profile": identity, "shape": shape, "state": ["reserve"]}
            pieces.append(piece_from_json({"unit": identity, **fields, **own}, f"army {identity}"))
    return replace(scene, pieces=tuple(pieces))
