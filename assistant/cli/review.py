"""`pinpoint review`: look through a game, in the window or in lines."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from assistant.cli.inputs import game_of, house_of, write_answer
from assistant.log.clock import moment_text, seconds_of
from assistant.log.entry import RulingRecord
from assistant.log.game_log import GameLog
from assistant.log.plain_text import one_line
from assistant.log.repairing import repair
from assistant.log.replay import Difference, recompute
from assistant.log.story import read_story
from assistant.log.summary import summary_text
from assistant.log.telling import ruling_line
from assistant.log.verifying import verify
from assistant.rules.game import house_rules
from assistant.rules.record import ruling_to_json
from assistant.scene.notation import to_notation
from assistant.scene.values import Scene
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LOG, and what to print instead of opening the window."""
    parser.add_argument("log", type=Path, metavar="F.pinpoint", help="a game log")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--summary", action="store_true", help="rounds, moves, pins, close calls, time per turn")
    ways.add_argument("--at", metavar="12:34", help="the scene and the rulings at a moment")
    ways.add_argument("--recompute", action="store_true", help="judge every state again and list what is different")
    ways.add_argument("--verify", action="store_true", help="is it whole and unchanged: one line, exit 0 or 1")
    ways.add_argument("--repair", action="store_true", help="save what can be saved as a new log, with -o NEW")
    ways.add_argument("--screenshot", type=Path, metavar="OUT.png", help="save a picture of the window and end")
    parser.add_argument("-o", type=Path, metavar="NEW", help="with --repair: the new log")
    parser.add_argument(
        "--house", action="append", default=[], metavar="NAME=VALUE", help="with --recompute: another reading of a rule"
    )


def run(args: argparse.Namespace) -> int:
    """Prints what was asked for, or opens the window."""
    if args.house and not args.recompute:
        raise InputError("wrong option --house", str(args.log), "other readings need --recompute")
    if bool(args.repair) != (args.o is not None):
        raise InputError("wrong options", str(args.log), "--repair and -o NEW need one another")
    if args.verify:
        verdict = verify(args.log)
        write_answer("-", f"{one_line(verdict.line)}\n")
        return 0 if verdict.unchanged else 1
    if args.repair:
        write_answer("-", f"{one_line(repair(args.log, args.o))}\n")
        return 0
    if not (args.summary or args.at or args.recompute):
        from assistant.ui.review import review  # loads Qt, which lines need not

        return review(args.log, args.screenshot)
    with GameLog(args.log) as log:
        if args.summary:
            text = summary_text(read_story(log))
        elif args.at:
            text = _moment(log, args.at)
        else:
            text = _differences(log, house_of(args.house))
    write_answer("-", text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return 0


def _moment(log: GameLog, at: str) -> str:
    state = log.settled_at(seconds_of(at))
    lines = [f"# {moment_text(state.t_s)}, frame {state.frame}", to_notation(state.scene), ""]
    records = [record for row in log.rulings(state.id) for record in row.records]
    return "\n".join([*lines, *(ruling_line(record) for record in records)]) + "\n"


def _differences(log: GameLog, chosen: Mapping[str, str]) -> str:
    def judge(scene: Scene, readings: Mapping[str, str]) -> list[RulingRecord]:
        game = game_of(scene.game)
        house = house_rules(game, {**readings, **chosen})
        return [ruling_to_json(ruling) for ruling in game.rulings(scene, house)]

    found = [_difference_lines(difference) for difference in recompute(log, judge)]
    return "".join(found) + f"{len(found)} different\n"


def _difference_lines(difference: Difference) -> str:
    was = "nothing" if difference.was is None else ruling_line(difference.was)
    now = "nothing" if difference.now is None else ruling_line(difference.now)
    return f"{moment_text(difference.t_s)}\n  was  {was}\n  now  {now}\n"
