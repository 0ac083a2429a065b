"""The core set as data: disks, command cards, terrain, scenarios and prebuilt regiments, each value with its source.

A value stated in running text is certain; one read from scattered numbers is not (DW-7). A player's own roster
overrides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

from assistant.rules.game import QuestionError
from assistant.scene.values import JsonValue, Piece, RangedAttack, Scene

SIZES = ("small", "medium", "large")
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True)
class Known:
    """A number of a disk and whether the sources state it for certain."""

    value: int
    certain: bool


@dataclass(frozen=True, slots=True)
class DiskEntry:
    """A disk of the game; `sizes` are those it may have by what the sources tell."""

    id: str
    name: str
    race: str
    hero: bool
    unique: bool
    elite: bool
    sizes: tuple[str, ...]
    traits: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    ranged: tuple[RangedAttack, ...] = ()
    stats: Mapping[str, Known] | None = None
    cost: Known | None = None
    points: Known | None = None
    command: Known | None = None
    ability: str = ""


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command card; what the sources lost is None."""

    id: str
    name: str
    strategy: str | None
    activation: int | None
    only: str | None
    user: str | None
    ability: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario card: its ability's name and what its objective pays for."""

    id: str
    name: str
    ability: str | None
    objective: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything a box holds, by id."""

    disks: Mapping[str, DiskEntry]
    commands: Mapping[str, CommandEntry]
    sides: Mapping[str, str]  # race -> order or destruction
    scenarios: Mapping[str, Scenario]

    def disk(self, title: str) -> DiskEntry:
        """The disk of that title or id; an unknown one is an error."""
        return _find(self.disks, title, "disk")

    def command(self, title: str) -> CommandEntry:
        """The command card of that title or id; an unknown one is an error."""
        return _find(self.commands, title, "command card")

    def side(self, entry: DiskEntry) -> str:
        """Order or destruction."""
        return self.sides[entry.race]


def profile_fields(entry: DiskEntry) -> dict[str, JsonValue]:
    """What a piece of a disk has by the catalogue: values that the sources state for certain, and no others."""
    stats: dict[str, JsonValue] = {name: known.value for name, known in (entry.stats or {}).items() if known.certain}
    shots: list[JsonValue] = [
        {"range": shot.range, "dice": shot.dice, "strength": shot.strength, "type": shot.type} for shot in entry.ranged
    ]
    fields: dict[str, JsonValue] = {"stats": stats, "keywords": list(entry.keywords), "traits": list(entry.traits)}
    return fields | ({"ranged": shots} if shots else {})


def completed(scene: Scene) -> Scene:
    """The scene with the catalogue's certain values on disks whose profile it knows and that have none of their own."""
    disks = core_set().disks
    return replace(scene, pieces=tuple(_completed(piece, disks.get(piece.profile or "")) for piece in scene.pieces))


def _completed(piece: Piece, entry: DiskEntry | None) -> Piece:
    if entry is None or piece.stats or piece.keywords or piece.traits or piece.ranged:
        return piece
    stats = {name: float(known.value) for name, known in (entry.stats or {}).items() if known.certain}
    return replace(piece, stats=stats, keywords=entry.keywords, traits=entry.traits, ranged=entry.ranged)


def slug(title: str) -> str:
    """A title as an id.

    >>> slug("Waaagh!"), slug("Nurgle's Rot")
    ('waaagh', 'nurgles-rot')
    """
    kept = "".join(sign if sign.isalnum() else "" if sign in "'’" else " " for sign in title.lower())
    return "-".join(kept.split())


@lru_cache(maxsize=1)
def core_set() -> Catalogue:
    """The core set as it ships."""
    disks, commands = read_data("disks.json"), read_data("commands.json")
    scenarios = read_data("scenarios.json")["scenarios"]
    return Catalogue(
        disks={entry["id"]: _disk(entry) for entry in disks["disks"]},
        commands={entry["id"]: _command(entry) for entry in commands["commands"]},
        sides=disks["races"],
        scenarios={
            entry["id"]: Scenario(entry["id"], entry["name"], entry["ability"], entry["objective"] or {})
            for entry in scenarios
        },
    )


def read_data(name: str) -> Any:
    """A data file of the package."""
    return json.loads(resources.files("assistant.games.diskwars").joinpath("data", name).read_text(encoding="utf-8"))


