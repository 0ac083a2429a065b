"""A move against the rules: the sentence, what is drawn of it, and how it is put back. Plain functions, no Qt."""

from __future__ import annotations

from assistant.log.event import Event
from assistant.log.telling import sentence
from assistant.rules.game import GameSystem, House
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Point, Scene
from assistant.session.history import Happening
from assistant.ui.asking import Table
from assistant.ui.overlays.model import Dash, Ink, LineMark, Overlay, RingMark
from assistant.ui.overlays.standing import radius_of, ruling_marks

_MOVED_MM = 3.0


def violation_key(event: Event) -> str:
    """What tells one violation from another."""
    return f"violation {event.frame} {' '.join(event.pieces())} {event.fields.get('rule', '')}"


def violation_sentence(happening: Happening, names: dict[str, str]) -> str:
    """What was done against which rule."""
    return sentence(happening.event, names)


def violation_marks(happening: Happening, game: GameSystem, house: House) -> list[Overlay]:
    """The path of the piece, and the limit it went beyond where the game knows one."""
    marks: list[Overlay] = []
    for identity, start, end in moves_of(happening):
        marks.append(LineMark(start, end, Ink.VIOLATION, "", Dash.DASH_DOT, arrow=True))
        scene = happening.after.scene
        marks.append(RingMark(end, radius_of(scene.piece(identity)) + 4.0, Ink.VIOLATION, "", Dash.DASH_DOT))
        marks += _limit(happening, identity, game, house)
    return marks


def moves_of(happening: Happening) -> list[tuple[str, Point, Point]]:
    """The pieces of a violation that have moved, with where they were and where they are."""
    if happening.before is None:
        return []
    before = {piece.id: piece.centre for piece in happening.before.scene.on_field()}
    found = []
    for piece in happening.after.scene.on_field():
        start = before.get(piece.id)
        if piece.id in happening.event.pieces() and start is not None and _apart(start, piece.centre) > _MOVED_MM:
            found.append((piece.id, start, piece.centre))
    return found


def put_back_event(happening: Happening) -> Event | None:
    """The same as a bump is: where each piece was; None where nothing has moved."""
    entries: list[JsonValue] = [
        {"piece": identity, "from": list(start), "to": list(end)} for identity, start, end in moves_of(happening)
    ]
    event = happening.event
    return Event(event.t_s, event.frame, "bumped", {"pieces": entries}) if entries else None


def _limit(happening: Happening, identity: str, game: GameSystem, house: House) -> list[Overlay]:
    scene: Scene | None = happening.before.scene if happening.before else None
    if scene is None:
        return []
    table = Table(game, house, scene, {})
    if not table.has("reach"):
        return []
    try:
        return ruling_marks(table.ask("reach", identity))
    except GameError:
        return []


def _apart(a: Point, b: Point) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)
