"""What the commands that follow a table share: the game, the lens, the roster, the log."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from assistant.cli.inputs import DEFAULT_GAME, corners, game_of, scene_of_file, sizes, table_size, thickness
from assistant.cli.looking import pieces_of, players_of
from assistant.evidence.options import MODES, RECORDING, RecordingOptions
from assistant.log.game_log import GameLog
from assistant.log.resuming import start_or_resume
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.scene.values import JsonValue, Scene
from assistant.session import Session, TableSetting, session_for
from assistant.session.corner_memory import CornerMemory, recall_corners
from assistant.session.proposing import unconfirmed
from assistant.session.referee import Listener
from calibration.errors import InputError
from calibration.lens import lens_to_json, read_lens
from calibration.own_markers import read_markers
from vision.camera.address import names_camera, without_password
from vision.camera.live import LiveSource
from vision.camera.source import FrameSource, open_source, reduction_of
from vision.camera.standpoint import Given
from vision.roster.profiles import read_roster
from vision.types.options import all_options


def add_table_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, camera, roster, table and sizes."""
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=f"which game (default: {DEFAULT_GAME})")
    parser.add_argument("--camera", type=Path, metavar="C.json", help="the lens, from pinpoint calibrate camera")
    parser.add_argument("--roster", type=Path, metavar="R.json", help="the disks there are, with their art")
    parser.add_argument("--table", type=table_size, metavar="WxD", help="battlefield in mm (default: the game's own)")
    parser.add_argument(
        "--sizes", type=sizes, metavar="MM,MM|any", default=(), help="the diameters there are; any: measure"
    )
    add_thickness_argument(parser)
    add_marks_argument(parser)


def add_thickness_argument(parser: argparse.ArgumentParser) -> None:
    """Pieces that are not cards."""
    parser.add_argument(
        "--thickness",
        type=thickness,
        metavar="MM",
        help="pieces that are not cards of 2 mm: poker chips 3.3, checkers 10",
    )


def add_marks_argument(parser: argparse.ArgumentParser) -> None:
    """Pieces that a person marked."""
    parser.add_argument(
        "--marks",
        type=Path,
        metavar="marks.json",
        help="a scene of pieces that a person marked: found at these places (within 5 mm, 4 degrees) and followed",
    )


def add_camera_arguments(parser: argparse.ArgumentParser) -> None:
    """How a live camera is used."""
    parser.add_argument(
        "--corners",
        type=corners,
        metavar="PIXELS",
        help='a table without tokens and a fixed camera: the battlefield\'s corners NW NE SE SW, "x,y x,y x,y x,y"; '
        "remembered for a camera",
    )
    parser.add_argument(
        "--markers", type=Path, metavar="FILE.json", help="a table with markers of its own: where they are"
    )
    parser.add_argument(
        "--auto",
        action="store_true",
        help="leave focus, exposure and white balance to the camera (default: held once the table is measured)",
    )


def source_of(args: argparse.Namespace, realtime: bool) -> FrameSource:
    """The source that was named; a camera is asked for the picture size of its camera file, where there is one."""
    lens = read_lens(args.camera) if args.camera else None
    return open_source(args.source, realtime, (lens.width, lens.height) if lens else None)


def given_of(args: argparse.Namespace) -> Given | None:
    """Where the table is, where a person says it: by corners, by its own markers, or by what a camera remembers."""
    if args.corners is not None and args.markers is not None:
        raise InputError("two ways to find the table", "--corners", "expected --corners or --markers, not both")
    if args.markers is not None:
        return Given(markers=read_markers(args.markers))
    if args.corners is not None:
        return Given((args.corners + 0.5) * reduction_of(args.source) - 0.5)
    return recall_corners(without_password(args.source)) if names_camera(args.source) else None


def corner_memory(source: FrameSource, args: argparse.Namespace) -> tuple[Listener, ...]:
    """What remembers corners that were given for a live camera."""
    if args.corners is None or not isinstance(source, LiveSource):
        return ()
    return (CornerMemory(without_password(args.source), args.corners),)


