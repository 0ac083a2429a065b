"""Golden playthroughs: moments of a game as scenes in notation, questions, and every word of the answers.

A file holds comments (#), scenes, `? QUESTION` lines and `! rulings` lines. Everything the program says is in lines
that start with `=`: the JSON answer, then rule, verdict, certainty and sentence. `python -m
tests.playthroughs.regenerate` writes these lines anew; the test compares the whole file, letter for letter.
"""

from __future__ import annotations

import json
from pathlib import Path

from assistant.games import GAMES
from assistant.rules.game import ask, house_rules
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation
from assistant.scene.values import Scene

FOLDER = Path(__file__).parent
SPOKEN = "= "


def files() -> list[Path]:
    """All playthroughs."""
    return sorted(FOLDER.glob("*.txt"))


def played(text: str) -> str:
    """The playthrough with everything the program says written anew."""
    out: list[str] = []
    notation: list[str] = []
    scene: Scene | None = None
    for line in text.splitlines():
        if line.startswith(SPOKEN):
            continue
        out.append(line)
        if line.startswith("scene "):
            notation, scene = [line], None
        elif line.startswith(("? ", "! ")):
            scene = scene or from_notation("\n".join(notation))
            out += [SPOKEN + said for said in _spoken(scene, line)]
        elif line and not line.startswith("#"):
            notation.append(line)
    return "\n".join(out) + "\n"


def _spoken(scene: Scene, line: str) -> list[str]:
    game = next(game for game in GAMES if game.id == scene.game)
    if line == "! rulings":
        return [_sentence(ruling) for ruling in game.rulings(scene, house_rules(game, {}))] or ["nothing"]
    try:
        ruling = ask(game, scene, line.removeprefix("? "))
    except GameError as error:
        return [f"error: {error}"]
    return [json.dumps(dict(ruling.answer), sort_keys=True), _sentence(ruling)]


def _sentence(ruling: Ruling) -> str:
    return f"{ruling.rule} {ruling.verdict.value} {ruling.certainty:.4f} {ruling.sentence}"
