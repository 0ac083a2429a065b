"""What people can tell in every game: the state of the table that a camera cannot see, and what it got wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from assistant.rules.answers import expect_words, number, whole
from assistant.rules.game import QuestionError
from assistant.rules.ledger import PlayError, off_field, with_count, with_holder, with_piece, with_states
from assistant.rules.units import unit_name
from assistant.scene.values import Objective, Player, Scene, Zone

P = TypeVar("P")
EDGES = ("north", "east", "south", "west")


@dataclass(frozen=True, slots=True)
class Telling(Generic[P]):
    """One word people can tell: how it is written, what it does, and the function that does it."""

    word: str
    usage: str
    summary: str
    tell: Callable[[P, Sequence[str]], P]


def _place(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 3, 4, "place A X Y [FACING]")
    piece = scene.piece(words[0])
    facing = number(words[3], "the facing") if len(words) == 4 else piece.facing_deg
    kept = tuple(word for word in piece.state if word not in ("reserve", "casualty"))
    placed = replace(piece, x=number(words[1], "x"), y=number(words[2], "y"), facing_deg=facing, state=kept)
    return with_piece(scene, placed)


def _members(scene: Scene, name: str) -> tuple[str, ...]:
    """The piece of that id, or the pieces of that unit."""
    if any(piece.id == name for piece in scene.pieces):
        return (name,)
    members = tuple(piece.id for piece in scene.pieces if unit_name(piece) == name)
    if not members:
        raise PlayError(f"{name} is no piece and no unit")
    return members


def _off(state: str) -> Callable[[Scene, Sequence[str]], Scene]:
    def tell(scene: Scene, words: Sequence[str]) -> Scene:
        expect_words(words, 1, 1, f"{state} A")
        for identity in _members(scene, words[0]):
            scene = off_field(scene, identity, state)
        return scene

    return tell


def _state(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 2, 3, "state A WORD [off]")
    if len(words) == 3 and words[2] not in ("on", "off"):
        raise QuestionError(f"expected on or off after the state, got {words[2]!r}")
    if words[1] in ("reserve", "casualty"):
        raise QuestionError(f"tell `{words[1]} {words[0]}` or `place {words[0]} X Y` for that")
    return with_states(scene, _members(scene, words[0]), words[1], on=words[-1] != "off")


def _token(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 3, 3, "token A KIND COUNT")
    return with_count(scene, scene.piece(words[0]).id, words[1], whole(words[2], "the count"))


def _holder(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 1, 2, "holder O [PLAYER]")
    if not any(objective.id == words[0] for objective in scene.objectives):
        raise PlayError(f"{words[0]} is no objective")
    return with_holder(scene, words[0], words[1] if len(words) == 2 else None)


def _same(scene: Scene, words: Sequence[str]) -> Scene:
    """A piece that came onto the table is one that left it: it gets the old one's name and values back."""
    expect_words(words, 2, 2, "same A B")
    fresh, old = scene.piece(words[0]), scene.piece(words[1])
    if not fresh.on_field or old.on_field:
        raise PlayError(f"{fresh.id} must be on the table and {old.id} off it to be the same piece")
    kept = tuple(word for word in old.state if word not in ("reserve", "casualty"))
    moved = replace(old, x=fresh.x, y=fresh.y, facing_deg=fresh.facing_deg, sigma_mm=fresh.sigma_mm, state=kept)
    pieces = tuple(moved if piece.id == old.id else piece for piece in scene.pieces if piece.id != fresh.id)
    renamed = tuple((old.id if a == fresh.id else a, old.id if b == fresh.id else b) for a, b in scene.above)
    return replace(scene, pieces=pieces, above=renamed)


def _marker(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 3, 4, "marker NAME X Y [MM]")
    x, y = number(words[1], "x"), number(words[2], "y")
    size = number(words[3], "its diameter") if len(words) == 4 else None
    if not (0 <= x <= scene.table.width_mm and 0 <= y <= scene.table.depth_mm):
        raise PlayError(f"{words[0]} would lie off the table")
    if size is not None and size <= 0:
        raise QuestionError(f"expected a diameter over 0, got {words[3]}")
    taken = {piece.id for piece in scene.pieces} | {terrain.id for terrain in scene.terrain}
    if words[0] in taken:
        raise PlayError(f"{words[0]} is the name of something else")
    old = next((objective for objective in scene.objectives if objective.id == words[0]), None)
    fresh = replace(old, x=x, y=y) if old is not None else Objective(words[0], x, y)
    fresh = replace(fresh, circle_mm=size) if size is not None else fresh
    return replace(scene, objectives=(*(o for o in scene.objectives if o.id != words[0]), fresh))