def with_roster(catalogue: Catalogue, profiles: Iterable[Mapping[str, Any]]) -> Catalogue:
    """The catalogue with a player's own disks in place of, or beside, those it has.

    A profile has an id or a name, and of race, size, cost, points, command, unique, elite, hero, stats, keywords,
    traits what the player knows; what it leaves out stays as it was.
    """
    disks = dict(catalogue.disks)
    for profile in profiles:
        name = str(profile.get("name") or profile.get("id") or "")
        known = disks.get(slug(name)) or disks.get(str(profile.get("id", "")))
        entry = known or DiskEntry(slug(name), name, "", False, False, False, SIZES)
        disks[entry.id] = _overridden(entry, profile, catalogue)
    return replace(catalogue, disks=disks)


def _overridden(entry: DiskEntry, profile: Mapping[str, Any], catalogue: Catalogue) -> DiskEntry:
    race, size = profile.get("race", entry.race), profile.get("size")
    if race not in catalogue.sides:
        raise QuestionError(f"{entry.name}: expected race {', '.join(sorted(catalogue.sides))}, got {race!r}")
    if size is not None and size not in SIZES:
        raise QuestionError(f"{entry.name}: expected size small, medium or large, got {size!r}")
    numbers = {name: _stated(entry, name, profile[name]) for name in ("cost", "points", "command") if name in profile}
    own = profile.get("stats", {})
    if not isinstance(own, Mapping):
        raise QuestionError(f"{entry.name}: expected stats as an object, got {own!r}")
    stats = {**(entry.stats or {}), **{name: _stated(entry, name, value) for name, value in own.items()}}
    return replace(
        entry,
        race=race,
        hero=bool(profile.get("hero", entry.hero)),
        unique=bool(profile.get("unique", entry.unique)),
        elite=bool(profile.get("elite", entry.elite)),
        sizes=(size,) if size is not None else entry.sizes,
        keywords=tuple(profile.get("keywords", entry.keywords)),
        traits=tuple(profile.get("traits", entry.traits)),
        stats=stats,
        cost=numbers.get("cost", entry.cost),
        points=numbers.get("points", entry.points),
        command=numbers.get("command", entry.command),
    )


def _stated(entry: DiskEntry, name: str, value: object) -> Known:
    if not isinstance(value, int) or isinstance(value, bool):
        raise QuestionError(f"{entry.name}: expected a whole number as {name}, got {value!r}")
    return Known(value, True)


def _find(entries: Mapping[str, Entry], title: str, what: str) -> Entry:
    found = entries.get(title) or entries.get(slug(title))
    if found is None:
        near = [name for name in sorted(entries) if name.split("-")[0] == slug(title).split("-")[0]]
        hint = f"; is it {' or '.join(near)}?" if near else ""
        raise QuestionError(f"unknown {what} {title!r}{hint}")
    return found


def _known(pair: Any) -> Known | None:
    return None if pair is None or pair[0] is None else Known(int(pair[0]), pair[1] == "c")


def _disk(entry: Mapping[str, Any]) -> DiskEntry:
    return DiskEntry(
        id=entry["id"],
        name=entry["name"],
        race=entry["race"],
        hero=entry["hero"],
        unique=entry["unique"][0],
        elite=entry["elite"][0],
        sizes=tuple(entry["sizes"][0]),
        traits=tuple(trait for trait, _ in entry["traits"]),
        keywords=tuple(keyword for keyword, _ in entry["keywords"]),
        ranged=tuple(
            RangedAttack(shot["range"], shot["dice"], shot["strength"], shot["type"]) for shot in entry["ranged"]
        ),
        stats={name: known for name, pair in entry["stats"].items() if (known := _known(pair)) is not None},
        cost=_known(entry.get("cost")),
        points=_known(entry.get("points")),
        command=_known(entry.get("command")),
        ability=entry.get("ability", ""),
    )


def _command(entry: Mapping[str, Any]) -> CommandEntry:
    return CommandEntry(
        id=entry["id"],
        name=entry["name"],
        strategy=entry["strategy"][0],
        activation=entry["activation"][0],
        only=entry["only"],
        user=entry["user"],
        ability=entry["ability"] or "",
    )
