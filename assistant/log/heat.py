"""Where the pieces of each player stood, and for how long."""

from __future__ import annotations

import math
from collections import defaultdict

from assistant.log.story import NO_OWNER, Story
from assistant.scene.values import Circle, Piece

Cell = tuple[int, int]
CELLS_ACROSS = 48


def heat_map(story: Story, player: str) -> dict[Cell, float]:
    """Seconds that each cell (column, row from the north-west) of the table lay under a piece of the player."""
    heat: defaultdict[Cell, float] = defaultdict(float)
    ends = [state.t_s for state in story.states[1:]] + [story.end_s] * bool(story.states)
    for state, end_s in zip(story.states, ends, strict=True):
        side = state.scene.table.width_mm / CELLS_ACROSS
        for piece in state.scene.on_field():
            if (piece.owner or NO_OWNER) == player:
                for cell in _covered(piece, side):
                    heat[cell] += max(0.0, end_s - state.t_s)
    return dict(heat)


def _covered(piece: Piece, side_mm: float) -> list[Cell]:
    """The cells whose middle the piece covers, or else the one it stands in."""
    x, y = piece.centre
    if isinstance(piece.shape, Circle):
        reach = piece.shape.radius_mm
    else:
        reach = math.hypot(piece.shape.width_mm, piece.shape.depth_mm) / 2
    columns = range(math.floor((x - reach) / side_mm), math.floor((x + reach) / side_mm) + 1)
    rows = range(math.floor((y - reach) / side_mm), math.floor((y + reach) / side_mm) + 1)
    cells = [
        (column, row)
        for column in columns
        for row in rows
        if _covers(piece, (column + 0.5) * side_mm - x, (row + 0.5) * side_mm - y)
    ]
    return cells or [(math.floor(x / side_mm), math.floor(y / side_mm))]


def _covers(piece: Piece, east_mm: float, south_mm: float) -> bool:
    if isinstance(piece.shape, Circle):
        return math.hypot(east_mm, south_mm) <= piece.shape.radius_mm
    turn = math.radians(-piece.facing_deg)
    across = east_mm * math.cos(turn) - south_mm * math.sin(turn)
    along = east_mm * math.sin(turn) + south_mm * math.cos(turn)
    return abs(across) <= piece.shape.width_mm / 2 and abs(along) <= piece.shape.depth_mm / 2
