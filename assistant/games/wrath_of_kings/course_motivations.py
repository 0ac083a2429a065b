"""Motivations in play: what activating, killing, hitting, interacting and the ends of turns and rounds score.

Each motivation is a line in a table of the moment it looks at (WK-37 to WK-51); pools and markers are in the position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.games.wrath_of_kings.areas import reached, sphere_in
from assistant.games.wrath_of_kings.control import control_of
from assistant.games.wrath_of_kings.course_state import (
    MARK,
    MARKER,
    Pending,
    Position,
    from_pool,
    loses,
    markers,
    noted,
    opponent,
    standing,
    with_markers,
)
from assistant.games.wrath_of_kings.elements import is_leader, of_objective, rank_of
from assistant.games.wrath_of_kings.motivations import (
    MOTIVATIONS,
    leader_ranks,
    objective_strips,
    objectives_of,
    prisoners_kept,
    strips_of,
)
from assistant.rules.game import Reading
from assistant.rules.judged import contact, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import PlayError
from assistant.scene.values import Objective, Piece

HOME = frozenset("ABC")
ESCORT = Reading(
    "escort",
    ("along", "stays"),
    "WK-38",
    "a linked objective moves with its model, without which it could not be brought anywhere; stays: it lies still",
)
WORTH = {"stand-your-ground": 1, "steal-intel": 2, "infiltrate": 1}  # morale for a marker as its model activates


def motivation_of(position: Position, player: str | None) -> str:
    """The name of a player's motivation; empty where none was chosen."""
    return position.motivations.get(player or "", "")


def pooled(position: Position, piece: Piece) -> bool:
    """Whether the markers on a model came from its own player's pool, and go back to it when it is killed."""
    name = motivation_of(position, piece.owner)
    return bool(name) and MOTIVATIONS[name].pool > 0


def start_markers(position: Position) -> Position:
    """Pools, and markers that lie on models from the start: Call to Glory, No Confidence."""
    for player, name in position.motivations.items():
        ranks = leader_ranks(position.scene, player)
        size = MOTIVATIONS[name].pool * ranks
        position = replace(position, pools={**position.pools, player: size})
        if size:
            position = noted(position, f"{player} has a pool of {size} markers ({name}).", MOTIVATIONS[name].rule)
        bearers = {"call-to-glory": player, "no-confidence": opponent(position, player)}.get(name)
        for piece in standing(position, bearers) if bearers else ():
            if is_leader(piece):
                glory = name == "call-to-glory"
                count = rank_of(piece) * (1 if glory else 2)
                position = with_markers(position, piece.id, count, MARKER if glory else MARK)
    return position


def on_activation(position: Position, identity: str) -> Position:
    """Markers that score as their model activates: WK-39, WK-45, WK-50."""
    piece = position.scene.piece(identity)
    name, count = motivation_of(position, piece.owner), markers(position, identity)
    if name not in WORTH or not count or piece.owner is None:
        return position
    after = with_markers(position, identity, 0)
    why = f"{identity} activates with {count} markers ({name})"
    return loses(after, opponent(after, piece.owner), WORTH[name] * count, why, MOTIVATIONS[name].rule)


def on_hit(position: Position, attackers: Sequence[str], target: Piece) -> Position:
    """A melee hit on a leader or specialist steals intel, once for each enemy and round (WK-45)."""
    owner = position.scene.piece(attackers[0]).owner or ""
    fits = is_leader(target) or has_keyword(target.types, "specialist")
    if motivation_of(position, owner) != "steal-intel" or not fits or target.id in position.spied:
        return position
    if not position.pools.get(owner, 0):
        return position
    ask = Pending("spy", owner, tuple(attackers), "WK-45")
    after = replace(position, spied=(*position.spied, target.id))
    return takes_marker(after, ask, attackers[0]) if len(attackers) == 1 else with_pending(after, ask)


def with_pending(position: Position, ask: Pending) -> Position:
    """The position with one thing more to tell."""
    return replace(position, pending=(*position.pending, ask))


def takes_marker(position: Position, ask: Pending, identity: str) -> Position:
    """A model takes a marker from the pool."""
    after, taken = from_pool(position, ask.player, 1)
    if not taken:
        return position
    after = with_markers(after, identity, markers(after, identity) + 1)
    return noted(after, f"{identity} takes a marker; {after.pools[ask.player]} left in the pool.", ask.rule)


def on_kill(position: Position, victim: Piece, killers: Sequence[str], melee: bool) -> Position:
    """What a kill means, asked before the victim is removed."""
    first = position.scene.piece(killers[0])
    owner = first.owner or ""
    name = motivation_of(position, owner)
    infantry = has_keyword(victim.types, "infantry")
    if name == "call-to-glory":
        return _glory(position, victim, killers, owner, infantry)
    if name == "sever-the-head" and markers(position, victim.id, MARK):
        count = markers(position, victim.id, MARK)
        after = with_markers(position, victim.id, 0, MARK)
        return loses(after, victim.owner or "", 2 * count, f"{victim.id} was marked {count} times", "WK-40")
    if name == "capture-prisoners" and melee and position.pools.get(owner, 0):
        able = tuple(one for one in killers if not markers(position, one) and position.scene.piece(one).on_field)
        return with_pending(position, Pending("captor", owner, able, "WK-43")) if able else position
    if name == "no-confidence" and infantry and _rank_and_file(position, killers):
        return _confidence(position, victim, owner)
    return position


