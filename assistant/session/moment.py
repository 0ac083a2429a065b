"""The table at one frame, and what is known of a table before a picture is taken."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from assistant.log.event import Event
from assistant.rules.game import GameSystem, House
from assistant.rules.ruling import Ruling
from assistant.scene.values import Objective, Piece, Player, Scene, Terrain, Zone
from calibration.view import TableView
from vision.camera.live import Outage, SourceNote
from vision.camera.quality import Advice
from vision.camera.table_camera import Watched
from vision.roster.profiles import Roster
from vision.types.frame import Frame

Known = TypeVar("Known")
Happened = TypeVar("Happened")


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
    advice: Advice | None = None  # what is wrong with the picture now, and what to do about it


@dataclass(frozen=True, slots=True)
class TableSetting:
    """What is known of a table before a picture is taken."""

    game: GameSystem
    players: tuple[Player, ...] = ()
    roster: Roster | None = None
    terrain: tuple[Terrain, ...] = ()
    zones: tuple[Zone, ...] = ()
    objectives: tuple[Objective, ...] = ()
    house: House = field(default_factory=dict)
    marks: tuple[Piece, ...] = ()  # pieces that a person marked: found at these places and followed


def moment_without(last: Moment, outage: Outage, events: tuple[Event, ...]) -> Moment:
    """The last moment again while there are no pictures."""
    same = replace(last, time_s=outage.time_s, settled=False, held=(), notice=outage.why, events=events)
    return replace(same, new_state=False, spent_ms={})


def moment_noted(last: Moment, note: SourceNote) -> Moment:
    """The last moment again with what the source has to say."""
    event = Event(note.time_s, last.frame_index, "note", {"text": note.text})
    return replace(last, time_s=note.time_s, notice=note.text, events=(event,), new_state=False, spent_ms={})


def moment_unlooked(last: Moment, frame: Frame, watched: Watched[Known, Happened], events: tuple[Event, ...]) -> Moment:
    """The last moment again at a frame at which nothing was looked at."""
    same = replace(last, frame_index=frame.index, time_s=frame.time_s, view=watched.view, settled=watched.settled)
    told = replace(same, held=watched.held, notice=watched.notice, events=events)
    return replace(told, new_state=False, spent_ms=watched.spent_ms)


def moment_looked(
    last: Moment,
    frame: Frame,
    watched: Watched[Known, Happened],
    shown: tuple[Scene, tuple[Ruling, ...]] | None,
    events: tuple[Event, ...],
    since: float,
) -> Moment:
    """The moment at which the table was looked at: with a new scene and its rulings, or with the last ones.

    `since` is when judging began, by the performance counter.
    """
    scene, rulings = shown or (last.scene, last.rulings)
    return Moment(
        frame.index,
        frame.time_s,
        scene,
        rulings,
        watched.view,
        watched.settled,
        watched.held,
        watched.notice,
        events,
        watched.rest_frame if shown else last.state_frame,
        watched.rest_time_s if shown else last.state_time_s,
        shown is not None,
        {**watched.spent_ms, "rules": 1000 * (time.perf_counter() - since)},
    )
