"""What the set-up sees in one picture: markers, the table, the pieces, the terrain. Plain functions, no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import median

import cv2
import numpy as np

from assistant.scene.values import Player, Point, Terrain
from assistant.ui.overlays.model import AreaMark, Dash, Ink, Overlay, RingMark
from assistant.ui.overlays.projection import PhotoProjection
from calibration.arrays import FloatArray
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import RULER_IDS, TOKEN_IDS
from calibration.lens import Lens
from calibration.markers import find_markers
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.enrol.disks import cut_faces, merge_copies, write_enrolled
from vision.look.pieces import Pieces
from vision.look.pipeline import look, look_for_terrain
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, TableSighting

_CORNERS = ("NW", "NE", "SE", "SW")
_CORNERS_AT_MOST = 16
_CORNER_OFF_MM = 1.5
_SURE = 0.9
_SAME_SIZE = 0.025  # two disks of one size measure no more different than this from one to the next larger
_BORDER = 0.15
_EDGES = ("south", "north", "east", "west")
_OPPOSITE = (frozenset({"south", "north"}), frozenset({"east", "west"}))


@dataclass(frozen=True, slots=True, eq=False)
class TokenSighting:
    """The kit in a picture, and the table measured from it or why not."""

    markers: Mapping[int, FloatArray]
    table: TableView | Failure


@dataclass(frozen=True, slots=True)
class PixelProjection:
    """Marks given in pixels of the picture itself."""

    size_px: tuple[int, int]

    def to_picture(self, points_mm: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """As they are."""
        del height_mm
        return np.asarray(points_mm, dtype=np.float64).reshape(-1, 2)

    def to_board(self, points_px: FloatArray, height_mm: float = 0.0) -> FloatArray:
        """As they are."""
        return self.to_picture(points_px, height_mm)


def see_tokens(frame: Frame, table_mm: tuple[float, float], lens: Lens | None) -> TokenSighting:
    """Finds the kit and measures the table."""
    height, width = frame.bgr.shape[:2]
    fitting = lens.for_picture(width, height, "camera file") if lens else None
    return TokenSighting(find_markers(frame.bgr), solve_table(frame.bgr, table_mm[0], table_mm[1], fitting))


def token_marks(seen: TokenSighting) -> list[Overlay]:
    """The markers where they were found, in picture pixels."""
    marks: list[Overlay] = []
    for identity, corners in seen.markers.items():
        outline = tuple((float(x), float(y)) for x, y in corners)
        name = _CORNERS[identity] if identity in TOKEN_IDS else "ruler"
        marks.append(AreaMark(outline, Ink.FREE, f"{name} (token {identity})", fill=0.15))
    if isinstance(seen.table, TableView):
        width, depth = seen.table.width_mm, seen.table.depth_mm
        field = np.array([[0.0, 0.0], [width, 0.0], [width, depth], [0.0, depth]])
        pixels = PhotoProjection(seen.table).to_picture(field)
        outline = tuple((float(x), float(y)) for x, y in pixels)
        marks.append(AreaMark(outline, Ink.MEASURE, "", dash=Dash.DASHED, fill=0.0))
    return marks


def token_words(seen: TokenSighting) -> list[str]:
    """Which tokens are seen, how well they fit, where the scale comes from, and what to do."""
    there = [name for identity, name in zip(TOKEN_IDS, _CORNERS, strict=True) if identity in seen.markers]
    lacking = [name for identity, name in zip(TOKEN_IDS, _CORNERS, strict=True) if identity not in seen.markers]
    ruler = sum(identity in seen.markers for identity in RULER_IDS)
    words = [
        "Corner tokens seen: " + (", ".join(there) or "none") + (f"; lacking: {', '.join(lacking)}" * bool(lacking))
    ]
    words.append(
        {0: "No range ruler is seen.", 1: "Only one end of the range ruler is seen."}.get(
            ruler, "The range ruler is seen."
        )
    )
    if isinstance(seen.table, Failure):
        return [*words, f"Not measured: {seen.table.reason}.", f"What to do: {seen.table.hint}."]
    measured = seen.table.calibration
    sources = {
        "ruler": "the range ruler: the best there is",
        "markers": "the printed size of the tokens; lay the range ruler on the table to make it surer",
        "table": "the table's nominal size: only as true as the tokens were placed; lay the range ruler on the table",
    }
    words.append(f"Residual {measured.rms_px:.2f} px. Scale from {sources[measured.scale_source]}.")
    words.append(f"A distance across the table is true to ±{2 * measured.scale_sigma * seen.table.width_mm:.1f} mm.")
    return [*words, *measured.notes]


def see_pieces(frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
    """Everything that lies on the table."""
    return look(frame, view, pieces)


@dataclass(frozen=True, slots=True)
class TerrainFound:
    """Terrain that the picture suggests."""

    terrain: tuple[Terrain, ...]


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A roster that was made from what lies on the table, and how many kinds of disks are new in it."""

    roster: Path
    fresh: int


