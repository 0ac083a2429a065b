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
from calibration.lens import Lens, read_lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from calibration.working_copy import working_copy
from vision.camera.standpoint import Given
from vision.look.pieces import Pieces
from vision.roster.profiles import Roster


def measure_table(
    picture: ByteImage,
    where: str,
    table_mm: tuple[float, float],
    camera: Path | None = None,
    given: Given | None = None,
) -> TableView:
    """The view of the table in a picture; what was seen, why it is not enough and what to do where there is none."""
    view = _measured(picture, table_mm, read_lens(camera) if camera else None, str(camera), given or Given())
    if isinstance(view, TableView):
        return view
    raise InputError("no table", where, f"{view.reason}; {view.hint}")


def _measured(
    picture: ByteImage, table_mm: tuple[float, float], lens: Lens | None, lens_file: str, given: Given
) -> TableView | Failure:
    """By the tokens at full resolution, or by what was given in the copy that detection works on."""
    full_height, full_width = picture.shape[:2]
    if given.corners_px is None and given.markers is None:
        return solve_table(picture, *table_mm, lens.for_picture(full_width, full_height, lens_file) if lens else None)
    copy = working_copy(picture)
    height, width = copy.shape[:2]
    if given.corners_px is not None:
        scale = np.array([width / full_width, height / full_height])
        given = replace(given, corners_px=(given.corners_px + 0.5) * scale - 0.5)
    found = given.measure(copy, table_mm, lens.for_picture(width, height, lens_file) if lens else None)
    assert found is not None
    return found if isinstance(found, Failure) else found.view.resized(full_width, full_height)


def pieces_of(
    game: GameSystem,
    roster: Roster | None,
    sizes_mm: tuple[float, ...] | None,
    thickness_mm: float | None = None,
) -> Pieces:
    """What to look for: the sizes given (None: any), else the roster's, else the game's own."""
    if sizes_mm == ():
        sizes_mm = roster.sizes_mm() if roster and roster.profiles else game.circles_mm
    return Pieces(sizes_mm, roster, thickness_mm)


def players_of(roster: Roster | None) -> tuple[Player, ...]:
    """The owners a roster names, in its order."""
    owners = dict.fromkeys(profile.owner for profile in roster.profiles if profile.owner) if roster else {}
    return tuple(Player(id=owner) for owner in owners)
