"""The player's own disks: what their faces look like and how big they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.json_file import read_json
from vision.roster.things import (
    EmptyTable,
    EnrolledTerrain,
    EnrolledToken,
    art_inside,
    empty_table_of,
    terrain_of,
    tokens_of,
)
from vision.types.decoding import MOST_ART_PIXELS, decode, read_bytes

SCHEMA = "pinpoint.roster/1"
MOST_PROFILES = 2000  # all the disks ever printed are a few hundred


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of disk. `values` keeps the game's own fields (stats, keywords, ...) untouched."""

    id: str
    name: str
    owner: str | None
    circle_mm: float
    art: Path | None
    values: Mapping[str, Any] = field(default_factory=dict)

    def picture(self) -> ByteImage | None:
        """The face as a square BGR picture, or None where the profile has none."""
        if self.art is None:
            return None
        content = read_bytes(self.art, f"unreadable art of {self.id!r}")
        return decode(content, str(self.art), f"unreadable art of {self.id!r}", MOST_ART_PIXELS)


@dataclass(frozen=True, slots=True)
class Roster:
    """All the profiles of one file, in its order; and the tokens, the terrain and the empty table, where enrolled."""

    profiles: tuple[Profile, ...]
    tokens: tuple[EnrolledToken, ...] = ()
    terrain: tuple[EnrolledTerrain, ...] = ()
    empty_table: EmptyTable | None = None

    def sizes_mm(self) -> tuple[float, ...]:
        """The diameters that occur, ascending."""
        return tuple(sorted({profile.circle_mm for profile in self.profiles}))

    def by_id(self) -> dict[str, Profile]:
        """Profiles by their id."""
        return {profile.id: profile for profile in self.profiles}


def read_roster(path: Path) -> Roster:
    """Reads a roster file; says which profile's field does not fit."""
    data = read_json(path, "unreadable roster")
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("profiles"), list):
        raise InputError("wrong roster", str(path), f"expected an object with schema {SCHEMA!r} and a list of profiles")
    if len(data["profiles"]) > MOST_PROFILES:
        got = len(data["profiles"])
        raise InputError("wrong field profiles", str(path), f"expected at most {MOST_PROFILES}, got {got}")
    profiles = tuple(_profile(entry, index, path) for index, entry in enumerate(data["profiles"]))
    ids = [profile.id for profile in profiles]
    for index, identity in enumerate(ids):
        if identity in ids[:index]:
            raise InputError(
                f"wrong field profiles[{index}].id", str(path), f"{identity!r} is used twice; give each its own"
            )
    return Roster(profiles, tokens_of(data, path), terrain_of(data, path), empty_table_of(data, path))


def _profile(entry: object, index: int, path: Path) -> Profile:
    if not isinstance(entry, dict):
        raise InputError(f"wrong field profiles[{index}]", str(path), "expected an object")

    def text(key: str) -> str | None:
        value = entry.get(key)
        if value is not None and not isinstance(value, str):
            raise InputError(f"wrong field profiles[{index}].{key}", str(path), "expected a text")
        return value

    identity = text("id")
    if not identity:
        raise InputError(f"wrong field profiles[{index}].id", str(path), "expected a text")
    diameter = entry.get("circle_mm")
    if isinstance(diameter, bool) or not isinstance(diameter, int | float) or not 1 <= diameter <= 1000:
        raise InputError(f"wrong field profiles[{index}].circle_mm", str(path), "expected a diameter in mm")
    art = text("art")
    known = {"id", "name", "owner", "circle_mm", "art"}
    return Profile(
        id=identity,
        name=text("name") or identity,
        owner=text("owner"),
        circle_mm=float(diameter),
        art=art_inside(path, art, f"profiles[{index}].art") if art else None,
        values={key: value for key, value in entry.items() if key not in known},
    )
