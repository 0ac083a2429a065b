"""Marking bases and stands by hand: clicks, a line round a unit, a dragged block, as plain values that a window shows.

Nothing here knows of a window: every function takes the marks there are and gives the marks there will be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assistant.rules.army import ArmyReport
from assistant.scene.reading import piece_from_json
from assistant.scene.values import Circle, JsonValue, Piece, Player, Point, Rect, Scene, Shape, Table
from assistant.session.figures import marked_piece, marks_of
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.lasso import bases_within
from vision.figures.marked import look_at_marks


@dataclass(frozen=True, slots=True)
class Brush:
    """What the next marks are: the size, the unit and the owner, from the army list or the last click."""

    shape: Shape
    unit: str
    owner: str | None = None
    profile: str | None = None
    values: Mapping[str, JsonValue] = field(default_factory=dict)  # the profile's own fields: stats, keywords, ...


@dataclass(frozen=True, slots=True)
class WantedUnit:
    """A unit that is to be marked, and how many models or stands it has; 0: not known."""

    brush: Brush
    models: int = 0


Marks = tuple[Piece, ...]
_NEAR = 2.5  # sizes of a piece: marks this near may hide a part of its outline
_NO_PIECE_FIELDS = frozenset({"id", "name", "circle_mm", "rect_mm", "owner", "art", "back", "unit", "profile"})


def unit_id(name: str) -> str:
    """A unit's name as the first part of its pieces' ids.

    >>> unit_id(" Palace Guard! ")
    'Palace-Guard'
    """
    return re.sub(r"[^\w]+", "-", name).strip("-_") or "unit"


def wanted_units(report: ArmyReport, owner: str | None) -> tuple[WantedUnit, ...]:
    """The units of an army list, to be marked one after another."""
    found = []
    for profile in report.profiles:
        identity, rect = str(profile["id"]), profile.get("rect_mm")
        shape: Shape
        if isinstance(rect, list) and len(rect) == 2:
            shape = Rect(float(str(rect[0])), float(str(rect[1])))
        else:
            shape = Circle(float(str(profile["circle_mm"])))
        values = {key: value for key, value in profile.items() if key not in _NO_PIECE_FIELDS}
        found.append(
            WantedUnit(Brush(shape, unit_id(identity), owner, identity, values), report.counts.get(identity, 0))
        )
    return tuple(found)


def units_in(marks: Marks) -> tuple[WantedUnit, ...]:
    """The units of marks that are there, each with as many models as are marked."""
    counts: dict[str, list[Piece]] = {}
    for piece in marks:
        counts.setdefault(piece.unit or piece.id, []).append(piece)
    return tuple(
        WantedUnit(Brush(pieces[0].shape, unit, pieces[0].owner, pieces[0].profile), len(pieces))
        for unit, pieces in counts.items()
    )


def with_base(marks: Marks, brush: Brush, place: Point, facing_deg: float = 0.0) -> Marks:
    """One base or stand more, named by its unit."""
    name = _next_name(marks, brush.unit)
    shape = brush.shape
    sides: JsonValue = [shape.width_mm, shape.depth_mm] if isinstance(shape, Rect) else None
    own: dict[str, JsonValue] = {
        "id": name,
        "shape": {"rect_mm": sides} if isinstance(shape, Rect) else {"circle_mm": shape.diameter_mm},
        "x": place[0],
        "y": place[1],
        "owner": brush.owner,
        "facing_deg": facing_deg % 360,
        "unit": brush.unit,
        "profile": brush.profile,
    }
    return (*marks, piece_from_json({**brush.values, **own}, f"mark {name}"))


def with_block(marks: Marks, brush: Brush, front: tuple[Point, Point], ranks: int, files: int, count: int = 0) -> Marks:
    """A block of stands whose front rank lies between two points, its left and its right end as it faces.

    The front is where the two ends say: facing away from the ranks behind. `count` stands fill the ranks from the
    front, all of them where it is 0.
    """
    if not isinstance(brush.shape, Rect):
        raise TypeError("only rectangular stands are set in blocks")
    (x0, y0), (x1, y1) = front
    facing = math.degrees(math.atan2(y1 - y0, x1 - x0)) % 360
    right = np.array([math.cos(math.radians(facing)), math.sin(math.radians(facing))])
    forward = np.array([right[1], -right[0]])
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2])
    for number in range(count or ranks * files):
        rank, file = divmod(number, files)
        across = (file - (files - 1) / 2) * brush.shape.width_mm
        spot = middle + right * across - forward * (rank + 0.5) * brush.shape.depth_mm
        marks = with_base(marks, brush, (float(spot[0]), float(spot[1])), facing)
    return marks


def with_lasso(
    marks: Marks, brush: Brush, outline: Sequence[Point], count: int, picture: ByteImage, view: TableView
) -> Marks:
    """The bases of a unit inside a line drawn round them; fewer than `count` where no more are seen."""
    if not isinstance(brush.shape, Circle):
        raise TypeError("only round bases are found inside a line")
    area = np.array(outline, dtype=np.float64)
    for pose in bases_within(picture, view, area, brush.shape.diameter_mm, count):
        marks = with_base(marks, brush, (pose.x_mm, pose.y_mm))
    return marks


def snapped(marks: Marks, picture: ByteImage, view: TableView) -> Marks:
    """Every mark at its outline; doubtful ones say so in the field `doubtful`."""
    seen = look_at_marks(picture, view, marks_of(marks))
    return tuple(marked_piece(mark, each) for mark, each in zip(marks, seen, strict=True))


def snapped_among(marks: Marks, names: Collection[str], picture: ByteImage, view: TableView) -> Marks:
    """Some marks at their outlines, in the marks' order; those beside them may hide a part of an outline, and stay."""
    chosen = [piece for piece in marks if piece.id in names]
    beside = [
        piece
        for piece in marks
        if piece.id not in names
        and any(math.dist(piece.centre, each.centre) < _NEAR * max(_size(piece), _size(each)) for each in chosen)
    ]
    return tuple(piece for piece in snapped((*chosen, *beside), picture, view) if piece.id in names)