def _unmark(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 1, 1, "unmark O")
    return replace(scene, objectives=tuple(o for o in scene.objectives if o.id != words[0]))


def _zone(scene: Scene, words: Sequence[str]) -> Scene:
    if len(words) < 8 or len(words) % 2:
        raise QuestionError("expected 'zone PLAYER NAME X Y X Y X Y ...', at least three corners")
    values = [number(word, "a corner") for word in words[2:]]
    outline = tuple(zip(values[::2], values[1::2], strict=True))
    zone = Zone(words[1], outline, words[0], "deployment")
    return replace(scene, zones=(*(other for other in scene.zones if other.id != zone.id), zone))


def _player(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 1, 2, "player NAME [EDGE]")
    edge = words[1] if len(words) == 2 else None
    if edge is not None and edge not in EDGES:
        raise QuestionError(f"expected {', '.join(EDGES)}, got {edge!r}")
    known = {player.id: player for player in scene.players}
    if words[0] not in known and scene.round not in (None, 0):
        raise PlayError(f"{words[0]} cannot join: the game is in play")
    old = known.get(words[0], Player(words[0]))
    fresh = replace(old, edge=edge) if edge is not None else old
    return replace(scene, players=(*(player for player in scene.players if player.id != fresh.id), fresh))


def _owner(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 2, 2, "owner A PLAYER")
    for identity in _members(scene, words[0]):
        scene = with_piece(scene, replace(scene.piece(identity), owner=words[1]))
    return scene


def _stat(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 3, 3, "stat A NAME VALUE")
    value = number(words[2], words[1])
    for identity in _members(scene, words[0]):
        piece = scene.piece(identity)
        scene = with_piece(scene, replace(piece, stats={**piece.stats, words[1]: value}))
    return scene


def _keyword(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 2, 3, "keyword A WORD [off]")
    if len(words) == 3 and words[2] not in ("on", "off"):
        raise QuestionError(f"expected on or off after the keyword, got {words[2]!r}")
    for identity in _members(scene, words[0]):
        piece = scene.piece(identity)
        kept = tuple(word for word in piece.keywords if word != words[1])
        fresh = kept if words[-1] == "off" else (*kept, words[1])
        scene = with_piece(scene, replace(piece, keywords=fresh))
    return scene


def _unit(scene: Scene, words: Sequence[str]) -> Scene:
    expect_words(words, 2, 2, "unit A NAME")
    return with_piece(scene, replace(scene.piece(words[0]), unit=words[1]))


COMMON: tuple[Telling[Scene], ...] = (
    Telling("place", "place A X Y [FACING]", "a piece lies there now", _place),
    Telling("casualty", "casualty A", "a piece or unit is out of the game", _off("casualty")),
    Telling("reserve", "reserve A", "a piece or unit waits in reserve", _off("reserve")),
    Telling("state", "state A WORD [off]", "a piece or unit has a state, or has it no more", _state),
    Telling("token", "token A KIND COUNT", "a piece has so many tokens of a kind", _token),
    Telling("holder", "holder O [PLAYER]", "who holds a marker", _holder),
    Telling("marker", "marker NAME X Y [MM]", "an objective lies there", _marker),
    Telling("unmark", "unmark O", "an objective is no more", _unmark),
    Telling("zone", "zone PLAYER NAME X Y ...", "a deployment zone; a player may have several", _zone),
    Telling("player", "player NAME [EDGE]", "who plays, and from which edge", _player),
    Telling("owner", "owner A PLAYER", "whose a piece or unit is", _owner),
    Telling("stat", "stat A NAME VALUE", "a value of a piece or of all pieces of a unit", _stat),
    Telling("keyword", "keyword A WORD [off]", "a keyword of a piece or unit; quote one with a number", _keyword),
    Telling("unit", "unit A NAME", "the unit a piece belongs to", _unit),
    Telling("same", "same A B", "a piece that appeared is one that left the table", _same),
)
