"""Bases and stands as a session follows them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from assistant.log.event import Event
from assistant.rules.game import ask, quoted
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene
from assistant.session.camera_events import When
from assistant.session.corrections import Correction
from assistant.session.figures import figures_in, scene_of_figures
from assistant.session.moment import TableSetting
from calibration.view import TableView
from vision.figures.tracker import Figure, FigureChange, FigureMemory, Turned
from vision.figures.watcher import FiguresWatched, FigureWatcher
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Place, Removed
from vision.types.frame import Frame


class FigureFollower:
    """A `Follower` of bases and stands."""

    def __init__(self, setting: TableSetting, watcher: FigureWatcher) -> None:
        self._setting = setting
        self._watcher = watcher

    def update(self, frame: Frame) -> FiguresWatched:
        """The table at this frame."""
        return self._watcher.update(frame)

    def forget_the_past(self) -> None:
        """The pictures were interrupted."""
        self._watcher.forget_the_past()

    def recall(self, scenes: Iterable[Scene]) -> None:
        """Goes on from the settled states of an earlier sitting, oldest first."""
        last = None
        named = 0
        for last in scenes:
            numbers = [piece.id.rpartition("-")[2] for piece in last.pieces]
            named = max([named, *(int(number) for number in numbers if number.isdigit())])
        if last is not None:
            known = tuple(Figure(seen) for seen in figures_in(last))
            self._watcher.memory = FigureMemory(known, (), named, looked=True)

    def scene(self, view: TableView) -> Scene:
        """Every base and stand that is known."""
        return scene_of_figures((figure.seen for figure in self._watcher.memory.figures), view, self._setting)

    def events(self, watched: FiguresWatched, before: Scene, when: When) -> tuple[Event, ...]:
        """What happened to figures."""
        return figure_events(watched.changes, before, self._setting, when)

    def judged(
        self, before: tuple[Ruling, ...], after: tuple[Ruling, ...], changes: tuple[Any, ...], when: When
    ) -> tuple[Event, ...]:
        """Nothing: what the rules say of figures depends on orders that a camera cannot see."""
        del before, after, changes, when
        return ()

    def correct(self, correction: Correction) -> bool:
        """What people say of figures holds in the scene; the camera is followed as before."""
        del correction
        return False

    def take_back(self) -> bool:
        """Nothing was followed otherwise, so there is nothing to take back."""
        return False


def figure_events(
    changes: Iterable[FigureChange], before: Scene, setting: TableSetting, when: When
) -> tuple[Event, ...]:
    """What happened to figures as the events of the log; a stand that moved and turned is told once."""
    told = tuple(changes)
    turns = {change.piece: change.turn_deg for change in told if isinstance(change, Turned)}
    moved = {change.piece for change in told if isinstance(change, Moved)}
    events = []
    for change in told:
        if isinstance(change, Turned) and change.piece in moved:
            continue
        kind, fields = _event(change, before, setting)
        if kind == "moved" and (turn := turns.get(str(fields["piece"]))) is not None:
            fields["turned_deg"] = round(turn, 1)
        events.append(Event(when[0], when[1], kind, {**fields, "from_frame": when[2]}))
    return tuple(events)


def _event(change: FigureChange, before: Scene, setting: TableSetting) -> tuple[str, dict[str, JsonValue]]:
    match change:
        case Moved(piece, start, end):
            fields: dict[str, JsonValue] = {"piece": piece, "from": _point(start), "to": _point(end)}
            fields["distance_mm"] = round(math.dist(start, end), 1)
            return "moved", fields | _allowed(piece, end, before, setting)
        case Turned(piece, place, _):
            return "moved", {"piece": piece, "from": _point(place), "to": _point(place), "distance_mm": 0.0}
        case Bumped(shifts):
            pieces: list[JsonValue] = [
                {"piece": shift.piece, "from": _point(shift.start), "to": _point(shift.end)} for shift in shifts
            ]
            return "bumped", {"pieces": pieces}
        case Appeared(piece, place):
            return "appeared", {"piece": piece, "to": _point(place)}
        case Noticed(piece, place):
            return "note", {"piece": piece, "to": _point(place), "text": "it was there all along"}
        case Removed(piece, place):
            return "removed", {"piece": piece, "from": _point(place)}


def _allowed(piece: str, end: Place, before: Scene, setting: TableSetting) -> dict[str, JsonValue]:
    """Whether the rules allow the move straight there; nothing where the game cannot say, or not surely."""
    try:
        answer = ask(setting.game, before, f"move {quoted(piece)} {end[0]:.3f} {end[1]:.3f}", setting.house).answer
    except GameError:
        return {}
    if answer.get("close_call") is True:
        return {}
    return {"allowed": True} if answer.get("legal") else {"allowed": False, "reasons": answer.get("reasons", [])}


def _point(place: Place) -> list[JsonValue]:
    return [round(place[0], 2), round(place[1], 2)]
