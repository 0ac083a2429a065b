"""The track of a piece through a game: where it stopped, when, and how far it had come."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assistant.evidence.drawing import (
    BLUE,
    WHITE,
    YELLOW,
    arrow,
    dashed,
    face_height_mm,
    label,
    panel_of,
    polyline,
    rim_px,
    scale_bar,
)
from assistant.evidence.snapshots import piece_of, snapshot_of
from assistant.log.clock import moment_text
from assistant.log.game_log import GameLog
from assistant.scene.values import MM_PER_INCH, Piece, Point
from calibration.arrays import ByteImage

_LEAST_MM = 2.0  # nearer places are one stop: measuring alone moves a piece by less
_LEAST_TURN_DEG = 3.0
_LONGEST_PX = 1000
_EDGE_MM = 30.0
_LINE_PX = 26


@dataclass(frozen=True, slots=True)
class Stop:
    """A place where a piece came to rest; `distance_mm` is how far it came from the stop before."""

    t_s: float
    state_id: int
    piece: Piece
    distance_mm: float

    @property
    def place(self) -> Point:
        """Where on the board."""
        return self.piece.centre


@dataclass(frozen=True, slots=True)
class Track:
    """The stops of a piece, in order; `left` are the moments at which it left the table."""

    piece: str
    stops: tuple[Stop, ...]
    left: tuple[float, ...] = ()

    @property
    def length_mm(self) -> float:
        """How far it has come altogether."""
        return sum(stop.distance_mm for stop in self.stops)


def track_of(log: GameLog, piece_id: str) -> Track:
    """Reads the track of a piece; without stops where the log does not know it."""
    stops: list[Stop] = []
    left: list[float] = []
    there = False
    for state in log.states():
        piece = piece_of(state.scene, piece_id)
        if piece is None:
            if there:
                left.append(state.t_s)
            there = False
            continue
        last = stops[-1] if stops else None
        distance_mm = math.dist(last.place, piece.centre) if last is not None and there else 0.0
        turned = last is not None and abs((piece.facing_deg - last.piece.facing_deg + 180) % 360 - 180)
        if not there or distance_mm >= _LEAST_MM or (turned or 0.0) >= _LEAST_TURN_DEG:
            stops.append(Stop(state.t_s, state.id, piece, distance_mm))
        there = True
    return Track(piece_id, tuple(stops), tuple(left))


def track_picture(log: GameLog, track: Track) -> ByteImage | None:
    """The whole table as it was at the last stop, with the path and each stop's time and distance."""
    if not track.stops:
        return None
    state = log.state(track.stops[-1].state_id)
    if state is None:
        return None
    table = state.scene.table
    box = (-_EDGE_MM, -_EDGE_MM, table.width_mm + _EDGE_MM, table.depth_mm + _EDGE_MM)
    scale = _LONGEST_PX / max(box[2] - box[0], box[3] - box[1])
    panel = panel_of(snapshot_of(log, state), box, scale)
    places = [panel.px([stop.place], face_height_mm(stop.piece))[0] for stop in track.stops]
    for index, (stop, place) in enumerate(zip(track.stops, places, strict=True)):
        last = index == len(places) - 1
        (polyline if last else dashed)(panel.bgr, rim_px(panel, stop.piece), BLUE if last else WHITE, 2)
        if index and stop.distance_mm > 0:
            arrow(panel.bgr, places[index - 1], place, YELLOW)
    taken: list[tuple[float, float]] = []
    for index, (stop, place) in enumerate(zip(track.stops, places, strict=True), start=1):
        far = f", {stop.distance_mm / MM_PER_INCH:.1f} in" if stop.distance_mm else ""
        x, y = float(place[0]), float(place[1]) + 14
        while any(abs(x - other_x) < 140 and abs(y - other_y) < _LINE_PX for other_x, other_y in taken):
            y += _LINE_PX
        taken.append((x, y))
        label(panel.bgr, (x, y), f"{index}: {moment_text(stop.t_s)}{far}", WHITE, 15)
    scale_bar(panel.bgr, scale)
    return panel.bgr
