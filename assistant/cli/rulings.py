"""`pinpoint rulings`: all that the rules say of a scene without being asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.inputs import game_of, house_of, scene_of_file, write_answer
from assistant.rules.game import house_rules
from assistant.rules.record import ruling_to_json
from assistant.scene.writing import json_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SCENE, and the readings in force."""
    parser.add_argument("scene", type=Path, metavar="SCENE", help="a scene.json")
    parser.add_argument("--house", action="append", default=[], metavar="NAME=VALUE", help="a reading of an open rule")
    parser.add_argument("-o", default="-", metavar="OUT.json", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Prints {"game", "rulings"} as JSON."""
    scene = scene_of_file(args.scene)
    game = game_of(scene.game)
    rulings = game.rulings(scene, house_rules(game, house_of(args.house)))
    write_answer(args.o, json_text({"game": game.id, "rulings": [ruling_to_json(ruling) for ruling in rulings]}))
    return 0
