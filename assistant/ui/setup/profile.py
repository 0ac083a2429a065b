"""What a set-up leaves behind: one JSON file that the next game starts from."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from PyQt6.QtCore import QSettings, QStandardPaths

from assistant.games import GAMES
from assistant.rules.game import GameSystem
from assistant.scene.errors import GameError, SceneError
from assistant.scene.reading import plain_json, scene_from_json
from assistant.scene.values import JsonValue, Objective, Player, Scene, Table, Terrain, Zone
from assistant.scene.writing import scene_to_json
from assistant.session import Session, TableSetting, session_for
from calibration.errors import InputError
from calibration.lens import Lens, lens_from_json, lens_to_json
from vision.camera.address import without_password
from vision.look.pieces import Pieces
from vision.roster.profiles import read_roster

SCHEMA = "pinpoint.table/1"


@dataclass(frozen=True, slots=True, eq=False)
class TableProfile:
    """A table as it was set up. `sizes_mm` empty means: the roster's, else the game's own."""

    source: str = ""
    game: str = GAMES[0].id
    lens: Lens | None = None
    roster: Path | None = None
    sizes_mm: tuple[float, ...] = ()
    terrain: tuple[Terrain, ...] = ()
    players: tuple[Player, ...] = ()
    zones: tuple[Zone, ...] = ()
    table_mm: tuple[float, float] | None = None  # None: the game's own
    objectives: tuple[Objective, ...] = ()

    @property
    def field_mm(self) -> tuple[float, float]:
        """The battlefield's width and depth."""
        return self.table_mm or self.system.table_mm

    @property
    def system(self) -> GameSystem:
        """The game itself."""
        return next(game for game in GAMES if game.id == self.game)

    def setting(self) -> TableSetting:
        """What the session is told of the table."""
        roster = read_roster(self.roster) if self.roster else None
        return TableSetting(self.system, self.players, roster, self.terrain, self.zones, self.objectives)

    def pieces(self) -> Pieces:
        """What is looked for on the table."""
        roster = read_roster(self.roster) if self.roster else None
        return Pieces(self.sizes_mm or (roster.sizes_mm() if roster else self.system.circles_mm), roster)

    def roster_json(self) -> JsonValue:
        """The roster's file, for the log."""
        try:
            text = self.roster.read_text(encoding="utf-8") if self.roster else "null"
            return plain_json(json.loads(text), "roster")
        except (OSError, ValueError, SceneError):
            return None

    def session(self) -> Session:
        """What follows the table."""
        return session_for(self.setting(), self.pieces(), self.lens, self.field_mm)


def profile_to_json(profile: TableProfile) -> dict[str, JsonValue]:
    """The file's content; players, terrain and zones are written as in a scene."""
    empty = Scene(
        profile.game,
        Table(*profile.field_mm),
        players=profile.players,
        terrain=profile.terrain,
        zones=profile.zones,
        objectives=profile.objectives,
    )
    return {
        "schema": SCHEMA,
        "source": without_password(profile.source),
        "camera": lens_to_json(profile.lens) if profile.lens else None,
        "roster": str(profile.roster) if profile.roster else None,
        "sizes_mm": list(profile.sizes_mm),
        "table": scene_to_json(empty),
    }


def profile_from_json(data: object, where: str) -> TableProfile:
    """Reads it back; says which field does not fit."""
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError("wrong table file", where, f"expected an object with schema {SCHEMA!r}")
    source, camera, roster, sizes = (data.get(key) for key in ("source", "camera", "roster", "sizes_mm"))
    if not isinstance(source, str) or not (roster is None or isinstance(roster, str)):
        raise InputError("wrong table file", where, "expected texts in source and roster")
    if not isinstance(sizes, list) or not all(isinstance(size, int | float) and size > 0 for size in sizes):
        raise InputError("wrong field sizes_mm", where, "expected diameters in mm")
    scene = scene_from_json(data.get("table"))
    if scene.game not in {game.id for game in GAMES}:
        raise InputError("wrong field game", where, f"unknown game {scene.game!r}")
    return TableProfile(
        source=source,
        game=scene.game,
        lens=lens_from_json(camera, where) if camera is not None else None,
        roster=Path(roster) if roster else None,
        sizes_mm=tuple(float(size) for size in sizes),
        terrain=scene.terrain,
        players=scene.players,
        zones=scene.zones,
        table_mm=(scene.table.width_mm, scene.table.depth_mm),
        objectives=scene.objectives,
    )


def profile_path() -> Path:
    """Where the table is remembered."""
    chosen = QSettings().value("table/profile")
    return Path(chosen) if isinstance(chosen, str) and chosen else data_folder() / "table.json"


def data_folder() -> Path:
    """Where rosters and the table are kept."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation))


def remember(profile: TableProfile) -> None:
    """Keeps a table for the next time."""
    write_profile(profile, profile_path())


def remembered() -> TableProfile:
    """The table of the last time; a fresh one where there is none or it cannot be read."""
    try:
        return read_profile(profile_path())
    except (InputError, GameError):
        return TableProfile()


def read_profile(path: Path) -> TableProfile:
    """Reads a table file; a roster that is no longer there is left out."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError("unreadable table file", str(path), str(error)) from None
    profile = profile_from_json(data, str(path))
    return profile if profile.roster is None or profile.roster.exists() else replace(profile, roster=None)


def write_profile(profile: TableProfile, path: Path) -> None:
    """Writes a table file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(profile_to_json(profile), indent=1, sort_keys=True) + "\n", encoding="utf-8")
