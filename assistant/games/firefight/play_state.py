"""A game of Firefight in play, as values: whose turn it is, who is active, what dice are waited for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assistant.games.firefight.weapons import Lot
from assistant.rules.game import House
from assistant.rules.ledger import Note, PlayError
from assistant.rules.units import unit_name, units_on_field
from assistant.scene.values import Piece, Scene

ROUNDS = 4
SETUP, ARRIVALS, ACTIVATIONS, MORALE, OVER = "set-up", "arrivals", "activations", "rout tests", "over"
HOLD, ADVANCE, RUSH, CHARGE, IDLE = "hold", "advance", "rush", "charge", "idle"


@dataclass(frozen=True, slots=True)
class Active:
    """The unit that is activated: what it does, whom it charged, what it has done already.

    `before` is the table when it was activated, so that moves are measured from there.
    """

    unit: str
    before: Scene
    action: str = ""
    target: str | None = None  # the unit it charged
    shot: tuple[str, ...] = ()  # the units it has shot at
    struck: bool = False  # its strikes are resolved
    answered: bool = False  # the charged unit has struck back, or does not
    stunned: tuple[str, ...] = ()  # models that were stunned when it was activated


@dataclass(frozen=True, slots=True)
class Wait:
    """Dice or a choice that must be entered before anything else.

    `kind`: extra (further dice to hit), block, regenerate, out (which models fall), wound (the roll of a wounded
    model), strike back, morale.
    """

    kind: str
    unit: str
    by: str = ""  # the unit that attacks
    count: int = 0
    lot: Lot = field(default_factory=lambda: Lot(0))
    melee: bool = False
    model: str = ""
    group: int = 0
    least: int = 0


@dataclass(frozen=True, slots=True)
class Battle:
    """A game of Firefight at one moment."""

    scene: Scene
    house: House
    started: Mapping[str, tuple[str, ...]]
    phase: str = SETUP
    round: int = 0
    first: str | None = None
    turn: str | None = None
    acted: tuple[str, ...] = ()
    active: Active | None = None
    waits: tuple[Wait, ...] = ()
    wounds: tuple[int, ...] = ()  # of the attack being resolved, each with what Deadly makes of it
    finished: str | None = None  # who finished activating first in this round
    cast: tuple[str, ...] = ()  # psychics that have cast or blocked in this round
    notes: tuple[Note, ...] = ()
    winner: str | None = None


def say(battle: Battle, text: str, rule: str) -> Battle:
    """The battle with one consequence more."""
    return replace(battle, notes=(*battle.notes, Note(text, rule)))


def living(battle: Battle, player: str) -> list[str]:
    """The units of a player on the table."""
    return [name for name, models in units_on_field(battle.scene).items() if models[0].owner == player]


def waiting(battle: Battle, player: str) -> list[str]:
    """The units of a player that have not been activated in this round."""
    return [name for name in living(battle, player) if name not in battle.acted]


def models(battle: Battle, unit: str) -> tuple[Piece, ...]:
    """The models of a unit on the table; empty where it is gone."""
    return units_on_field(battle.scene).get(unit, ())


def unit_of(battle: Battle, name: str) -> str:
    """A unit on the table by its name or one of its models."""
    known = units_on_field(battle.scene)
    if name in known:
        return name
    for piece in battle.scene.on_field():
        if piece.id == name:
            return unit_name(piece)
    raise PlayError(f"{name} has no model on the table")


def owner(battle: Battle, unit: str) -> str:
    """Whose unit it is."""
    there = models(battle, unit)
    return (there[0].owner or "") if there else ""


def in_reserve(battle: Battle, player: str | None = None) -> list[str]:
    """The models that wait in ambush."""
    return [p.id for p in battle.scene.pieces if "reserve" in p.state and player in (None, p.owner)]
