"""Turns of Wrath of Kings: initiative, activations with their two stages, attacks, the ends of turns and rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.games.wrath_of_kings.activation import against_combined, judged_inside
from assistant.games.wrath_of_kings.attacks import ask_attack, ask_combined_attack, willpower
from assistant.games.wrath_of_kings.charts import MELEE
from assistant.games.wrath_of_kings.contact import engaged_with
from assistant.games.wrath_of_kings.course_motivations import (
    ESCORT,
    INTERACTIONS,
    checked,
    motivation_of,
    on_activation,
    on_hit,
    on_kill,
    on_round_end,
    on_turn_end,
    pooled,
    takes_marker,
    touched,
)
from assistant.games.wrath_of_kings.course_state import (
    ACTIVATED,
    DAMAGE,
    INITIATIVE,
    MARK,
    OVER,
    TURN,
    Activation,
    Pending,
    Position,
    Turn,
    fallen,
    in_phase,
    loses,
    markers,
    morale,
    noted,
    opponent,
    own_model,
    player_of,
    waiting,
    with_markers,
)
from assistant.games.wrath_of_kings.elements import is_leader
from assistant.games.wrath_of_kings.movement import SPRINT_IN, judge_move
from assistant.rules.answers import expect_words, listed
from assistant.rules.dice import die
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import PlayError, with_count, with_piece
from assistant.rules.legs import way_of
from assistant.rules.names import resolved
from assistant.scene.values import JsonValue, Piece

MANEUVER, ACTION = "maneuver", "action"
MOST_WORDS = 60
SIDES = 10


# Initiative


def tell_initiative(position: Position, words: Sequence[str]) -> Position:
    """`initiative PLAYER D10`: the player alone at the lowest morale adds the difference; ties are rolled again."""
    expect_words(words, 2, 2, "initiative PLAYER D10")
    player_of(in_phase(position, INITIATIVE), words[0])
    if words[0] in position.rolls:
        raise PlayError(f"{words[0]} has rolled already (WK-26)")
    rolls = {**position.rolls, words[0]: die(words[1], "initiative", SIDES)}
    position = replace(position, rolls=rolls)
    if len(rolls) < len(position.scene.players):
        return position
    now = {name: morale(position, name).now for name in rolls}
    least, most = min(now.values()), max(now.values())
    alone = list(now.values()).count(least) == 1
    totals = {name: roll + (most - least if alone and now[name] == least else 0) for name, roll in rolls.items()}
    best = max(totals.values())
    first = [name for name, total in totals.items() if total == best]
    if len(first) > 1:
        return noted(replace(position, rolls={}), f"Initiative is tied at {best}: roll again.", "WK-26")
    position = replace(position, phase=TURN, player=first[0], turn=Turn(), passed=False)
    return _begin_turn(noted(position, f"{first[0]} has the first turn with {best}.", "WK-26"))


# Activations


def _ready(position: Position) -> Position:
    in_phase(position, TURN)
    if position.pending:
        raise PlayError(f"first: {asked(position.pending[0])} ({position.pending[0].rule})")
    if position.ending or not position.turn.open:
        raise PlayError("the turn is over: tell `advance` (WK-26)")
    return position


def asked(ask: Pending) -> str:
    """What a pending matter asks for."""
    if ask.kind in ("captor", "spy"):
        return f"which of {listed(ask.models)} takes a marker"
    return f"the will check of {ask.models[0]}"


def _may_activate(position: Position, piece: Piece) -> str:
    """Why a model may not be activated now; empty when it may."""
    if position.activation is not None:
        return "an activation is going on (WK-26)"
    if piece.owner != position.player:
        return f"it is the turn of {position.player} (WK-26)"
    if piece.tokens.get(ACTIVATED, 0):
        return "it has activated in this round (WK-26)"
    return ""


def activated(position: Position, models: Sequence[str], leader: str | None = None) -> Position:
    """Models begin their activation; markers on them may score."""
    pieces = [own_model(_ready(position), name) for name in models]
    for piece in pieces:
        why = _may_activate(position, piece)
        if why:
            raise PlayError(f"{piece.id} cannot activate: {why}")
    scene = position.scene
    for piece in pieces:
        scene = with_count(scene, piece.id, ACTIVATED, 1)
    who = f" by {leader}" if leader else ""
    position = replace(position, scene=scene, activation=Activation(tuple(models), leader))
    position = noted(position, f"{listed(list(models))} activate{'s' if len(models) == 1 else ''}{who}.", "WK-26")
    for name in models:
        position = on_activation(position, name)
    return position


def tell_activate(position: Position, words: Sequence[str]) -> Position:
    """`activate A`: one model begins its activation."""
    expect_words(words, 1, 1, "activate A")
    return activated(position, words)


def tell_combined(position: Position, words: Sequence[str]) -> Position:
    """`combined L M1 M2 ...`: models in a leader's sphere activate together (WK-27)."""
    expect_words(words, 3, MOST_WORDS, "combined L M1 M2 ...")
    leader = own_model(_ready(position), words[0])
    models = [own_model(position, name) for name in words[1:]]
    reasons = against_combined(leader, models, position.house)
    if is_leader(leader):
        inside = judged_inside(leader, models, position.scene)
        reasons += [f"{one.id} is outside the sphere" for one, near in inside if not near.yes]
    if reasons:
        raise PlayError(f"{leader.id} may not activate them together: {listed(sorted(reasons))} (WK-27)")
    return activated(position, words[1:], leader.id)


