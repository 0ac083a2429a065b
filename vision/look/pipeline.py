"""A settled frame and its table view in, all that lies on the table out. Composition only."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from calibration.view import TableView
from vision.faces.index import FaceIndex
from vision.look.detect import detect
from vision.look.identify import recognise
from vision.look.options import LOOK
from vision.look.picture import Box, Picture
from vision.look.pieces import Pieces
from vision.look.scale import scaled_sighting, scaled_view, working_scale
from vision.piles.settle import lie_down
from vision.rims.true_size import remeasured
from vision.roster.profiles import Roster
from vision.round_pieces.detect import detect_round
from vision.terrain.detect import KnownGround, see_terrain
from vision.types.frame import Frame
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, TableSighting, TerrainSighting
from vision.types.stages import stage
from vision.types.workers import meanwhile

NO_FACES = FaceIndex.build((), ())

_log = logging.getLogger(__name__)


def look(frame: Frame, view: TableView, pieces: Pieces, by_appearance: bool = True) -> TableSighting:
    """Finds everything in one settled frame, knowing nothing of the frames before.

    Hidden support below a disk is estimated from its appearance (`by_appearance`), unless the game is followed: a
    height that changes with each detection pass would seem a move.
    """
    with stage(_log, "detect") as found:
        seen = look_for_disks(frame, view, pieces)
        found |= {"disks": len(seen.disks), "orders": len(seen.orders), "mean confidence": _mean_confidence(seen)}
    if not pieces.are_cards:
        return replace(seen, terrain=see_terrain(frame.bgr, view, seen.disks, pieces.ground))
    with stage(_log, "identify") as found:
        seeing = meanwhile(lambda: see_terrain(frame.bgr, view, seen.disks, pieces.ground))
        identified, by_art = recognise(frame.bgr, view, seen, pieces.faces)
        terrain = seeing()
        identified = replace(identified, terrain=terrain)
        named = sum(disk.face.profile is not None for disk in identified.disks)
        found |= {"named": named, "with art poses": len(by_art), "terrain pieces": len(terrain)}
    with stage(_log, "settle") as found:
        settled = lie_down(view, identified, by_art, by_appearance=by_appearance and pieces.sizes_mm is not None)
        found |= {"raised": sum(disk.face_height_mm > 2 * CARD_THICKNESS_MM for disk in settled.disks)}
        return settled


def _mean_confidence(seen: TableSighting) -> float:
    return sum(disk.confidence for disk in seen.disks) / max(len(seen.disks), 1)


def look_for_terrain(frame: Frame, view: TableView, disks: Sequence[DiskSighting]) -> tuple[TerrainSighting, ...]:
    """Whatever lies flat on the table beside the disks, kinds unknown."""
    return see_terrain(frame.bgr, view, disks, KnownGround.of(Roster(())))


def look_for_disks(frame: Frame, view: TableView, pieces: Pieces, box_mm: Box | None = None) -> TableSighting:
    """Where disks lie and who lies on whom, in the whole field or in a box (west, north, east, south) of it."""
    if pieces.are_cards and pieces.sizes_mm is not None:
        return _look_for_cards(frame, view, pieces.sizes_mm, pieces.faces, box_mm)
    thickness_mm = CARD_THICKNESS_MM if pieces.thickness_mm is None else pieces.thickness_mm
    found = detect_round(frame.bgr, view, pieces.sizes_mm, thickness_mm, box_mm)
    return found if pieces.sizes_mm else remeasured(frame.bgr, view, found, thickness_mm)


def _look_for_cards(
    frame: Frame, view: TableView, sizes_mm: tuple[float, ...], faces: FaceIndex, box_mm: Box | None
) -> TableSighting:
    """Cards of known sizes, at the scale they are seen well at."""
    scale = working_scale(view, sizes_mm, LOOK.top_view_px_per_mm)
    if scale == 1.0:
        return detect(Picture.take(frame, view, sizes_mm, box_mm, CARD_THICKNESS_MM), faces)
    box = None if box_mm is None else (box_mm[0] * scale, box_mm[1] * scale, box_mm[2] * scale, box_mm[3] * scale)
    sizes = [size * scale for size in sizes_mm]
    seen = detect(Picture.take(frame, scaled_view(view, scale), sizes, box, CARD_THICKNESS_MM * scale), NO_FACES)
    return scaled_sighting(seen, 1 / scale)
