"""`pinpoint propose`: plain bases and stands in a picture, as marks for a person to confirm."""

from __future__ import annotations

import argparse

from assistant.cli.detect import add_picture_arguments, measured_picture
from assistant.cli.inputs import game_of, write_answer
from assistant.scene.values import Table
from assistant.scene.writing import scene_to_text
from assistant.session.marking import marks_scene
from assistant.session.proposing import proposed
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """IMAGE, and how its table is measured."""
    add_picture_arguments(parser)
    parser.add_argument("-o", default="-", metavar="marks.json", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Writes the proposals: `--marks` takes the file once nothing in it says `"proposed": true`."""
    game = game_of(args.game)
    circles_mm = args.sizes or game.circles_mm
    if not game.figures:
        raise InputError("no bases", f"--game {args.game}", "expected a game that is played with bases or stands")
    frame, view = measured_picture(args, game.table_mm)
    pieces = proposed(frame.bgr, view, circles_mm, game.rects_mm)
    scene = marks_scene(pieces, game.id, Table(view.width_mm, view.depth_mm))
    write_answer(args.o, scene_to_text(scene))
    return 0
