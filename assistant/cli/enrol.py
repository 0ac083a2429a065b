"""`pinpoint enrol`: a roster from pictures of a player's own disks."""

from __future__ import annotations

import argparse
from pathlib import Path

from assistant.cli.inputs import DEFAULT_GAME, game_of, sizes, table_size
from assistant.cli.looking import measure_table, pieces_of
from calibration.errors import InputError
from vision.enrol import CutFace, cut_faces, merge_copies, write_enrolled
from vision.frame import Frame
from vision.picture import read_picture
from vision.pipeline import look


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """IMAGES, the table they show, and where the roster goes."""
    parser.add_argument(
        "images", nargs="+", type=Path, metavar="IMAGE", help="your disks face up on the table, none covering another"
    )
    parser.add_argument("--camera", type=Path, metavar="C.json", help="the lens, from pinpoint calibrate camera")
    parser.add_argument("--table", type=table_size, metavar="WxD", help="battlefield in mm (default: 914.4x914.4)")
    parser.add_argument(
        "--sizes", type=sizes, metavar="MM,MM|any", default=(), help="the diameters there are; any: measure"
    )
    parser.add_argument(
        "-o",
        required=True,
        type=Path,
        metavar="ROSTER",
        help="a folder or a roster.json; one that is already there keeps its disks and gets the new ones",
    )


def run(args: argparse.Namespace) -> int:
    """Writes the roster and its art, and prints what was found."""
    faces: list[CutFace] = []
    game = game_of(DEFAULT_GAME)
    pieces = pieces_of(game, None, args.sizes)
    for image in args.images:
        picture = read_picture(image)
        view = measure_table(picture, str(image), args.table or game.table_mm, args.camera)
        found = cut_faces(picture, view, look(Frame(picture, 0, 0.0), view, pieces), image.name)
        print(f"{image}: {len(found)} faces")
        faces.extend(found)
    if not faces:
        raise InputError(
            "no faces", ", ".join(map(str, args.images)), "lay your disks side by side with their art up and try again"
        )
    kinds = merge_copies(faces)
    target = args.o if args.o.suffix == ".json" else args.o / "roster.json"
    written = write_enrolled(target, kinds)
    for profile, kind in written:
        seen = f"seen {kind.copies}x, sharpest in {kind.face.where}"
        print(f"{profile.id}  {profile.circle_mm:5.1f} mm  {profile.owner or 'no group':8s}  {seen}")
    known = len(kinds) - len(written)
    print(f"{len(written)} new disks in {target}" + (f", {known} known already" if known else ""))
    return 0
