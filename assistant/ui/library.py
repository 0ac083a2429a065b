"""Where games are kept: in the documents folder, named by date and players, and listed to go on with or look at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QSettings, QStandardPaths

from assistant.log.clock import clock_text
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.scene.values import Player
from assistant.ui.catalogue import say

ENDING = ".pinpoint"
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class SavedGame:
    """A recorded game: its file, what it is, how far it went, and its last picture."""

    path: Path
    game: str
    started: str
    round: int | None
    played: str
    ended: bool
    jpeg: bytes


def games_folder() -> Path:
    """The folder games are recorded into: documents/Pinpoint, unless another was chosen."""
    chosen = QSettings().value("games/folder")
    if isinstance(chosen, str) and chosen:
        return Path(chosen)
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)) / "Pinpoint"


def new_game_path(players: Sequence[Player], now: datetime | None = None) -> Path:
    """A file for a new game that is not there yet, named by date and players."""
    when = (now or datetime.now()).strftime("%Y-%m-%d %H.%M")
    who = f" {say('against')} ".join(player_name(player) for player in players)
    name = re.sub(r"[^\w .()-]", "_", f"{when} {who}".strip())
    folder = games_folder()
    folder.mkdir(parents=True, exist_ok=True)
    names = (name if number == 1 else f"{name} ({number})" for number in range(1, 1000))
    return next(path for path in (folder / f"{each}{ENDING}" for each in names) if not path.exists())


def player_name(player: Player) -> str:
    """What a player is called: the name typed, else the side played."""
    name = player.extra.get("name")
    return name if isinstance(name, str) and name else player.id


def saved_games(most: int = _SHOWN) -> list[SavedGame]:
    """The games in the folder, the newest first; files that cannot be read are left out."""
    folder = games_folder()
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.glob(f"*{ENDING}"), key=lambda path: -path.stat().st_mtime)[: 3 * most]:
        game = read_saved(path)
        if game is not None:
            found.append(game)
        if len(found) == most:
            break
    return found


def read_saved(path: Path) -> SavedGame | None:
    """What a list shows of a game; None where it cannot be read or holds no table."""
    try:
        with GameLog(path) as log:
            last = None
            for state in log.states():
                last = state
            if last is None:
                return None
            pictures = list(log.pictures())
            jpeg = log.jpeg(pictures[-1].id) if pictures else b""
            started = log.settings.started.replace("T", " ")[:16]
            return SavedGame(
                path, log.settings.game, started, last.scene.round, clock_text(log.end()[0]), log.ended, jpeg
            )
    except (LogError, OSError, ValueError):
        return None
