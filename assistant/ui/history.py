"""Where the pieces of an event were and went, as marks to draw."""

from __future__ import annotations

from assistant.log.event import Event
from assistant.scene.values import JsonValue, Point, Scene
from assistant.ui.overlays.model import Overlay, TraceMark
from assistant.ui.overlays.standing import radius_of

BACK_MM = 1.5


def event_traces(event: Event, scene: Scene) -> list[Overlay]:
    """Where the pieces of an event were, and where they went."""
    marks: list[Overlay] = []
    entries: list[tuple[JsonValue, JsonValue, JsonValue]] = [
        (event.fields.get("piece"), event.fields.get("from"), event.fields.get("to"))
    ]
    several = event.fields.get("pieces")
    for entry in several if isinstance(several, list) else ():
        if isinstance(entry, dict):
            entries.append((entry.get("piece"), entry.get("from"), entry.get("to")))
    radii = {piece.id: radius_of(piece) for piece in scene.pieces}
    for piece, start, end in entries:
        a, b = _place(start), _place(end)
        if a is not None and b is not None:
            marks.append(TraceMark(a, b, a, radii.get(str(piece), 20.0)))
    return marks


def put_back_marks(event: Event, scene: Scene) -> list[Overlay]:
    """For a bumped table: an arrow from where a piece lies now to where it was; none for what is back in its place."""
    marks: list[Overlay] = []
    pieces = {piece.id: piece for piece in scene.on_field()}
    several = event.fields.get("pieces")
    for entry in several if isinstance(several, list) else ():
        piece = pieces.get(str(entry.get("piece"))) if isinstance(entry, dict) else None
        target = _place(entry.get("from")) if isinstance(entry, dict) else None
        if piece is None or target is None:
            continue
        x, y = piece.centre
        off_mm = ((target[0] - x) ** 2 + (target[1] - y) ** 2) ** 0.5
        if off_mm > BACK_MM:
            marks.append(TraceMark(piece.centre, target, target, radius_of(piece), f"put back {off_mm:.1f} mm"))
    return marks


def _place(value: JsonValue) -> Point | None:
    if isinstance(value, list) and len(value) == 2:
        x, y = value
        if isinstance(x, int | float) and isinstance(y, int | float):
            return (float(x), float(y))
    return None
