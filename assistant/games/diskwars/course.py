"""The course of a game of Diskwars: the engine of `play` behind the interface of every game."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from assistant.games.diskwars import play
from assistant.games.diskwars.field import Field, has
from assistant.games.diskwars.play_moves import flips_to
from assistant.games.diskwars.play_round import points
from assistant.games.diskwars.play_setup import card_faults, edge_faults
from assistant.games.diskwars.play_state import Activate, Game, Phase, Placed, Scout
from assistant.games.diskwars.play_state import Need as GameNeed
from assistant.games.diskwars.setup import deployment_violations
from assistant.games.diskwars.told import TELLINGS, Moved, Position, end_of, in_play, played
from assistant.games.diskwars.values import tokens
from assistant.rules.answers import listed
from assistant.rules.game import House, quoted
from assistant.rules.ledger import (
    SAME_PLACE_MM,
    Choice,
    Ledger,
    Need,
    Note,
    Option,
    PlayError,
    Seen,
    renamed,
    told_before,
    with_started,
)
from assistant.rules.play import DISMISS, Play
from assistant.scene.values import Piece, Scene

_RULE = re.compile(r"\b(DW-\d+)\b")
_USAGE = {
    "move": "move A X Y [X Y …] [dangers=N,…] [engaging=N,…] [then ACTION …]",
    "shoot": "shoot A B RESULT … [attack=N] [strength=N] [rerolls=RESULT,…]",
    "magic": "magic A B",
    "focus": "focus A B … [at=X,Y]",
    "pass": "pass A",
    "reinforce": "reinforce A X Y [dangers=N,…] [engaging=N,…]",
}


def start(scene: Scene, house: House) -> Position:
    """A game in set-up: what lies on the table or waits in reserve is what each player began with."""
    armies = _armies(scene)
    return Position(with_started(replace(scene, round=0), armies), house, armies)


def ledger(position: Position) -> Ledger:
    """The game as every game's ledger."""
    game = position.game
    if game is None:
        notes = tuple(note(text) for text in position.notes)
        return Ledger(position.scene, "set-up", 0, None, position.started, notes=notes)
    scores = {one.id: points(game.scene, one.id, game.objectives.get(one.id, {})) for one in game.scene.players}
    return Ledger(
        game.scene,
        game.phase.value,
        game.round,
        _turn(game),
        position.started,
        tuple(sorted(piece.id for piece in game.scene.on_field() if tokens(piece, "activation") > 0)),
        _used(game),
        scores,
        tuple(note(text) for text in (*position.notes, *game.notes)),
        game.phase is Phase.OVER,
        game.winner,
    )


def note(text: str) -> Note:
    """A sentence of the engine with the number of its rule."""
    found = _RULE.search(text)
    return Note(text, found.group(1) if found else "")


def put(position: Position, scene: Scene) -> Position:
    """The same position with another table."""
    if position.game is None:
        return replace(position, scene=scene, started=_armies(scene))
    return replace(position, game=replace(position.game, scene=scene), moved=None)


def _armies(scene: Scene) -> dict[str, tuple[str, ...]]:
    """Before the first round whatever comes onto the table belongs to the starting forces."""
    return {one.id: tuple(sorted(piece.id for piece in scene.pieces if piece.owner == one.id)) for one in scene.players}


def _turn(game: Game) -> str | None:
    if game.phase is Phase.RESOLVE and game.turns:
        return game.turns[0].player
    waiting = {need.player for need in play.needs(game)}
    return next(iter(waiting)) if len(waiting) == 1 else None


def _used(game: Game) -> tuple[str, ...]:
    used = [f"{tower} has shot" for tower in game.towers]
    if game.turns and game.turns[0].ability_used:
        used.append(f"battle ability of {game.turns[0].card.id}")
    if game.turns and game.turns[0].windmill_used:
        used.append(f"windmill with {game.turns[0].card.id}")
    return tuple(used)


def advance(position: Position) -> Position:
    """Begins the game after set-up; in play, ends the step it is in (scouting, a card, the next engagement)."""
    if position.game is not None:
        return played(position, end_of(position.game))
    missing = needs(position)
    if missing:
        raise PlayError(f"first: {missing[0].what}")
    scene = with_started(position.scene, position.started)
    faults = [f"{name} ({rule})" for _, name, rule in deployment_violations(Field(scene, position.house))]
    told = (f"Deployed against the rules: {listed(faults)} (DW-21).",) if faults else ()
    game = play.start(scene, position.hands, position.house, position.scenario, position.objectives)
    return replace(position, game=game, notes=(*position.notes, *told))


