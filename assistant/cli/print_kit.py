"""`pinpoint print`: the printed kit as a PDF at exact scale."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from assistant.cli.inputs import game_of
from assistant.log.whole_file import write_whole
from assistant.session.kit import kit_of
from calibration.errors import InputError
from calibration.kit_pdf import PAPERS, kit_pdf
from vision.roster.profiles import read_roster


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The paper, the game and where the file goes."""
    parser.add_argument("--paper", choices=PAPERS, default="a4", help="the paper in your printer (default: a4)")
    parser.add_argument("--game", metavar="G", help="only the pages that this game needs (default: all)")
    parser.add_argument("--roster", type=Path, metavar="R.json", help="with --game: as many blank disks as it names")
    parser.add_argument("-o", required=True, metavar="kit.pdf", help="where to write, - for standard output")


def run(args: argparse.Namespace) -> int:
    """Writes the kit."""
    if args.roster is not None and args.game is None:
        raise InputError("wrong option --roster", str(args.roster), "it needs --game")
    roster = read_roster(args.roster) if args.roster is not None else None
    data = kit_pdf(args.paper, kit_of(game_of(args.game), roster) if args.game is not None else None)
    if args.o == "-":
        sys.stdout.buffer.write(data)
        return 0
    try:
        write_whole(Path(args.o), data)
    except OSError as error:
        raise InputError("cannot write", args.o, error.strerror or str(error)) from None
    print(f"wrote {args.o}: print it at 100 % (no fit to page) and measure the 100 mm bar on each page")
    return 0
