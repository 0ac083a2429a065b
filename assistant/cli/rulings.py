"""`pinpoint rulings`: all that the rules say of a scene without being asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.inputs import game_of, house_of, scene_of_file, write_answer
from assistant.rules.game import complete, house_rules
from assistant.rules.record import ruling_to_json
from assistant.rules.wording import display_names, ranked, ruling_text
from assistant.scene.writing import json_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SCENE, and the readings in force."""
    parser.add_argument("scene", type=Path, metavar="SCENE", help="a scene.json, or a game log (its last state)")
    parser.add_argument("--house", action="append", default=[], metavar="NAME=VALUE", help="a reading of an open rule")
    parser.add_argument("--text", action="store_true", help="sentences with names and rule numbers instead of JSON")
    parser.add_argument("-o", default="-", metavar="OUT.json", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Prints {"game", "rulings"} as JSON, or with --text one line a ruling; the most important first."""
    scene = scene_of_file(args.scene)
    game = game_of(scene.game)
    rulings = ranked(game.rulings(complete(game, scene), house_rules(game, house_of(args.house))))
    if args.text:
        names = display_names(scene)
        lines = [ruling_text(ruling, names) for ruling in rulings] or ["The rules have nothing to say of this table."]
        write_answer(args.o, "\n".join(lines) + "\n")
        return 0
    write_answer(args.o, json_text({"game": game.id, "rulings": [ruling_to_json(ruling) for ruling in rulings]}))
    return 0
