"""`pinpoint serve`: a finished game on other screens."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from assistant.cli.ending import until_asked_to_end
from assistant.cli.inputs import game_of
from assistant.cli.serving import add_address_arguments, keys_of, say_where
from assistant.web.address import address_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """LOG, and where to serve it."""
    parser.add_argument("log", type=Path, metavar="F.pinpoint", help="a game log")
    add_address_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Serves until the program is asked to end."""
    from assistant.web.finished import finished_feed
    from assistant.web.options import WebOptions
    from assistant.web.server import GameServer
    from assistant.web.table import ServedTable

    options = WebOptions()
    feed = finished_feed(args.log, game_of, options)
    server = GameServer(ServedTable(feed, log=args.log), address_from(args.serve), keys_of(args), options)
    with until_asked_to_end() as ending:
        server.start()
        try:
            say_where(server)
            with ending.waiting():
                threading.Event().wait()
        finally:
            server.stop()
    return 0
