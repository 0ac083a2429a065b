"""`pinpoint enrol` with --tokens, --terrain or --empty: what a roster holds beside disks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.view import TableView
from vision.enrol.things import add_empty_table, add_terrain, add_token, cut_terrain, cut_tokens, empty_table


class Shown(NamedTuple):
    """A picture, the table in it and where it came from."""

    picture: ByteImage
    view: TableView
    path: Path


def enrol_tokens(shown: Sequence[Shown], kind: str, target: Path) -> int:
    """Learns one kind of token from its copies on the bare table."""
    found = [thing for one in shown for thing in cut_tokens(one.picture, one.view, empty_table(target, one.view))]
    if not found:
        raise InputError(
            "no tokens",
            ", ".join(str(one.path) for one in shown),
            "lay them side by side on the bare table, or enrol the empty table first with --empty",
        )
    sharpest = max(found, key=lambda thing: thing.px_across)
    add_token(target, kind, sharpest)
    print(f"{kind}  {sharpest.side_mm:5.1f} mm square, seen {len(found)}x, in {target}")
    return 0


def enrol_terrain(shown: Sequence[Shown], name: str, keywords: Sequence[str], target: Path) -> int:
    """Learns one piece of terrain that lies alone on the table."""
    if len(shown) > 1:
        raise InputError("too many pictures", ", ".join(str(one.path) for one in shown), "one shows a piece of terrain")
    (one,) = shown
    thing = cut_terrain(one.picture, one.view, empty_table(target, one.view))
    if thing is None:
        raise InputError(
            "no terrain",
            str(one.path),
            "lay one piece alone on the table, or enrol the empty table first with --empty",
        )
    add_terrain(target, name, keywords, thing)
    width_mm, depth_mm = (float(side) for side in thing.outline_mm.max(axis=0) - thing.outline_mm.min(axis=0))
    print(f"{name}  {width_mm:.0f} x {depth_mm:.0f} mm  {', '.join(keywords) or 'no keywords'}, in {target}")
    return 0


def enrol_empty_table(shown: Sequence[Shown], target: Path) -> int:
    """Keeps the empty table, so that whatever differs from it later is seen."""
    if len(shown) > 1:
        raise InputError("too many pictures", ", ".join(str(one.path) for one in shown), "one shows the empty table")
    (one,) = shown
    add_empty_table(target, one.picture, one.view)
    print(f"the empty table, {one.view.width_mm:.1f} x {one.view.depth_mm:.1f} mm, in {target}")
    return 0
