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
from shapely.geometry import Point as ShapelyPoint
from shapely.geometry import Polygon

from assistant.rules.game import GameSystem
from assistant.scene.values import Circle, Player, Point, Rect, Terrain
from assistant.session.marking import Brush, Marks, with_base
from assistant.ui.overlays.model import AreaMark, Dash, Ink, Overlay, RingMark
from assistant.ui.setup.profile import Corners
from calibration.arrays import FloatArray
from calibration.errors import InputError
from calibration.failure import Failure
from calibration.kit import RULER_IDS, TOKEN_IDS
from calibration.lens import Lens
from calibration.markers import find_markers
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.camera.standpoint import Given
from vision.enrol.disks import cut_faces, merge_copies, write_enrolled
from vision.figures.bases import BaseSighting, find_bases
from vision.figures.cards import find_stands
from vision.figures.stands import StandSighting
from vision.look.pieces import Pieces
from vision.look.pipeline import look, look_for_terrain
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, TableSighting

STANDARD_MM = {"3 × 3 ft": (914.4, 914.4), "4 × 4 ft": (1219.2, 1219.2), "6 × 4 ft": (1828.8, 1219.2)}
_USUAL = 0.035  # a field this near to a usual size is that size; its tokens were laid by hand
_GRADES = (("excellent", 1.0), ("good", 3.0), ("fair", 6.0), ("poor", float("inf")))  # mm across the table
_CORNERS = ("NW", "NE", "SE", "SW")
_CORNERS_AT_MOST = 16
_CORNER_OFF_MM = 1.5
_SURE = 0.9
_SAME_SIZE = 0.025  # two disks of one size measure no more different than this from one to the next larger
_BORDER = 0.15
_KNOWN_SIZE = 0.03  # a disk to be learnt is no farther from a size that is ticked
_ON_TERRAIN = 0.3
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
        marks.append(AreaMark(field_corners(seen.table), Ink.MEASURE, "", dash=Dash.DASHED, fill=0.0))
    return marks


def tokens_seen(seen: TokenSighting) -> list[str]:
    """The corners whose token is seen."""
    return [name for identity, name in zip(TOKEN_IDS, _CORNERS, strict=True) if identity in seen.markers]


def across_mm(view: TableView) -> float:
    """How far off a distance across the whole table may be, two standard deviations."""
    return 2 * view.calibration.scale_sigma * view.width_mm


def grade_of(off_mm: float) -> str:
    """How good a measurement is, in a word; the figure comes after it."""
    return next(word for word, most in _GRADES if off_mm <= most)


def standard_size(field_mm: tuple[float, float]) -> tuple[float, float]:
    """The usual size that a measured field is, or the field itself to the millimetre where it is none.

    >>> standard_size((1225.0, 1212.0)), standard_size((1000.4, 700.2))
    ((1219.2, 1219.2), (1000.0, 700.0))
    """
    for usual in STANDARD_MM.values():
        if all(abs(side / nominal - 1) <= _USUAL for side, nominal in zip(field_mm, usual, strict=True)):
            return usual
    return (float(round(field_mm[0])), float(round(field_mm[1])))


@dataclass(frozen=True, slots=True)
class FiguresFound:
    """Bases and stands by the colour of their ring or card: how many, where, and how large."""

    figures: tuple[BaseSighting | StandSighting, ...]

    def colours(self) -> dict[str, list[BaseSighting | StandSighting]]:
        """The figures of each colour."""
        found: dict[str, list[BaseSighting | StandSighting]] = {}
        for figure in self.figures:
            found.setdefault(figure.colour, []).append(figure)
        return found


def proposals_of(found: FiguresFound) -> Marks:
    """What rings and cards show, as marks that a person may confirm; a unit for each colour."""
    pieces: Marks = ()
    for colour, figures in found.colours().items():
        for figure in figures:
            place = (figure.x_mm, figure.y_mm)
            if isinstance(figure, BaseSighting):
                pieces = with_base(pieces, Brush(Circle(figure.diameter_mm), colour), place)
            else:
                stand = Brush(Rect(figure.width_mm, figure.depth_mm), colour)
                pieces = with_base(pieces, stand, place, figure.facing_deg)
    return pieces


