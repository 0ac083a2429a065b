"""Whose activation it is in Conquest, what it may still do and why not, and the dice that are waited for (CQ-34)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.course_state import (
    ACTION,
    Active,
    Due,
    Position,
    cards,
    destroyed,
    finished,
    in_phase,
    left_cards,
    members,
    noted,
)
from assistant.games.conquest.fights import (
    contact_stands,
)
from assistant.games.conquest.nerve import ask_test
from assistant.games.conquest.regiments import (
    is_character,
    regiment,
)
from assistant.games.conquest.special import any_has, own_stands
from assistant.rules.answers import expect_words, listed
from assistant.rules.checks import Check, reasons_of
from assistant.rules.ledger import PlayError
from assistant.rules.units import unit_name
from assistant.scene.values import MM_PER_INCH

ACTIONS = 2
CALM, WILD = "calm", "wild"  # what a die of Bloodlust gave for the next action
DIE = 6
MOST_WORDS = 40
IN_COMBAT = ("clash", "combat-rally", "combat-reform", "inspire", "withdraw", "duel")
OUT_OF_COMBAT = ("march", "charge", "aim", "rally", "reform", "volley", "escort")
VANGUARD_MM = 8 * MM_PER_INCH


def going(position: Position) -> Active:
    """The activation that is going on, where nothing else is to be told first."""
    in_phase(position, ACTION)
    if position.due:
        raise PlayError(f"first: {due_text(position.due[0])}")
    if position.active is None:
        raise PlayError("draw a card first (CQ-34)")
    return position.active


def due_text(due: Due) -> str:
    """What is waited for, with its rule."""
    return {
        "impact": f"the impact of {due.regiment} on {due.other} (CQ-15)",
        "hits": f"{due.count} hits on {due.regiment} (CQ-42)",
        "decay": f"the decay of {due.regiment} (CQ-56)",
        "crossing": f"the dice of {due.regiment} in {due.other} (CQ-33)",
    }[due.kind]


def due_usage(due: Due) -> str:
    """How it is told."""
    return {
        "impact": f"impact {due.regiment} {due.other} hits:... saves:...",
        "hits": f"hits {due.regiment} {due.count} saves:...",
        "decay": f"decay {due.regiment} dice:...",
        "crossing": f"crossing {due.regiment} {due.other} dice:...",
    }[due.kind]


def may_act(position: Position, name: str, action: str) -> str:
    """Why a regiment may not take an action now; empty when it may."""
    active = position.active
    if active is None or active.name != name:
        return f"{name} is not activated: draw its card (CQ-34)"
    if active.ended:
        return f"{name} may do no more in this activation (CQ-34)"
    if active.character and action not in ("duel", "escort", "spell", "rally", "combat-rally"):
        return "a character takes only his own actions with his card (CQ-41)"
    if active.character and active.actions:
        return "a character takes one action (CQ-41)"
    lust = _bloodlust(position, name, action)
    if lust:
        return lust
    if action in free_actions(position, name):
        return _contact_rule(position, name, action)
    if len(active.actions) >= ACTIONS:
        return f"{name} has taken its two actions (CQ-34)"
    twice = action == "march" or (action == "charge" and overruns(position, name))
    if action in active.actions and not twice:
        return f"{name} has taken that action; only marches are taken twice (CQ-34)"
    if name in position.arriving and action != "arrive":
        return f"{name} must march onto the table first (CQ-34)"
    return _contact_rule(position, name, action)


def _bloodlust(position: Position, name: str, action: str) -> str:
    """Bloodlust out of contact: a die before each action; over RESOLVE only a charge or a march is left (CQ-54)."""
    active = position.active
    stands = [stand for stand in members(position.scene, name) if stand.on_field]
    if active is None or active.character or not any_has(stands, "bloodlust"):
        return ""
    if contact_stands(regiment(position.scene, name), position.scene) or CALM in active.free:
        return ""
    if WILD not in active.free:
        return f"first: the bloodlust of {name}, `bloodlust {name} D6` (CQ-54)"
    return (
        "" if action in ("charge", "march") else f"{name} must charge the closest enemy it sees, or march to it (CQ-54)"
    )


def tell_bloodlust(position: Position, words: Sequence[str]) -> Position:
    """`bloodlust R D6`: at or under RESOLVE it acts freely, over it must charge or march (CQ-54)."""
    expect_words(words, 2, 2, "bloodlust R D6")
    active = going(position)
    ruling = ask_test(position.scene, [words[0], "bloodlust", f"dice:{words[1]}"], position.house)
    finished(ruling.answer, ruling.sentence, "CQ-54")
    if active.name != words[0] or {CALM, WILD} & set(active.free):
        raise PlayError(f"no bloodlust of {words[0]} is rolled now (CQ-54)")
    calm = ruling.answer["free"] is True
    after = replace(position, active=replace(active, free=(*active.free, CALM if calm else WILD)))
    return noted(after, f"{words[0]} {'keeps calm' if calm else 'is driven by bloodlust'}.", "CQ-54")


def overruns(position: Position, name: str) -> bool:
    """Whether a regiment has Overrun: two charges an activation."""
    return any_has(own_stands(regiment(position.scene, name)), "overrun")


def _contact_rule(position: Position, name: str, action: str) -> str:
    """Combat actions need contact, the others none (CQ-23)."""
    where = unit_name(position.scene.piece(name)) if position.active and position.active.character else name
    if action not in (*IN_COMBAT, *OUT_OF_COMBAT) or not any(p.on_field for p in members(position.scene, where)):
        return ""
    engaged = bool(contact_stands(regiment(position.scene, where), position.scene))
    if action in IN_COMBAT and not engaged:
        return f"{where} is in contact with no enemy (CQ-23)"
    if action in OUT_OF_COMBAT and engaged:
        return f"{where} is in contact with an enemy (CQ-23)"
    return ""


def free_actions(position: Position, name: str) -> list[str]:
    """The free actions that a regiment has now: Fluid Formation, Double Time, Fire and Advance, Vanguard, drill."""
    active = position.active
    if active is None or active.name != name or active.character or name in position.arriving:
        return []
    if not any(piece.on_field for piece in members(position.scene, name)):
        return []
    own = own_stands(regiment(position.scene, name))
    found = []
    if any_has(own, "fluid formation") and len(active.actions) in (0, ACTIONS):
        found.append("reform")
    marches = active.actions.count("march") + active.actions.count("arrive")
    if any_has(own, "double time") and marches == ACTIONS:
        found.append("march")
    if any_has(own, "fire and advance") and active.actions[1:] == ("volley",):
        found.append("march")
    if any_has(own, "vanguard") and "arrive" in active.actions and "vanguard" in active.free:
        found.append("march")
    if any_has(own, "flawless drill") and f"drill {name}" not in position.once:
        found.append("combat-reform")
    taken = [action for action in active.free if action != "vanguard"]
    return [action for action in found if action not in taken]


def taken(position: Position, name: str, action: str) -> Position:
    """The position with one action taken; a free one does not count against the two."""
    why = may_act(position, name, action)
    if why:
        raise PlayError(why)
    active = going(position)
    active = replace(active, free=tuple(each for each in active.free if each not in (CALM, WILD)))
    if action in free_actions(position, name) and (len(active.actions) >= ACTIONS or action in active.actions):
        once = (*position.once, f"drill {name}") if action == "combat-reform" else position.once
        return replace(position, active=replace(active, free=(*active.free, action)), once=once)
    return replace(position, active=replace(active, actions=(*active.actions, action)))


def ended(position: Position) -> Position:
    """The activation has no more actions."""
    active = going(position)
    return replace(position, active=replace(active, ended=True))


def allowed(checks: Sequence[Check], name: str, rule: str) -> None:
    """Refuses a move that some check forbids."""
    reasons = reasons_of(checks)
    if reasons:
        raise PlayError(f"{name} may not: {listed(reasons)} ({rule})")


def due_of(position: Position, kind: str, name: str) -> Due:
    """The dice of that kind that are waited for of a regiment."""
    in_phase(position, ACTION)
    for due in position.due:
        if due.kind == kind and due.regiment == name:
            return due
    raise PlayError(f"no {kind} of {name} is waited for")


def done(position: Position, due: Due) -> Position:
    """The position with those dice told."""
    return replace(position, due=tuple(each for each in position.due if each is not due))


def wipe_out(position: Position) -> Position:
    """Regiments whose own stands are all gone take their characters with them (CQ-41)."""
    for player in position.scene.players:
        for name in {unit_name(p) for p in position.scene.on_field() if p.owner == player.id}:
            stands = members(position.scene, name)
            lost = [p for p in position.scene.pieces if unit_name(p) == name and "casualty" in p.state]
            if lost and stands and all(is_character(stand) for stand in stands):
                position = destroyed(position, name, "destroyed")
    return position


def idle(position: Position) -> bool:
    """Whether nobody has a card left to draw."""
    return position.active is None and not any(left_cards(position, one.id) for one in position.scene.players)


def stack_sizes(position: Position) -> dict[str, int]:
    """How many cards each player's stack has."""
    return {one.id: len(cards(position, one.id)) for one in position.scene.players}