def _stage(position: Position, identity: str, stage: str) -> Activation:
    """The activation that is going on, where a model may do a stage of it now; the stages are not interrupted."""
    going = _ready(position).activation
    if going is None or identity not in going.models:
        raise PlayError(f"{identity} is not activating: tell `activate {identity}` first (WK-26)")
    done = going.maneuvered if stage == MANEUVER else going.acted
    if identity in done:
        raise PlayError(f"{identity} has done its {stage} (WK-26)")
    first = going.first or stage
    later = going.acted if first == MANEUVER else going.maneuvered
    if stage == first and later:  # who had not done the first stage by then has forgone it
        raise PlayError(f"the {stage} stage is over: all models do the same stage first (WK-27)")
    after = replace(going, first=first)
    if stage == MANEUVER:
        return replace(after, maneuvered=(*going.maneuvered, identity))
    return replace(after, acted=(*going.acted, identity))


def tell_move(position: Position, words: Sequence[str]) -> Position:
    """`move A X Y [X Y ...]`: the maneuver of an activating model (WK-19)."""
    return moved(position, words, sprint=False)


def tell_sprint(position: Position, words: Sequence[str]) -> Position:
    """`sprint A X Y [X Y ...]`: the action of up to 4 in, once a round, not while engaged (WK-23)."""
    if words and words[0] in position.sprinted:
        raise PlayError(f"{words[0]} has sprinted in this round (WK-23)")
    return moved(position, words, sprint=True)


def moved(position: Position, words: Sequence[str], sprint: bool) -> Position:
    """A model moves in straight legs as its maneuver, or sprints as its action."""
    expect_words(words, 3, MOST_WORDS, "move A X Y [X Y ...]")
    piece = own_model(position, words[0])
    going = _stage(position, piece.id, ACTION if sprint else MANEUVER)
    way = way_of(position.scene, words, "move A X Y [X Y ...]")
    if not sprint and "mobility" not in piece.stats:
        raise PlayError(f"{piece.id} has no mobility: give it stats.mobility")
    limit = SPRINT_IN if sprint else piece.stats["mobility"]
    move = judge_move(way, position.scene, limit, sprint)
    if move.reasons:
        raise PlayError(f"{piece.id} may not go there: {listed(move.reasons)} ({'WK-23' if sprint else 'WK-19'})")
    sprinted = (*position.sprinted, piece.id) if sprint else position.sprinted
    position = replace(position, activation=going, sprinted=sprinted)
    doubt = "" if move.certainty >= 0.95 else " A close call."
    rule = "WK-23" if sprint else "WK-19"
    note = f"{piece.id} {'sprints' if sprint else 'moves'} {move.cost_in:.2f} in.{doubt}"
    return noted(placed(position, piece, way.points[-1]), note, rule)


