"""Writes the answers of all golden playthroughs anew: `python -m tests.playthroughs.regenerate`."""

from __future__ import annotations

from tests.playthroughs.playthrough import files, played

if __name__ == "__main__":
    for path in files():
        path.write_text(played(path.read_text(encoding="utf-8")), encoding="utf-8")
