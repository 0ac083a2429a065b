"""Pretend games of every kind: random but lawful moments, as a session would write them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from assistant.log.entry import Entry, Picture
from assistant.log.event import Event
from assistant.scene.values import Circle, JsonValue, Objective, Piece, Player, Rect, Scene, Table, Terrain, Zone

SECONDS_A_MOMENT = 21.0
FRAMES_A_SECOND = 30


@dataclass(frozen=True, slots=True)
class Kind:
    """How a pretend game looks."""

    players: tuple[str, str]
    table_mm: tuple[float, float]
    shapes: tuple[Circle | Rect, ...]
    pieces_a_side: int


KINDS = {
    "diskwars": Kind(("order", "destruction"), (914.4, 914.4), (Circle(38.1), Circle(50.8), Circle(76.2)), 8),
    "wrath-of-kings": Kind(("goritsi", "shael han"), (1219.2, 1219.2), (Circle(30.0), Circle(40.0)), 10),
    "firefight": Kind(("red", "blue"), (1219.2, 1219.2), (Circle(32.0),), 20),
    "conquest": Kind(("spires", "dweghom"), (1828.8, 1219.2), (Rect(60.0, 60.0),), 12),
}


def opening(game: str, dice: random.Random) -> Scene:
    """Both armies on their edges, with a hill, a zone each and an objective."""
    kind = KINDS[game]
    width, depth = kind.table_mm
    pieces = []
    for side, (owner, y) in enumerate(zip(kind.players, (depth - 90.0, 90.0), strict=True)):
        for number in range(kind.pieces_a_side):
            x = width * (number + 1) / (kind.pieces_a_side + 1)
            pieces.append(
                Piece(
                    id=f"{'ab'[side]}{number:02d}",
                    shape=dice.choice(kind.shapes),
                    x=x + dice.uniform(-9, 9),
                    y=y + dice.uniform(-40, 40),
                    owner=owner,
                    sigma_mm=0.3,
                    facing_deg=180.0 * side,
                    profile=f"profile-{number % 4}",
                    unit=f"unit-{side}-{number // 4}",
                    stats={"movement": 3, "attack": 4, "counter": 2, "toughness": 4},
                    keywords=("swift attack",),
                    traits=("infantry",),
                )
            )
    zones = tuple(
        Zone(f"zone {owner}", ((0.0, top), (width, top), (width, top + 152.4), (0.0, top + 152.4)), owner, "deployment")
        for owner, top in zip(kind.players, (depth - 152.4, 0.0), strict=True)
    )
    middle = (width / 2, depth / 2)
    hill = tuple((middle[0] + x, middle[1] + y) for x, y in ((-140, -60), (-20, -110), (40, -10), (-60, 70)))
    return Scene(
        game=game,
        table=Table(width, depth),
        players=tuple(Player(owner, edge) for owner, edge in zip(kind.players, ("south", "north"), strict=True)),
        pieces=tuple(pieces),
        terrain=(Terrain("hill", hill, ("high ground",), 2),),
        zones=zones,
        objectives=(Objective("well", middle[0] + 120, middle[1] + 90, 40.0),),
        ruler_mm={"short": 76.2, "medium": 152.4, "long": 304.8},
        round=1,
    )


def moments(game: str, count: int, seed: int = 1, picture: bytes | None = None) -> Iterator[Entry]:
    """A whole game: the armies appear, then something happens every twenty seconds or so."""
    dice = random.Random(seed)
    scene = opening(game, dice)
    first = tuple(Event(0.0, 0, "appeared", {"piece": p.id, "to": list(p.centre)}) for p in scene.on_field())
    yield Entry(0.0, 0, first, scene, (), _pictures(picture, key=True))
    for number in range(1, count):
        t_s = round(SECONDS_A_MOMENT * number + dice.uniform(-4, 4), 3)
        frame = int(t_s * FRAMES_A_SECOND)
        scene, happened = _next(scene, dice, number)
        scene = replace(scene, round=1 + number * 5 // count)
        events = tuple(Event(t_s, frame, kind, fields) for kind, fields in happened)
        rulings = tuple(_rulings(scene, dice))
        key = any(record["close_call"] for record in rulings)
        yield Entry(t_s, frame, events, scene, rulings, _pictures(picture, key))


def _pictures(picture: bytes | None, key: bool) -> tuple[Picture, ...]:
    return () if picture is None else (Picture(picture, key=key),)


def _next(scene: Scene, dice: random.Random, number: int) -> tuple[Scene, list[tuple[str, dict[str, JsonValue]]]]:
    piece = dice.choice([p for p in scene.on_field() if p.owner == scene.players[number % 2].id] or scene.on_field())
    chance = dice.random()
    if chance < 0.08 and len(scene.on_field()) > 6:
        gone = replace(piece, x=None, y=None, state=("casualty",))
        return _settle(scene, gone, [("removed", {"piece": piece.id, "from": list(piece.centre)})])
    if chance < 0.2:
        marked = replace(piece, tokens={**piece.tokens, "damage": piece.tokens.get("damage", 0) + 1})
        return _settle(scene, marked, [("token", {"piece": piece.id, "token": "damage", "change": 1})])
    if chance < 0.24:
        return scene, [("camera_lost", {}), ("camera_back", {})]
    if chance < 0.28:
        return scene, [("violation", {"piece": piece.id, "rule": "outside zone"})]
    flips = dice.randint(1, 4)
    angle = dice.uniform(0, math.tau)
    x, y = piece.centre
    far = flips * 60.0
    to = (
        min(max(x + far * math.sin(angle), 20.0), scene.table.width_mm - 20.0),
        min(max(y - far * math.cos(angle), 20.0), scene.table.depth_mm - 20.0),
    )
    moved = replace(piece, x=to[0], y=to[1])
    return _settle(scene, moved, [("moved", {"piece": piece.id, "from": [x, y], "to": list(to), "flips": flips})])


def _settle(
    scene: Scene, piece: Piece, happened: list[tuple[str, dict[str, JsonValue]]]
) -> tuple[Scene, list[tuple[str, dict[str, JsonValue]]]]:
    """Puts a changed piece back, on top of all it now overlaps."""
    pieces = tuple(piece if other.id == piece.id else other for other in scene.pieces)
    under = {other.id for other in pieces if other.on_field and other.id != piece.id and _overlap(piece, other)}
    kept = [pair for pair in scene.above if piece.id not in pair]
    old_under = {bottom for top, bottom in scene.above if top == piece.id}
    happened += [("unpinned", {"top": piece.id, "bottom": bottom}) for bottom in sorted(old_under - under)]
    happened += [("pinned", {"top": piece.id, "bottom": bottom}) for bottom in sorted(under - old_under)]
    above = tuple(sorted([*kept, *((piece.id, bottom) for bottom in under)]))
    return replace(scene, pieces=pieces, above=above), happened


def _overlap(one: Piece, other: Piece) -> bool:
    return one.on_field and math.dist(one.centre, other.centre) < _radius(one) + _radius(other)


def _radius(piece: Piece) -> float:
    return piece.shape.radius_mm if isinstance(piece.shape, Circle) else piece.shape.width_mm / 2


def _rulings(scene: Scene, dice: random.Random) -> Iterator[dict[str, JsonValue]]:
    for top, bottom in scene.above:
        yield _record("pin", f"{top} pins {bottom}", [top, bottom], 1.0, 8.0, [])
    if dice.random() < 0.15:
        one, other = dice.sample(scene.on_field(), 2)
        line: JsonValue = {
            "meaning": "measure",
            "text": "152.1 mm",
            "line": [list(one.centre), list(other.centre)],
        }
        sentence = f"{other.id} is 152.1 mm from {one.id}: medium range by 0.3 mm"
        yield _record("range", sentence, [one.id, other.id], 0.81, 0.3, [line])


def _record(
    kind: str, sentence: str, pieces: list[JsonValue], certainty: float, margin_mm: float, evidence: list[JsonValue]
) -> dict[str, JsonValue]:
    close = certainty < 0.95
    return {
        "kind": kind,
        "verdict": "too close" if close else "yes",
        "sentence": sentence,
        "rule": "DW-33",
        "pieces": pieces,
        "evidence": evidence,
        "margin_mm": margin_mm,
        "certainty": certainty,
        "close_call": close,
        "answer": {},
    }
