"""--hall for the commands that follow a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant.session.referee import Referee
from calibration.errors import InputError


def add_hall_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the hall is, and as whom this table reports."""
    parser.add_argument("--hall", metavar="URL", help="report to a hall: http://HOST:PORT")
    parser.add_argument("--table-name", metavar="NAME", help="this table's name in the hall")
    parser.add_argument("--table-key", metavar="K", help="the hall's key for tables")


@contextmanager
def reporting(args: argparse.Namespace, referee: Referee, log: Path | None) -> Iterator[None]:
    """Reports while the game runs; does nothing without --hall."""
    if args.hall is None:
        if args.table_name is not None or args.table_key is not None:
            raise InputError("wrong option", "pinpoint", "--table-name and --table-key go with --hall URL")
        yield
        return
    if not args.table_name or not args.table_key or log is None:
        raise InputError("wrong option --hall", "pinpoint", "it needs --table-name NAME, --table-key K and a log")
    from assistant.hall.reporting import Reporter

    reporter = Reporter(referee, log, args.hall, args.table_name, args.table_key)
    reporter.start()
    try:
        yield
    finally:
        reporter.stop()
        if reporter.trouble:
            print(f"the hall has not got everything yet ({reporter.trouble}); the log has it", flush=True)
