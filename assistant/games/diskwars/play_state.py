"""A game of Diskwars in play, as values: what has been chosen, whose turn it is, what has happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from assistant.games.diskwars.commands import initiative_order
from assistant.games.diskwars.engagements import Engagement
from assistant.games.diskwars.field import Field
from assistant.rules.game import House
from assistant.rules.ledger import PlayError as PlayError
from assistant.scene.values import Point, Scene

ROUNDS = 5


class Phase(Enum):
    """Where a game stands."""

    SCOUT = "scouting"
    CHOOSE = "choose command cards"
    RESOLVE = "resolve command cards"
    MELEE = "melee"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Card:
    """A command card in a hand: its id, strategy and how many disks it activates."""

    id: str
    strategy: str
    activation: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A player resolving a card: the activations left, and what may be done once with it."""

    player: str
    card: Card
    left: int
    ability_used: bool = False
    windmill_used: bool = False
    blessed: str | None = None  # the one disk Myrmidia's Blessing went to


@dataclass(frozen=True, slots=True)
class Forced:
    """A flip that must be made before anything else: the disk, and the disk it must go towards."""

    piece: str
    towards: str


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment. `notes` tell, in sentences with their rule, what has happened so far."""

    scene: Scene
    house: House
    hands: Mapping[str, tuple[Card, ...]]
    phase: Phase
    discards: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    chosen: Mapping[str, Card] = field(default_factory=dict)
    turns: tuple[Turn, ...] = ()
    engagements: tuple[Engagement, ...] = ()
    fought: tuple[int, ...] = ()
    forced: Forced | None = None
    scouted: tuple[str, ...] = ()
    towers: tuple[str, ...] = ()  # the Watchtowers that have shot in this round
    scenario: str | None = None
    objectives: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    round: int = 1
    winner: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def table(self) -> Field:
        """The scene as the rules see it."""
        return Field(self.scene, self.house)

    @property
    def initiative(self) -> list[str]:
        """The players from first to last."""
        return initiative_order(self.scene.players)


@dataclass(frozen=True, slots=True)
class Flips:
    """A move: where the disk lies after each flip, and the dice that are needed on the way.

    `dangers` are the d6 of dangerous ground in the order it is met, `engaging` those an ability asks for on engaging.
    """

    landings: tuple[Point, ...]
    dangers: tuple[int, ...] = ()
    engaging: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shot:
    """A ranged attack with its dice: results of the first roll, the d6 of a random strength, rerolls of scatter."""

    target: str
    results: tuple[str, ...]
    attack: int = 0
    strength: int | None = None
    rerolls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Magic:
    """The focus ability of disks with magic."""

    target: str


@dataclass(frozen=True, slots=True)
class Placed:
    """Reinforcing: where the disk is put, the d6 of dangerous ground, and those asked for on engaging."""

    spot: Point
    dangers: tuple[int, ...] = ()
    engaging: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Focus:
    """A disk's own focus ability: the disks it is used on, or where a disk is put, as its text asks.

    Karl Franz names the token's old and new place in turn: from, to, from, to.
    """

    targets: tuple[str, ...] = ()
    placed: Placed | None = None


@dataclass(frozen=True, slots=True)
class Passed:
    """Doing nothing."""


Part = Flips | Shot | Magic | Focus | Placed | Passed


@dataclass(frozen=True, slots=True)
class Choose:
    """A player picks his command card, face down."""

    player: str
    card: str


@dataclass(frozen=True, slots=True)
class Activate:
    """The player in turn activates a disk; a mobile one may do two things."""

    piece: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class UseAbility:
    """The battle ability of the card being resolved, by a disk of the kind printed on it.

    `choices` say who strikes whom, for a card that has an engagement fought at once.
    """

    user: str
    target: str
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndCard:
    """The player in turn is done with his card."""


@dataclass(frozen=True, slots=True)
class Scout:
    """A free move before the first round, with the d6 of dangerous ground."""

    piece: str
    landings: tuple[Point, ...]
    dangers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class EndScouting:
    """Nobody scouts any more."""


@dataclass(frozen=True, slots=True)
class Flip:
    """The flip that is forced on a disk."""

    landing: Point


@dataclass(frozen=True, slots=True)
class Fight:
    """The first player picks an engagement; players say whom their disks strike."""

    index: int
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Correct:
    """The players say how the table is now, and why; for texts the rules engine does not know."""

    scene: Scene
    why: str


Act = Choose | Activate | UseAbility | EndCard | Scout | EndScouting | Flip | Fight | Correct


@dataclass(frozen=True, slots=True)
class Need:
    """What the engine waits for: from whom, what, and between what he can choose."""

    player: str
    what: str
    options: tuple[str, ...] = ()
