"""What the commands that look at pictures share: the table, the pieces to expect, the players."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assistant.rules.game import GameSystem
from assistant.scene.values import Player
from calibration.arrays import ByteImage, FloatArray
from calibration.errors import InputError
from calibration.lens import read_lens
from calibration.table_solve import solve_from_corners, solve_table
from calibration.view import TableView
from vision.look.pieces import Pieces
from vision.roster.profiles import Roster


def measure_table(
    picture: ByteImage,
    where: str,
    table_mm: tuple[float, float],
    camera: Path | None = None,
    corners_px: FloatArray | None = None,
    full_size: tuple[int, int] | None = None,
) -> TableView:
    """The view of the table in a picture; what was seen, why it is not enough and what to do where there is none.

    `full_size`: the size of the picture before it was reduced, which corners given by hand refer to.
    """
    height, width = picture.shape[:2]
    lens = read_lens(camera).for_picture(width, height, str(camera)) if camera else None
    if corners_px is None:
        found = solve_table(picture, table_mm[0], table_mm[1], lens)
    else:
        if full_size is not None:
            corners_px = (corners_px + 0.5) * np.array([width, height]) / np.array(full_size) - 0.5
        found = solve_from_corners(corners_px, (width, height), table_mm[0], table_mm[1], lens)
    if isinstance(found, TableView):
        return found
    raise InputError("no table", where, f"{found.reason}; {found.hint}")


def pieces_of(game: GameSystem, roster: Roster | None, sizes_mm: tuple[float, ...] | None) -> Pieces:
    """What to look for: the sizes given (None: any), else the roster's, else the game's own."""
    if sizes_mm == ():
        sizes_mm = roster.sizes_mm() if roster and roster.profiles else game.circles_mm
    return Pieces(sizes_mm, roster)


def players_of(roster: Roster | None) -> tuple[Player, ...]:
    """The owners a roster names, in its order."""
    owners = dict.fromkeys(profile.owner for profile in roster.profiles if profile.owner) if roster else {}
    return tuple(Player(id=owner) for owner in owners)
