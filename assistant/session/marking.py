"""Marking bases and stands by hand: clicks, a line round a unit, a dragged block, as plain values that a window shows.

Nothing here knows of a window: every function takes the marks there are and gives the marks there will be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.scene.values import Circle, Piece, Player, Point, Rect, Scene, Shape, Table
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


Marks = tuple[Piece, ...]


def with_base(marks: Marks, brush: Brush, place: Point, facing_deg: float = 0.0) -> Marks:
    """One base or stand more, named by its unit."""
    name = _next_name(marks, brush.unit)
    piece = Piece(name, brush.shape, place[0], place[1], brush.owner, facing_deg=facing_deg % 360, unit=brush.unit)
    return (*marks, replace(piece, profile=brush.profile))


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


def _next_name(marks: Marks, unit: str) -> str:
    taken = {piece.id for piece in marks}
    return next(name for number in range(1, 10_000) if (name := f"{unit}-{number}") not in taken)
