"""`pinpoint play`: referees a live table in the window."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.tables import (
    add_camera_arguments,
    add_log_arguments,
    add_table_arguments,
    log_of,
    session_of,
    setting_of,
    source_of,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SOURCE, the log, and what is known of the table."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="camera number or name, device, video, folder of pictures or address (without: set the table up first)",
    )
    add_table_arguments(parser)
    add_camera_arguments(parser)
    add_log_arguments(parser, required=False)
    parser.add_argument("--screenshot", type=Path, metavar="OUT.png", help="save the first settled state and end")


def run(args: argparse.Namespace) -> int:
    """Opens the window and stays until it is closed."""
    from assistant.app import ask_log, run_live, run_set_up  # the window's library is loaded only where a window opens

    if args.source is None:
        return run_set_up(args.log, args.resume)
    setting = setting_of(args)
    if args.log is not None and args.screenshot is None:
        chosen = ask_log(args.log, setting.game.id, args.resume)
        if chosen is None:
            return 0
        args.log, args.resume = chosen.path, chosen.resume
    session = session_of(args, setting)
    source = source_of(args, realtime=args.screenshot is None)
    try:
        return run_live(
            source, session, setting, log_of(args, setting) if args.log else None, args.screenshot, automatic=args.auto
        )
    finally:
        source.close()
