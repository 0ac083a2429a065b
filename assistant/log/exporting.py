"""A game as lines for other programs: events, scenes, positions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from assistant.log.game_log import GameLog
from assistant.log.hindsight import with_hindsight
from assistant.log.packing import text_of
from assistant.log.plain_text import csv_cell
from assistant.scene.writing import scene_to_json

CSV_COLUMNS = (
    "t",
    "frame",
    "round",
    "piece",
    "owner",
    "profile",
    "unit",
    "x",
    "y",
    "facing_deg",
    "sigma_mm",
    "visible",
    "state",
)


def event_lines(log: GameLog) -> Iterator[str]:
    """The contract's events, one JSON object a line."""
    for logged in log.events():
        yield text_of(logged.event.to_json()) + "\n"


def scene_lines(log: GameLog) -> Iterator[str]:
    """One {"t", "frame", "scene"} a line for every settled state, hidden pieces and those detected late included."""
    states = list(log.states())
    scenes = with_hindsight([state.scene for state in states], (logged.event for logged in log.events()))
    for state, scene in zip(states, scenes, strict=True):
        yield text_of({"t": state.t_s, "frame": state.frame, "scene": scene_to_json(scene)}) + "\n"


def position_lines(log: GameLog) -> Iterator[str]:
    """Positions over time as a table with commas: a row for every piece of every settled state."""
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(CSV_COLUMNS)
    for state in log.states():
        for piece in state.scene.pieces:
            moment = (state.t_s, state.frame, state.scene.round, piece.id, piece.owner, piece.profile, piece.unit)
            place = (piece.x, piece.y, piece.facing_deg, piece.sigma_mm, int(piece.visible), " ".join(piece.state))
            table.writerow([csv_cell(cell) for cell in (*moment, *place)])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()