def _rank_and_file(position: Position, killers: Sequence[str]) -> bool:
    """Whether a leader or specialist is among the killers."""
    pieces = [position.scene.piece(one) for one in killers]
    return any(is_leader(piece) or has_keyword(piece.types, "specialist") for piece in pieces)


def _glory(position: Position, victim: Piece, killers: Sequence[str], owner: str, infantry: bool) -> Position:
    alone = len(killers) == 1 and set(position.turn.attackers.get(victim.id, ())) <= set(killers)
    leader = position.scene.piece(killers[0])
    if not alone or not is_leader(leader) or not markers(position, leader.id):
        return position
    if infantry and not is_leader(victim):
        return with_pending(position, Pending("glory", owner, (leader.id,), "WK-37"))
    if is_leader(victim) or has_keyword(victim.types, "specialist"):
        after = with_markers(position, leader.id, markers(position, leader.id) - 1)
        return loses(after, victim.owner or "", 2, f"{leader.id} alone killed {victim.id}", "WK-37")
    return position


def _confidence(position: Position, victim: Piece, owner: str) -> Position:
    """Marked leaders in whose sphere infantry was killed must check their will."""
    for leader in standing(position, victim.owner or ""):
        if not is_leader(leader) or not markers(position, leader.id, MARK):
            continue
        inside = {piece.id for piece, near in reached(leader, position.scene, sphere_in(leader)) if near.yes}
        if victim.id in inside:
            ask = Pending("confidence", leader.owner or owner, (leader.id,), "WK-51", optional=False)
            position = with_pending(position, ask)
    return position


def checked(position: Position, ask: Pending, success: bool) -> Position:
    """A will check told: what follows."""
    model = ask.models[0]
    piece = position.scene.piece(model)
    owner = piece.owner or ""
    if ask.kind == "glory" and success:
        after = with_markers(position, model, markers(position, model) - 1)
        return loses(after, opponent(after, owner), 2, f"{model} passes its will check", ask.rule)
    if ask.kind == "unstoppable" and success:
        after, taken = from_pool(position, owner, 1)
        return loses(after, opponent(after, owner), 2 * taken, f"{model} is unstoppable", ask.rule)
    if ask.kind == "confidence" and not success:
        after = with_markers(position, model, markers(position, model, MARK) - 1, MARK)
        return loses(after, owner, 1, f"{model} loses confidence", ask.rule)
    return noted(position, f"{model} {'passes' if success else 'fails'} its will check.", ask.rule)


def touched(position: Position, piece: Piece) -> list[Objective]:
    """The objectives of a model's player that it is in contact with."""
    own = objectives_of(position.scene, piece.owner or "")
    return [o for o in own if contact(piece_body(piece), of_objective(o).body).yes]


def _controlled(position: Position, piece: Piece) -> list[Objective]:
    return [o for o in touched(position, piece) if control_of(position.scene, of_objective(o)).player == piece.owner]


def without(position: Position, objective: str) -> Position:
    """The position without an objective."""
    left = tuple(o for o in position.scene.objectives if o.id != objective)
    links = {name: model for name, model in position.links.items() if name != objective}
    return replace(position, scene=replace(position.scene, objectives=left), links=links)


def _interact_objective(position: Position, piece: Piece) -> Position:
    """Burn It Down, Disrupt Supply Line: 2 morale, and the objective is gone (WK-41, WK-49)."""
    held = _controlled(position, piece)
    if not held:
        raise PlayError(f"{piece.id} is in contact with no objective that {piece.owner} controls (WK-41)")
    rule = MOTIVATIONS[motivation_of(position, piece.owner)].rule
    after = without(position, held[0].id)
    return loses(after, opponent(after, piece.owner or ""), 2, f"{piece.id} interacts with {held[0].id}", rule)


def _interact_loot(position: Position, piece: Piece) -> Position:
    if not has_keyword(piece.types, "infantry") or not _controlled(position, piece):
        raise PlayError(f"{piece.id} must be infantry in contact with an objective of its side (WK-47)")
    return takes_marker(position, Pending("loot", piece.owner or "", (piece.id,), "WK-47"), piece.id)