def moved_mark(piece: Piece, place: Point, facing_deg: float | None = None) -> Piece:
    """A mark that a person put elsewhere; nothing is doubtful about what a person says."""
    extra = {key: value for key, value in piece.extra.items() if key != "doubtful"}
    facing = piece.facing_deg if facing_deg is None else facing_deg % 360
    return replace(piece, x=round(place[0], 3), y=round(place[1], 3), facing_deg=facing, extra=extra)


def doubtful(marks: Marks) -> tuple[str, ...]:
    """The marks that a person should look at."""
    return tuple(piece.id for piece in marks if piece.extra.get("doubtful") is True)


def without(marks: Marks, *names: str) -> Marks:
    """The marks but for some."""
    return tuple(piece for piece in marks if piece.id not in names)


def nearest(marks: Marks, place: Point, within_mm: float = 40.0) -> str | None:
    """The mark whose middle is nearest to a place, to be corrected or taken away."""
    near = [(math.dist(piece.centre, place), piece.id) for piece in marks]
    return min(near)[1] if near and min(near)[0] <= within_mm else None


def marks_scene(marks: Marks, game: str, table: Table, players: tuple[Player, ...] = ()) -> Scene:
    """Marks as a scene, as `--marks` reads it."""
    return Scene(game=game, table=table, players=players, pieces=marks)


def _size(piece: Piece) -> float:
    shape = piece.shape
    return shape.diameter_mm if isinstance(shape, Circle) else max(shape.width_mm, shape.depth_mm)


def _next_name(marks: Marks, unit: str) -> str:
    taken = {piece.id for piece in marks}
    return next(name for number in range(1, 10_000) if (name := f"{unit}-{number}") not in taken)
