"""All the terrain on a table: enrolled pieces, and whatever else lies flat on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shapely import Polygon

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.roster.profiles import Roster
from vision.terrain.known import TerrainTemplate, find_known_terrain
from vision.terrain.options import TERRAIN
from vision.terrain.outlines import find_terrain
from vision.types.sighting import DiskSighting, TerrainSighting


@dataclass(frozen=True, slots=True, eq=False)
class KnownGround:
    """What a roster tells of the ground: its pieces of terrain, and the empty table with the sides it had."""

    pieces: tuple[TerrainTemplate, ...] = ()
    empty: ByteImage | None = None
    sides_mm: tuple[float, float] = (0.0, 0.0)

    @staticmethod
    def of(roster: Roster) -> KnownGround:
        """Reads the pictures of terrain and of the empty table."""
        pieces = tuple(TerrainTemplate.of(piece) for piece in roster.terrain)
        table = roster.empty_table
        if table is None:
            return KnownGround(pieces)
        return KnownGround(pieces, table.picture(), (table.width_mm, table.depth_mm))

    def bare(self, view: TableView) -> ByteImage | None:
        """The empty table's picture, where it shows this table and not one of another size."""
        width_mm, depth_mm = self.sides_mm
        same = (
            abs(width_mm - view.width_mm) < TERRAIN.same_table_mm
            and abs(depth_mm - view.depth_mm) < TERRAIN.same_table_mm
        )
        return self.empty if same else None


def see_terrain(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], ground: KnownGround
) -> tuple[TerrainSighting, ...]:
    """Enrolled pieces where they lie now, then what else is found, largest first."""
    known = find_known_terrain(bgr, view, disks, ground.pieces)
    shapes = [Polygon(piece.outline_mm).buffer(0) for piece in known]
    rest = [
        piece
        for piece in find_terrain(bgr, view, disks, ground.bare(view))
        if not any(_shared(piece, shape) for shape in shapes)
    ]
    numbered = (replace(piece, id=f"terrain-{number}") for number, piece in enumerate(rest, start=1))
    return (*known, *numbered)


def _shared(piece: TerrainSighting, shape: Polygon) -> bool:
    own = Polygon(piece.outline_mm).buffer(0)
    return bool(own.intersection(shape).area > TERRAIN.same_share * min(own.area, shape.area))
