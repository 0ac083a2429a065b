"""The cameras there are, by their names, and the film that comes with Pinpoint."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

import cv2
from cv2_enumerate_cameras import enumerate_cameras

from assistant.games import GAMES
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.ui.setup.profile import TableProfile
from calibration.errors import InputError
from calibration.lens import read_lens

SAMPLES = Path(__file__).parents[3] / "sample_images"
FILM = SAMPLES / "game"
ROSTER = SAMPLES / "tables" / "roster.json"
_BACKENDS = {"linux": cv2.CAP_V4L2, "win32": cv2.CAP_DSHOW, "darwin": cv2.CAP_AVFOUNDATION}


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A source that can be chosen: what it is called and how it is opened."""

    name: str
    address: str


def cameras() -> list[CameraChoice]:
    """The cameras of this computer by their names."""
    backend = _BACKENDS.get(sys.platform, cv2.CAP_ANY)
    found: dict[int, CameraChoice] = {}
    for camera in enumerate_cameras(backend):
        number = int(camera.index) % 100 if int(camera.index) >= 100 else int(camera.index)
        found.setdefault(number, CameraChoice(str(camera.name), str(number)))
    return list(found.values())


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
