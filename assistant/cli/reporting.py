"""--hall for the commands that follow a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from assistant.session.referee import Referee
from calibration.errors import InputError

if TYPE_CHECKING:  # the hall's libraries are an extra
    from assistant.hall.reporting import Reporter

    MakeReporter = Callable[[Referee, TableSetting, LogWriter], Reporter]


def add_hall_arguments(parser: argparse.ArgumentParser) -> None:
    """Where the hall is, and as whom this table reports."""
    parser.add_argument("--hall", metavar="URL", help="report to a hall: http://HOST:PORT")
    parser.add_argument("--table-name", metavar="NAME", help="this table's name in the hall")
    parser.add_argument("--table-key", metavar="K", help="the hall's key for tables")


def reporter_of(args: argparse.Namespace) -> MakeReporter | None:
    """What makes a reporter of a referee and its log; None without --hall. Wrong options are refused at once."""
    if args.hall is None:
        if args.table_name is not None or args.table_key is not None:
            raise InputError("wrong option", "pinpoint", "--table-name and --table-key go with --hall URL")
        return None
    if not args.table_name or not args.table_key:
        raise InputError("wrong option --hall", "pinpoint", "it needs --table-name NAME and --table-key K")
    from assistant.hall.options import HallOptions
    from assistant.hall.reporting import Reporter
    from assistant.hall.talking import HallClient

    client = HallClient(args.hall, args.table_name, args.table_key, HallOptions())
    return lambda referee, setting, log: Reporter(referee, setting, log.path, client, log.start)


@contextmanager
def reporting(args: argparse.Namespace, referee: Referee, setting: TableSetting, log: LogWriter) -> Iterator[None]:
    """Reports while the game runs; does nothing without --hall."""
    make = reporter_of(args)
    if make is None:
        yield
        return
    reporter = make(referee, setting, log)
    reporter.start()
    try:
        yield
    finally:
        reporter.stop()
        if reporter.trouble:
            print(f"the hall has not got everything yet ({reporter.trouble}); the log has it", flush=True)
