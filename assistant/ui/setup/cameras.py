"""The cameras there are, by their names, and the film that comes with Pinpoint."""

from __future__ import annotations

import json
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from assistant.games import GAMES
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.ui.setup.profile import TableProfile
from calibration.errors import InputError
from calibration.lens import read_lens
from vision.camera.devices import list_cameras

SAMPLES = Path(__file__).parents[3] / "sample_images"
FILM = SAMPLES / "game"
ROSTER = SAMPLES / "tables" / "roster.json"


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A source that can be chosen: what it is called and how it is opened."""

    name: str
    address: str


def cameras() -> list[CameraChoice]:
    """The cameras of this computer by their names."""
    return [CameraChoice(camera.name, str(camera.number)) for camera in list_cameras()]


def shipped_film() -> CameraChoice | None:
    """The film that comes with Pinpoint, where it is there."""
    return CameraChoice("Film of a game (comes with Pinpoint)", str(FILM)) if FILM.is_dir() else None


def beside(profile: TableProfile, address: str) -> TableProfile:
    """A profile with what lies beside a recording: its lens, its terrain and players; of the shipped film its roster.

    What cannot be read is left out: the set-up then measures or asks.
    """
    folder = Path(address) if Path(address).is_dir() else Path(address).parent
    if not address or not folder.is_dir() or address.isdecimal():
        return profile
    changed: dict[str, object] = {}
    try:
        if (folder / "camera.json").is_file():
            changed["lens"] = read_lens(folder / "camera.json")
    except InputError:
        pass
    try:
        if (folder / "setup.json").is_file():
            scene = scene_from_json(json.loads((folder / "setup.json").read_text(encoding="utf-8")))
            if scene.game in {game.id for game in GAMES} and scene.game == profile.game:
                changed["terrain"], changed["players"] = scene.terrain, scene.players
                changed["table_mm"] = (scene.table.width_mm, scene.table.depth_mm)
    except (GameError, OSError, ValueError):
        pass
    roster = folder / "roster.json"
    if folder.resolve() == FILM.resolve():
        roster = ROSTER
    if roster.is_file():
        changed["roster"] = roster
    return _replaced(profile, changed)


def _replaced(profile: TableProfile, changed: dict[str, object]) -> TableProfile:
    fields: dict[str, Any] = {field.name: getattr(profile, field.name) for field in dataclass_fields(TableProfile)}
    return TableProfile(**(fields | changed))
