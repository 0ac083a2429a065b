"""Bases and stands as a session follows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from assistant.log.event import Event
from assistant.rules.game import ask, quoted
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene
from assistant.session.camera_events import When
from assistant.session.corrections import Correction, applied
from assistant.session.figures import figures_in, scene_of_figures
from assistant.session.moment import TableSetting
from assistant.session.unit_moves import met, unit_moves
from calibration.view import TableView
from vision.figures.stands import StandSighting
from vision.figures.tracker import (
    Doubted,
    FacingUnknown,
    Figure,
    FigureChange,
    FigureMemory,
    Turned,
    with_facing,
    without_facing,
)
from vision.figures.watcher import FiguresWatched, FigureWatcher
from vision.tracking.memory import Appeared, Bumped, Moved, Noticed, Place, Removed
from vision.types.frame import Frame


class FigureFollower:
    """A `Follower` of bases and stands."""

    def __init__(self, setting: TableSetting, watcher: FigureWatcher) -> None:
        self._setting = setting
        self._watcher = watcher
        self._corrections: tuple[Correction, ...] = ()
        self._faced: tuple[frozenset[str], ...] = ()  # by correction: the stands whose facing it told

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
            marked = {piece.id for piece in self._setting.marks}
            known = tuple(Figure(seen) for seen in figures_in(last, marked))
            self._watcher.memory = FigureMemory(known, (), named, looked=True)

    def scene(self, view: TableView) -> Scene:
        """Every base and stand that is known."""
        seen = scene_of_figures((figure.seen for figure in self._watcher.memory.figures), view, self._setting)
        return applied(seen, self._corrections)[0]

    def events(self, watched: FiguresWatched, before: Scene, when: When) -> tuple[Event, ...]:
        """What happened to figures."""
        after = self.scene(watched.view) if watched.view is not None else before
        return figure_events(watched.changes, before, after, self._setting, when)

    def judged(
        self, before: tuple[Ruling, ...], after: tuple[Ruling, ...], changes: tuple[Any, ...], when: When
    ) -> tuple[Event, ...]:
        """Nothing: what the rules say of figures depends on orders that a camera cannot see."""
        del before, after, changes, when
        return ()

    def correct(self, correction: Correction) -> None:
        """A person overrules a reading; it holds while the figure stands where it stood, a facing for good."""
        self._corrections = (*self._corrections, correction)
        before, facing = self._watcher.memory, correction.changes.get("facing_deg")
        if correction.anchors and isinstance(facing, int | float):
            self._watcher.memory = with_facing(before, correction.anchors[0][0], float(facing))
        asked = [figure.id for figure in before.figures if _front_unknown(figure)]
        told = [figure.id for figure in self._watcher.memory.figures if not _front_unknown(figure)]
        self._faced = (*self._faced, frozenset(asked) & frozenset(told))

    def take_back(self) -> None:
        """Takes the last correction back."""
        if self._faced:
            self._watcher.memory = without_facing(self._watcher.memory, self._faced[-1])
        self._corrections, self._faced = self._corrections[:-1], self._faced[:-1]


def _front_unknown(figure: Figure) -> bool:
    return isinstance(figure.seen, StandSighting) and not figure.seen.facing_known


def figure_events(
    changes: Iterable[FigureChange], before: Scene, after: Scene, setting: TableSetting, when: When
) -> tuple[Event, ...]:
    """What happened to figures as the events of the log.

    A stand that moved and turned is told once, and so is a unit whose models have all moved; a move that ends in
    contact with an enemy says so.
    """
    told = tuple(changes)
    turns = {change.piece: change.turn_deg for change in told if isinstance(change, Turned)}
    moved = {change.piece for change in told if isinstance(change, Moved | Turned)}
    bumped = {shift.piece for change in told if isinstance(change, Bumped) for shift in change.shifts}
    found: list[tuple[str, dict[str, JsonValue]]] = []
    as_one: set[str] = set()
    for move in unit_moves(moved, bumped, before, after):
        names = [piece.id for piece in move.after]
        as_one |= set(names)
        found.append(("moved", move.fields() | _meets(names, before, after)))
    shifted = {change.piece for change in told if isinstance(change, Moved)}
    for change in told:
        if isinstance(change, Moved | Turned) and change.piece in as_one:
            continue
        if isinstance(change, Turned) and change.piece in shifted:
            continue
        if isinstance(change, Bumped):  # the stands next to the corner that a regiment wheels about shift little
            rest = tuple(shift for shift in change.shifts if shift.piece not in as_one)
            if not rest:
                continue
            change = Bumped(rest)
        kind, fields = _event(change, before, setting)
        if kind == "moved":
            piece = str(fields["piece"])
            if piece in turns:
                fields["turned_deg"] = round(turns[piece], 1)
            fields |= _meets([piece], before, after)
        found.append((kind, fields))
    return tuple(Event(when[0], when[1], kind, {**fields, "from_frame": when[2]}) for kind, fields in found)


def _meets(pieces: Sequence[str], before: Scene, after: Scene) -> dict[str, JsonValue]:
    names = met(pieces, before, after)
    return {"contact": names} if names else {}


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
        case Doubted(piece, place):
            return "note", {
                "piece": piece,
                "to": _point(place),
                "text": "its outline is not seen well: is the mark right?",
            }
        case FacingUnknown(piece, place):
            return "note", {"piece": piece, "to": _point(place), "text": "its front is hidden: which way does it face?"}
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
