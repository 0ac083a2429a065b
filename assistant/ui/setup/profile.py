"""What a set-up leaves behind: one JSON file that the next game starts from."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QSettings, QStandardPaths

from assistant.games import GAMES
from assistant.rules.game import GameSystem
from assistant.scene.errors import GameError, SceneError
from assistant.scene.reading import plain_json, scene_from_json
from assistant.scene.values import JsonValue, Objective, Piece, Player, Point, Scene, Table, Terrain, Zone
from assistant.scene.writing import scene_to_json
from assistant.session import Session, TableSetting, session_for
from calibration.errors import InputError
from calibration.lens import Lens, lens_from_json, lens_to_json
from vision.camera.address import without_password
from vision.camera.standpoint import Given
from vision.look.pieces import Pieces
from vision.roster.profiles import read_roster

SCHEMA = "pinpoint.table/1"
Corners = tuple[Point, Point, Point, Point]


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
    marks: tuple[Piece, ...] = ()  # figures that a person marked
    corners_px: Corners | None = None  # of the battlefield, clicked on a table without tokens: NW NE SE SW

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
        return TableSetting(
            self.system, self.players, roster, self.terrain, self.zones, self.objectives, marks=self.marks
        )

    def given(self) -> Given | None:
        """Where the table is, where a person clicked its corners."""
        return Given(np.array(self.corners_px, dtype=np.float64)) if self.corners_px is not None else None

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
        return session_for(self.setting(), self.pieces(), self.lens, self.field_mm, given=self.given())


def marked_now(profile: TableProfile, scene: Scene) -> TableProfile:
    """A profile whose marked figures stand where a scene has them; those that left the table are no longer marked."""
    known = {piece.id for piece in profile.marks}
    return replace(profile, marks=tuple(piece for piece in scene.on_field() if piece.id in known))


def with_marks(scenes: Iterable[Scene], marks: tuple[Piece, ...]) -> list[Scene]:
    """The settled states of a game that goes on, the last with its figures where a person has marked them now."""
    known = list(scenes)
    return [*known[:-1], replace(known[-1], pieces=marks)] if known and marks else known


def profile_to_json(profile: TableProfile) -> dict[str, JsonValue]:
    """The file's content; players, terrain, zones and marks are written as in a scene.

    Corners are not: they belong to a camera, and are remembered for it.
    """
    empty = Scene(
        profile.game,
        Table(*profile.field_mm),
        players=profile.players,
        terrain=profile.terrain,
        zones=profile.zones,
        objectives=profile.objectives,
        pieces=profile.marks,
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
        marks=scene.on_field(),
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
