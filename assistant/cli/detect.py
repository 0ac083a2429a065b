"""`pinpoint detect`: one picture to one scene."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from assistant.cli.inputs import DEFAULT_GAME, corners_or_picture, sizes, table_size, write_answer
from assistant.cli.looking import measure_table, pieces_of
from assistant.cli.tables import add_marks_argument, add_thickness_argument, marked_table, setting_of
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_text
from assistant.session import TableSetting, scene_of
from assistant.session.figures import marks_of, scene_of_figures
from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.own_markers import read_markers
from calibration.view import TableView
from vision.camera.standpoint import Given
from vision.camera.stills import read_picture, write_picture
from vision.figures.marked import look_at_marks
from vision.figures.watcher import look_for_figures
from vision.look.picture import photograph
from vision.look.pipeline import look
from vision.report.draw_disks import draw_evidence
from vision.report.draw_figures import draw_figures
from vision.types.frame import Frame
from vision.types.workers import meanwhile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """IMAGE, and what is known of the table before looking."""
    add_picture_arguments(parser)
    parser.add_argument("--roster", type=Path, metavar="R.json", help="the disks there are, with their art")
    add_thickness_argument(parser)
    add_marks_argument(parser)
    parser.add_argument(
        "--debug-picture", type=Path, metavar="OUT.png", help="also draw what was seen over the picture"
    )
    parser.add_argument("-o", default="-", metavar="scene.json", help="where to write (default: standard output)")


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """A picture and how its table is measured."""
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a picture of the table with its four corner tokens")
    parser.add_argument("--camera", type=Path, metavar="C.json", help="the lens, from pinpoint calibrate camera")
    parser.add_argument("--table", type=table_size, metavar="WxD", help="battlefield in mm (default: the game's own)")
    parser.add_argument("--game", default=DEFAULT_GAME, metavar="G", help=f"which game (default: {DEFAULT_GAME})")
    parser.add_argument(
        "--corners",
        type=corners_or_picture,
        metavar="PIXELS|picture",
        help='the battlefield\'s corners NW NE SE SW by hand, instead of tokens: "x,y x,y x,y x,y"; picture: a plain '
        "photograph from straight above, its own corners (without --table a pixel counts as a millimetre)",
    )
    parser.add_argument(
        "--markers", type=Path, metavar="FILE.json", help="a table with markers of its own: where they are"
    )
    parser.add_argument(
        "--sizes", type=sizes, metavar="MM,MM|any", default=(), help="the diameters there are; any: measure"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the scene that the picture shows."""
    setting = setting_of(args)
    game = setting.game
    preparing = meanwhile(lambda: pieces_of(game, setting.roster, args.sizes, args.thickness))
    frame, view = measured_picture(args, game.table_mm, marked_table(args))
    picture = frame.bgr
    if game.figures or setting.marks:
        write_answer(args.o, scene_to_text(_figures(args, picture, view, setting)))
        return 0
    sighting = look(frame, view, preparing())
    scene = scene_of(sighting, view, setting)
    if args.debug_picture:
        write_picture(args.debug_picture, draw_evidence(picture, view, sighting))
    write_answer(args.o, scene_to_text(scene))
    return 0


def measured_picture(
    args: argparse.Namespace, usual_mm: tuple[float, float], marked_mm: tuple[float, float] | None = None
) -> tuple[Frame, TableView]:
    """The picture as detectors take it, and its table: of the size asked for, of its marks, or the usual one."""
    full = read_picture(args.image)
    full_size = (full.shape[1], full.shape[0])
    by_picture = args.corners is not None and not len(args.corners)
    if by_picture and args.table is None and args.sizes is not None:
        raise InputError("no size", "--corners picture", "expected --table WxD in mm of all it shows, or --sizes any")
    table_mm = args.table or marked_mm or (full_size if by_picture else usual_mm)
    corners_px = picture_corners(*full_size) if by_picture else args.corners
    given = Given(corners_px, markers=read_markers(args.markers) if args.markers else None)
    view = measure_table(full, str(args.image), table_mm, args.camera, given)
    frame = photograph(full)
    return frame, view.resized(frame.bgr.shape[1], frame.bgr.shape[0])


def picture_corners(width: int, height: int) -> FloatArray:
    """The outer corners of a picture's corner pixels, NW NE SE SW."""
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float64) - 0.5


def _figures(args: argparse.Namespace, picture: ByteImage, view: TableView, setting: TableSetting) -> Scene:
    """The bases and stands in a picture, where they were marked or by the kit's rings and cards."""
    if setting.marks:
        seen = look_at_marks(picture, view, marks_of(setting.marks))
    else:
        seen = look_for_figures(picture, view, args.sizes or setting.game.circles_mm, setting.game.rects_mm)
    if args.debug_picture:
        write_picture(args.debug_picture, draw_figures(picture, view, seen))
    return scene_of_figures(seen, view, setting)
