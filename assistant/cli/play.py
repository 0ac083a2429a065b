"""`pinpoint play`: referees a live table in the window."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cli.inputs import DEFAULT_GAME
from assistant.cli.reporting import add_hall_arguments, reporter_of
from assistant.cli.serving import add_serve_arguments, hosting_of
from assistant.cli.tables import (
    add_camera_arguments,
    add_log_arguments,
    add_table_arguments,
    corner_memory,
    log_of,
    marks_of_file,
    recording_of,
    session_of,
    setting_of,
    source_of,
)
from calibration.errors import InputError
from calibration.lens import read_lens

if TYPE_CHECKING:
    from assistant.ui.setup.profile import TableProfile
    from assistant.web.hosting import Hosting


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
    parser.set_defaults(game=None)
    add_log_arguments(parser, required=False)
    add_serve_arguments(parser)
    add_hall_arguments(parser)
    parser.add_argument("--screenshot", type=Path, metavar="OUT.png", help="save the first settled state and end")


def run(args: argparse.Namespace) -> int:
    """Opens the window and stays until it is closed."""
    hosting, report = hosting_of(args), reporter_of(args)
    if args.source is None:
        if report is not None:
            raise InputError("wrong option --hall", "pinpoint", "it needs a SOURCE")
        return _set_up(args, hosting)
    args.game = args.game or DEFAULT_GAME
    setting = setting_of(args)
    from assistant.app import ask_log, run_live  # the window's library is loaded only where a window opens
    from assistant.ui.application import application
    from assistant.ui.library import new_game_path

    if args.screenshot is None:
        application(offscreen_allowed=False)
        if args.log is None:
            args.log = new_game_path(setting.players)
        chosen = ask_log(args.log, setting.game.id, args.resume)
        if chosen is None:
            return 0
        args.log, args.resume = chosen.path, chosen.resume
    session = session_of(args, setting)
    source = source_of(args, realtime=args.screenshot is None)
    try:
        log = log_of(args, setting) if args.log else None
        profile = _told(args, _fresh(args.game))
        return run_live(
            source,
            session,
            setting,
            log,
            args.screenshot,
            automatic=args.auto,
            profile=replace(profile, source=args.source, players=setting.players),
            recording=recording_of(args),
            listeners=corner_memory(source, args),
            hosting=hosting,
            report=report,
        )
    finally:
        source.close()


def _set_up(args: argparse.Namespace, hosting: Hosting | None) -> int:
    """The set-up, starting from what was remembered and told: an option that is given wins."""
    if args.game is not None or args.roster is not None:
        setting_of(argparse.Namespace(**{**vars(args), "game": args.game or DEFAULT_GAME}))  # says what is wrong
    from assistant.app import run_set_up
    from assistant.ui.application import application
    from assistant.ui.setup.profile import remembered

    application(offscreen_allowed=False)
    known = remembered()
    if args.game is not None and args.game != known.game:
        known = replace(_fresh(args.game), source=known.source)
    return run_set_up(args.log, args.resume, _told(args, known), recording_of(args), hosting)


def _fresh(game: str) -> TableProfile:
    from assistant.ui.setup.profile import TableProfile

    return TableProfile(game=game)


def _told(args: argparse.Namespace, known: TableProfile) -> TableProfile:
    """A profile with the options of the command in it."""
    if args.camera is not None:
        known = replace(known, lens=read_lens(args.camera))
    if args.roster is not None:
        known = replace(known, roster=args.roster)
    if args.table is not None:
        known = replace(known, table_mm=args.table)
    if args.sizes:
        known = replace(known, sizes_mm=args.sizes)
    if args.corners is not None:
        a, b, c, d = ((float(x), float(y)) for x, y in args.corners)
        known = replace(known, corners_px=(a, b, c, d))
    if args.marks is not None:
        marked = marks_of_file(args.marks)
        known = replace(
            known,
            marks=marked.on_field(),
            players=marked.players or known.players,
            terrain=marked.terrain or known.terrain,
            table_mm=known.table_mm or (marked.table.width_mm, marked.table.depth_mm),
        )
    return known
