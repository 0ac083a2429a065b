"""A round base on its way in straight legs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from assistant.rules.answers import number
from assistant.rules.game import QuestionError
from assistant.rules.measure import signed_gap_mm
from assistant.rules.shapes import Disc, Footprint, geometry
from assistant.scene.values import Circle, Piece, Point, Scene

STEP_MM = 1.0


@dataclass(frozen=True, slots=True)
class Way:
    """A model's way in straight legs: where its base starts, turns and ends."""

    piece: Piece
    radius_mm: float
    points: tuple[Point, ...]

    @property
    def line(self) -> shapely.LineString:
        """The way of the base's centre."""
        return shapely.LineString(self.points)

    @property
    def length_mm(self) -> float:
        """How long it is."""
        return float(self.line.length)

    @property
    def start(self) -> Disc:
        """The base where it starts."""
        return Disc(self.points[0], self.radius_mm)

    @property
    def end(self) -> Disc:
        """The base where it ends."""
        return Disc(self.points[-1], self.radius_mm)

    def clearance_mm(self, other: Footprint) -> float:
        """The least gap between the moving base and another footprint; below 0 when it moves onto it."""
        if isinstance(other, Disc):
            apart = float(self.line.distance(shapely.Point(other.centre)))
            return apart - self.radius_mm - other.radius_mm
        apart = float(self.line.distance(geometry(other)))
        if apart > 0.0:
            return apart - self.radius_mm
        return min(signed_gap_mm(Disc(point, self.radius_mm), other) for point in self.steps())

    def steps(self) -> list[Point]:
        """The base's centre along the way, a millimetre apart."""
        spots = shapely.get_coordinates(shapely.segmentize(self.line, STEP_MM))
        return [(float(x), float(y)) for x, y in spots.tolist()]

    def gaps_mm(self, other: Footprint) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The gap to another footprint at every step."""
        return np.array([signed_gap_mm(Disc(point, self.radius_mm), other) for point in self.steps()])


def way_of(scene: Scene, words: Sequence[str], usage: str) -> Way:
    """The way a question describes: a model and the corners of its way."""
    if len(words) < 3 or len(words) % 2 == 0:
        raise QuestionError(f"expected {usage!r}, got {len(words)} words after the first")
    piece = scene.piece(words[0])
    if not piece.on_field:
        raise QuestionError(f"{piece.id} is off the field ({', '.join(piece.state)}) and has no position")
    if not isinstance(piece.shape, Circle):
        raise QuestionError(f"{scene.game} has round bases, but {piece.id} is a rectangle")
    numbers = [number(word, "a place") for word in words[1:]]
    return Way(piece, piece.shape.radius_mm, (piece.centre, *zip(numbers[::2], numbers[1::2], strict=True)))
