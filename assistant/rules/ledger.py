"""What is known of a game beyond the picture: a value that every game's position can be read as.

A `Ledger` holds the table with everything the camera cannot see (casualties and reserves stay in `scene.pieces` with
their state, markers carry their holder, pieces their wounds and states, players their lost morale in `extra`), and the
course of the game: starting forces, round, phase, whose turn it is, who has acted, what may be done once, the scores.
Questions are asked of `ledger.scene`, so they know what was removed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Piece, Point, Scene

STILL_MM = 4.0  # a piece measured elsewhere by less has not moved; as corrections have it
SAME_PLACE_MM = 25.0  # a piece seen this near to where people placed one like it is that one; chosen
STARTED = "started"  # the field of a player that holds the names of the units (or pieces) he began with


class PlayError(GameError):
    """Something the rules do not allow now, or that needs an input it did not get; the text says which."""


class Source(Enum):
    """Where an entry of the ledger comes from."""

    CAMERA = "camera"
    PERSON = "person"
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class Note:
    """One consequence, as a sentence for players with the number of its rule (empty where there is none)."""

    text: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a need: what a person reads, and what is told when he picks it."""

    label: str
    tell: str


@dataclass(frozen=True, slots=True)
class Need:
    """What the game waits for: from whom, what (one short sentence), and the answers there are to pick from.

    `usage` shows how it is told where the answer must be typed, such as dice. A need without choices and usage
    is information only. A question of the camera may say what it is `about` (the first words of the tellings that
    answer it): a newer one about the same takes its place.
    """

    player: str
    what: str
    choices: tuple[Choice, ...] = ()
    usage: str = ""
    about: str = ""


@dataclass(frozen=True, slots=True)
class Option:
    """Something a piece or unit could do now; `reasons` are empty when it may. `usage` shows how it is told."""

    action: str
    reasons: tuple[str, ...] = ()
    usage: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """The game at one moment, the same fields for every game."""

    scene: Scene
    phase: str
    round: int = 0  # 0 before the first
    turn: str | None = None  # the player to act; None where several or nobody
    started: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # player -> units (or pieces) he began with
    acted: tuple[str, ...] = ()  # pieces or units that have acted in this round
    used: tuple[str, ...] = ()  # what may be done once a round and was done
    scores: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()  # all consequences so far, oldest first
    over: bool = False
    winner: str | None = None  # None while it goes on, and in a draw


@dataclass(frozen=True, slots=True)
class Seen:
    """One event of the camera: its type and fields as in the log, and the settled table after it."""

    kind: str
    fields: Mapping[str, JsonValue]
    scene: Scene
    before: Scene | None = None  # the table as the camera saw it before

    def into(self, known: Scene, kinds: Iterable[str] = (), back: Iterable[str] = ()) -> Scene:
        """The known table with what the camera saw, see `seen_into`; what was told ahead of it stays as told."""
        return seen_into(known, self.scene, kinds, back, self.before)

    @property
    def piece(self) -> str:
        """The piece it speaks of; empty where it is about none or several."""
        identity = self.fields.get("piece")
        return identity if isinstance(identity, str) else ""

    def count(self) -> int | None:
        """Of a `token` event: the tokens of its kind that lie on the piece now, as the camera counts them."""
        count = self.fields.get("count")
        if isinstance(count, int):
            return count
        piece = next((piece for piece in self.scene.pieces if piece.id == self.piece), None)
        return piece.tokens.get(str(self.fields.get("token")), 0) if piece is not None else None

    def place(self, name: str) -> Point | None:
        """A point such as `from` or `to`."""
        point = self.fields.get(name)
        if not isinstance(point, list) or len(point) != 2:
            return None
        x, y = point
        return (float(x), float(y)) if isinstance(x, int | float) and isinstance(y, int | float) else None


def with_piece(scene: Scene, piece: Piece) -> Scene:
    """The scene with one piece in a new state."""
    return replace(scene, pieces=tuple(piece if other.id == piece.id else other for other in scene.pieces))


