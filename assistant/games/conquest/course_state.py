"""The position of a game of Conquest, and the small steps that every part of its course uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from assistant.games.conquest.regiments import Regiment, is_character, regiment
from assistant.rules.game import Answer, House
from assistant.rules.ledger import Note, PlayError, off_field, with_count, with_piece, with_states
from assistant.rules.units import unit_name
from assistant.scene.values import JsonValue, Piece, Point, Scene

SETUP, REINFORCEMENT, SUPREMACY, ACTION, VICTORY, OVER = (
    "set-up",
    "reinforcement",
    "supremacy",
    "action",
    "victory",
    "over",
)
WOUNDS, ACTIVATED = "wounds", "activated"
# States that end with the activation, and with the round.
OF_ACTIVATION = ("inspired", "aimed", "charged", "hindered")
OF_ROUND = ("arrived", "burnout", "decay +3", "murderous volley", "flux clash", "flux attacks", "terrifying +1")


@dataclass(frozen=True, slots=True)
class Due:
    """Dice that the rules ask for before the game goes on: impact, hits, decay, crossing."""

    kind: str
    regiment: str
    other: str = ""
    count: int = 0
    optional: bool = False  # may be declined: impact again by Overrun


@dataclass(frozen=True, slots=True)
class Active:
    """The regiment or character whose card was drawn: its actions so far, and where its stands stood."""

    name: str
    character: bool
    actions: tuple[str, ...] = ()
    free: tuple[str, ...] = ()  # free actions that were taken
    drawn: bool = False  # its draw event was resolved or passed over
    ended: bool = False  # it may do no more
    places: Mapping[str, Point] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Position:
    """A game from its set-up to its end."""

    scene: Scene
    house: House
    started: Mapping[str, tuple[str, ...]]
    phase: str = SETUP
    round: int = 0
    length: int | None = None  # rounds of the scenario
    scores: Mapping[str, int] = field(default_factory=dict)
    arriving: tuple[str, ...] = ()  # regiments that march on this round
    chosen: tuple[str, ...] = ()  # players that named their regiment without a roll, or none
    rolled: Mapping[str, int] = field(default_factory=dict)  # "player class" -> regiments still to be named
    late: tuple[str, ...] = ()  # regiments that could not enter and arrive next round
    dice: Mapping[str, int] = field(default_factory=dict)  # of the supremacy roll
    player: str | None = None
    acted: tuple[str, ...] = ()  # cards drawn in this round
    active: Active | None = None
    interrupted: Active | None = None  # a character whose draw event let another regiment act first
    tided: tuple[str, ...] = ()  # regiments that acted by Turn the Tide; their own card is only discarded
    due: tuple[Due, ...] = ()
    stranded: tuple[str, ...] = ()  # regiments that lost all contact through casualties in this activation
    once: tuple[str, ...] = ()  # what may be done once a game and was
    used: tuple[str, ...] = ()  # secondary objectives scored in this round
    notes: tuple[Note, ...] = ()
    winner: str | None = None


def noted(position: Position, text: str, rule: str) -> Position:
    """The position with one consequence more."""
    return replace(position, notes=(*position.notes, Note(text, rule)))


def in_phase(position: Position, *phases: str) -> Position:
    """The position, if it is in one of the phases; else an error that says what is going on."""
    if position.phase == OVER:
        raise PlayError("the game is over (CQ-50)")
    if position.phase not in phases:
        raise PlayError(f"this does not belong to the {position.phase} phase (CQ-34)")
    return position


def opponent(position: Position, player: str) -> str:
    """The other player."""
    others = [one.id for one in position.scene.players if one.id != player]
    if len(others) != 1:
        raise PlayError(f"exactly two players are needed, the table has {len(position.scene.players)}")
    return others[0]


def members(scene: Scene, name: str) -> list[Piece]:
    """All stands of a regiment, on the table or not, casualties apart."""
    return [piece for piece in scene.pieces if unit_name(piece) == name and "casualty" not in piece.state]


def units_of(scene: Scene, player: str) -> list[str]:
    """The regiments of a player that are not destroyed."""
    own = [piece for piece in scene.pieces if piece.owner == player and "casualty" not in piece.state]
    return sorted({unit_name(piece) for piece in own})


def on_table(position: Position, name: str) -> Regiment:
    """A regiment on the table, for an act of the game."""
    if not any(piece.on_field for piece in members(position.scene, name)):
        raise PlayError(f"{name} is not on the table")
    return regiment(position.scene, name)


def cards(position: Position, player: str) -> list[str]:
    """The cards of a player's stack: regiments on the table or arriving, and their characters (CQ-34)."""
    found = []
    for name in units_of(position.scene, player):
        stands = members(position.scene, name)
        if name in position.arriving or any(stand.on_field for stand in stands):
            if not all(is_character(stand) for stand in stands):
                found.append(name)
            found += [stand.id for stand in stands if is_character(stand)]
    return found


