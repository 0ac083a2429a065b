"""Writing a game as it goes: every moment is on the disk when `append` returns, or is kept until the disk takes it."""

from __future__ import annotations

import contextlib
import sqlite3
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from assistant.log.appending import Job, last_moment, note_sitting, read_tail, write
from assistant.log.changes import correction_event
from assistant.log.connection import FILE_ERRORS, create_file, open_for_writing
from assistant.log.entry import Entry, RulingRecord
from assistant.log.errors import LogError
from assistant.log.event import Event, check_moment
from assistant.log.settings import Settings, read_settings, settings_rows
from assistant.scene.errors import SceneError
from assistant.scene.reading import plain_json, scene_from_json
from assistant.scene.values import JsonValue, Scene
from assistant.scene.writing import scene_to_json

WAITING_PICTURES_BYTES = 32_000_000
_NO_FIELDS: Mapping[str, JsonValue] = {}


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the game is safe: `waiting` moments are only in memory, `why` says what the disk answered."""

    waiting: int = 0
    pictures_given_up: int = 0
    why: str = ""

    @property
    def safe(self) -> bool:
        """Whether everything is on the disk."""
        return self.waiting == 0


class LogWriter:
    """A game being written, by one thread at a time.

    Its clock starts when it is opened: a game that is gone on with counts on from where it was left off.
    `append` never fails because of the disk: a moment that cannot be saved waits in memory, in order, and every later
    `append` or `retry` tries again. `health` says how things stand.
    """

    def __init__(self, path: Path) -> None:
        """Goes on with the log at `path`; `create` starts a new one."""
        self.path = path
        self._waiting: deque[Job] = deque()
        self._why = ""
        self._given_up_waiting = 0
        self._connection: sqlite3.Connection | None = open_for_writing(path)
        try:
            self._tail = read_tail(self._connection)
            self._start = last_moment(self._connection)
            self._settings = read_settings(self._connection, path)
            note_sitting(self._connection, _now(), "opened")
        except FILE_ERRORS as error:
            self._let_go()
            raise LogError("no writable game log", path, str(error)) from None
        except LogError:
            self._let_go()
            raise

    @staticmethod
    def create(path: Path, settings: Settings) -> LogWriter:
        """Starts a new log; an existing file is refused."""
        create_file(path, settings_rows(replace(settings, started=settings.started or _now())))
        return LogWriter(path)

    @property
    def settings(self) -> Settings:
        """What the game is played with now."""
        return self._settings

    @property
    def health(self) -> Health:
        """How safe the game is."""
        return Health(len(self._waiting), self._tail.pictures_given_up + self._given_up_waiting, self._why)

    def append(self, entry: Entry) -> Health:
        """Saves one moment; a scene equal to the last one is not stored twice."""
        return self._take(Job(entry))

    def change(self, t_s: float, frame: int, settings: Settings) -> Health:
        """Other settings from now on, for example other rule readings; the old ones stay on record."""
        rows = tuple(settings_rows(settings, before=self._settings))
        self._settings = settings
        return self._take(Job(Entry(t_s, frame), settings=rows))

    def correct(
        self,
        t_s: float,
        frame: int,
        before: Scene,
        after: Scene,
        why: str,
        rulings: Sequence[RulingRecord] = (),
        fields: Mapping[str, JsonValue] = _NO_FIELDS,
    ) -> Health:
        """A person overruled what was seen: both scenes are kept, and an event says why and what changed.

        `fields` are further fields of that event, such as who said it.
        """
        event = correction_event(t_s, frame, before, after, why, fields)
        return self._take(Job(Entry(t_s, frame, (event,), after, tuple(rulings)), corrects=before))

    def retry(self) -> Health:
        """Saves what waits, oldest first, as far as the disk takes it."""
        try:
            while self._waiting:
                if self._connection is None:
                    self._reopen()
                else:
                    self._tail = write(self._connection, self._tail, self._waiting[0])
                    self._waiting.popleft()
            self._why = ""
        except (*FILE_ERRORS, LogError) as error:
            self._why = str(error)
            self._let_go()
            self._bound_memory()
        return self.health

    def close(self) -> None:
        """Ends the sitting; raises LogError where moments could not be saved."""
        health = self.retry()
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                note_sitting(self._connection, _now(), "closed")
            self._let_go()
        if not health.safe:
            raise LogError(f"{health.waiting} moments not saved", self.path, health.why)

    def _take(self, job: Job) -> Health:
        _check(job.entry)
        if job.corrects is not None:
            _check_scene(job.corrects)
        if self._start is not None:
            job = replace(job, entry=_later(job.entry, *self._start))
        self._waiting.append(job)
        return self.retry()

    def _reopen(self) -> None:
        """A fresh connection after a failure; a moment that reached the disk all the same is not written again."""
        self._connection = open_for_writing(self.path)
        tail = read_tail(self._connection)
        if tail.rows != self._tail.rows:
            self._waiting.popleft()
        self._tail = replace(tail, pictures_given_up=self._tail.pictures_given_up)

    def _let_go(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _bound_memory(self) -> None:
        """What waits may hold only so many pictures; the oldest are given up, the moments never."""
        held = sum(len(picture.jpeg) for job in self._waiting for picture in job.entry.pictures)
        for index, job in enumerate(self._waiting):
            if held <= WAITING_PICTURES_BYTES:
                return
            held -= sum(len(picture.jpeg) for picture in job.entry.pictures)
            self._given_up_waiting += len(job.entry.pictures)
            self._waiting[index] = replace(job, entry=replace(job.entry, pictures=()))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _later(entry: Entry, by_s: float, by_frames: int) -> Entry:
    events = tuple(_event_later(event, by_s, by_frames) for event in entry.events)
    return replace(entry, t_s=entry.t_s + by_s, frame=entry.frame + by_frames, events=events)


def _event_later(event: Event, by_s: float, by_frames: int) -> Event:
    fields = dict(event.fields)
    began = fields.get("from_frame")
    if isinstance(began, int):
        fields["from_frame"] = began + by_frames
    return Event(event.t_s + by_s, event.frame + by_frames, event.type, fields)


def _check(entry: Entry) -> None:
    """Refuses what could be written but not read back."""
    check_moment(entry.t_s, entry.frame)
    for index, record in enumerate(entry.rulings):
        plain_json(dict(record), f"rulings[{index}]")
    if entry.scene is not None:
        _check_scene(entry.scene)


def _check_scene(scene: Scene) -> None:
    if scene_from_json(scene_to_json(scene)) != scene:
        raise SceneError("", "expected a scene that reads back as it was written")
