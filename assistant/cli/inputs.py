"""What commands take: scenes, games, sizes, corners; and where answers go."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from assistant.games import GAMES
from assistant.log.plain_text import visible
from assistant.log.whole_file import write_whole
from assistant.rules.game import GameSystem
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_text
from assistant.scene.values import Scene
from calibration.arrays import FloatArray
from calibration.errors import InputError
from calibration.json_file import read_file

DEFAULT_GAME = "diskwars"


def game_of(identity: str) -> GameSystem:
    """The game of that id."""
    for game in GAMES:
        if game.id == identity:
            return game
    raise InputError("unknown game", identity, f"expected {', '.join(game.id for game in GAMES)}")


def scene_of_file(path: Path) -> Scene:
    """Reads a scene file, or the last state of a game log as its ledger has it; the error line names the file."""
    try:
        if path.suffix == ".pinpoint":
            return _scene_of_log(path)
        return scene_from_text(read_file(path, "wrong scene").decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("wrong scene", str(path), f"cannot be read ({error})") from None
    except GameError as error:
        raise InputError("wrong scene", str(path), str(error)) from None


def _scene_of_log(path: Path) -> Scene:
    from assistant.log.game_log import GameLog  # only a log needs them
    from assistant.session.playing import replayed

    with GameLog(path) as log:
        course = replayed(log, game_of(log.settings.game))
        return log.settled_at(log.end()[0]).scene if course is None else course.ledger().scene


def house_of(choices: Sequence[str]) -> dict[str, str]:
    """House rules from words like between=all."""
    house = {}
    for choice in choices:
        name, equals, value = choice.partition("=")
        if not equals:
            raise InputError("wrong house rule", choice, "expected name=value")
        house[name] = value
    return house


def table_size(text: str) -> tuple[float, float]:
    """Width and depth in mm from a text like 914.4x914.4."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)[xX×](\d+(?:\.\d+)?)", text.strip())
    if found is None or not all(1 <= float(side) <= 1e5 for side in found.groups()):
        raise argparse.ArgumentTypeError(f"wrong table {text!r}: expected width x depth in mm, such as 914.4x914.4")
    return (float(found[1]), float(found[2]))


def sizes(text: str) -> tuple[float, ...] | None:
    """Diameters in mm from a text like 38.1,50.8,76.2; None for any."""
    if text.strip() == "any":
        return None
    try:
        values = tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        values = ()
    if not values or not all(1 <= value <= 1000 for value in values):
        raise argparse.ArgumentTypeError(f"wrong sizes {text!r}: expected diameters in mm such as 38.1,50.8 or any")
    return values


def thickness(text: str) -> float:
    """Thickness of the pieces in mm."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.1 <= value <= 100:
        raise argparse.ArgumentTypeError(f"wrong thickness {text!r}: expected mm from 0.1 to 100, such as 3.3")
    return value


def corners_or_picture(text: str) -> FloatArray:
    """Four pixels like `corners`; none at all (0, 2) for the word picture: the picture's own corners."""
    return np.zeros((0, 2)) if text.strip() == "picture" else corners(text)


def corners(text: str) -> FloatArray:
    """Four pixels, NW NE SE SW, from a text like "10,12 900,14 905,880 8,890"."""
    try:
        points = np.array([[float(part) for part in point.split(",")] for point in text.split()], dtype=np.float64)
    except ValueError:
        points = np.zeros(0)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise argparse.ArgumentTypeError(f'wrong corners {text!r}: expected NW NE SE SW in pixels, "x,y x,y x,y x,y"')
    return points


def write_answer(target: str, text: str) -> None:
    """Writes a text to a file, whole or not at all, or to standard output for -; a terminal gets no control codes."""
    if target == "-":
        sys.stdout.write(visible(text))
        return
    try:
        write_whole(Path(target), text.encode("utf-8"))
    except OSError as error:
        raise InputError("cannot write", target, error.strerror or str(error)) from None
