"""Writing a game as it goes: every moment is on the disk when `append` returns, or is kept until the disk takes it."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from assistant.log.appending import Job, last_moment, note_sitting, read_tail, write
from assistant.log.changes import correction_event
from assistant.log.clock import moment_text
from assistant.log.connection import FILE_ERRORS, copy_log, create_file, open_for_writing
from assistant.log.decoding import MOST_PIECES
from assistant.log.entry import ClipRecord, Entry, RulingRecord
from assistant.log.errors import LogError
from assistant.log.event import Event, check_moment
from assistant.log.locking import WriterLock
from assistant.log.sealing import NO_LINK, SealedRows
from assistant.log.settings import Settings, read_settings, settings_rows
from assistant.scene.errors import SceneError
from assistant.scene.reading import plain_json, scene_from_json
from assistant.scene.values import JsonValue, Scene
from assistant.scene.writing import scene_to_json

WAITING_PICTURES_BYTES = 32_000_000
WAITING_MOMENTS = 2_000  # about two hours of play
RETRY_S = 2.0  # between two tries of `keep_trying`
_NO_FIELDS: Mapping[str, JsonValue] = {}


@dataclass(frozen=True, slots=True)
class Health:
    """Whether the game is safe: `waiting` moments are only in memory, `why` says what the disk answered.

    `lost` moments had to be given up because too many waited; the log says so in a note when the disk is back.
    """

    waiting: int = 0
    pictures_given_up: int = 0
    why: str = ""
    lost: int = 0

    @property
    def safe(self) -> bool:
        """Whether everything is on the disk, except what was lost before."""
        return self.waiting == 0


@dataclass(slots=True)
class _Lost:
    """What was given up since the disk last took something."""

    moments: int = 0
    events: int = 0
    start_s: float = 0.0
    end_s: float = 0.0

    def add(self, entry: Entry) -> None:
        self.start_s = entry.t_s if not self.moments else self.start_s
        self.end_s = entry.t_s
        self.moments += 1
        self.events += len(entry.events)

    def text(self) -> str:
        """One line for the log."""
        span = f"between {moment_text(self.start_s)} and {moment_text(self.end_s)}"
        return f"{self.moments} moments with {self.events} events {span} were lost: the log could not be written"


class LogWriter:
    """A game being written; it holds the log's lock until it is closed.

    Its clock starts when it is opened: a game that is gone on with counts on from where it was left off.
    `append` never fails because of the disk: a moment that cannot be saved waits in memory, in order, and every later
    `append`, `retry` or `keep_trying` tries again. `health` says how things stand, and `move_to` goes on in another
    place. Calls from several threads are taken one after the other.
    """

    def __init__(self, path: Path) -> None:
        """Goes on with the log at `path`; `create` starts a new one."""
        self._begin(path, WriterLock(path))

    @staticmethod
    def create(path: Path, settings: Settings) -> LogWriter:
        """Starts a new log; an existing file is refused."""
        lock = WriterLock(path, "no new game log")
        try:
            create_file(path, partial(_first_rows, replace(settings, started=settings.started or _now())))
        except BaseException:
            lock.release()
            raise
        writer = LogWriter.__new__(LogWriter)
        writer._begin(path, lock)
        return writer

    def _begin(self, path: Path, lock: WriterLock) -> None:
        self.path = path
        self._lock = lock
        self._one_at_a_time = threading.RLock()
        self._waiting: deque[Job] = deque()
        self._given_up_waiting = 0
        self._lost = _Lost()
        self._lost_before = 0
        self._tried_s = 0.0
        self._connection: sqlite3.Connection | None = None
        try:
            self._connection = open_for_writing(path)
            self._start = last_moment(self._connection)
            self._settings = read_settings(self._connection, path)
            note_sitting(self._connection, _now(), "opened")
            self._tail = read_tail(self._connection)
            self._health = Health(pictures_given_up=self._tail.pictures_given_up)
        except FILE_ERRORS as error:
            self._let_go()
            lock.release()
            raise LogError("no writable game log", path, str(error)) from None
        except LogError:
            self._let_go()
            lock.release()
            raise

    @property
    def settings(self) -> Settings:
        """What the game is played with now."""
        return self._settings

    @property
    def start(self) -> tuple[float, int]:
        """Seconds and frames that this sitting's clock is behind the log's."""
        return self._start or (0.0, 0)

    @property
    def health(self) -> Health:
        """How safe the game is, as of the last moment that was saved or could not be.

        What another thread is just about to save is no loss, and nobody waits for it.
        """
        return self._health

    def append(self, entry: Entry) -> Health:
        """Saves one moment; a scene equal to the last one is not stored twice."""
        return self._take(Job(entry))

    def note_clip(self, record: ClipRecord) -> Health:
        """Says what became of a clip; its times are those of the log, since it may be one of an earlier sitting."""
        entry = Entry(record.t_s, record.frame, clips=(record,))
        with self._one_at_a_time:
            _check(entry)
            self._waiting.append(Job(entry))
            return self.retry()

    def change(self, t_s: float, frame: int, settings: Settings) -> Health:
        """Other settings from now on, for example other rule readings; the old ones stay on record."""
        with self._one_at_a_time:
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
        with self._one_at_a_time:
            self._tried_s = time.monotonic()
            try:
                while self._waiting:
                    if self._connection is None:
                        self._reopen()
                    else:
                        self._tail = write(self._connection, self._tail, self._with_losses(self._waiting[0]))
                        self._written()
                why = ""
            except (*FILE_ERRORS, LogError) as error:
                why = str(error)
                self._let_go()
                self._bound_memory()
            given_up = self._tail.pictures_given_up + self._given_up_waiting
            self._health = Health(len(self._waiting), given_up, why, self._lost_before + self._lost.moments)
            return self._health

    def keep_trying(self) -> Health:
        """`retry` where something waits, at most every two seconds: for a caller that asks at every frame."""
        if self._waiting and time.monotonic() - self._tried_s >= RETRY_S:
            return self.retry()
        return self.health

    def move_to(self, path: Path) -> Health:
        """Goes on in a new file at `path` with all that is on record and all that waits; the old file stays as it is.

        For a disk that is full or gone. Raises LogError where the new place takes no log either; the writer then goes
        on trying the old one.
        """
        with self._one_at_a_time:
            lock = WriterLock(path)
            try:
                copy_log(self.path, path)
                connection = open_for_writing(path)
            except BaseException:
                lock.release()
                raise
            self._let_go()
            self._lock.release()
            self.path, self._lock, self._connection = path, lock, connection
            tail = read_tail(connection)
            self._tail = replace(tail, pictures_given_up=self._tail.pictures_given_up)
            return self.retry()

    def close(self) -> None:
        """Ends the sitting and lets go of the log; raises LogError where moments could not be saved."""
        with self._one_at_a_time:
            health = self.retry()
            if self._connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    note_sitting(self._connection, _now(), "closed")
                self._let_go()
            self._lock.release()
            if health.safe and not self._lost.moments:
                return
            for job in self._waiting:
                self._lost.add(job.entry)
            raise LogError(self._lost.text().removesuffix(": the log could not be written"), self.path, health.why)

    def _take(self, job: Job) -> Health:
        with self._one_at_a_time:
            _check(job.entry)
            if job.corrects is not None:
                _check_scene(job.corrects)
            if self._start is not None:
                job = replace(job, entry=_later(job.entry, *self._start))
            self._waiting.append(job)
            return self.retry()

    def _with_losses(self, job: Job) -> Job:
        """The job with a note of what is missing before it."""
        if not self._lost.moments:
            return job
        note = Event(job.entry.t_s, job.entry.frame, "note", {"text": self._lost.text()})
        return replace(job, entry=replace(job.entry, events=(note, *job.entry.events)))

    def _written(self) -> None:
        self._waiting.popleft()
        self._lost_before += self._lost.moments
        self._lost = _Lost()

    def _reopen(self) -> None:
        """A fresh connection after a failure; a moment that reached the disk all the same is not written again."""
        self._connection = open_for_writing(self.path)
        tail = read_tail(self._connection)
        if tail.rows != self._tail.rows:
            self._written()
        self._tail = replace(tail, pictures_given_up=self._tail.pictures_given_up)

    def _let_go(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _bound_memory(self) -> None:
        """Only so many pictures may wait, the oldest are given up first; then only so many moments."""
        held = sum(len(picture.jpeg) for job in self._waiting for picture in job.entry.pictures)
        for index, job in enumerate(self._waiting):
            if held <= WAITING_PICTURES_BYTES:
                break
            held -= sum(len(picture.jpeg) for picture in job.entry.pictures)
            self._given_up_waiting += len(job.entry.pictures)
            self._waiting[index] = replace(job, entry=replace(job.entry, pictures=()))
        while len(self._waiting) > WAITING_MOMENTS:
            self._lost.add(self._waiting.popleft().entry)


def _first_rows(settings: Settings, connection: sqlite3.Connection) -> None:
    rows = SealedRows(connection, NO_LINK)
    for name, value in settings_rows(settings):
        rows.add("settings", 0.0, name, value)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _later(entry: Entry, by_s: float, by_frames: int) -> Entry:
    events = tuple(event_later(event, by_s, by_frames) for event in entry.events)
    clips = tuple(
        replace(
            clip,
            t_s=clip.t_s + by_s,
            frame=clip.frame + by_frames,
            start_s=clip.start_s + by_s,
            end_s=clip.end_s + by_s,
        )
        for clip in entry.clips
    )
    return replace(entry, t_s=entry.t_s + by_s, frame=entry.frame + by_frames, events=events, clips=clips)


def event_later(event: Event, by_s: float, by_frames: int) -> Event:
    """The event on the clock of a game that was gone on with."""
    fields = dict(event.fields)
    began = fields.get("from_frame")
    if isinstance(began, int):
        fields["from_frame"] = began + by_frames
    return Event(event.t_s + by_s, event.frame + by_frames, event.type, fields)


def _check(entry: Entry) -> None:
    """Refuses what could be written but not read back."""
    check_moment(entry.t_s, entry.frame)
    for clip in entry.clips:
        check_moment(clip.t_s, clip.frame)
    for index, record in enumerate(entry.rulings):
        plain_json(dict(record), f"rulings[{index}]")
    if entry.scene is not None:
        _check_scene(entry.scene)


def _check_scene(scene: Scene) -> None:
    if len(scene.pieces) > MOST_PIECES:
        raise SceneError("pieces", f"expected up to {MOST_PIECES} pieces, got {len(scene.pieces)}")
    if scene_from_json(scene_to_json(scene)) != scene:
        raise SceneError("", "expected a scene that reads back as it was written")
