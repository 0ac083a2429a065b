"""Marks as they are drawn on the table: fitted, doubtful, proposed, and what a click or a drag would add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.scene.values import Circle, Piece, Player, Point, Scene, Table
from assistant.session.marking import Marks
from assistant.ui.overlays.model import AreaMark, Dash, Ink, LineMark, Overlay, RingMark
from assistant.ui.overlays.standing import outline_of, piece_marks, unit_marks
from assistant.ui.setup.marking import MarkingModel

SEATS = ("first", "second")  # the owners of marks until the players have names
_ARROW_MM = 25.0


def marking_overlays(marking: MarkingModel, game: str, table_mm: tuple[float, float], named: bool) -> list[Overlay]:
    """Everything that is marked and about to be; names only where there is room for them to be asked for."""
    seats = tuple(Player(seat) for seat in SEATS)
    scene = Scene(game, Table(*table_mm), players=seats, pieces=marking.marks)
    chosen = (marking.selected,) if marking.selected is not None else ()
    names = {piece.id: piece.id for piece in marking.marks if piece.extra.get("doubtful") is True or piece.id in chosen}
    drawn: list[Overlay] = [*unit_marks(scene, named), *piece_marks(scene, names, (), chosen)]
    drawn += [_proposed(piece) for piece in marking.proposals]
    for piece in marking.preview:
        drawn += _tried(piece)
    if len(marking.preview) > 1:
        drawn += _front(marking.preview)
    drawn += _line(marking.trail)
    return drawn


def _proposed(piece: Piece) -> Overlay:
    """Dashed: nothing is claimed of it until it is confirmed."""
    return AreaMark(outline_of(piece), Ink.CONTROL, "", (), Dash.DASHED, 0.05)


def _tried(piece: Piece) -> list[Overlay]:
    """A ring or an outline in white; yellow where the picture shows hardly any outline there."""
    unsure = piece.extra.get("doubtful") is True
    ink, dash = (Ink.CLOSE, Dash.DOTTED) if unsure else (Ink.GHOST, Dash.DASHED)
    if isinstance(piece.shape, Circle):
        return [RingMark(piece.centre, piece.shape.radius_mm, ink, "", dash, 0.12)]
    return [AreaMark(outline_of(piece), ink, "", (), dash, 0.12)]


def _front(block: Marks) -> list[Overlay]:
    """An arrow from the front rank of a block: where it faces."""
    outline = outline_of(replace(block[0], x=0.0, y=0.0))
    forward = ((outline[0][0] + outline[1][0]) / 2, (outline[0][1] + outline[1][1]) / 2)
    length = max(1e-6, (forward[0] ** 2 + forward[1] ** 2) ** 0.5)
    step = (forward[0] / length, forward[1] / length)
    ahead = max(piece.centre[0] * step[0] + piece.centre[1] * step[1] for piece in block)
    first = [p for p in block if p.centre[0] * step[0] + p.centre[1] * step[1] > ahead - 1.0]
    x = sum(piece.centre[0] for piece in first) / len(first) + forward[0]
    y = sum(piece.centre[1] for piece in first) / len(first) + forward[1]
    return [LineMark((x, y), (x + 2 * _ARROW_MM * step[0], y + 2 * _ARROW_MM * step[1]), Ink.GHOST, arrow=True)]


def _line(trail: Sequence[Point]) -> list[Overlay]:
    """The line that is being drawn, closed."""
    if len(trail) < 3:
        return []
    return [AreaMark(tuple(trail), Ink.SELECTED, "", (), Dash.DASHED, 0.08)]
