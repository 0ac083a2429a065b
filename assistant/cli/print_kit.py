"""`pinpoint print`: the printed kit as a PDF at exact scale."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from assistant.log.whole_file import write_whole
from calibration.errors import InputError
from calibration.kit_pdf import PAPERS, kit_pdf


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The paper and where the file goes."""
    parser.add_argument("--paper", choices=PAPERS, default="a4", help="the paper in your printer (default: a4)")
    parser.add_argument("-o", required=True, metavar="kit.pdf", help="where to write, - for standard output")


def run(args: argparse.Namespace) -> int:
    """Writes the kit."""
    data = kit_pdf(args.paper)
    if args.o == "-":
        sys.stdout.buffer.write(data)
        return 0
    try:
        write_whole(Path(args.o), data)
    except OSError as error:
        raise InputError("cannot write", args.o, error.strerror or str(error)) from None
    print(f"wrote {args.o}: print it at 100 % (no fit to page) and measure the 100 mm bar on each page")
    return 0
