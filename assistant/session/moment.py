"""The table at one frame, and what is known of a table before a picture is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assistant.log.event import Event
from assistant.rules.game import GameSystem, House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Player, Scene, Terrain, Zone
from calibration.view import TableView
from vision.roster import Roster


@dataclass(frozen=True, slots=True)
class Moment:
    """The table at one frame: what lies there, what the rules say, and what has just happened.

    `scene` is the last settled state, without pieces until the table was first seen (`view` is None then). While
    nothing happens the very same scene and rulings come back, so `is` tells whether there is anything new to show.
    """

    frame_index: int
    time_s: float
    scene: Scene
    rulings: tuple[Ruling, ...]
    view: TableView | None
    settled: bool = True
    held: tuple[str, ...] = ()  # pieces under a hand: kept where they were
    notice: str = ""  # one line for the players: camera lost, tokens hidden, ...
    events: tuple[Event, ...] = ()  # what has just happened, in the order of the contract's log
    state_frame: int = -1  # the frame at which the table came to rest as the scene shows it
    state_time_s: float = 0.0
    new_state: bool = False  # the scene is a settled state that no earlier moment had
    spent_ms: Mapping[str, float] = field(default_factory=dict)  # per stage of this frame's way


@dataclass(frozen=True, slots=True)
class TableSetting:
    """What is known of a table before a picture is taken."""

    game: GameSystem
    players: tuple[Player, ...] = ()
    roster: Roster | None = None
    terrain: tuple[Terrain, ...] = ()
    zones: tuple[Zone, ...] = ()
    house: House = field(default_factory=dict)