def placed(position: Position, piece: Piece, spot: tuple[float, float]) -> Position:
    """A model at another place; what it escorts goes along, or the link ends (WK-38)."""
    dx, dy = spot[0] - piece.centre[0], spot[1] - piece.centre[1]
    scene = with_piece(position.scene, replace(piece, x=spot[0], y=spot[1]))
    led = [name for name, model in position.links.items() if model == piece.id]
    if position.house[ESCORT.name] == "along":
        moved_along = tuple(
            replace(each, x=each.x + dx, y=each.y + dy) if each.id in led else each for each in scene.objectives
        )
        scene = replace(scene, objectives=moved_along)
    position = replace(position, scene=scene)
    near = {each.id for each in touched(position, scene.piece(piece.id))}
    ended = [name for name in led if name not in near]
    if ended:
        links = {name: model for name, model in position.links.items() if name not in ended}
        position = noted(replace(position, links=links), f"{piece.id} leaves {listed(ended)} behind.", "WK-38")
    return position


# Actions


def tell_attack(position: Position, words: Sequence[str]) -> Position:
    """`attack A ACTION TARGET:DICE ... [assist:M] [backlash:DICE]`: the attack of an activating model."""
    expect_words(words, 3, MOST_WORDS, "attack A ACTION TARGET:DICE ...")
    going = _stage(position, words[0], ACTION)
    helpers = _helpers(position, words)
    for helper in helpers:
        going = _stage(replace(position, activation=going), helper, ACTION)
    if helpers and len(going.models) < 2:
        raise PlayError("assisting belongs to a combined activation (WK-34)")
    ruling = ask_attack(position.scene, words, position.house)
    return _struck(replace(position, activation=going), ruling.answer, (words[0],), ruling.rule, ruling.sentence)


def _helpers(position: Position, words: Sequence[str]) -> list[str]:
    return _ids(position, [word.partition(":")[2] for word in words if word.startswith("assist:")])


def _ids(position: Position, names: Sequence[str]) -> list[str]:
    return resolved(position.scene, "helpers A ...", names)


def tell_combined_attack(position: Position, words: Sequence[str]) -> Position:
    """`combined-attack L TARGET M:ACTION ... [assist:M] dice:...`: models that activate together attack one enemy."""
    expect_words(words, 4, MOST_WORDS, "combined-attack L TARGET M:ACTION ... dice:...")
    going = _ready(position).activation
    if going is None or going.leader != words[0]:
        raise PlayError(f"no combined activation of {words[0]} is going on (WK-33)")
    helpers = _helpers(position, words)
    named = [word.rpartition(":")[0] for word in words[2:] if not word.startswith(("dice:", "assist:"))]
    attackers = _ids(position, named)
    if not attackers:
        raise PlayError("a combined attack needs models and their actions: M:ACTION ... (WK-33)")
    for name in (*attackers, *helpers):
        going = _stage(replace(position, activation=going), name, ACTION)
    fresh = position.scene
    for name in going.models:  # they have activated, which the question of a combined attack would hold against them
        fresh = with_count(fresh, name, ACTIVATED, 0)
    ruling = ask_combined_attack(fresh, words, position.house)
    return _struck(replace(position, activation=going), ruling.answer, tuple(attackers), ruling.rule, ruling.sentence)


def _struck(
    position: Position, answer: Mapping[str, JsonValue], attackers: tuple[str, ...], rule: str, sentence: str
) -> Position:
    """The results of an attack: damage, hits that motivations look at, casualties, backlash."""
    reasons, needs, targets = answer.get("reasons"), answer.get("needs"), answer.get("targets")
    if answer.get("legal") is not True:
        why = listed([str(reason) for reason in reasons]) if isinstance(reasons, list) else "not allowed"
        raise PlayError(f"the attack is not allowed: {why} ({rule})")
    if needs or not isinstance(targets, dict):
        raise PlayError(f"{sentence[:-1]} ({rule})")
    melee = answer.get("type") == MELEE
    doubt = " A close call: measure." if answer.get("close_call") else ""
    position = noted(position, f"{sentence}{doubt}", rule)
    known = dict(position.turn.attackers)
    for name in targets:
        known[name] = tuple(sorted({*known.get(name, ()), *attackers}))
    position = replace(position, turn=replace(position.turn, attackers=known))
    for name, found in targets.items():
        if isinstance(found, dict) and "hits" in found:
            position = _damaged(position, name, found, attackers, melee)
    backlash = answer.get("backlash")
    if isinstance(backlash, dict) and backlash.get("damage"):
        caster = position.scene.piece(attackers[0])
        position = replace(position, scene=with_count(position.scene, caster.id, DAMAGE, _int(backlash["total"])))
        position = noted(position, f"{caster.id} suffers {backlash['damage']} damage of backlash.", "WK-31")
        if backlash.get("removed"):
            position = fallen(position, position.scene.piece(caster.id), pooled(position, caster))
    return position


