"""`pinpoint print`: the printed kit as a PDF at exact scale."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from assistant.cli.inputs import game_of
from assistant.log.plain_text import one_line
from assistant.log.whole_file import write_whole
from assistant.session.kit import aids_of, aids_of_armies, kit_of
from calibration.errors import InputError
from calibration.kit_pdf import PAPERS, kit_pdf
from vision.roster.profiles import read_roster


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The paper, the game and where the file goes."""
    parser.add_argument("--paper", choices=PAPERS, default="a4", help="the paper in your printer (default: a4)")
    parser.add_argument("--game", metavar="G", help="only the pages that this game needs (default: all)")
    parser.add_argument("--roster", type=Path, metavar="R.json", help="with --game: as many blank disks as it names")
    parser.add_argument(
        "--army", type=Path, nargs="+", metavar="LIST", help="with --game: rings and cards for all models of army lists"
    )
    parser.add_argument(
        "--aids", nargs="+", default=[], metavar="SIZE=COUNT", help="with --game: 25=10, red:32=5 or blue:60x120=4"
    )
    parser.add_argument("-o", required=True, metavar="kit.pdf", help="where to write, - for standard output")


def run(args: argparse.Namespace) -> int:
    """Writes the kit."""
    for option, given in (("--roster", args.roster), ("--army", args.army), ("--aids", args.aids)):
        if given and args.game is None:
            raise InputError(f"wrong option {option}", str(given), "it needs --game")
    roster = read_roster(args.roster) if args.roster is not None else None
    pieces = None
    if args.game is not None:
        game = game_of(args.game)
        if args.aids and not game.figures:
            raise InputError("wrong option --aids", args.game, "the game has no figures")
        pieces = kit_of(game, roster, (*aids_of_armies(args.army or (), game), *aids_of(args.aids)))
        if args.o != "-":
            for line in dict.fromkeys(f"{each.colour}: {each.unit}" for each in pieces.aids if each.unit):
                print(one_line(line))
    data = kit_pdf(args.paper, pieces)
    if args.o == "-":
        sys.stdout.buffer.write(data)
        return 0
    try:
        write_whole(Path(args.o), data)
    except OSError as error:
        raise InputError("cannot write", args.o, error.strerror or str(error)) from None
    print(f"wrote {one_line(args.o)}: print it at 100 % (no fit to page) and measure the 100 mm bar on each page")
    return 0
