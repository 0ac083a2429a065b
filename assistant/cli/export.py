"""`pinpoint export`: hand a finished game on."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.inputs import write_answer
from assistant.evidence.page import export_evidence
from assistant.evidence.report_pictures import evidence_pictures
from assistant.log.clock import seconds_of
from assistant.log.exporting import event_lines, position_lines, scene_lines
from assistant.log.game_log import GameLog
from assistant.log.report import report_html
from assistant.scene.writing import scene_to_text
from assistant.ui.small_picture import small_jpeg
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LOG, the format, where to write, and the moment of a scene."""
    parser.add_argument("log", type=Path, metavar="F.pinpoint", help="a game log")
    parser.add_argument(
        "--format",
        required=True,
        choices=("jsonl", "scenes", "html", "csv", "scene", "evidence"),
        help="jsonl: events; scenes: every settled state; html: a battle report; csv: positions; scene: one moment; "
        "evidence: a folder with the pictures and the clip of one event",
    )
    parser.add_argument(
        "--event", type=int, metavar="N", help="with --format evidence: the event, by its line in --format jsonl"
    )
    parser.add_argument("--at", metavar="12:34", help="with --format scene: the moment (default: the end)")
    parser.add_argument("-o", default="-", metavar="OUT", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Writes the game in one of its forms."""
    if args.at and args.format != "scene":
        raise InputError("wrong option --at", str(args.log), f"--format {args.format} is of the whole game")
    if (args.format == "evidence") != (args.event is not None):
        raise InputError("wrong option --event", str(args.log), "--format evidence and --event N need one another")
    if args.format == "evidence" and args.o == "-":
        raise InputError("wrong option -o", str(args.log), "evidence is a folder: name it with -o DIR")
    with GameLog(args.log) as log:
        if args.format == "evidence":
            names = export_evidence(log, args.event, Path(args.o))
            write_answer("-", f"wrote {args.o}: {', '.join(names)}\n")
            return 0
        text = _text(log, args.format, args.at)
    write_answer(args.o, text.encode("utf-8", "backslashreplace").decode("utf-8"))
    return 0


def _text(log: GameLog, form: str, at: str | None) -> str:
    match form:
        case "jsonl":
            return "".join(event_lines(log))
        case "scenes":
            return "".join(scene_lines(log))
        case "csv":
            return "".join(position_lines(log))
        case "html":
            return report_html(log, small_jpeg, evidence_pictures(log))
        case _:
            return scene_to_text(log.settled_at(log.end()[0] if at is None else seconds_of(at)).scene)