def _int(value: JsonValue) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _damaged(
    position: Position, name: str, found: Mapping[str, JsonValue], attackers: tuple[str, ...], melee: bool
) -> Position:
    target = position.scene.piece(name)
    position = replace(position, scene=with_count(position.scene, name, DAMAGE, _int(found["total"])))
    if melee and _int(found["hits"]) > 0:
        position = on_hit(position, attackers, target)
    if found.get("removed"):
        position = replace(position, turn=replace(position.turn, killed=(*position.turn.killed, name)))
        position = on_kill(position, position.scene.piece(name), attackers, melee)
        position = fallen(position, position.scene.piece(name), pooled(position, target))
    return position


def tell_kill(position: Position, words: Sequence[str]) -> Position:
    """`kill A B ...`: model A was removed by an effect of models B that the program does not resolve."""
    expect_words(words, 2, MOST_WORDS, "kill A B ...")
    victim = own_model(in_phase(position, TURN), words[0])
    for name in words[1:]:
        own_model(position, name)
    position = replace(position, turn=replace(position.turn, killed=(*position.turn.killed, victim.id)))
    position = on_kill(position, victim, words[1:], melee=False)
    return fallen(position, position.scene.piece(victim.id), pooled(position, victim))


def tell_interact(position: Position, words: Sequence[str]) -> Position:
    """`interact A`: the interact action for the player's motivation."""
    expect_words(words, 1, 1, "interact A")
    piece = own_model(position, words[0])
    going = _stage(position, piece.id, ACTION)
    act = INTERACTIONS.get(motivation_of(position, piece.owner))
    if act is None:
        raise PlayError(f"the motivation of {piece.owner} has no interact action (WK-34)")
    return act(replace(position, activation=going), piece)


def tell_act(position: Position, words: Sequence[str]) -> Position:
    """`act A NAME`: another action of a model's card, such as a toggle; the program only counts it (WK-34)."""
    expect_words(words, 2, MOST_WORDS, "act A NAME")
    going = _stage(position, words[0], ACTION)
    return noted(replace(position, activation=going), f"{words[0]} acts: {' '.join(words[1:])}.", "WK-34")


def tell_forfeit(position: Position, words: Sequence[str]) -> Position:
    """`forfeit A B maneuver|action`: for Personal Gain, engaged with a marked enemy B (WK-48)."""
    expect_words(words, 3, 3, "forfeit A B maneuver|action")
    piece, foe = own_model(position, words[0]), own_model(position, words[1])
    if words[2] not in (MANEUVER, ACTION):
        raise PlayError(f"expected maneuver or action, got {words[2]!r} (WK-48)")
    going = _stage(position, piece.id, words[2])
    fits = is_leader(piece) or has_keyword(piece.types, "specialist")
    engaged = foe.id in {other.id for other in engaged_with(piece, position.scene)}
    if motivation_of(position, piece.owner) != "personal-gain" or not fits:
        raise PlayError(f"only leaders and specialists of Personal Gain forfeit a stage, not {piece.id} (WK-48)")
    if not engaged or not markers(position, foe.id, MARK):
        raise PlayError(f"{piece.id} is not engaged with a marked {foe.id} (WK-48)")
    after = with_markers(replace(position, activation=going), foe.id, 0, MARK)
    return loses(after, foe.owner or "", 1, f"{piece.id} gains from {foe.id}", "WK-48")


# What the rules ask for


