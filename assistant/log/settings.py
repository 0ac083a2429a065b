"""What a game is played with, as rows that are only added to: the newest row of a name is in force."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from assistant.log.connection import damaged
from assistant.log.decoding import checked, sealed_question
from assistant.log.packing import PackingError, text_of, value_of
from assistant.log.plain_text import without_password
from assistant.scene.errors import SceneError
from assistant.scene.reading import plain_json
from assistant.scene.values import JsonValue


@dataclass(frozen=True, slots=True)
class Settings:
    """`readings` are the rule readings in force; `roster`, `camera`, `calibration`, `options`: JSON."""

    game: str
    source: str = ""
    version: str = ""
    started: str = ""  # wall clock, ISO 8601
    readings: Mapping[str, str] = field(default_factory=dict)
    roster: JsonValue = None
    camera: JsonValue = None
    calibration: JsonValue = None
    options: JsonValue = None  # of the detector, by package

    def __post_init__(self) -> None:
        # not only when written: logs of older versions hold addresses with their passwords
        object.__setattr__(self, "source", without_password(self.source))


SETTING_NAMES = frozenset(entry.name for entry in fields(Settings))


def settings_rows(settings: Settings, before: Settings | None = None) -> list[tuple[str, str]]:
    """Name and JSON text of every setting, or of those that are not as before."""
    old = {} if before is None else asdict(before)
    return [(name, text_of(value)) for name, value in asdict(settings).items() if name not in old or old[name] != value]


def read_settings(connection: sqlite3.Connection, path: Path, until_s: float | None = None) -> Settings:
    """The settings in force at a moment, or at the end."""
    values: dict[str, JsonValue] = {}
    has_checksums = connection.execute("SELECT id FROM chain LIMIT 1").fetchone() is not None
    for row in connection.execute(f"{sealed_question('settings')} ORDER BY settings.id"):
        try:
            _, t_s, name, text = checked(row, has_checksums)
        except PackingError as error:
            raise damaged(path, f"setting {row[0]}: {error}") from None
        if until_s is not None and isinstance(t_s, float) and t_s > until_s and name in values:
            continue
        if not isinstance(name, str) or name not in SETTING_NAMES:
            raise damaged(path, f"unknown setting {str(name)[:40]!r}")
        try:
            values[name] = plain_json(value_of(text), f"setting {name}")
        except (PackingError, SceneError) as error:
            raise damaged(path, error) from None
    return _settings(values, path)


def _settings(values: dict[str, JsonValue], path: Path) -> Settings:
    texts = {name: values.get(name, "") for name in ("game", "source", "version", "started")}
    readings = values.get("readings", {})
    if not isinstance(readings, dict) or not texts["game"]:
        raise damaged(path, "settings without a game or with wrong readings")
    if not all(isinstance(text, str) for text in [*texts.values(), *readings.values()]):
        raise damaged(path, "settings that are no text")
    return Settings(
        **{name: str(text) for name, text in texts.items()},
        readings={name: str(value) for name, value in readings.items()},
        roster=values.get("roster"),
        camera=values.get("camera"),
        calibration=values.get("calibration"),
        options=values.get("options"),
    )
