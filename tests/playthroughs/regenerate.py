"""Writes the answers of all golden playthroughs and scripted games anew: `python -m tests.playthroughs.regenerate`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.playthroughs.course import games, played_game
from tests.playthroughs.playthrough import files, played

if __name__ == "__main__":
    for path in files():
        path.write_text(played(path.read_text(encoding="utf-8")), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for path in games():
            said, table = played_game(path.read_text(encoding="utf-8"), Path(folder) / f"{path.stem}.pinpoint")
            table.referee.close()
            path.write_text(said, encoding="utf-8")