def see_terrain(frame: Frame, view: TableView, disks: Sequence[DiskSighting]) -> TerrainFound:
    """Outlines with few enough corners to be dragged."""
    found = []
    for piece in look_for_terrain(frame, view, disks):
        outline = tuple((round(float(x), 1), round(float(y), 1)) for x, y in _few_corners(piece.outline_mm))
        found.append(Terrain(piece.id, outline))
    return TerrainFound(tuple(found))


def _few_corners(outline_mm: FloatArray) -> FloatArray:
    """An outline as true as it can be with no more corners than a hand likes to drag."""
    drawn = outline_mm.astype(np.float32).reshape(-1, 1, 2)
    few, off_mm = outline_mm, _CORNER_OFF_MM
    while len(few) > _CORNERS_AT_MOST:
        few = np.asarray(cv2.approxPolyDP(drawn, off_mm, True), dtype=np.float64).reshape(-1, 2)
        off_mm *= 1.4
    return few


def enrol_faces(frame: Frame, view: TableView, sighting: TableSighting, path: Path) -> Enrolled:
    """Adds every kind of disk that lies open on the table to a roster."""
    faces = cut_faces(frame.bgr, view, sighting, "the table")
    if not faces:
        raise InputError("no faces", "the table", "lay your disks side by side with their art up and measure them")
    return Enrolled(path, len(write_enrolled(path, merge_copies(faces))))


def piece_rings(disks: Sequence[DiskSighting]) -> list[Overlay]:
    """A ring with its diameter around every disk that was found."""
    return [
        RingMark((disk.x_mm, disk.y_mm), disk.diameter_mm / 2, Ink.OWNER_1, f"{disk.diameter_mm:.1f} mm")
        for disk in disks
    ]


def measured_sizes(disks: Sequence[DiskSighting], known_mm: Sequence[float]) -> list[tuple[float, int]]:
    """The diameters that were measured, with how many disks have each; one near a known size is that size.

    Disks of one size measure a little differently: near ones are one size, their median. What is not surely a disk
    does not count, nor does a lone size where others have several disks, nor a rare size a little smaller than a common
    one: that is the printed border inside the card's edge.
    """
    sure = sorted(disk.diameter_mm for disk in disks if disk.confidence >= _SURE)
    groups: list[list[float]] = []
    for diameter_mm in sure:
        if groups and diameter_mm <= (1 + _SAME_SIZE) * groups[-1][-1]:
            groups[-1].append(diameter_mm)
        else:
            groups.append([diameter_mm])
    several = [group for group in groups if len(group) > 1] or groups
    counts: Counter[float] = Counter()
    for group in several:
        middle_mm = median(group)
        common_mm = [median(other) for other in several if len(other) >= 3 * len(group)]
        if any((1 - _BORDER) * other_mm < middle_mm < other_mm for other_mm in common_mm):
            continue
        near = [size for size in known_mm if abs(size - middle_mm) <= 0.03 * size]
        counts[near[0] if near else round(2 * middle_mm) / 2] += len(group)
    return sorted(counts.items())


def suggested_players(owners: Mapping[str, Sequence[Point]], width_mm: float, depth_mm: float) -> tuple[Player, ...]:
    """Who sits where: each owner at the edge that his disks are nearest to, no two at one edge, two opposite."""
    away = [_shares_away(places, width_mm, depth_mm) for places in owners.values()]
    two = len(away) == 2
    seats = [seats for seats in permutations(_EDGES, len(away)) if not two or frozenset(seats) in _OPPOSITE]

    def off(edges: tuple[str, ...]) -> tuple[float, ...]:
        shares = tuple(shares[edge] for shares, edge in zip(away, edges, strict=True))
        return (sum(shares),) if two else shares  # of more than two, the first takes the edge that is his

    best = min(seats, key=off, default=())
    return tuple(Player(owner, edge, place) for place, (owner, edge) in enumerate(zip(owners, best, strict=False), 1))


def _shares_away(places: Sequence[Point], width_mm: float, depth_mm: float) -> dict[str, float]:
    """How far disks are from each edge on average, as shares of the table; where there are none, south is nearest."""
    x = sum(place[0] for place in places) / len(places) / width_mm if places else 0.5
    y = sum(place[1] for place in places) / len(places) / depth_mm if places else 0.6
    return {"north": y, "east": 1 - x, "south": 1 - y, "west": x}
