"""The position of a game of Wrath of Kings, and the small steps that every part of its course uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assistant.games.wrath_of_kings.elements import is_leader, rank_of
from assistant.games.wrath_of_kings.morale import Morale, morale_now
from assistant.rules.game import House
from assistant.rules.ledger import Note, PlayError, off_field, with_count
from assistant.scene.values import Piece, Player, Scene

SETUP, INITIATIVE, TURN, OVER = "set-up", "initiative", "turns", "over"
# Markers of a model's own motivation, and marks that the enemy's motivation put on it.
MARKER, MARK, DAMAGE, ACTIVATED = "marker", "mark", "damage", "activated"


@dataclass(frozen=True, slots=True)
class Activation:
    """Models that activate now: one, or several by a leader; which of them have done which stage."""

    models: tuple[str, ...]
    leader: str | None = None
    first: str | None = None  # the stage that all do first: maneuver or action
    maneuvered: tuple[str, ...] = ()
    acted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """Something the rules ask for before the game goes on: a will check, or which model takes a marker."""

    kind: str  # glory, unstoppable, confidence: a will check of `models[0]`; captor, spy: one of the models
    player: str  # who tells it
    models: tuple[str, ...]
    rule: str
    optional: bool = True


@dataclass(frozen=True, slots=True)
class Turn:
    """What happened in the turn that is going on."""

    attackers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # who was attacked by whom
    killed: tuple[str, ...] = ()
    open: bool = True  # its end has not been scored yet


@dataclass(frozen=True, slots=True)
class Position:
    """A game from its set-up to its end."""

    scene: Scene
    house: House
    started: Mapping[str, tuple[str, ...]]
    phase: str = SETUP
    round: int = 0
    motivations: Mapping[str, str] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    rolls: Mapping[str, int] = field(default_factory=dict)  # initiative dice of this round
    player: str | None = None
    activation: Activation | None = None
    turn: Turn = field(default_factory=Turn)
    passed: bool = False  # a player had nothing left: the turn that is going on is the last of the round
    ending: bool = False  # the round's end is being scored
    sprinted: tuple[str, ...] = ()
    spied: tuple[str, ...] = ()  # enemies that granted a marker of Steal Intel in this round
    links: Mapping[str, str] = field(default_factory=dict)  # objective -> model that escorts it
    pending: tuple[Pending, ...] = ()
    notes: tuple[Note, ...] = ()
    winner: str | None = None


def noted(position: Position, text: str, rule: str) -> Position:
    """The position with one consequence more."""
    return replace(position, notes=(*position.notes, Note(text, rule)))


def opponent(position: Position, player: str) -> str:
    """The other player."""
    others = [one.id for one in position.scene.players if one.id != player]
    if len(others) != 1:
        raise PlayError(f"exactly two players are needed, the table has {len(position.scene.players)}")
    return others[0]


def player_of(position: Position, identity: str) -> Player:
    """The player of that id."""
    for one in position.scene.players:
        if one.id == identity:
            return one
    raise PlayError(f"unknown player {identity!r}")


def morale(position: Position, player: str) -> Morale:
    """A player's morale now."""
    return morale_now(position.scene, player_of(position, player))


def loses(position: Position, player: str, points: int, why: str, rule: str) -> Position:
    """A player loses morale to a motivation."""
    if points <= 0:
        return position
    one = player_of(position, player)
    before = one.extra.get("morale_lost", 0)
    taken = before if isinstance(before, int) and not isinstance(before, bool) else 0
    changed = replace(one, extra={**one.extra, "morale_lost": taken + points})
    players = tuple(changed if other.id == player else other for other in position.scene.players)
    after = replace(position, scene=replace(position.scene, players=players))
    return noted(after, f"{player} loses {points} morale: {why}; {morale(after, player).now} left.", rule)


def from_pool(position: Position, player: str, count: int) -> tuple[Position, int]:
    """Markers taken from a player's pool: as many as are there."""
    taken = min(count, position.pools.get(player, 0))
    pools = {**position.pools, player: position.pools.get(player, 0) - taken}
    return (replace(position, pools=pools) if taken else position), taken


def with_markers(position: Position, identity: str, count: int, kind: str = MARKER) -> Position:
    """A model with so many markers of its own motivation, or marks of the enemy's."""
    return replace(position, scene=with_count(position.scene, identity, kind, max(0, count)))


def markers(position: Position, identity: str, kind: str = MARKER) -> int:
    """The markers on a model."""
    return position.scene.piece(identity).tokens.get(kind, 0)


def standing(position: Position, player: str) -> list[Piece]:
    """A player's models on the table."""
    return [piece for piece in position.scene.on_field() if piece.owner == player]


def waiting(position: Position, player: str) -> list[Piece]:
    """A player's models that have not activated in this round."""
    return [piece for piece in standing(position, player) if not piece.tokens.get(ACTIVATED, 0)]


def fallen(position: Position, piece: Piece, pooled: bool) -> Position:
    """A model removed as a casualty; its markers go back to its player's pool where they came from one (WK-34, 35)."""
    back = piece.tokens.get(MARKER, 0) if pooled else 0
    owner = piece.owner or ""
    pools = {**position.pools, owner: position.pools.get(owner, 0) + back} if back else position.pools
    scene = with_count(position.scene, piece.id, MARKER, 0) if back else position.scene
    links = {objective: model for objective, model in position.links.items() if model != piece.id}
    after = pruned(replace(position, scene=off_field(scene, piece.id, "casualty"), pools=pools, links=links))
    more = f", a leader of rank {rank_of(piece)}" if is_leader(piece) else ""
    if not owner:
        return after
    return noted(after, f"{piece.id} is removed{more}; {owner} has {morale(after, owner).now} morale left.", "WK-35")


def pruned(position: Position) -> Position:
    """Models that left the table neither act any more nor are they asked anything; a turn they began goes on."""
    there = {piece.id for piece in position.scene.on_field()}
    going = position.activation
    if going is not None:
        going = replace(going, models=tuple(name for name in going.models if name in there))
    asks = (replace(ask, models=tuple(name for name in ask.models if name in there)) for ask in position.pending)
    return replace(position, activation=going, pending=tuple(ask for ask in asks if ask.models))


def in_phase(position: Position, *phases: str) -> Position:
    """The position, if it is in one of the phases; else an error that says what is going on."""
    if position.phase == OVER:
        raise PlayError("the game is over (WK-35)")
    if position.phase not in phases:
        raise PlayError(f"this does not belong to the phase {position.phase}")
    return position


def own_model(position: Position, identity: str) -> Piece:
    """A model on the table, for an act of the game."""
    piece = position.scene.piece(identity)
    if not piece.on_field:
        raise PlayError(f"{identity} is not on the table")
    return piece
