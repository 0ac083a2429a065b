"""An army list from a file, checked by its own game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.games import GAMES
from assistant.rules.army import SCHEMA, ArmyReport, head_of, owner_of
from assistant.rules.game import GameSystem
from assistant.scene.errors import GameError
from calibration.errors import InputError
from calibration.json_file import read_json


def read_army(path: Path, roster: Sequence[Mapping[str, Any]] = ()) -> tuple[GameSystem, ArmyReport, str | None]:
    """The game of an army list, what its check says, and whose army it is where the list says so."""
    try:
        data = head_of(read_json(path, "unreadable file"), [game.id for game in GAMES if game.army is not None])
        game = next(game for game in GAMES if game.id == data["game"])
        assert game.army is not None
        return game, game.army(data, roster), owner_of(data)
    except GameError as error:
        raise InputError("bad army", str(path), str(error)) from None


def is_army(data: object) -> bool:
    """Whether parsed JSON is an army list."""
    return isinstance(data, Mapping) and data.get("schema") == SCHEMA
