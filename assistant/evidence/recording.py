"""Clips of a game as it goes: a thread that encodes, keeps the last half minute, and cuts out what matters.

The recorder listens to the referee. The thread that judges only hands a reference to each picture over; resizing,
encoding, writing and hashing happen in the recorder's own thread, and pictures it cannot keep up with are dropped.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import av

from assistant.evidence.clip_pictures import strip_of
from assistant.evidence.film_ring import FilmRing
from assistant.evidence.options import IMPORTANT, RECORDING, RecordingOptions
from assistant.log.clip_files import clip_folder, sha256_of
from assistant.log.entry import ClipRecord
from assistant.log.errors import LogError
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.whole_file import write_whole
from assistant.log.writer import LogWriter
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.session.referee import Referee, Update
from vision.camera.live import Outage, SourceItem
from vision.camera.stills import jpeg_of
from vision.types.frame import Frame

_FILM_ERRORS = (OSError, av.FFmpegError, GameError, ValueError)


@dataclass(frozen=True, slots=True)
class _Wish:
    """A clip that is wanted: its record in the log's time, its moment and end in the film's."""

    record: ClipRecord
    moment_s: float
    from_frame: int | None
    end_s: float
    important: bool


@dataclass(frozen=True, slots=True)
class _Kept:
    record: ClipRecord
    important: bool


class Recorder:
    """Records a table that a referee follows, into the folder beside its log, until the referee is closed."""

    def __init__(
        self, referee: Referee, log: LogWriter, options: RecordingOptions = RECORDING, waits: bool = False
    ) -> None:
        """`waits`: a source that is not live waits for the encoder instead of losing pictures."""
        self.options = options
        self._referee = referee
        self._log = log
        self._waits = waits
        self._film = FilmRing(options)
        self._wishes: list[_Wish] = []
        self._kept: dict[str, _Kept] = dict(_already_kept(log.path)) if options.mode != "off" else {}
        self._last_s: float | None = None
        self._stirred_s = float("-inf")
        self._rulings: tuple[Ruling, ...] = ()
        self._close_calls: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
        self._jobs: queue.SimpleQueue[Frame | Outage | _Wish | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(options.waiting_frames)  # pictures alone are bounded: wishes never wait
        self._thread: threading.Thread | None = None
        self.dropped = 0  # pictures that the encoder was too slow for
        if options.mode != "off":
            self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
            self._thread.start()
            referee.listen(self.listener)
            referee.before_closing(self.close)

    def keep(self, event: Event) -> bool:
        """Asks for the clip of an event that would have none; False where the film no longer reaches back to it."""
        start_s = self._film.start_s
        if self._thread is None or start_s is None or event.t_s < start_s:
            return False
        self._want((event,), event.t_s, event.frame, important=True)
        return True

    def close(self) -> None:
        """Writes the clips that are still wanted, as far as the film goes, and ends."""
        if self._thread is None:
            return
        self._referee.stop_listening(self.listener)
        self._jobs.put(None)
        self._thread.join()
        self._thread = None

    # --- in the thread that judges

    def listener(self, item: SourceItem | None, update: Update) -> None:
        """Takes what the referee hands on: pictures for the film, events that want a clip."""
        moment = update.moment
        if isinstance(item, Frame):
            if not moment.settled:
                self._stirred_s = item.time_s
            stirred = item.time_s - self._stirred_s <= self.options.stirred_s
            due_s = 0.9 / (self.options.fps if stirred else self.options.rest_fps)
            last_s = self._last_s
            if last_s is None or not last_s <= item.time_s < last_s + due_s:
                self._last_s = item.time_s
                self._hand_over(item)
        elif isinstance(item, Outage):
            self._jobs.put(item)
        new_close = False
        if moment.rulings is not self._rulings:
            close = _close_calls(moment.rulings)
            new_close = bool(close - self._close_calls)
            self._rulings, self._close_calls = moment.rulings, close
        if not moment.events:
            return
        important = new_close or any(event.type in IMPORTANT for event in moment.events)
        if important or self.options.mode == "all":
            first = moment.events[0]
            self._want(moment.events, first.t_s, first.frame, important)

    def _hand_over(self, frame: Frame) -> None:
        if self._room.acquire(blocking=self._waits):
            self._jobs.put(frame)
        else:
            self.dropped += 1

    def _want(self, events: Iterable[Event], t_s: float, frame: int, important: bool) -> None:
        told = tuple(events)
        kind = next((event.type for event in told if event.type in IMPORTANT), told[0].type).replace("_", "-")
        start_s, start_frame = self._log.start
        name = f"{round((t_s + start_s) * 1000):09d}-{kind}.mp4"
        began = [value for event in told if isinstance(value := event.fields.get("from_frame"), int)]
        record = ClipRecord(t_s + start_s, frame + start_frame, name, "wanted")
        self._note(record)
        end_s = max(event.t_s for event in told) + self.options.after_s
        self._jobs.put(_Wish(record, t_s, min(began, default=None), end_s, important))

    # --- in the recorder's thread

    def _run(self) -> None:
        while True:
            match self._jobs.get():
                case Frame() as frame:
                    with contextlib.suppress(*_FILM_ERRORS):  # a picture that cannot be encoded is a gap in the film
                        self._film.add(frame.bgr, frame.time_s, frame.index)
                    self._room.release()
                    self._cut_due(frame.time_s)
                case _Wish() as wish:
                    self._wishes.append(wish)
                case Outage():
                    self._cut_due(float("inf"))
                case None:
                    self._cut_due(float("inf"))
                    return

    def _cut_due(self, time_s: float) -> None:
        due = [wish for wish in self._wishes if wish.end_s <= time_s]
        self._wishes = [wish for wish in self._wishes if wish.end_s > time_s]
        for wish in due:
            try:
                self._cut(wish)
            except _FILM_ERRORS as error:
                self._note(replace(wish.record, status="given up", why=" ".join(str(error).split())[:160]))

    def _cut(self, wish: _Wish) -> None:
        folder = clip_folder(self._log.path)
        folder.mkdir(exist_ok=True)
        path = folder / wish.record.name
        hands_s = None if wish.from_frame is None else self._film.time_of(wish.from_frame)
        hands_s = wish.moment_s if hands_s is None else min(hands_s, wish.moment_s)
        cut = self._film.cut(hands_s - self.options.before_s, wish.end_s, path)
        if cut is None:
            raise LogError("no clip", path, "there is no film of that moment")
        later_s = self._log.start[0]
        spans = replace(wish.record, start_s=cut.start_s + later_s, end_s=cut.end_s + later_s)
        self._keep_file(spans, path, wish.important)
        strip = path.with_suffix(".jpg")
        write_whole(strip, jpeg_of(strip_of(path)))
        self._keep_file(replace(spans, name=strip.name), strip, wish.important)

    def _keep_file(self, record: ClipRecord, path: Path, important: bool) -> None:
        size = path.stat().st_size
        digest = sha256_of(path)
        self._make_room(size, important, path)
        kept = replace(record, status="kept", size_bytes=size, sha256=digest)
        self._kept[path.name] = _Kept(kept, important)
        self._note(kept)

    def _make_room(self, size: int, important: bool, path: Path) -> None:
        """Gives clips up until the new one fits into the budget: plain ones first, then the oldest."""
        most = self.options.budget_mb * 1e6
        why = f"the budget of {self.options.budget_mb:g} MB is used up"
        while sum(kept.record.size_bytes for kept in self._kept.values()) + size > most:
            givable = [name for name, kept in self._kept.items() if important or not kept.important]
            if not givable:
                path.unlink(missing_ok=True)
                raise LogError("no clip", path, why)
            name = min(givable, key=lambda name: (self._kept[name].important, name))
            given_up = self._kept.pop(name).record
            (path.parent / name).unlink(missing_ok=True)
            self._note(replace(given_up, status="given up", size_bytes=0, sha256="", why=why))

    def _note(self, record: ClipRecord) -> None:
        """Writes into the log what became of a clip; a log that takes nothing more keeps it in memory like all else."""
        with contextlib.suppress(LogError):
            self._log.note_clip(record)


def _close_calls(rulings: Iterable[Ruling]) -> frozenset[tuple[str, tuple[str, ...]]]:
    return frozenset((ruling.kind, ruling.pieces) for ruling in rulings if ruling.close_call)


def _already_kept(path: Path) -> Mapping[str, _Kept]:
    """The clips of earlier sittings, which count towards the budget."""
    with GameLog(path) as log:
        kept = [record for record in log.clips() if record.status == "kept"]
    return {record.name: _Kept(record, any(f"-{kind}." in record.name for kind in IMPORTANT)) for record in kept}
