"""A finished game as chapters: the table at each settled state, what led to it, and its picture. No Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assistant.games import GAMES
from assistant.log.entry import LoggedEvent, State
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.story import read_story
from assistant.rules.game import GameSystem
from assistant.rules.record import ruling_from_json
from assistant.rules.ruling import Ruling
from assistant.session import Moment
from assistant.session.history import Happening, Snapshot
from assistant.session.view_json import view_from_json
from calibration.view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class Chapter:
    """One settled state of a finished game."""

    moment: Moment
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A finished game."""

    path: Path
    game: GameSystem
    settings: Settings
    end_s: float
    chapters: tuple[Chapter, ...]
    happenings: tuple[Happening, ...]

    def rounds(self) -> tuple[tuple[float, int], ...]:
        """When each round began, as far as somebody said so."""
        found: list[tuple[float, int]] = []
        for chapter in self.chapters:
            number = chapter.moment.scene.round
            if number and (not found or number > found[-1][1]):
                found.append((chapter.moment.time_s, number))
        return tuple(found)

    def chapter_at(self, time_s: float) -> int:
        """The chapter that was live at a moment; the first where the moment is before it."""
        times = [chapter.moment.time_s for chapter in self.chapters]
        return max(0, bisect_right(times, time_s + 1e-6) - 1)


def read_book(log: GameLog) -> Book:
    """A game log as chapters; pictures are read when they are looked at."""
    story = read_story(log)
    game = next((game for game in GAMES if game.id == story.settings.game), None)
    if game is None:
        raise LogError("unknown game", log.path, f"{story.settings.game!r} is no game this Pinpoint knows")
    if not story.states:
        raise LogError("empty game log", log.path, "it has no settled state to look at")
    pictures = {picture.state_id: picture.id for picture in log.pictures() if picture.state_id is not None}
    views = _views(log, story.states)
    chapters = tuple(
        Chapter(
            _moment(log, state, views[state.id]),
            Snapshot(state.scene, views[state.id], _reader(log, pictures.get(state.id)), state.t_s),
        )
        for state in story.states
    )
    places = {state.id: index for index, state in enumerate(story.states)}
    happenings = tuple(_happening(logged, places, chapters) for logged in story.events)
    return Book(log.path, game, story.settings, story.end_s, chapters, happenings)


def _happening(logged: LoggedEvent, places: dict[int, int], chapters: tuple[Chapter, ...]) -> Happening:
    after = places.get(logged.state_id, 0) if logged.state_id is not None else 0
    before = chapters[after - 1].snapshot if after else None
    return Happening(logged.event, before, chapters[after].snapshot)


def _moment(log: GameLog, state: State, view: TableView | None) -> Moment:
    said = log.rulings(state.id)
    rulings: tuple[Ruling, ...] = ()
    if said:
        rulings = tuple(ruling_from_json(record) for record in said[-1].records)
    return Moment(state.frame, state.t_s, state.scene, rulings, view, state_frame=state.frame)


def _views(log: GameLog, states: tuple[State, ...]) -> dict[int, TableView | None]:
    """The camera's view at each state, as far as the log knows it; one value for as long as it did not change."""
    views: dict[int, TableView | None] = {}
    last: tuple[object, TableView | None] = (None, None)
    for state in states:
        written = log.settings_at(state.t_s).calibration
        if written != last[0]:
            last = (written, view_from_json(written))
        views[state.id] = last[1]
    return views


def _reader(log: GameLog, picture_id: int | None) -> Callable[[], bytes]:
    return (lambda: b"") if picture_id is None else (lambda: log.jpeg(picture_id))
