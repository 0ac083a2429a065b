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
from vision.shadows.hidden_support import raised_disks
from vision.shadows.table_shade import TableColours
from vision.terrain.detect import KnownGround, see_terrain
from vision.types.frame import Frame
from vision.types.poses import poses_of
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, TableSighting, TerrainSighting
from vision.types.stages import stage
from vision.types.workers import meanwhile

NO_FACES = FaceIndex.build((), ())

_log = logging.getLogger(__name__)


def look(frame: Frame, view: TableView, pieces: Pieces, by_shadows: bool = True) -> TableSighting:
    """Finds everything in one settled frame, knowing nothing of the frames before.

    What lies unseen below a disk is told by its shadow, unless somebody knows that better who has followed the game:
    a height that comes and goes with each look would seem a move.
    """
    with stage(_log, "detect") as found:
        seen = look_for_disks(frame, view, pieces)
        found |= {"disks": len(seen.disks), "orders": len(seen.orders), "mean confidence": _mean_confidence(seen)}
    if not pieces.are_cards:
        return replace(seen, terrain=see_terrain(frame.bgr, view, seen.disks, pieces.ground))
    of_cards = by_shadows
    with stage(_log, "identify") as found:
        seeing = meanwhile(lambda: _see_ground(frame, view, pieces, seen, of_cards))
        identified, by_art = recognise(frame.bgr, view, seen, pieces.faces)
        terrain, colours = seeing()
        identified = replace(identified, terrain=terrain)
        named = sum(disk.face.profile is not None for disk in identified.disks)
        found |= {"named": named, "with art poses": len(by_art), "terrain pieces": len(terrain)}
    with stage(_log, "settle") as found:
        settled = lie_down(view, identified, by_art)
        raised = raised_disks(colours, view, settled) if colours else {}
        found |= {"raised by their shadow": len(raised)}
        return lie_down(view, identified, by_art, raised=raised) if raised else settled


def _mean_confidence(seen: TableSighting) -> float:
    return sum(disk.confidence for disk in seen.disks) / max(len(seen.disks), 1)


def _see_ground(
    frame: Frame, view: TableView, pieces: Pieces, seen: TableSighting, of_cards: bool
) -> tuple[tuple[TerrainSighting, ...], TableColours | None]:
    """Terrain, and the table's own colours if shadows of cards are to be seen on them."""
    terrain = see_terrain(frame.bgr, view, seen.disks, pieces.ground)
    return terrain, TableColours.of(frame.bgr, view, poses_of(seen.disks), terrain) if of_cards else None


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
