"""A close look at the contested place: both rims with their uncertainty, the segment between them, the threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import shapely

from assistant.evidence.contest import Contest, contest_of
from assistant.evidence.drawing import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PAPER,
    YELLOW,
    Box,
    Colour,
    Panel,
    band,
    face_height_mm,
    face_px,
    label,
    panel_of,
    polyline,
    rim_mm,
    rim_px,
    scale_bar,
    text_width,
    wrapped,
    write,
)
from assistant.log.telling import ruling_line
from assistant.rules.record import ruling_to_json
from assistant.rules.ruling import Line, Ring, Ruling
from assistant.rules.shapes import Disc, footprint
from assistant.rules.wording import named
from assistant.scene.values import MM_PER_INCH, Piece, Point, Terrain
from assistant.session.history import Snapshot
from calibration.arrays import ByteImage, FloatArray
from vision.types.sighting import CARD_THICKNESS_MM

LEAST_PX_PER_MM = 8.0
_SIGMAS = 1.96
_PANEL_PX = 560
_WHOLE_MM = 90.0  # segments up to this length are shown whole, longer ones by their two ends
_ROOM_MM = 14.0
_END_MM = 44.0
_OVERVIEW_PX = 300
_HEAD_PX = 96
_GAP_PX = 12


@dataclass(frozen=True, slots=True, eq=False)
class GapZoom:
    """The contested place of a ruling with its picture (BGR) at `px_per_mm`, and the panels it is made of."""

    ruling: Ruling
    contest: Contest
    px_per_mm: float
    panels: tuple[Panel, ...]
    picture: ByteImage

    def measure(self) -> str:
        """The gap in words."""
        return measure_text(self.contest)


def measure_text(contest: Contest) -> str:
    """How far apart the two sides are, and how that compares with the threshold."""
    gap_mm = contest.gap_mm
    error = f"± {_SIGMAS * contest.sigma_mm:.1f}"
    inches = f"({abs(gap_mm) / MM_PER_INCH:.2f} in)"
    if isinstance(contest.first, Line):
        away = f"passes {contest.second.id} at" if gap_mm >= 0 else f"goes into {contest.second.id} by"
        return f"the line {away} {abs(gap_mm):.1f} mm {error}"
    kind = "distance" if isinstance(contest.first, Ring) else "gap" if gap_mm >= 0 else "overlap"
    told = f"{kind} {abs(gap_mm):.1f} mm {error} {inches}"
    if not contest.threshold_mm:
        return told
    off_mm = gap_mm - contest.threshold_mm
    return f"{told}: {abs(off_mm):.1f} mm {'beyond' if off_mm > 0 else 'inside'} {contest.threshold}"


def gap_zoom(snapshot: Snapshot, ruling: Ruling, names: Mapping[str, str] | None = None) -> GapZoom | None:
    """The zoom of a ruling on the table as it was judged; None where the ruling rests on no measure."""
    contest = contest_of(snapshot.scene, ruling)
    return None if contest is None else zoom_on(snapshot, ruling, contest, names)


def zoom_on(snapshot: Snapshot, ruling: Ruling, contest: Contest, names: Mapping[str, str] | None = None) -> GapZoom:
    """The zoom on a contested place; `names` calls pieces by more than their ids."""
    told = named(ruling_line(ruling_to_json(ruling)), names or {})
    boxes = _boxes(contest)
    widest = max(max(east - west, south - north) for west, north, east, south in boxes)
    scale = max(LEAST_PX_PER_MM, _PANEL_PX / widest)
    height_mm = _height(contest)
    panels = tuple(panel_of(snapshot, box, scale, height_mm) for box in boxes)
    for panel in panels:
        _draw(panel, contest, names or {})
    overview = _overview(snapshot, contest, boxes, height_mm)
    return GapZoom(ruling, contest, scale, panels, _composed(told, contest, scale, (*panels, overview)))


def _overview(snapshot: Snapshot, contest: Contest, boxes: tuple[Box, ...], height_mm: float) -> Panel:
    """Where on the table the place is: both sides whole, with a frame round what the zoom shows."""
    points = np.array([corner for box in boxes for corner in (box[:2], box[2:])])
    for side in (contest.first, contest.second):
        if isinstance(side, Piece):
            points = np.vstack([points, rim_mm(footprint(side))])
    west, north = points.min(axis=0)
    east, south = points.max(axis=0)
    half = max(east - west, south - north) / 2 + 10.0
    x, y = (west + east) / 2, (north + south) / 2
    panel = panel_of(snapshot, (x - half, y - half, x + half, y + half), _OVERVIEW_PX / (2 * half), height_mm)
    for side, colour in ((contest.first, BLUE), (contest.second, ORANGE)):
        if isinstance(side, Piece):
            polyline(panel.bgr, rim_px(panel, side), colour, 1)
        elif isinstance(side, Line):
            polyline(panel.bgr, panel.px([side.start, side.end]), colour, 1, closed=False)
    for left, top, right, bottom in boxes:
        polyline(panel.bgr, panel.px([(left, top), (right, top), (right, bottom), (left, bottom)]), YELLOW, 1)
    scale_bar(panel.bgr, panel.top.px_per_mm, 13)
    return panel


def _boxes(contest: Contest) -> tuple[Box, ...]:
    """One square round a short segment, or one round each end of a long one."""
    (x0, y0), (x1, y1) = contest.segment
    length_mm = math.dist(*contest.segment)
    if isinstance(contest.first, Ring) and contest.threshold_mm is not None and length_mm > 0:
        share = contest.threshold_mm / length_mm  # from where the limit is to where the piece is
        x0, y0 = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
        length_mm = abs(1 - share) * length_mm
    if length_mm > _WHOLE_MM:
        ends = ((x1, y1),) if isinstance(contest.first, Ring) else ((x0, y0), (x1, y1))
        return tuple((x - _END_MM / 2, y - _END_MM / 2, x + _END_MM / 2, y + _END_MM / 2) for x, y in ends)
    half = max(length_mm / 2 + _ROOM_MM, _END_MM / 2)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return ((x - half, y - half, x + half, y + half),)


def _height(contest: Contest) -> float:
    heights = [face_height_mm(side) for side in (contest.first, contest.second) if isinstance(side, Piece)]
    return sum(heights) / len(heights) if heights else CARD_THICKNESS_MM


def _draw(panel: Panel, contest: Contest, names: Mapping[str, str]) -> None:
    for side, colour in ((contest.first, BLUE), (contest.second, ORANGE)):
        match side:
            case Piece():
                spread_mm = _SIGMAS * side.sigma_mm
                band(panel.bgr, rim_px(panel, side, -spread_mm), rim_px(panel, side, spread_mm), colour)
                polyline(panel.bgr, rim_px(panel, side), colour, 2)
            case Terrain():
                polyline(panel.bgr, panel.px(side.outline, 0.0), colour, 1)
            case Line():
                polyline(panel.bgr, panel.px([side.start, side.end]), colour, 1, closed=False)
    if contest.threshold_mm:
        _threshold(panel, contest)
    ends = np.vstack(
        [_end_px(panel, contest.first, contest.segment[0]), _end_px(panel, contest.second, contest.segment[1])]
    )
    polyline(panel.bgr, ends, YELLOW, 1, closed=False)
    for end in ends:
        polyline(panel.bgr, end + np.array([[-3.0, 0.0], [3.0, 0.0]]), YELLOW, 1, closed=False)
        polyline(panel.bgr, end + np.array([[0.0, -3.0], [0.0, 3.0]]), YELLOW, 1, closed=False)
    _name_sides(panel, contest, names)
    scale_bar(panel.bgr, panel.top.px_per_mm)


def _threshold(panel: Panel, contest: Contest) -> None:
    """The line at the threshold's distance from the first side, drawn at the height of the second."""
    assert contest.threshold_mm is not None
    match contest.first:
        case Piece():
            line = _rounded(contest.first, contest.threshold_mm)
        case Ring():
            line = rim_mm(Disc(contest.first.centre, contest.threshold_mm))
        case _:
            return
    polyline(panel.bgr, panel.px(line, _side_height(contest.second)), GREEN, 1)