def tell_check(position: Position, words: Sequence[str]) -> Position:
    """`check A D10`: a will check that is waited for (WK-34)."""
    expect_words(words, 2, 2, "check A D10")
    in_phase(position, TURN)
    for ask in position.pending:
        if ask.kind not in ("captor", "spy") and words[0] == ask.models[0]:
            piece = own_model(position, words[0])
            success = die(words[1], "the check", SIDES) <= willpower(piece, position.scene, position.house)
            return checked(_without(position, ask), ask, success)
    raise PlayError(f"no will check of {words[0]} is waited for (WK-34)")


def tell_decline(position: Position, words: Sequence[str]) -> Position:
    """`decline A`: no will check, or no marker, where it is a choice."""
    expect_words(words, 1, 1, "decline A")
    for ask in in_phase(position, TURN).pending:
        if words[0] in ask.models:
            if not ask.optional:
                raise PlayError(f"{words[0]} must check its will ({ask.rule})")
            return _without(position, ask)
    raise PlayError(f"nothing is asked of {words[0]}")


def tell_marker(position: Position, words: Sequence[str]) -> Position:
    """`takes A`: the model that takes a marker where several could (WK-43, WK-45)."""
    expect_words(words, 1, 1, "takes A")
    for ask in in_phase(position, TURN).pending:
        if ask.kind in ("captor", "spy") and words[0] in ask.models:
            own_model(position, words[0])
            return takes_marker(_without(position, ask), ask, words[0])
    raise PlayError(f"no marker is waiting for {words[0]}")


def _without(position: Position, ask: Pending) -> Position:
    return replace(position, pending=tuple(each for each in position.pending if each is not ask))


# Ends


def end_turn(position: Position) -> Position:
    """The turn ends: what scores then, then the next player, or the round's end (WK-26)."""
    if position.pending:
        raise PlayError(f"first: {asked(position.pending[0])} ({position.pending[0].rule})")
    player = position.player or ""
    if position.ending:
        return _victory(replace(position, ending=False))
    if position.activation is None and waiting(position, player):
        raise PlayError(f"{player} must activate a model (WK-26)")
    if position.turn.open:
        position = replace(position, turn=replace(position.turn, open=False))
        position = on_turn_end(position, player)
        if position.pending:
            return position
    position = replace(position, activation=None, turn=Turn())
    if position.passed:
        return _end_round(position)
    return _begin_turn(replace(position, player=opponent(position, player)))


def _begin_turn(position: Position) -> Position:
    """A player begins his turn; with nothing left he passes, and the other has one more (WK-26)."""
    player = position.player or ""
    if waiting(position, player):
        return position
    other = opponent(position, player)
    position = noted(position, f"{player} has no model left to activate and passes.", "WK-26")
    if position.passed or not waiting(position, other):
        return _end_round(position)
    return replace(position, player=other, passed=True)


def _end_round(position: Position) -> Position:
    position = noted(replace(position, activation=None), f"Round {position.round} ends.", "WK-26")
    position = on_round_end(position)
    return replace(position, ending=True) if position.pending else _victory(position)


def _victory(position: Position) -> Position:
    """At a round's end 0 or less morale loses; if both, the lower; equal is a draw (WK-35)."""
    now = {one.id: morale(position, one.id).now for one in position.scene.players}
    broken = {name: left for name, left in now.items() if left <= 0}
    if not broken:
        scene = position.scene
        for piece in scene.pieces:
            scene = with_count(scene, piece.id, ACTIVATED, 0) if piece.tokens.get(ACTIVATED, 0) else scene
        return replace(
            position,
            scene=replace(scene, round=position.round + 1),
            phase=INITIATIVE,
            round=position.round + 1,
            player=None,
            rolls={},
            passed=False,
            sprinted=(),
            spied=(),
            turn=Turn(),
        )
    best = max(now.values())
    winners = [name for name, left in now.items() if left == best]
    winner = winners[0] if len(winners) == 1 else None
    told = f"{winner} wins" if winner else "The game is a draw"
    scores = listed([f"{name} {left}" for name, left in sorted(now.items())])
    over = replace(position, phase=OVER, player=None, winner=winner)
    return noted(over, f"{told}: morale {scores}.", "WK-35")
