"""What the commands that look at pictures share: the table, the pieces to expect, the players."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.rules.game import GameSystem
from assistant.scene.values import Player
from calibration.arrays import ByteImage
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.standpoint import Given
from vision.look.pieces import Pieces
from vision.roster.profiles import Roster


def measure_table(
    picture: ByteImage,
    where: str,
    table_mm: tuple[float, float],
    camera: Path | None = None,
    given: Given | None = None,
    full_size: tuple[int, int] | None = None,
) -> TableView:
    """The view of the table in a picture; what was seen, why it is not enough and what to do where there is none.

    `full_size`: the size of the picture before it was reduced, which corners given by hand refer to.
    """
    height, width = picture.shape[:2]
    lens = read_lens(camera).for_picture(width, height, str(camera)) if camera else None
    given = given or Given()
    if given.corners_px is not None and full_size is not None:
        scale = np.array([width, height]) / np.array(full_size)
        given = replace(given, corners_px=(given.corners_px + 0.5) * scale - 0.5)
    found = given.measure(picture, table_mm, lens)
    if found is None:
        view = solve_table(picture, table_mm[0], table_mm[1], lens)
    else:
        view = found if isinstance(found, Failure) else found.view
    if isinstance(view, TableView):
        return view
    raise InputError("no table", where, f"{view.reason}; {view.hint}")


def pieces_of(game: GameSystem, roster: Roster | None, sizes_mm: tuple[float, ...] | None) -> Pieces:
    """What to look for: the sizes given (None: any), else the roster's, else the game's own."""
    if sizes_mm == ():
        sizes_mm = roster.sizes_mm() if roster and roster.profiles else game.circles_mm
    return Pieces(sizes_mm, roster)


def players_of(roster: Roster | None) -> tuple[Player, ...]:
    """The owners a roster names, in its order."""
    owners = dict.fromkeys(profile.owner for profile in roster.profiles if profile.owner) if roster else {}
    return tuple(Player(id=owner) for owner in owners)
