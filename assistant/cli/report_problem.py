"""`pinpoint report-problem`: one file for a maintainer, with everything outside the table blurred; nothing is sent."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.inputs import write_answer
from assistant.evidence.problem_report import problem_report
from assistant.log.clock import seconds_of
from assistant.log.game_log import GameLog
from assistant.log.whole_file import write_whole
from calibration.errors import InputError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LOG, the moment, and where to write."""
    parser.add_argument("log", type=Path, metavar="F.pinpoint", help="a game log")
    parser.add_argument("--at", required=True, metavar="12:34", help="the moment of the problem")
    parser.add_argument("-o", required=True, metavar="P.zip", help="where to write")


def run(args: argparse.Namespace) -> int:
    """Writes the file."""
    with GameLog(args.log) as log:
        content = problem_report(log, seconds_of(args.at))
    try:
        write_whole(Path(args.o), content)
    except OSError as error:
        raise InputError("cannot write", args.o, error.strerror or str(error)) from None
    write_answer("-", f"wrote {args.o}; nothing was sent. Look through it before you hand it on.\n")
    return 0