def left_cards(position: Position, player: str) -> list[str]:
    """The cards that were not drawn yet."""
    return [name for name in cards(position, player) if name not in position.acted or name in position.tided]


def stood(position: Position, end: Regiment) -> Position:
    """The regiment's stands where a move put them."""
    scene = position.scene
    for stand in end.stands:
        known = scene.piece(stand.id)
        scene = with_piece(scene, replace(known, x=stand.x, y=stand.y, facing_deg=stand.facing_deg))
    return replace(position, scene=scene)


def with_state(position: Position, name: str, word: str, on: bool = True) -> Position:
    """A regiment with a state, or without it."""
    stands = [stand.id for stand in members(position.scene, name)]
    return replace(position, scene=with_states(position.scene, stands, word, on))


def cleared(position: Position, names: Iterable[str], words: Iterable[str]) -> Position:
    """Regiments without states that have ended."""
    for name in names:
        for word in words:
            if any(word in stand.state for stand in members(position.scene, name)):
                position = with_state(position, name, word, on=False)
    return position


def broken(position: Position, name: str, why: str) -> Position:
    """A regiment becomes broken; from now on its losses may shatter it (CQ-35)."""
    stands = members(position.scene, name)
    scene = position.scene
    for stand in stands:
        scene = with_piece(scene, replace(stand, stats={**stand.stats, "broken_stands": float(len(stands))}))
    after = with_state(replace(position, scene=scene), name, "broken")
    return noted(after, f"{name} is broken: {why}.", "CQ-35")


def rallied(position: Position, name: str) -> Position:
    """A regiment is no longer broken."""
    return with_state(position, name, "broken", on=False)


def destroyed(position: Position, name: str, why: str) -> Position:
    """A regiment is removed, its character with it (CQ-35, CQ-41)."""
    scene = position.scene
    for stand in members(scene, name):
        scene = off_field(scene, stand.id, "casualty")
    arriving = tuple(each for each in position.arriving if each != name)
    return noted(replace(position, scene=scene, arriving=arriving), f"{name} is {why}.", "CQ-35")


def suffered(position: Position, name: str, answer: Mapping[str, JsonValue]) -> Position:
    """What a resolution did to a regiment: stands removed, wounds on the others, broken, shattered, destroyed."""
    if answer.get("destroyed") is True or answer.get("shattered") is True:
        return destroyed(position, name, "destroyed" if answer.get("destroyed") else "shattered")
    scene = position.scene
    lost = answer.get("casualties")
    for identity in lost if isinstance(lost, list) else ():
        scene = off_field(scene, str(identity), "casualty")
    wounds = answer.get("stand_wounds")
    if isinstance(wounds, dict):
        for stand in members(scene, name):
            count = wounds.get(stand.id, 0)
            scene = with_count(scene, stand.id, WOUNDS, count if isinstance(count, int) else 0)
    position = replace(position, scene=scene)
    was = any("broken" in stand.state for stand in members(scene, name))
    if answer.get("broken") is True and not was:
        position = broken(position, name, "half its stands are lost")
    return position


def finished(answer: Answer | Mapping[str, JsonValue], sentence: str, rule: str) -> None:
    """Refuses a resolution that is not allowed, or whose dice are not all told."""
    reasons = answer.get("reasons")
    if answer.get("legal", True) is not True:
        why = ", ".join(str(reason) for reason in reasons) if isinstance(reasons, list) and reasons else "not allowed"
        raise PlayError(f"{why} ({rule})")
    if answer.get("needs"):
        raise PlayError(f"{sentence.rstrip('.')} ({rule})")
