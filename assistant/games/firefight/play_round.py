"""Activations, rounds and winning: FF-10, FF-15, FF-17 to FF-19 and FF-22."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.firefight.bookkeeping import morale_needed, quality_of
from assistant.games.firefight.objectives import hold_of
from assistant.games.firefight.play_state import (
    ACTIVATIONS,
    ARRIVALS,
    CHARGE,
    IDLE,
    MORALE,
    OVER,
    ROUNDS,
    Active,
    Battle,
    Wait,
    in_reserve,
    living,
    models,
    owner,
    say,
    unit_of,
    waiting,
)
from assistant.games.firefight.play_wounds import finished_off, out
from assistant.games.firefight.rolling import dice
from assistant.games.firefight.space import loose_members
from assistant.games.firefight.weapons import succeeds
from assistant.rules.answers import listed
from assistant.rules.bodies import scale_sigma
from assistant.rules.ledger import PlayError, with_holder, with_states
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.values import Scene

_PASSING = ("charging", "moved")


def ready(battle: Battle) -> Battle:
    """The battle in its activations with nothing to roll; otherwise an error that says what is waited for."""
    if battle.phase == OVER:
        raise PlayError("the game is over")
    if battle.phase != ACTIVATIONS:
        raise PlayError(f"no unit is activated now: the phase is {battle.phase}")
    if battle.waits:
        raise PlayError(f"first: {wait_text(battle.waits[0])}")
    return battle


def wait_text(wait: Wait) -> str:
    """What is waited for, in one short sentence."""
    return {
        "extra": f"{wait.unit} rolls {wait.count} further dice to hit at {wait.least}+ (Relentless)",
        "block": f"{wait.unit} rolls {wait.count} dice to block, AP({wait.lot.ap})",
        "regenerate": f"{wait.unit} rolls {wait.count} dice to regenerate",
        "out": f"{wait.count} models of {wait.unit} fall: which?",
        "wound": f"{wait.model} rolls for its wounds",
        "strike back": f"{wait.unit} strikes back at {wait.by}, or not",
        "morale": f"{wait.unit} tests morale",
    }[wait.kind]


def activated(battle: Battle, unit: str) -> Battle:
    """The battle with a unit activated; the one before it has ended its activation where it had nothing left to do."""
    battle = ready(battle)
    active = battle.active
    if active is not None and active.unit == unit:
        return battle
    if active is not None:
        battle = ready(ended(battle))
    if owner(battle, unit) != battle.turn:
        raise PlayError(f"{unit} is not a unit of {battle.turn}, whose turn it is (FF-15)")
    if unit in battle.acted:
        raise PlayError(f"{unit} has been activated in this round (FF-15)")
    stunned = tuple(model.id for model in models(battle, unit) if "stunned" in model.state)
    idle = len(stunned) == len(models(battle, unit))
    active = Active(unit, battle.scene, IDLE if idle else "", stunned=stunned)
    return replace(battle, active=active)


def active_of(battle: Battle) -> Active:
    """The active unit; none is an error."""
    if battle.active is None:
        raise PlayError("no unit is activated")
    return battle.active


def charged(battle: Battle, target: str) -> Battle:
    """The active unit is in melee with another: both may stand near; a stunned last model there is out (FF-18)."""
    active = active_of(battle)
    scene = with_states(battle.scene, [m.id for m in models(battle, active.unit)], "charging")
    battle = replace(battle, scene=scene, active=replace(active, action=CHARGE, target=target))
    battle = say(battle, f"{active.unit} charges {target}.", "FF-5")
    there = models(battle, target)
    if len(there) == 1 and "stunned" in there[0].state:
        battle = finished_off(battle, there[0], "charged while stunned")
    return battle


def ended(battle: Battle) -> Battle:
    """The end of an activation: stun wears off, the charger steps back, the other player acts."""
    active = active_of(battle)
    if battle.waits:
        raise PlayError(f"first: {wait_text(battle.waits[0])}")
    if active.target is not None and models(battle, active.target) and models(battle, active.unit):
        if not active.struck:
            raise PlayError(f"{active.unit} charged {active.target}: tell its strikes first (FF-13)")
        if not active.answered:
            raise PlayError(f"{active.target} strikes back or not: tell `strike` or `none {active.target}` (FF-17)")
    scene = battle.scene
    names = [model.id for model in models(battle, active.unit)]
    scene = with_states(scene, [name for name in active.stunned if name in names], "stunned", on=False)
    for word in _PASSING:
        scene = with_states(scene, names, word, on=False)
    battle = replace(battle, scene=scene, active=None, acted=(*battle.acted, active.unit))
    battle = _loose(battle, active.unit)
    return _next_turn(battle, owner(battle, active.unit) or battle.turn or "")


def _loose(battle: Battle, unit: str) -> Battle:
    """Says when a unit that has acted is surely out of coherency (FF-2)."""
    there = models(battle, unit)
    found, used = loose_members(there, scale_sigma(battle.scene)) if len(there) > 1 else ([], [])
    if found and all(judged.certainty >= CLOSE_CALL for judged in used):
        return say(battle, f"{unit} is out of coherency: {listed([name for name, _ in found])}.", "FF-2")
    return battle


def _next_turn(battle: Battle, last: str) -> Battle:
    """The other player, while he has units that have not acted; when nobody has, the round ends (FF-15)."""
    for player in battle.scene.players:
        if battle.finished is None and not waiting(battle, player.id):
            battle = replace(battle, finished=player.id)
    others = [player.id for player in battle.scene.players if player.id != last]
    for name in (*others, last):
        if waiting(battle, name):
            return replace(battle, turn=name)
    return round_ended(battle)


def round_ended(battle: Battle) -> Battle:
    """Markers are seized, then armies at half or fewer of their units test (FF-10, FF-19)."""
    battle = replace(battle, turn=None, active=None)
    scene = battle.scene
    for marker in battle.scene.objectives:
        hold = hold_of(battle.scene, marker)
        scene = with_holder(scene, marker.id, hold.holder)
        if hold.holder != marker.holder or hold.contested:
            state = f"is held by {hold.holder}" if hold.holder else "is neutral"
            close = "" if hold.certainty >= CLOSE_CALL else " (too close to call: measure, and tell `holder` if not)"
            battle = say(battle, f"{marker.id} {state}{close}.", "FF-10")
    battle = replace(battle, scene=scene)
    tests: list[Wait] = []
    for player in battle.scene.players:
        left, started = living(battle, player.id), battle.started.get(player.id, ())
        there = len(left) + len(_reserve_units(battle, player.id))
        if started and 2 * there <= len(started) and left:
            battle = say(battle, f"{player.id} has {there} of {len(started)} units left: every unit tests.", "FF-19")
            tests += [Wait("morale", unit) for unit in left]
    if tests:
        return _stunned_fail(replace(battle, phase=MORALE, waits=tuple(tests)))
    return round_begun(battle)


def _reserve_units(battle: Battle, player: str) -> set[str]:
    return {p.unit or p.id for p in battle.scene.pieces if p.owner == player and "reserve" in p.state}


def _stunned_fail(battle: Battle) -> Battle:
    """Stunned units fail morale tests without a roll (FF-18)."""
    while battle.waits and all("stunned" in model.state for model in models(battle, battle.waits[0].unit)):
        battle = _routed(battle, battle.waits[0].unit, "is stunned and fails")
        battle = replace(battle, waits=battle.waits[1:])
    return battle if battle.waits else round_begun(battle)


def tested(battle: Battle, words: Sequence[str]) -> Battle:
    """`morale U ROLL`: a unit that fails its rout test is removed (FF-19)."""
    if battle.phase != MORALE or len(words) != 2:
        raise PlayError("no unit has to test morale now" if battle.phase != MORALE else "expected 'morale U ROLL'")
    unit = unit_of(battle, words[0])
    if not any(wait.unit == unit for wait in battle.waits):
        raise PlayError(f"{unit} has not to test morale")
    (roll,) = dice(words[1:], "the test")
    best, heroes, _ = quality_of(battle.scene, unit)
    least = morale_needed(best, models(battle, unit))
    rest = tuple(wait for wait in battle.waits if wait.unit != unit)
    battle = replace(battle, waits=rest)
    if least is not None and succeeds(roll, least):
        led = f" with {listed(heroes)}" if heroes else ""
        battle = say(battle, f"{unit} passes its rout test{led}.", "FF-19")
    else:
        battle = _routed(battle, unit, "fails its rout test")
    return _stunned_fail(battle)


def _routed(battle: Battle, unit: str, why: str) -> Battle:
    battle = out(battle, [model.id for model in models(battle, unit)])
    return say(battle, f"{unit} {why} and is removed.", "FF-19")


def round_begun(battle: Battle) -> Battle:
    """The next round, or after the last one the end: most markers win (FF-15)."""
    if battle.round >= ROUNDS or not any(living(battle, player.id) for player in battle.scene.players):
        return _over(battle)
    number = battle.round + 1
    first = battle.finished or battle.first
    scene = replace(_rested(battle.scene), round=number)
    battle = replace(battle, scene=scene, round=number, acted=(), cast=(), finished=None, first=first, active=None)
    battle = say(battle, f"Round {number} begins; {first} is first.", "FF-15")
    if number > 1 and in_reserve(battle):
        return replace(battle, phase=ARRIVALS, turn=None)
    return acting(battle)


def acting(battle: Battle) -> Battle:
    """The activations of a round begin with its first player; one who has no unit is passed over."""
    battle = replace(battle, phase=ACTIVATIONS, turn=battle.first)
    if battle.first is not None and waiting(battle, battle.first):
        return battle
    return _next_turn(battle, battle.first or "")


def _rested(scene: Scene) -> Scene:
    """Fatigue ends with the round (FF-17)."""
    tired = [piece.id for piece in scene.pieces if "fatigued" in piece.state]
    return with_states(scene, tired, "fatigued", on=False)


def scores(scene: Scene) -> dict[str, int]:
    """The markers each player holds."""
    return {p.id: sum(1 for marker in scene.objectives if marker.holder == p.id) for p in scene.players}


def _over(battle: Battle) -> Battle:
    held = scores(battle.scene)
    best = max(held.values(), default=0)
    leaders = [name for name, count in held.items() if count == best]
    winner = leaders[0] if len(leaders) == 1 and best > 0 else None
    told = f"{winner} holds most markers and wins." if winner else "Nobody holds more markers than the others: a draw."
    return say(replace(battle, phase=OVER, turn=None, winner=winner, waits=(), active=None), told, "FF-15")
