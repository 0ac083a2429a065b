"""`pinpoint enrol`: a roster from pictures of a player's own disks, tokens, terrain and empty table."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from assistant.cli.enrol_things import Shown, enrol_empty_table, enrol_terrain, enrol_tokens
from assistant.cli.inputs import DEFAULT_GAME, game_of, sizes, table_size
from assistant.cli.looking import measure_table, pieces_of
from assistant.log.plain_text import one_line
from calibration.errors import InputError
from vision.camera.stills import read_picture
from vision.enrol.disks import CutFace, cut_faces, merge_copies, write_enrolled
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.types.frame import Frame


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """IMAGES, the table they show, and where the roster goes."""
    parser.add_argument(
        "images", nargs="+", type=Path, metavar="IMAGE", help="your disks face up on the table, none covering another"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--tokens", type=_name, metavar="KIND", help="the pictures show tokens of this kind on the bare table instead"
    )
    what.add_argument("--terrain", type=_name, metavar="NAME", help="the picture shows this piece of terrain alone")
    what.add_argument("--empty", action="store_true", help="the picture shows the empty table, to tell terrain from it")
    parser.add_argument(
        "--keywords", type=_words, metavar="WORD,WORD", default=(), help='of the terrain, such as "cover,rough"'
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
    target = args.o if args.o.suffix == ".json" else args.o / "roster.json"
    game = game_of(DEFAULT_GAME)
    shown = []
    for image in args.images:
        picture = read_picture(image)
        shown.append(
            Shown(picture, measure_table(picture, str(image), args.table or game.table_mm, args.camera), image)
        )
    if args.keywords and not args.terrain:
        raise InputError("keywords without terrain", ", ".join(args.keywords), "give them with --terrain NAME")
    if args.tokens:
        return enrol_tokens(shown, args.tokens, target)
    if args.terrain:
        return enrol_terrain(shown, args.terrain, args.keywords, target)
    if args.empty:
        return enrol_empty_table(shown, target)
    return _enrol_disks(shown, pieces_of(game, None, args.sizes), target)


def _name(text: str) -> str:
    if re.fullmatch(r"[\w-][\w .-]*", text) is None:
        raise argparse.ArgumentTypeError(f"wrong name {text!r}: expected letters, digits, spaces, dots and dashes")
    return text


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _enrol_disks(shown: list[Shown], pieces: Pieces, target: Path) -> int:
    faces: list[CutFace] = []
    for picture, view, image in shown:
        found = cut_faces(picture, view, look(Frame(picture, 0, 0.0), view, pieces), image.name)
        print(f"{image}: {len(found)} faces")
        faces.extend(found)
    if not faces:
        raise InputError(
            "no faces",
            ", ".join(str(one.path) for one in shown),
            "lay your disks side by side with their art up and try again",
        )
    kinds = merge_copies(faces)
    written = write_enrolled(target, kinds)
    for profile, kind in written:
        seen = f"seen {kind.copies}x, sharpest in {kind.face.where}"
        print(one_line(f"{profile.id}  {profile.circle_mm:5.1f} mm  {profile.owner or 'no group':8s}  {seen}"))
    known = len(kinds) - len(written)
    print(f"{len(written)} new disks in {target}" + (f", {known} known already" if known else ""))
    return 0