def needs(position: Position) -> tuple[Need, ...]:
    """What is waited for."""
    game = position.game
    if game is None:
        return _setup_needs(position)
    return tuple(Need(need.player, need.what, _choices(game, need), _usage(game)) for need in play.needs(game))


def _setup_needs(position: Position) -> tuple[Need, ...]:
    scene = position.scene
    found = []
    if len(scene.players) < 2:
        return (Need("", "at least two players are needed", usage="player NAME EDGE"),)
    for name, fault in edge_faults(scene.players):
        found.append(Need(name, f"the edge of {name}: {fault} (DW-10)", usage=f"edge {quoted(name)} north|south"))
    if any(one.initiative is None for one in scene.players):
        names = " ".join(quoted(one.id) for one in scene.players)
        found.append(Need("", "who is first, and so on (DW-12)", usage=f"initiative {names}"))
    for name, fault in card_faults(position.cards, scene.players, scene.table, scene.ruler_mm) if not found else ():
        found.append(Need("", f"deployment card {name}: {fault} (DW-14)", usage="card PLAYER NAME START END VALUE"))
    for one in scene.players:
        if not position.hands.get(one.id):
            usage = f"hand {quoted(one.id)} TITLE:STRATEGY:N …"
            found.append(Need(one.id, f"the command cards of {one.id} (DW-149)", usage=usage))
        if not any(piece.owner == one.id and piece.on_field for piece in scene.pieces):
            found.append(Need(one.id, f"{one.id} has no disk on the table: deploy, or give disks their owner (DW-21)"))
    return tuple(found)


def _choices(game: Game, need: GameNeed) -> tuple[Choice, ...]:
    if game.phase is Phase.CHOOSE:
        return tuple(Choice(title, f"choose {quoted(need.player)} {quoted(title)}") for title in need.options)
    if game.phase is Phase.MELEE:
        fights = [(int(index), game.engagements[int(index)]) for index in need.options]
        return tuple(
            Choice(f"{listed(each.attackers)} against {listed(each.defenders)}", f"fight {index}")
            for index, each in fights
        )
    if game.phase is Phase.SCOUT:
        return (Choice("no more scouting", "advance"),)
    if game.phase is Phase.RESOLVE and game.forced is None and not need.options:
        return (Choice(f"done with {game.turns[0].card.id}", "advance"),)
    return ()


def _usage(game: Game) -> str:
    if game.forced is not None:
        return "flip X Y"
    return {
        Phase.SCOUT: "scout A X Y …",
        Phase.RESOLVE: "move|shoot|magic|focus|pass|reinforce A …",
        Phase.MELEE: "fight I [a>b …]",
    }.get(game.phase, "")


def options(position: Position, name: str) -> tuple[Option, ...]:
    """What a disk may do now, and why it may not."""
    if position.game is None:
        return (Option("deploy", (), "place A X Y"),)
    found = play.options(position.game, name)
    return tuple(Option(each.action, each.reasons, _USAGE[each.action]) for each in found)