def off_field(scene: Scene, identity: str, state: str) -> Scene:
    """A piece taken from the table: `casualty` or `reserve`; nothing lies on it or under it any more."""
    piece = scene.piece(identity)
    kept = tuple(word for word in piece.state if word not in ("casualty", "reserve"))
    gone = replace(piece, x=None, y=None, state=(*kept, state))
    return replace(
        with_piece(scene, gone),
        above=tuple(pair for pair in scene.above if identity not in pair),
        above_certainty=tuple(order for order in scene.above_certainty if identity not in (order.top, order.bottom)),
    )


def renamed(scene: Scene, old: str, new: str) -> Scene:
    """The scene with a piece under another name: the camera goes on calling it so."""

    def called(name: str) -> str:
        return new if name == old else name

    kept = tuple(piece for piece in scene.pieces if piece.id != new or piece.id == old)
    return replace(
        scene,
        pieces=tuple(replace(piece, id=called(piece.id)) for piece in kept),
        above=tuple((called(top), called(bottom)) for top, bottom in scene.above),
        above_certainty=tuple(replace(o, top=called(o.top), bottom=called(o.bottom)) for o in scene.above_certainty),
    )


def told_before(known: Scene, seen: Scene, fresh: Piece) -> str | None:
    """The piece that people have placed already and that the camera now sees as `fresh`: alike, near, not yet seen."""
    there = {piece.id for piece in seen.pieces}
    for piece in known.on_field():
        if piece.id == fresh.id:
            return piece.id
        alike = (piece.owner, piece.profile, piece.unit) == (fresh.owner, fresh.profile, fresh.unit)
        if piece.id not in there and alike and math.dist(piece.centre, fresh.centre) <= SAME_PLACE_MM:
            return piece.id
    return None


def with_states(scene: Scene, pieces: Iterable[str], word: str, on: bool = True) -> Scene:
    """Pieces that have, or no longer have, a state such as stunned."""
    for identity in pieces:
        piece = scene.piece(identity)
        kept = tuple(known for known in piece.state if known != word)
        scene = with_piece(scene, replace(piece, state=(*kept, word) if on else kept))
    return scene


def with_count(scene: Scene, identity: str, token: str, count: int) -> Scene:
    """A piece with so many tokens of a kind; 0 is the same as none."""
    piece = scene.piece(identity)
    tokens = {name: number for name, number in piece.tokens.items() if name != token}
    return with_piece(scene, replace(piece, tokens={**tokens, token: count} if count > 0 else tokens))


def with_holder(scene: Scene, identity: str, player: str | None) -> Scene:
    """A marker with who holds it."""
    return replace(
        scene,
        objectives=tuple(
            replace(objective, holder=player) if objective.id == identity else objective
            for objective in scene.objectives
        ),
    )


def with_started(scene: Scene, started: Mapping[str, tuple[str, ...]]) -> Scene:
    """The scene with the starting forces on its players, so that questions know what is gone."""
    return replace(
        scene,
        players=tuple(
            replace(player, extra={**player.extra, STARTED: list(started[player.id])})
            if player.id in started
            else player
            for player in scene.players
        ),
    )


def started_of(scene: Scene, player: str) -> tuple[str, ...] | None:
    """The names of the units (or pieces) a player began with; None where nobody entered them."""
    for candidate in scene.players:
        if candidate.id == player:
            names = candidate.extra.get(STARTED)
            if isinstance(names, list):
                return tuple(str(name) for name in names)
    return None


def losses_listed(scene: Scene) -> bool:
    """Whether a scene keeps account of what was lost: it lists casualties, or what a player began with or has lost."""
    kept = any(key in player.extra for player in scene.players for key in (STARTED, "morale_lost"))
    return kept or any("casualty" in piece.state for piece in scene.pieces)


def losses_known(scene: Scene) -> bool:
    """Whether what was lost is known: the scene keeps account of it, or it is of the beginning.

    A camera sees only what is left, and a scene of a later round without casualties may have forgotten them.
    """
    return losses_listed(scene) or (not scene.calibration and (scene.round is None or scene.round <= 1))