def _interact_ground(position: Position, piece: Piece) -> Position:
    foes = [foe for foe in standing(position, opponent(position, piece.owner or "")) if is_leader(foe)]
    inside = any(
        other.id == piece.id and near.yes
        for foe in foes
        for other, near in reached(foe, position.scene, sphere_in(foe))
    )
    if not inside or not has_keyword(piece.types, "infantry"):
        raise PlayError(f"{piece.id} must be infantry in the sphere of an enemy leader (WK-39)")
    return takes_marker(position, Pending("ground", piece.owner or "", (piece.id,), "WK-39"), piece.id)


def _interact_infiltrate(position: Position, piece: Piece) -> Position:
    letters = strips_of(piece, position.scene, lambda name: name != piece.owner)[0]
    if not has_keyword(piece.types, "infantry") or not letters & HOME:
        raise PlayError(f"{piece.id} must be infantry in the enemy's A, B or C (WK-50)")
    after, taken = from_pool(position, piece.owner or "", 2 if letters & {"A", "B"} else 1)
    after = with_markers(after, piece.id, markers(after, piece.id) + taken)
    return noted(after, f"{piece.id} takes {taken} markers.", "WK-50")


def _interact_escort(position: Position, piece: Piece) -> Position:
    near = touched(position, piece)
    if not near:
        raise PlayError(f"{piece.id} is in contact with no objective of {piece.owner} (WK-38)")
    links = {name: model for name, model in position.links.items() if model != piece.id}
    return noted(replace(position, links={**links, near[0].id: piece.id}), f"{piece.id} escorts {near[0].id}.", "WK-38")


INTERACTIONS: dict[str, Callable[[Position, Piece], Position]] = {
    "burn-it-down": _interact_objective,
    "disrupt-supply-line": _interact_objective,
    "loot-and-plunder": _interact_loot,
    "stand-your-ground": _interact_ground,
    "infiltrate": _interact_infiltrate,
    "escort-civilians": _interact_escort,
}


def on_turn_end(position: Position, player: str) -> Position:
    """Assassinate, and leaders that were attacked and live: WK-44, WK-42."""
    if motivation_of(position, player) == "assassinate":
        slain = [position.scene.piece(name) for name in position.turn.killed]
        leaders = [piece for piece in slain if is_leader(piece) and piece.owner != player]
        if len(leaders) == 1 and set(position.turn.attackers) <= {leaders[0].id}:
            victim = leaders[0]
            points = 2 * rank_of(victim)
            position = loses(position, victim.owner or "", points, f"{victim.id} was assassinated", "WK-44")
    other = opponent(position, player)
    if motivation_of(position, other) == "unstoppable-force":
        attacked = [piece for piece in standing(position, other) if piece.id in position.turn.attackers]
        position = _unstoppable(position, other, [piece.id for piece in attacked if is_leader(piece)])
    return position


def _unstoppable(position: Position, player: str, leaders: Sequence[str]) -> Position:
    for leader in leaders[: position.pools.get(player, 0)]:
        position = with_pending(position, Pending("unstoppable", player, (leader,), "WK-42"))
    return position


def on_round_end(position: Position) -> Position:
    """Everything that scores at a round's end; will checks are left to be told."""
    for player, name in position.motivations.items():
        ending = ROUND_ENDS.get(name)
        position = ending(position, player) if ending is not None else position
    return position


def _end_escort(position: Position, player: str) -> Position:
    for objective in objectives_of(position.scene, player):
        home = objective_strips(objective, position.scene, player) & HOME
        if home and control_of(position.scene, of_objective(objective)).player == player:
            why = f"{objective.id} was brought home"
            position = loses(without(position, objective.id), opponent(position, player), 2, why, "WK-38")
    return position


def _end_land_grab(position: Position, player: str) -> Position:
    for objective in objectives_of(position.scene, player):
        if control_of(position.scene, of_objective(objective)).player == player:
            position, taken = from_pool(position, player, 1)
            position = loses(position, opponent(position, player), taken, f"{player} holds {objective.id}", "WK-46")
    return position


def _end_loot(position: Position, player: str) -> Position:
    for piece in standing(position, player):
        count = markers(position, piece.id)
        if count:
            after = with_markers(position, piece.id, 0)
            position = loses(after, opponent(after, player), count, f"{piece.id} carries loot", "WK-47")
    return position


def _end_prisoners(position: Position, player: str) -> Position:
    for captor in prisoners_kept(position.scene, player):
        after = with_markers(position, captor.id, 0)
        position = loses(after, opponent(after, player), 2, f"{captor.id} brings a prisoner", "WK-43")
    return position


def _end_unstoppable(position: Position, player: str) -> Position:
    inside = [
        piece.id
        for piece in standing(position, player)
        if is_leader(piece) and strips_of(piece, position.scene, lambda name: name != player)[0]
    ]
    return _unstoppable(position, player, inside)


ROUND_ENDS: dict[str, Callable[[Position, str], Position]] = {
    "escort-civilians": _end_escort,
    "land-grab": _end_land_grab,
    "loot-and-plunder": _end_loot,
    "capture-prisoners": _end_prisoners,
    "unstoppable-force": _end_unstoppable,
}
