"""A game of figures as it goes: frames in, moments out, as `Session` does for disks."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from assistant.log.event import Event
from assistant.rules.game import ask, quoted
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene, Table
from assistant.session.camera_events import CameraEvents, When
from assistant.session.corrections import Correction
from assistant.session.figures import figures_in, scene_of_figures
from assistant.session.following import Session
from assistant.session.moment import Moment, TableSetting, moment_looked, moment_unlooked, moment_without
from assistant.session.translation import rulings_of
from calibration.lens import Lens
from calibration.view import TableView
from vision.camera.live import Outage
from vision.figures.tracker import Figure, FigureChange, FigureMemory, Turned
from vision.figures.watcher import FiguresWatched, FigureWatcher
from vision.look.pipeline import Pieces
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Place, Removed
from vision.types.frame import Frame


class FigureSession:
    """Follows one table of figures with one camera; `update` once per frame or outage, from one thread."""

    def __init__(
        self,
        setting: TableSetting,
        circles_mm: Iterable[float],
        lens: Lens | None = None,
        table_mm: tuple[float, float] | None = None,
    ) -> None:
        self._setting = setting
        table = table_mm or setting.game.table_mm
        self._watcher = FigureWatcher(table, tuple(circles_mm), setting.game.rects_mm, lens)
        scene = Scene(
            game=setting.game.id, table=Table(*table), players=setting.players, ruler_mm=setting.game.ruler_mm
        )
        self._moment = Moment(0, 0.0, scene, (), None, settled=False)
        self._camera = CameraEvents()

    def update(self, item: Frame | Outage) -> Moment:
        """The table at this frame, and what has just happened."""
        if isinstance(item, Outage):
            lost = self._camera.outage(item, self._moment.frame_index)
            self._moment = moment_without(self._moment, item, lost)
        else:
            self._moment = self._frame(item)
        return self._moment

    def correct(self, correction: Correction) -> None:
        """What people say of figures holds in the scene; the camera is followed as before."""

    def take_back(self) -> None:
        """Nothing was followed otherwise, so there is nothing to take back."""

    def go_on_from(self, scenes: Iterable[Scene]) -> None:
        """Resumes a game, before the first frame: the settled states of the earlier sitting, oldest first."""
        last = None
        named = 0
        for last in scenes:
            numbers = [piece.id.rpartition("-")[2] for piece in last.pieces]
            named = max([named, *(int(number) for number in numbers if number.isdigit())])
        if last is not None:
            known = tuple(Figure(seen) for seen in figures_in(last))
            self._watcher.memory = FigureMemory(known, (), named, looked=True)

    def _frame(self, frame: Frame) -> Moment:
        events = self._camera.back(frame)
        if events:
            self._watcher.forget_the_past()
        watched = self._watcher.update(frame)
        events += self._camera.cover(frame, watched.covered, watched.notice)
        if watched.looked and watched.view is not None:
            return self._looked(frame, watched, watched.view, events)
        return moment_unlooked(self._moment, frame, watched, events)

    def _looked(self, frame: Frame, watched: FiguresWatched, view: TableView, events: tuple[Event, ...]) -> Moment:
        """A moment at which the table was looked at."""
        start = time.perf_counter()
        last = self._moment
        when = (round(watched.rest_time_s, 4), watched.rest_frame, watched.from_frame)
        if watched.camera_moved:
            events += self._camera.knock(when)
        if last.state_frame >= 0 and not watched.changes and not watched.camera_moved:
            return moment_looked(last, frame, watched, None, events, start)
        events = (*events, *figure_events(watched.changes, last.scene, self._setting, when))
        scene = scene_of_figures((figure.seen for figure in watched.memory.figures), view, self._setting)
        return moment_looked(last, frame, watched, (scene, rulings_of(scene, self._setting)), events, start)


def session_for(
    setting: TableSetting, pieces: Pieces, lens: Lens | None = None, table_mm: tuple[float, float] | None = None
) -> Session | FigureSession:
    """What follows a table: figures by their rings and cards where the game is played with them, else disks."""
    game = setting.game
    if not game.figures:
        return Session(setting, pieces, lens, table_mm)
    return FigureSession(setting, (pieces.sizes_mm or game.circles_mm) if game.circles_mm else (), lens, table_mm)


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