def seen_into(
    known: Scene, seen: Scene, kinds: Iterable[str] = (), back: Iterable[str] = (), before: Scene | None = None
) -> Scene:
    """The known table with the places, order and sizes the camera saw; what it cannot see stays as it was known.

    `kinds` are the tokens that are taken from the camera (those whose count it has just reported); all others stay.
    A piece that is known on the field and not seen stays where it was: a `removed` event says when it is gone. One that
    is known off the field and still seen (a casualty not yet taken away) stays off it, unless it is named in `back`.
    Where the table `before` is given, a piece that people told to have moved, and that the camera has not seen moving
    since, stays where they told.
    """
    kinds, back = frozenset(kinds), frozenset(back)
    ahead = _told_ahead(known, seen, before) if before is not None else frozenset()
    old = {piece.id: piece for piece in known.pieces}
    off = {piece.id for piece in known.pieces if not piece.on_field and piece.id not in back}
    fresh = {piece.id: piece for piece in seen.pieces if piece.id not in off and piece.id not in ahead}
    off |= ahead  # their order is the known one
    pieces = [_merged(piece, fresh.get(piece.id), kinds) for piece in known.pieces]
    pieces += [piece for piece in fresh.values() if piece.id not in old]
    hidden = {piece.id for piece in pieces if piece.on_field and piece.id not in fresh}
    kept = tuple(pair for pair in known.above if set(pair) <= hidden or ahead.intersection(pair))
    return replace(
        known,
        pieces=tuple(pieces),
        above=tuple(sorted({*(pair for pair in seen.above if not off.intersection(pair)), *kept})),
        above_certainty=tuple(o for o in seen.above_certainty if not off.intersection((o.top, o.bottom))),
        terrain=known.terrain or seen.terrain,
        table=seen.table,
        calibration=seen.calibration,
    )


def _told_ahead(known: Scene, seen: Scene, before: Scene) -> frozenset[str]:
    old = {piece.id: piece.centre for piece in before.on_field()}
    now = {piece.id: piece.centre for piece in seen.on_field()}
    return frozenset(
        piece.id
        for piece in known.on_field()
        if piece.id in old
        and piece.id in now
        and math.dist(old[piece.id], now[piece.id]) < STILL_MM
        and math.dist(piece.centre, now[piece.id]) > SAME_PLACE_MM
    )


def _merged(known: Piece, seen: Piece | None, kinds: frozenset[str]) -> Piece:
    if seen is None or not seen.on_field:
        return known
    tokens = {name: count for name, count in known.tokens.items() if name not in kinds}
    return replace(
        known,
        x=seen.x,
        y=seen.y,
        facing_deg=seen.facing_deg,
        sigma_mm=seen.sigma_mm,
        visible=seen.visible,
        shape=seen.shape,
        owner=known.owner if known.owner is not None else seen.owner,
        profile=known.profile if known.profile is not None else seen.profile,
        tokens={**tokens, **{name: count for name, count in seen.tokens.items() if name in kinds and count > 0}},
        state=tuple(word for word in known.state if word not in ("reserve", "casualty")),
        extra={**known.extra, **seen.extra},
    )


def corrected_into(known: Scene, seen: Scene, changes: JsonValue) -> Scene:
    """The known table after a person overruled the camera: `changes` as the log writes them, paths of what differs."""
    fresh = {piece.id: piece for piece in seen.pieces}
    fields: dict[str, set[str]] = {}
    for change in changes if isinstance(changes, list) else ():
        path = change.get("path") if isinstance(change, dict) else None
        parts = path.split("/") if isinstance(path, str) else []
        if parts[:1] == ["pieces"] and len(parts) > 1:
            fields.setdefault(parts[1], set()).add(parts[2] if len(parts) > 2 else "")
    merged = seen_into(known, seen)
    for identity, names in fields.items():
        if identity not in fresh:
            kept = tuple(piece for piece in merged.pieces if piece.id != identity)
            merged = replace(merged, pieces=kept, above=tuple(p for p in merged.above if identity not in p))
            continue
        piece, right = merged.piece(identity), fresh[identity]
        if "owner" in names:
            piece = replace(piece, owner=right.owner)
        if "profile" in names:
            piece = replace(piece, profile=right.profile, stats=right.stats, ranged=right.ranged)
            piece = replace(piece, keywords=right.keywords, traits=right.traits, types=right.types)
        if "tokens" in names:
            piece = replace(piece, tokens=right.tokens)
        merged = with_piece(merged, piece)
    return merged
