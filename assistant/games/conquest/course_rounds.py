"""Rounds of Conquest: reinforcements, the supremacy roll, seizing, victory points and the end (CQ-29, CQ-34, CQ-50)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.course_actions import stack_sizes, wipe_out
from assistant.games.conquest.course_state import (
    ACTION,
    ACTIVATED,
    OF_ACTIVATION,
    OF_ROUND,
    OVER,
    REINFORCEMENT,
    SUPREMACY,
    VICTORY,
    Position,
    cleared,
    in_phase,
    left_cards,
    members,
    noted,
    opponent,
    units_of,
)
from assistant.games.conquest.objectives import hold_of, reach_in
from assistant.games.conquest.regiments import CLASSES, class_of
from assistant.games.conquest.reinforcements import AUTOMATIC, roll_to_arrive
from assistant.games.conquest.special import any_has, parts_of
from assistant.rules.answers import expect_words, listed, whole
from assistant.rules.dice import die
from assistant.rules.judged import judge_gap, objective_body, piece_body
from assistant.rules.ledger import PlayError, with_count, with_holder, with_piece
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH, Objective

DIE = 6
CHANGE = {"+1": 1, "-1": -1}


# Reinforcements


def reserves(position: Position, player: str) -> list[str]:
    """The regiments of a player that wait beside the table and do not march on this round."""
    return [
        name
        for name in units_of(position.scene, player)
        if all("reserve" in stand.state for stand in members(position.scene, name)) and name not in position.arriving
    ]


def flanks(position: Position, name: str) -> bool:
    """Whether a regiment has Flank: no die, it comes when its player says so (CQ-56)."""
    return any_has(members(position.scene, name), "flank")


def class_in(position: Position, name: str) -> str:
    """The class of a regiment beside the table."""
    return class_of(members(position.scene, name))


def due_classes(position: Position, player: str) -> dict[str, list[str]]:
    """The regiments that must still be rolled for in this round, by class."""
    found: dict[str, list[str]] = {}
    for name in reserves(position, player):
        kind = class_in(position, name)
        roll = roll_to_arrive(kind, position.round)
        if roll is not None and roll != AUTOMATIC and not flanks(position, name):
            found.setdefault(kind, []).append(name)
    return {kind: names for kind, names in found.items() if f"{player} {kind}" not in position.rolled}


def begin_round(position: Position, number: int) -> Position:
    """A new round: what regiments have now is what losses are counted from; some regiments arrive by themselves."""
    scene = replace(position.scene, round=number)
    for piece in scene.pieces:
        if piece.tokens.get(ACTIVATED, 0):
            scene = with_count(scene, piece.id, ACTIVATED, 0)
    position = replace(
        position,
        scene=scene,
        phase=REINFORCEMENT,
        round=number,
        arriving=(),
        chosen=(),
        rolled={},
        dice={},
        player=None,
        acted=(),
        active=None,
        interrupted=None,
        tided=(),
        used=(),
    )
    for one in position.scene.players:
        for name in units_of(position.scene, one.id):
            position = _counted(position, name)
    position = noted(position, f"Round {number} begins.", "CQ-34")
    for one in position.scene.players:
        for name in reserves(position, one.id):
            automatic = roll_to_arrive(class_in(position, name), number) == AUTOMATIC
            if name in position.late or automatic:
                position = arrives(position, name, "by itself")
    return replace(position, late=())


def _counted(position: Position, name: str) -> Position:
    """The stands a regiment begins the round with, on each of them (CQ-35)."""
    stands = members(position.scene, name)
    scene = position.scene
    for stand in stands:
        kept = {key: value for key, value in stand.stats.items() if key != "broken_stands"}
        if "broken" in stand.state:
            kept["broken_stands"] = float(len(stands))
        scene = with_piece(scene, replace(stand, stats={**kept, "round_stands": float(len(stands))}))
    return replace(position, scene=scene)


def arrives(position: Position, name: str, how: str) -> Position:
    """A regiment is set aside to march on in the action phase."""
    return noted(replace(position, arriving=(*position.arriving, name)), f"{name} arrives {how}.", "CQ-34")


def tell_none(position: Position, words: Sequence[str]) -> Position:
    """`none PLAYER`: he names no regiment that arrives without a roll (CQ-34)."""
    expect_words(words, 1, 1, "none PLAYER")
    in_phase(position, REINFORCEMENT)
    return replace(position, chosen=(*position.chosen, words[0]))


def tell_without_roll(position: Position, words: Sequence[str]) -> Position:
    """`comes R`: the one regiment of its player that arrives without a roll, or one from the flank (CQ-34)."""
    expect_words(words, 1, 1, "comes R")
    in_phase(position, REINFORCEMENT)
    player = _owner(position, words[0])
    if flanks(position, words[0]) and roll_to_arrive(class_in(position, words[0]), position.round) is not None:
        return arrives(position, words[0], "from the flank")
    if player in position.chosen:
        raise PlayError(f"{player} has named his regiment (CQ-34)")
    if roll_to_arrive(class_in(position, words[0]), position.round) is None:
        raise PlayError(f"{words[0]} may not arrive in round {position.round} (CQ-34)")
    return arrives(replace(position, chosen=(*position.chosen, player)), words[0], "without a roll")


def _owner(position: Position, name: str) -> str:
    for one in position.scene.players:
        if name in reserves(position, one.id):
            return one.id
    raise PlayError(f"{name} does not wait beside the table (CQ-34)")


def tell_roll(position: Position, words: Sequence[str]) -> Position:
    """`roll PLAYER CLASS D6 ...`: a die for each regiment of a class that may arrive (CQ-34)."""
    expect_words(words, 3, 40, "roll PLAYER CLASS D6 ...")
    in_phase(position, REINFORCEMENT)
    player, kind = words[0], words[1]
    if kind not in CLASSES:
        raise PlayError(f"expected {', '.join(CLASSES)}, got {kind!r} (CQ-34)")
    waiting = due_classes(position, player).get(kind, [])
    number = roll_to_arrive(kind, position.round)
    if not waiting or number is None:
        raise PlayError(f"no {kind} regiment of {player} is rolled for now (CQ-34)")
    dice = [die(word, "arrival", DIE) for word in words[2:]]
    if len(dice) != len(waiting):
        raise PlayError(f"{len(waiting)} dice are rolled for {listed(waiting)} (CQ-34)")
    came = sum(each <= number for each in dice)
    position = replace(position, rolled={**position.rolled, f"{player} {kind}": 0 if came == len(waiting) else came})
    position = noted(position, f"{came} of {len(waiting)} {kind} regiments of {player} arrive.", "CQ-34")
    if came == len(waiting):
        for name in waiting:
            position = arrives(position, name, "with its roll")
    return position


def tell_arrives(position: Position, words: Sequence[str]) -> Position:
    """`arrives R`: which regiment of a class comes for a successful roll (CQ-34)."""
    expect_words(words, 1, 1, "arrives R")
    in_phase(position, REINFORCEMENT)
    player = _owner(position, words[0])
    key = f"{player} {class_in(position, words[0])}"
    if position.rolled.get(key, 0) < 1 or flanks(position, words[0]):
        raise PlayError(f"no roll of {player} brings {words[0]} (CQ-34)")
    rolled = {**position.rolled, key: position.rolled[key] - 1}
    return arrives(replace(position, rolled=rolled), words[0], "with its roll")


def end_reinforcement(position: Position) -> Position:
    """All who arrive are known: the stacks are ordered in secret, then comes the supremacy roll."""
    for one in position.scene.players:
        for kind, names in due_classes(position, one.id).items():
            raise PlayError(f"first: {len(names)} dice for the {kind} regiments of {one.id} (CQ-34)")
    for key, count in position.rolled.items():
        player, _, kind = key.rpartition(" ")
        able = [n for n in reserves(position, player) if class_in(position, n) == kind and not flanks(position, n)]
        if count and able:
            raise PlayError(f"first: which {kind} regiment of {player} arrives (CQ-34)")
    position = replace(position, phase=SUPREMACY)
    sizes = stack_sizes(position)
    if not any(sizes.values()):
        return replace(noted(position, "No regiment is on the table.", "CQ-34"), phase=VICTORY)
    return position


# Supremacy


def tell_supremacy(position: Position, words: Sequence[str]) -> Position:
    """`supremacy PLAYER D6 [+1|-1]`: the shorter stack may change its die by 1; the lowest is first (CQ-34)."""
    expect_words(words, 2, 3, "supremacy PLAYER D6 [+1|-1]")
    in_phase(position, SUPREMACY)
    player, roll = words[0], die(words[1], "supremacy", DIE)
    sizes = stack_sizes(position)
    if player not in sizes:
        raise PlayError(f"unknown player {player!r}")
    if player in position.dice:
        raise PlayError(f"{player} has rolled already (CQ-34)")
    if len(words) == 3:
        if words[2] not in CHANGE or sizes[player] >= sizes[opponent(position, player)]:
            raise PlayError(f"only the player with fewer cards changes his die, by +1 or -1; {player} has not (CQ-34)")
        roll += CHANGE[words[2]]
    dice = {**position.dice, player: roll}
    position = replace(position, dice=dice)
    if len(dice) < len(position.scene.players):
        return position
    best = min(dice.values())
    first = [name for name, value in dice.items() if value == best]
    if len(first) > 1:
        return noted(replace(position, dice={}), f"The supremacy roll is tied at {best}: roll again.", "CQ-34")
    position = noted(position, f"{first[0]} is the first player with {best}.", "CQ-34")
    starter = first[0] if left_cards(position, first[0]) else opponent(position, first[0])
    return replace(position, phase=ACTION, player=starter)


def tell_ability(position: Position, words: Sequence[str]) -> Position:
    """`ability PLAYER NAME`: a supremacy ability of a warlord, once a game; what it does is played by hand (CQ-34)."""
    expect_words(words, 2, 12, "ability PLAYER NAME")
    in_phase(position, SUPREMACY, ACTION)
    used = f"supremacy ability of {words[0]}: {' '.join(words[1:])}"
    if words[0] not in {one.id for one in position.scene.players}:
        raise PlayError(f"unknown player {words[0]!r}")
    if used in position.once:
        raise PlayError(f"{words[0]} has used {' '.join(words[1:])} in this game (CQ-34)")
    if position.acted:
        raise PlayError("a supremacy ability is used before the first card is drawn (CQ-34)")
    return noted(replace(position, once=(*position.once, used)), f"{words[0]} uses {' '.join(words[1:])}.", "CQ-34")


# Victory


def reachers(position: Position, objective: Objective) -> list[str]:
    """The regiments with a stand in range of an objective, broken ones apart."""
    limit = reach_in(objective) * MM_PER_INCH
    near = [
        stand
        for stand in position.scene.on_field()
        if stand.owner is not None
        and "broken" not in stand.state
        and judge_gap(objective_body(objective), piece_body(stand), limit).yes
    ]
    return sorted({unit_name(stand) for stand in near})


def undecided(position: Position) -> dict[str, list[str]]:
    """The regiments that reach several objectives and have not said which one they seize (CQ-29)."""
    found: dict[str, list[str]] = {}
    for objective in position.scene.objectives:
        for name in reachers(position, objective):
            found.setdefault(name, []).append(objective.id)
    decided = {
        name
        for name in found
        if any(word.startswith("seized ") for s in members(position.scene, name) for word in s.state)
    }
    return {name: places for name, places in found.items() if len(places) > 1 and name not in decided}


def tell_seize(position: Position, words: Sequence[str]) -> Position:
    """`seize R O`: the one objective that a regiment seizes in this round (CQ-29)."""
    expect_words(words, 2, 2, "seize R O")
    in_phase(position, VICTORY)
    if words[1] not in undecided(position).get(words[0], []):
        raise PlayError(f"{words[0]} has no choice of {words[1]} (CQ-29)")
    scene = position.scene
    for stand in members(scene, words[0]):
        scene = with_piece(scene, replace(stand, state=(*stand.state, f"seized {words[1]}")))
    return replace(position, scene=scene)


def tell_score(position: Position, words: Sequence[str]) -> Position:
    """`score PLAYER N CARD`: a secondary objective or a point of the scenario, each card once a round (CQ-49)."""
    expect_words(words, 3, 12, "score PLAYER N CARD")
    in_phase(position, ACTION, VICTORY)
    card = f"{words[0]}: {' '.join(words[2:])}"
    if words[0] not in {one.id for one in position.scene.players}:
        raise PlayError(f"unknown player {words[0]!r}")
    if card in position.used:
        raise PlayError(f"{card} was scored in this round (CQ-49)")
    points = whole(words[1], "points")
    return scored(replace(position, used=(*position.used, card)), words[0], points, " ".join(words[2:]), "CQ-49")


def scored(position: Position, player: str, points: int, why: str, rule: str) -> Position:
    """A player with more victory points."""
    total = position.scores.get(player, 0) + points
    after = replace(position, scores={**position.scores, player: total})
    return noted(after, f"{player} scores {points} for {why}: {total}.", rule)


def worth(objective: Objective) -> int:
    """What holding an objective scores a round: its `value`, else one."""
    value = objective.extra.get("value", 1)
    return value if isinstance(value, int) and not isinstance(value, bool) else 1


def end_round(position: Position) -> Position:
    """Objectives are scored, then the game ends or a new round begins (CQ-29, CQ-50)."""
    waiting = undecided(position)
    if waiting:
        name, places = next(iter(waiting.items()))
        raise PlayError(f"first: which of {listed(places)} {name} seizes (CQ-29)")
    for objective in position.scene.objectives:
        hold = hold_of(position.scene, objective)
        position = replace(position, scene=with_holder(position.scene, objective.id, hold.holder))
        if hold.holder is not None:
            doubt = "" if hold.certainty >= 0.95 else ", a close call"
            position = scored(position, hold.holder, worth(objective), f"{objective.id}{doubt}", "CQ-29")
    names = [name for one in position.scene.players for name in units_of(position.scene, one.id)]
    gained = {
        word
        for piece in position.scene.pieces
        for word in piece.state
        if word.startswith("seized ") or parts_of(word)[0] == "bastion"
    }
    position = cleared(position, names, (*OF_ACTIVATION, *OF_ROUND, *sorted(gained)))
    position = ended_by_losses(wipe_out(position))
    if position.phase == OVER:
        return position
    if position.length is not None and position.round >= position.length:
        return _decided(position)
    return begin_round(position, position.round + 1)


def ended_by_losses(position: Position) -> Position:
    """An army that is destroyed loses (CQ-50)."""
    alive = [one.id for one in position.scene.players if units_of(position.scene, one.id)]
    if len(alive) == len(position.scene.players):
        return position
    winner = alive[0] if len(alive) == 1 else None
    told = f"{winner} wins: the other army is destroyed." if winner else "Both armies are destroyed: a draw."
    return noted(
        replace(position, phase=OVER, player=None, active=None, interrupted=None, due=(), winner=winner), told, "CQ-50"
    )


def tell_concede(position: Position, words: Sequence[str]) -> Position:
    """`concede PLAYER` (CQ-50)."""
    expect_words(words, 1, 1, "concede PLAYER")
    if position.phase == OVER:
        raise PlayError("the game is over (CQ-50)")
    winner = opponent(position, words[0])
    over = replace(position, phase=OVER, player=None, active=None, interrupted=None, due=(), winner=winner)
    return noted(over, f"{words[0]} concedes: {winner} wins.", "CQ-50")


def _decided(position: Position) -> Position:
    scores = {one.id: position.scores.get(one.id, 0) for one in position.scene.players}
    best = max(scores.values())
    first = [name for name, value in scores.items() if value == best]
    winner = first[0] if len(first) == 1 else None
    told = f"{winner} wins" if winner else "The game is a draw"
    listing = listed([f"{name} {value}" for name, value in sorted(scores.items())])
    over = replace(position, phase=OVER, player=None, winner=winner)
    return noted(over, f"{told} after {position.round} rounds: {listing}.", "CQ-50")