def see(position: Position, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    """What a camera event means in the game: a moved disk was activated, a disk that came was reinforced."""
    game = position.game
    if game is None:
        return put(position, _seen_in_setup(position.scene, seen)), ()
    if game.phase is Phase.OVER:
        return put(position, seen.into(game.scene)), ()
    if seen.kind == "moved":
        return _moved(position, game, seen)
    if seen.kind == "appeared":
        return _appeared(position, game, seen)
    if seen.kind == "removed":
        return _removed(position, game, seen)
    if seen.kind == "token":
        return _token(position, game, seen)
    if seen.kind in ("bumped", "pinned", "unpinned"):
        return put(position, seen.into(game.scene)), ()
    return position, ()


def _seen_in_setup(scene: Scene, seen: Seen) -> Scene:
    """While the table is set up, what the camera sees is what there is; reserves stay."""
    there = {piece.id for piece in seen.scene.pieces}
    kinds = {kind for piece in seen.scene.pieces for kind in piece.tokens}
    merged = seen.into(scene, kinds, there)
    return replace(merged, pieces=tuple(p for p in merged.pieces if p.id in there or not p.on_field))


def _moved(position: Position, game: Game, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    piece, spot = _known(game, seen.piece), seen.place("to")
    if spot is None:
        return position, ()
    if piece.on_field and math.dist(piece.centre, spot) <= SAME_PLACE_MM and tokens(piece, "activation"):
        return _laid(position, seen), ()  # told before it was seen
    flips = flips_to(game, piece.id, spot)
    if flips is None:
        raise PlayError(f"{piece.id} moved to where no flips take it (DW-65)")
    if game.phase is Phase.SCOUT:
        after = played(position, Scout(piece.id, flips.landings))
        return _laid(after, seen), ()
    if game.phase is not Phase.RESOLVE:
        raise PlayError(f"{piece.id} moved, but the phase is {game.phase.value} (DW-64)")
    after = played(position, Activate(piece.id, (flips,)))
    asks: tuple[Need, ...] = ()
    if has(piece, "mobile") and in_play(after).scene.piece(piece.id).on_field:
        ask = f"{piece.id} is mobile: did it also shoot or use its focus ability? (DW-79)"
        asks = (Need(piece.owner or "", ask, (Choice("no", DISMISS),), "shoot A B RESULT …"),)
    laid = _laid(after, seen)
    return replace(laid, moved=Moved(game, piece.id, flips) if asks else None), asks


def _laid(position: Position, seen: Seen) -> Position:
    """The table exactly as the camera saw it after an act."""
    game = in_play(position)
    return replace(position, game=replace(game, scene=seen.into(game.scene)))


def _known(game: Game, identity: str) -> Piece:
    for piece in game.scene.pieces:
        if piece.id == identity:
            return piece
    raise PlayError(f"{identity or 'a disk'} moved and is not known to the game: whose is it?")


def _appeared(position: Position, game: Game, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    """A disk came onto the table: one of the reserve that looks like it is reinforced."""
    spot = seen.place("to")
    fresh = next((piece for piece in seen.scene.pieces if piece.id == seen.piece), None)
    if fresh is None or spot is None:
        return position, ()
    if (placed := told_before(game.scene, seen.scene, fresh)) is not None:
        known = replace(position, game=replace(game, scene=renamed(game.scene, placed, fresh.id)))
        return _laid(known, seen), ()
    waiting = [piece for piece in game.scene.pieces if "reserve" in piece.state]
    same = [piece for piece in waiting if piece.id == fresh.id] or [
        piece
        for piece in waiting
        if fresh.profile is not None and (piece.profile, piece.owner) == (fresh.profile, fresh.owner)
    ]
    gone = [p for p in game.scene.pieces if not p.on_field and p.profile is not None and p.profile == fresh.profile]
    if not same:
        choices = [Choice(f"it is {p.id}, put back", f"same {quoted(fresh.id)} {quoted(p.id)}") for p in gone]
        ask = Need(fresh.owner or "", f"{fresh.id} came onto the table: which disk is it?", (*choices, _AS_IT_LIES))
        return put(position, seen.into(game.scene)), (ask,)
    old = same[0]
    known = replace(position, game=replace(game, scene=renamed(game.scene, old.id, fresh.id)))
    return _laid(played(known, Activate(fresh.id, (Placed(spot),))), seen), ()


_AS_IT_LIES = Choice("leave it as it lies", DISMISS)


def _removed(position: Position, game: Game, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    """A disk left the table: expected of casualties, otherwise people are asked what became of it."""
    piece = next((piece for piece in game.scene.pieces if piece.id == seen.piece), None)
    if piece is None or not piece.on_field:
        return position, ()
    name = quoted(piece.id)
    ask = Need(
        piece.owner or "",
        f"{piece.id} left the table: is it a casualty?",
        (
            Choice("a casualty", f"casualty {name}"),
            Choice("back in reserve", f"reserve {name}"),
            Choice("only lifted", DISMISS),
        ),
    )
    return put(position, seen.into(game.scene)), (ask,)


def _token(position: Position, game: Game, seen: Seen) -> tuple[Position, tuple[Need, ...]]:
    kind = seen.fields.get("token")
    count = seen.count()
    known = next((piece for piece in game.scene.pieces if piece.id == seen.piece), None)
    if count is None or known is None or not isinstance(kind, str) or not known.on_field:
        return position, ()
    expected = known.tokens.get(kind, 0)
    if count == expected:
        return position, ()
    name = quoted(known.id)
    if kind == "activation" and count > expected and game.phase is Phase.RESOLVE and known.owner == _turn(game):
        may = [each for each in play.options(game, known.id) if not each.reasons and each.action != "move"]
        ask = f"{known.id} got an activation token: what did it do?"
        picks = tuple(Choice(each.action, f"pass {name}") for each in may if each.action == "pass")
        usages = " or ".join(_USAGE[each.action] for each in may if each.action != "pass")
        return position, (Need(known.owner or "", ask, (*picks, _AS_IT_LIES), usages),)
    ask = f"{known.id} shows {count} {kind}, the ledger has {expected}: which is right?"
    picks = (
        Choice(f"{count}", f"token {name} {kind} {count}"),
        Choice(f"{expected}", f"token {name} {kind} {expected}"),
    )
    return position, (Need(known.owner or "", ask, picks, about=f"token {name} {kind}"),)


PLAY: Play[Position] = Play(start, needs, options, TELLINGS, see, advance, ledger, put)