def see_corners(
    frame: Frame, corners_px: FloatArray, table_mm: tuple[float, float], lens: Lens | None
) -> TokenSighting:
    """Measures the table by its corners in this picture, as `--corners` does."""
    height, width = frame.bgr.shape[:2]
    fitting = lens.for_picture(width, height, "camera file") if lens else None
    measured = Given(corners_px).measure(frame.bgr, table_mm, fitting)
    assert measured is not None
    return TokenSighting({}, measured if isinstance(measured, Failure) else measured.view)


@dataclass(frozen=True, slots=True)
class CornersFound:
    """Where the corners that were clicked on another day are in a picture; None where it shows something else."""

    corners_px: Corners | None


def find_corners(frame: Frame, given: Given, table_mm: tuple[float, float], lens: Lens | None) -> CornersFound:
    """Looks for corners that were remembered with the picture in which they were clicked."""
    height, width = frame.bgr.shape[:2]
    fitting = lens.for_picture(width, height, "camera file") if lens else None
    found = given.measure(frame.bgr, table_mm, fitting)
    return CornersFound(None if found is None or isinstance(found, Failure) else field_corners(found.view))


def field_corners(view: TableView) -> Corners:
    """The battlefield's corners in the picture: NW NE SE SW."""
    width, depth = view.width_mm, view.depth_mm
    pixels = view.board_to_image(np.array([[0.0, 0.0], [width, 0.0], [width, depth], [0.0, depth]]))
    a, b, c, d = ((float(x), float(y)) for x, y in pixels.tolist())
    return (a, b, c, d)


def see_figures(frame: Frame, view: TableView, game: GameSystem, sizes_mm: Sequence[float]) -> FiguresFound:
    """The bases and stands of a game that is played with figures."""
    bases = find_bases(frame, view, tuple(sizes_mm or game.circles_mm)) if game.circles_mm else ()
    stands = find_stands(frame, view, game.rects_mm) if game.rects_mm else ()
    return FiguresFound((*bases, *stands))


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


def enrol_faces(frame: Frame, view: TableView, disks: Sequence[DiskSighting], path: Path) -> Enrolled:
    """Adds every kind among these disks that lies open on the table to a roster."""
    faces = cut_faces(frame.bgr, view, TableSighting(tuple(disks), ()), "the table")
    if not faces:
        raise InputError("no faces", "the table", "lay your disks side by side with their art up")
    return Enrolled(path, len(write_enrolled(path, merge_copies(faces))))


def disks_to_enrol(
    sighting: TableSighting, sizes_mm: Sequence[float], terrain: Sequence[Terrain], markers: Sequence[Point]
) -> list[DiskSighting]:
    """The disks that are surely disks: of a known size, whole, apart, and neither terrain nor a printed card.

    Bushes, the ruler and the corner tokens look round here and there; learnt once, they would be found as pieces.
    """
    covered = {order.bottom for order in sighting.orders}
    fields = [Polygon(piece.outline) for piece in terrain if len(piece.outline) > 2]
    kept = []
    for disk in sighting.disks:
        body = ShapelyPoint(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)
        known = any(abs(disk.diameter_mm - size) <= _KNOWN_SIZE * size for size in sizes_mm)
        on_terrain = any(field.intersection(body).area > _ON_TERRAIN * body.area for field in fields)
        on_marker = any(body.contains(ShapelyPoint(*place)) for place in markers)
        if known and disk.confidence >= _SURE and disk.id not in covered and not on_terrain and not on_marker:
            kept.append(disk)
    return kept


def marker_places(seen: TokenSighting) -> list[Point]:
    """Where the printed cards lie, in mm; none where the table is not measured."""
    if not isinstance(seen.table, TableView):
        return []
    middles = [corners.mean(axis=0) for corners in seen.markers.values()]
    if not middles:
        return []
    places = [(float(x), float(y)) for x, y in seen.table.image_to_board(np.array(middles)).tolist()]
    ruler = [identity for identity in RULER_IDS if identity in seen.markers]
    if len(ruler) == len(RULER_IDS):  # the card between its two markers too
        ends = seen.table.image_to_board(np.array([seen.markers[identity].mean(axis=0) for identity in ruler]))
        places += [(float(x), float(y)) for x, y in np.linspace(ends[0], ends[1], 9).tolist()]
    return places


def piece_rings(disks: Sequence[DiskSighting]) -> list[RingMark]:
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