def _rounded(piece: Piece, far_mm: float) -> FloatArray:
    """All points at a distance from a piece's edge."""
    shape = footprint(piece)
    if isinstance(shape, Disc):
        return rim_mm(Disc(shape.centre, shape.radius_mm + far_mm))
    grown = shapely.Polygon(shape.points).buffer(far_mm, quad_segs=48)
    return np.asarray(shapely.get_coordinates(grown.exterior)[:-1], dtype=np.float64)


def _side_height(side: Piece | Terrain | Line | Ring) -> float | None:
    if isinstance(side, Piece):
        return face_height_mm(side)
    return 0.0 if isinstance(side, Terrain) else None


def _end_px(panel: Panel, side: Piece | Terrain | Line | Ring, point: Point) -> FloatArray:
    if isinstance(side, Piece):
        return face_px(panel, side, [point])
    return panel.px([point], 0.0 if isinstance(side, Terrain) else None)


def _name_sides(panel: Panel, contest: Contest, names: Mapping[str, str]) -> None:
    told: list[tuple[str, Colour]] = []
    for side, colour in ((contest.first, BLUE), (contest.second, ORANGE)):
        match side:
            case Piece() | Terrain():
                told.append((names.get(side.id, side.id), colour))
            case Line():
                told.append(("line of sight", colour))
    if contest.threshold_mm:
        told.append((contest.threshold, GREEN))
    x = 8.0
    for name, colour in told:
        width = text_width(name, 15)
        label(panel.bgr, (x + width / 2, 8), name, colour, 15)
        x += width + 18


def _composed(said: str, contest: Contest, px_per_mm: float, panels: tuple[Panel, ...]) -> ByteImage:
    rows = max(panel.bgr.shape[0] for panel in panels)
    columns = sum(panel.bgr.shape[1] for panel in panels) + _GAP_PX * (len(panels) + 1)
    sheet = np.full((rows + _HEAD_PX + 34, columns, 3), PAPER, np.uint8)
    left = _GAP_PX
    for panel in panels:
        sheet[_HEAD_PX : _HEAD_PX + panel.bgr.shape[0], left : left + panel.bgr.shape[1]] = panel.bgr
        left += panel.bgr.shape[1] + _GAP_PX
    headline = measure_text(contest)
    size = max(12, min(26, int(26 * (columns - 32) / max(text_width(headline, 26), 1.0))))
    write(sheet, (16, 10), headline, INK, size)
    for index, line in enumerate(wrapped(said, columns - 32, 16)[:2]):
        write(sheet, (16, 48 + 22 * index), line, INK, 16)
    note = f"{px_per_mm:.1f} px/mm · bands: where the rims are with 95 % · yellow: the measured segment"
    write(sheet, (16, _HEAD_PX + rows + 8), note, (110, 110, 110), 14)
    return sheet
