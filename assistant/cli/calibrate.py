"""`pinpoint calibrate`: the lens, the table or the pieces from pictures."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from assistant.cli.inputs import DEFAULT_GAME, corners, game_of, table_size, write_answer
from assistant.cli.looking import measure_table
from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import field_corners_mm
from calibration.lens import lens_to_json
from calibration.lens_solve import LensSolve, coverage_of, lacking_parts, solve_lens
from calibration.lens_views import BoardView, Rejected, find_view
from calibration.own_ruler import StripMeasure, measure_strips
from calibration.view import TableView
from vision.camera.source import open_source
from vision.camera.standpoint import Given
from vision.camera.stills import read_picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.types.decoding import SUFFIXES
from vision.types.frame import Frame

_FRAME = "frame "  # names of pictures out of a stream: a useless one among hundreds is not worth a word
_ENOUGH_VIEWS = 15
_LIVE_FRAMES_BETWEEN_WORDS = 45
_SAME_SIZE_MM = 2.5
_DIAMETER_SIGMA_MM = 0.4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """camera, table or pieces, each with its own pictures."""
    kinds = parser.add_subparsers(dest="what", required=True, metavar="camera|table|pieces")
    camera = kinds.add_parser("camera", help="the lens, from pictures of the camera board or a chessboard")
    camera.add_argument(
        "pictures", nargs="+", metavar="PICTURE", help="pictures, a folder, a film, or a camera's number"
    )
    camera.add_argument(
        "--chessboard", type=_chessboard, metavar="CxR", help="inner corners of a chessboard, such as 9x6"
    )
    camera.add_argument("-o", default="-", metavar="camera.json", help="where to write (default: standard output)")
    table = kinds.add_parser("table", help="the table, from one picture of its corner tokens")
    pieces = kinds.add_parser(
        "pieces", help="the sizes of your own disks and ruler, from one picture of them on the table"
    )
    for kind in (table, pieces):
        kind.add_argument("image", type=Path, metavar="IMAGE")
        kind.add_argument("--camera", type=Path, metavar="C.json", help="the lens, from pinpoint calibrate camera")
        kind.add_argument("--table", type=table_size, metavar="WxD", help="battlefield in mm (default: 914.4x914.4)")
    pieces.add_argument("-o", default="-", metavar="pieces.json", help="where to write (default: standard output)")
    table.add_argument(
        "--corners", type=corners, metavar="PIXELS", help='corners NW NE SE SW by hand: "x,y x,y x,y x,y"'
    )
    table.add_argument("-o", default="-", metavar="table.json", help="where to write (default: standard output)")


def run(args: argparse.Namespace) -> int:
    """Measures what was asked for."""
    return {"camera": _camera, "table": _table, "pieces": _pieces}[args.what](args)


def _chessboard(text: str) -> tuple[int, int]:
    columns, by, rows = text.lower().partition("x")
    if not (by and columns.isdecimal() and rows.isdecimal() and int(columns) > 2 and int(rows) > 2):
        raise argparse.ArgumentTypeError(
            f"wrong chessboard {text!r}: expected inner corners across x down, such as 9x6"
        )
    return int(columns), int(rows)


def _table(args: argparse.Namespace) -> int:
    picture = read_picture(args.image)
    size = args.table or game_of(DEFAULT_GAME).table_mm
    view = measure_table(picture, str(args.image), size, args.camera, Given(args.corners))
    write_answer(args.o, json.dumps(table_report(view), indent=1, sort_keys=True) + "\n")
    return 0


def table_report(view: TableView) -> dict[str, object]:
    """A solved table in words of JSON."""
    found = view.calibration
    field = field_corners_mm(view.width_mm, view.depth_mm)
    middle = field.mean(axis=0, keepdims=True)
    sigma = np.sqrt(np.trace(view.position_covariance(np.concatenate([field, middle])), axis1=1, axis2=2) / 2)
    return {
        "calibration": {
            "tokens": list(found.tokens),
            "rms_px": round(found.rms_px, 4),
            "scale_source": found.scale_source,
            "scale_sigma": round(found.scale_sigma, 6),
            "px_per_mm": round(float(view.px_per_mm(middle)[0]), 4),
            "camera_height_mm": round(view.camera_height_mm, 1),
            "notes": list(found.notes),
        },
        "camera": lens_to_json(view.lens),
        "camera_pose": {"R": view.rotation.tolist(), "t": view.translation.tolist()},
        "corners_px": np.round(view.board_to_image(field), 3).tolist(),
        "position_sigma_mm": {"corners": np.round(sigma[:4], 3).tolist(), "middle": round(float(sigma[4]), 3)},
        "table": {"width_mm": view.width_mm, "depth_mm": view.depth_mm},
    }


def _pieces(args: argparse.Namespace) -> int:
    picture = read_picture(args.image)
    size = args.table or game_of(DEFAULT_GAME).table_mm
    view = measure_table(picture, str(args.image), size, args.camera)
    disks = look(Frame(picture, 0, 0.0), view, Pieces(None)).disks
    strips = measure_strips(picture, view)
    if not disks and isinstance(strips, Failure):
        raise InputError("no pieces", str(args.image), "lay one disk of each size and your ruler flat on the table")
    report: dict[str, object] = {
        "circles_mm": disk_sizes([disk.diameter_mm for disk in disks], view.calibration.scale_sigma),
        "notes": list(view.calibration.notes),
        "scale_source": view.calibration.scale_source,
    }
    if isinstance(strips, Failure):
        report["notes"] = [*view.calibration.notes, strips.reason]
    else:
        report["ruler"] = ruler_report(strips[0])
    write_answer(args.o, json.dumps(report, indent=1, sort_keys=True) + "\n")
    return 0


def disk_sizes(diameters_mm: Sequence[float], scale_sigma: float) -> list[dict[str, float | int]]:
    """The different sizes among measured diameters, each with its error; nearly equal ones are one size."""
    groups: list[list[float]] = []
    for diameter in sorted(diameters_mm):
        if groups and diameter - groups[-1][-1] < _SAME_SIZE_MM:
            groups[-1].append(diameter)
        else:
            groups.append([diameter])
    sizes: list[dict[str, float | int]] = []
    for group in groups:
        mean = float(np.mean(group))
        sigma = float(np.hypot(_DIAMETER_SIGMA_MM / np.sqrt(len(group)), mean * scale_sigma))
        sizes.append({"circle_mm": round(mean, 2), "disks": len(group), "sigma_mm": round(sigma, 2)})
    return sizes


def ruler_report(strip: StripMeasure) -> dict[str, object]:
    """A measured ruler, and what it means for a game with short, medium and long range."""
    report: dict[str, object] = {
        "length_mm": round(strip.length_mm, 2),
        "marks_mm": [round(mark, 2) for mark in strip.marks_mm],
        "sigma_mm": round(strip.sigma_mm, 2),
    }
    if len(strip.marks_mm) == 2:
        short, medium = strip.marks_mm
        long = strip.length_mm
        report["ruler_mm"] = {"short": round(short, 2), "medium": round(medium, 2), "long": round(long, 2)}
    return report


def _camera(args: argparse.Namespace) -> int:
    views: list[BoardView] = []
    rejected: list[Rejected] = []
    size: tuple[int, int] | None = None
    for name, picture in _pictures(args.pictures, views):
        here = (picture.shape[1], picture.shape[0])
        if size is not None and here != size:
            why = f"{here[0]}x{here[1]} where the others are {size[0]}x{size[1]}; a camera file is for one size"
            raise InputError("wrong picture size", name, why)
        size = here
        found = find_view(name, picture, views, args.chessboard)
        if isinstance(found, BoardView):
            views.append(found)
        elif not name.startswith(_FRAME):
            rejected.append(found)
    if size is None:
        raise InputError("no pictures", " ".join(args.pictures), "expected pictures of the camera board")
    solved = solve_lens(views, size, rejected)
    if isinstance(solved, Failure):
        raise InputError("no lens", args.pictures[0], f"{solved.reason}; {solved.hint}")
    _say(solved)
    write_answer(args.o, json.dumps(lens_to_json(solved.lens), indent=1, sort_keys=True) + "\n")
    return 0


def _say(solved: LensSolve) -> None:
    """How good the lens is, on standard error, so that the lens itself can go to standard output."""

    def tell(line: str) -> None:
        print(line, file=sys.stderr)

    for name, error in solved.view_errors_px:
        tell(f"{name}: {error:.3f} px")
    for view in solved.rejected:
        tell(f"{view.name}: left out, {view.reason}")
    lens = solved.lens
    names = ("fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3")
    values = [lens.matrix[0, 0], lens.matrix[1, 1], lens.matrix[0, 2], lens.matrix[1, 2], *lens.distortion]
    tell(" ".join(f"{n} {v:.5g}±{s:.2g}" for n, v, s in zip(names, values, solved.sigma, strict=True)))
    tell(f"{solved.rms_px:.3f} px over {len(solved.view_errors_px)} views of {lens.width}x{lens.height}")
    if solved.lacking:
        tell(f"no view reaches the picture's {', '.join(solved.lacking)}: the lens is less sure there")


def _pictures(sources: list[str], views: list[BoardView]) -> Iterator[tuple[str, ByteImage]]:
    """Pictures by name: files, the pictures of folders, or frames of a film or camera until they suffice."""
    for source in sources:
        path = Path(source)
        if path.is_dir():
            inside = sorted(entry for entry in path.iterdir() if entry.suffix.lower() in SUFFIXES)
            if not inside:
                raise InputError("no pictures", source, f"expected files ending in {', '.join(sorted(SUFFIXES))}")
            yield from ((entry.name, read_picture(entry)) for entry in inside)
        elif path.suffix.lower() in SUFFIXES:
            yield path.name, read_picture(path)
        else:
            yield from _frames(source, views)


def _frames(address: str, views: list[BoardView]) -> Iterator[tuple[str, ByteImage]]:
    """Frames of a camera or film, with word of what is still lacking, until the views cover the picture."""
    source = open_source(address)
    try:
        while (frame := source.read()) is not None:
            if not isinstance(frame, Frame):
                continue
            yield f"{_FRAME}{frame.index}", frame.bgr
            height, width = frame.bgr.shape[:2]
            lacking = lacking_parts(coverage_of(views, (width, height)))
            if frame.index % _LIVE_FRAMES_BETWEEN_WORDS == 0 and lacking:
                print(f"{len(views)} views; show the board at the {', '.join(lacking[:4])}", file=sys.stderr)
            if len(views) >= _ENOUGH_VIEWS and not lacking:
                return
    finally:
        source.close()
