"""What happened in this sitting, with the table before and after, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assistant.log.event import Event
from assistant.scene.values import JsonValue, Point, Scene
from assistant.ui.asking import named
from assistant.ui.overlays.model import Overlay, TraceMark
from assistant.ui.overlays.standing import radius_of
from calibration.view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A settled table with the picture it was read from."""

    scene: Scene
    view: TableView | None
    jpeg: bytes
    time_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Happening:
    """One event between two settled tables."""

    event: Event
    before: Snapshot | None
    after: Snapshot


def event_text(event: Event, names: Mapping[str, str]) -> str:
    """One event in words."""
    fields = event.fields
    piece = str(fields.get("piece", ""))
    match event.type:
        case "moved":
            flips = fields.get("flips")
            text = f"{piece} moved" + (f", {flips} flip{'' if flips == 1 else 's'}" if flips is not None else "")
        case "appeared":
            text = f"{piece} came onto the table"
        case "removed":
            text = f"{piece} left the table"
        case "pinned":
            text = f"{fields.get('top')} lies on {fields.get('bottom')}"
        case "unpinned":
            text = f"{fields.get('top')} no longer lies on {fields.get('bottom')}"
        case "token":
            change = fields.get("change", 0)
            sign = "+" if isinstance(change, int) and change > 0 else ""
            text = f"{piece}: {fields.get('token')} {sign}{change}"
        case "bumped":
            several = fields.get("pieces")
            count = len(several) if isinstance(several, list) else 0
            text = f"the table was bumped: {count} piece{'' if count == 1 else 's'} shifted"
        case "camera_moved":
            text = "the camera moved; the table was measured anew"
        case "camera_lost":
            text = "the camera gives no picture"
        case "camera_back":
            text = "the camera is back"
        case "correction":
            text = f"corrected by hand: {fields.get('why', '')}"
        case _:
            said = fields.get("sentence") or fields.get("text") or fields.get("rule") or ""
            text = f"{event.type}: {said or ', '.join(event.pieces())}".rstrip(": ")
    return named(text, names)


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
    """For a bumped table: an arrow for every piece from where it lies now to where it was, until it is back."""
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
        text = f"put back {off_mm:.1f} mm" if off_mm > 1.5 else "back in place"
        marks.append(TraceMark(target if off_mm <= 1.5 else piece.centre, target, target, radius_of(piece), text))
    return marks


def _place(value: JsonValue) -> Point | None:
    if isinstance(value, list) and len(value) == 2:
        x, y = value
        if isinstance(x, int | float) and isinstance(y, int | float):
            return (float(x), float(y))
    return None