def setting_of(args: argparse.Namespace) -> TableSetting:
    """The table as the arguments describe it; marks bring their players, terrain, zones and objectives along."""
    roster = read_roster(args.roster) if args.roster else None
    if not args.marks:
        return TableSetting(game=game_of(args.game), players=players_of(roster), roster=roster)
    marks = marks_of_file(args.marks)
    return TableSetting(
        game=game_of(args.game if args.game != DEFAULT_GAME else marks.game),
        players=marks.players or players_of(roster),
        roster=roster,
        terrain=marks.terrain,
        zones=marks.zones,
        objectives=marks.objectives,
        marks=marks.on_field(),
    )


def marked_table(args: argparse.Namespace) -> tuple[float, float] | None:
    """The size of the table that marks were set on; None without marks."""
    if not args.marks:
        return None
    table = marks_of_file(args.marks).table
    return (table.width_mm, table.depth_mm)


@cache
def marks_of_file(path: Path) -> Scene:
    """A scene of marked pieces; one without any on the field, or with some that nobody confirmed, is refused."""
    scene = scene_of_file(path)
    if not scene.on_field():
        raise InputError("no marks", str(path), "expected a scene with at least one piece on the field")
    if open_ones := unconfirmed(scene.on_field()):
        why = f'{len(open_ones)} pieces are only proposed: delete "proposed" of those that are right, and the others'
        raise InputError("unconfirmed marks", str(path), why)
    return scene


def session_of(args: argparse.Namespace, setting: TableSetting) -> Session:
    """What follows the table; where a log is resumed, from what it last knew."""
    lens = read_lens(args.camera) if args.camera else None
    pieces = pieces_of(setting.game, setting.roster, args.sizes, args.thickness)
    session = session_for(setting, pieces, lens, args.table or marked_table(args), given=given_of(args))
    if args.resume and args.log is not None and args.log.exists():
        with GameLog(args.log) as log:
            session.go_on_from(state.scene for state in log.states())
    return session


def add_log_arguments(parser: argparse.ArgumentParser, required: bool) -> None:
    """The log, and whether to go on with one that is there."""
    parser.add_argument(
        "--log", type=Path, required=required, metavar="F.pinpoint", help="write the game into this log as it goes"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with a log that is there, after a break or a crash"
    )
    parser.add_argument(
        "--clips",
        choices=MODES,
        default=RECORDING.mode,
        help="film beside the log: of violations, bumps and close calls (important), of all events, or off "
        f"(default: {RECORDING.mode})",
    )
    parser.add_argument(
        "--clips-mb",
        type=_megabytes,
        default=RECORDING.budget_mb,
        metavar="MB",
        help=f"how much room the clips may take (default: {RECORDING.budget_mb:g})",
    )


def recording_of(args: argparse.Namespace) -> RecordingOptions:
    """What is filmed, as the arguments say."""
    return replace(RECORDING, mode=args.clips, budget_mb=args.clips_mb)


def _megabytes(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 1 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"wrong room {text!r}: expected megabytes from 1")
    return value


def log_of(args: argparse.Namespace, setting: TableSetting) -> LogWriter:
    """A new log with everything the game is played with, or the one that is to be resumed."""
    camera: JsonValue = lens_to_json(read_lens(args.camera)) if args.camera else None
    roster: JsonValue = json.loads(args.roster.read_text(encoding="utf-8")) if args.roster else None
    settings = Settings(
        game=setting.game.id,
        source=without_password(str(args.source)),
        version=_version(),
        readings=dict(setting.house),
        roster=roster,
        camera=camera,
        options=all_options(),
    )
    return start_or_resume(args.log, settings, args.resume)


def _version() -> str:
    try:
        return version("pinpoint-referee")
    except PackageNotFoundError:
        return ""
