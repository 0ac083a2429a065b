"""The game behind the window and the log: frames in, moments out, with corrections applied, everything logged. No Qt.

`Referee.update` runs in the window's one worker thread; `correct` and `undo` are called from the window's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from assistant.log.changes import correction_event, scene_changes
from assistant.log.entry import Entry, Picture
from assistant.log.event import Event
from assistant.log.writer import Health, LogWriter
from assistant.rules.ledger import PlayError, Seen, Source, seen_into
from assistant.rules.panel import GamePanel, panel_of
from assistant.rules.play import CORRECTION, START, Course, seen, told
from assistant.rules.play import Entry as Said
from assistant.rules.record import ruling_to_json
from assistant.rules.ruling import Ruling
from assistant.scene.values import JsonValue, Scene
from assistant.session.corrections import Correction
from assistant.session.history import Happening, Snapshot
from assistant.session.moment import Moment, TableSetting
from assistant.session.playing import LEDGER, begun, checked, counted, entry_event, note_event, sights
from assistant.session.translation import rulings_of
from assistant.session.view_json import view_to_json
from calibration.view import TableView
from vision.camera.live import SourceItem
from vision.camera.stills import jpeg_of
from vision.types.frame import Frame

_SAME_PX = 0.5


class Session(Protocol):
    """What follows the table: frames in, moments out."""

    def update(self, frame: SourceItem) -> Moment: ...

    def correct(self, correction: Correction) -> Moment: ...

    def take_back(self) -> Moment: ...


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """What one frame has brought."""

    moment: Moment
    happenings: tuple[Happening, ...]
    corrections: int  # that people have made and not taken back
    health: Health
    panel: GamePanel | None = None  # where the game stands; None until somebody has told `start`


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the game is, as far as a camera cannot see it."""

    round: int
    phase: str = ""


Listener = Callable[[SourceItem | None, Update], None]


@dataclass(frozen=True, slots=True)
class _Said:
    """What a person said and the log has not got yet."""

    text: str
    fields: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The last scene as the session describes it, and what came of it."""

    stage: Stage | None
    course: Course | None
    table: Scene  # as seen and corrected, without the ledger
    scene: Scene
    rulings: tuple[Ruling, ...]


class Referee:
    """Follows one table, hands on what people correct, and writes the log."""

    def __init__(
        self, session: Session, setting: TableSetting, log: LogWriter | None = None, course: Course | None = None
    ) -> None:
        """`course` is the game so far where a log is resumed, see `playing.replayed`."""
        self._session = session
        self._course = course
        self._panel: tuple[Course, GamePanel] | None = None
        self._entered: list[Event] = []  # what was told and followed from it, waiting to be logged
        self._setting = setting
        self._log = log
        self._lock = threading.Lock()
        self._corrections = 0  # made and not taken back
        self._waiting: list[Correction | None] = []  # for the session; None takes the last one back
        self._said: list[_Said] = []  # corrections that wait to be logged
        self._stage: Stage | None = None
        self._notes: list[_Said] = []  # what else people said and waits to be logged
        self._seen: Moment | None = None  # as the session gave it
        self._judged: _Judged | None = None
        self._snapshot: Snapshot | None = None
        self._logged_view: TableView | None = None
        self._listeners: tuple[Listener, ...] = ()
        self._before_closing: tuple[Callable[[], None], ...] = ()

    def listen(self, listener: Listener) -> None:
        """Hands every update on, in the thread that calls `update`; the listener must not wait for anything."""
        with self._lock:
            self._listeners = (*self._listeners, listener)

    def before_closing(self, step: Callable[[], None]) -> None:
        """A step to be taken when the referee is closed, while its log can still be written."""
        with self._lock:
            self._before_closing = (*self._before_closing, step)

    def stop_listening(self, listener: Listener) -> None:
        """Ends it."""
        with self._lock:
            self._listeners = tuple(known for known in self._listeners if known != listener)

    def correct(self, correction: Correction, by: str = "") -> None:
        """A person overrules what was seen; the next `update` shows it. `by` is who said so, for the log."""
        with self._lock:
            self._corrections += 1
            self._waiting.append(correction)
            self._said.append(_Said(correction.why, _by(by)))

    def overrule(self, why: str, fields: Mapping[str, JsonValue]) -> None:
        """A person overrules a ruling, not a reading: the scene stays, the log has a correction with these fields."""
        with self._lock:
            self._said.append(_Said(why, dict(fields)))

    def note(self, text: str, fields: Mapping[str, JsonValue]) -> None:
        """What else a person says of the game."""
        with self._lock:
            self._notes.append(_Said(text, dict(fields)))

    def undo(self, by: str = "") -> bool:
        """Takes the last correction back; False where there is none."""
        with self._lock:
            if not self._corrections:
                return False
            self._corrections -= 1
            self._waiting.append(None)
            self._said.append(_Said("the last correction was taken back", _by(by)))
            return True

    @property
    def course(self) -> Course | None:
        """The game's course; None until somebody has told `start`."""
        return self._course

    def tell(self, text: str, by: str = "window") -> GamePanel:
        """What a person tells of the game: `start`, `advance`, `back`, or a word of the game (see `rules.panel`).

        It is checked at once: what is not allowed raises GameError with one sentence and changes nothing. It is logged
        with the next `update`.
        """
        with self._lock:
            if text.strip() == START:
                course = begun(self._setting.game, self._scene_now(), self._setting.house, by)
                news = course.ledger().notes
            else:
                before = checked(self._course)
                course = told(before, text, by)
                news = course.news() if len(course.steps) > len(before.steps) else ()
            entry = Said(Source.PERSON, " ".join(text.split()), by)
            self._entered += [entry_event(0.0, 0, entry), *(note_event(0.0, 0, note) for note in news)]
            self._course = course
            return panel_of(course)

    def _scene_now(self) -> Scene:
        if self._judged is None or not self._judged.scene.pieces:
            raise PlayError("nothing lies on the table yet: set it up first")
        return self._judged.scene

    def set_stage(self, stage: Stage, by: str = "") -> None:
        """People say which round and phase it is; it is part of the scene from now on."""
        with self._lock:
            if stage != self._stage:
                self._stage = stage
                where = ", ".join(part for part in (f"round {stage.round}", stage.phase) if part)
                self._notes.append(_Said(where, _by(by)))

    def update(self, item: SourceItem | None) -> Update | None:
        """The table after one more frame; with None after a correction alone. None before the first frame."""
        described = self._hand_on()
        moment = described if item is None else self._session.update(item)
        if moment is None:
            return None
        self._seen = replace(moment, events=(), new_state=False)
        before = self._judged
        judged = self._judge(moment)
        changed = judged.new_state or (before is not None and before.scene is not judged.scene)
        last = self._snapshot
        if changed and judged.view is not None:
            read_jpeg = (
                _kept(jpeg_of(item.bgr)) if isinstance(item, Frame) else (last.read_jpeg if last else _kept(b""))
            )
            self._snapshot = Snapshot(judged.scene, judged.view, read_jpeg, judged.time_s)
        happenings: tuple[Happening, ...] = ()
        if self._snapshot is not None:
            snapshot = self._snapshot
            happenings = tuple(Happening(event, last, snapshot) for event in judged.events)
        update = Update(judged, happenings, self._corrections, self._write(judged, before, changed), self._panel_now())
        for listener in self._listeners:
            listener(item, update)
        return update

    def save_elsewhere(self, path: Path) -> Health:
        """The log goes on at another place, with all that waits to be saved; LogError where that takes none either."""
        return Health() if self._log is None else self._log.move_to(path)

    def _panel_now(self) -> GamePanel | None:
        """Worked out anew only when the course has gone on."""
        course = self._course
        if course is None:
            return None
        if self._panel is None or self._panel[0] is not course:
            self._panel = (course, panel_of(course))
        return self._panel[1]

    def _hand_on(self) -> Moment | None:
        """Gives the session what people corrected; the moment as it is described then."""
        moment = self._seen
        while True:
            with self._lock:
                if not self._waiting:
                    return moment
                correction = self._waiting.pop(0)
            try:
                moment = self._session.take_back() if correction is None else self._session.correct(correction)
            except Exception:  # nothing was corrected: there is nothing to take back
                with self._lock:
                    self._corrections += 1 if correction is None else -1
                raise

    def close(self) -> None:
        """Ends the log; raises LogError where moments could not be saved."""
        steps, self._before_closing = self._before_closing, ()
        for step in steps:
            step()
        if self._log is not None:
            self._log.close()

    def _judge(self, moment: Moment) -> Moment:
        with self._lock:
            stage = self._stage
            said, notes = tuple(self._said), tuple(self._notes)
            self._said.clear()
            self._notes.clear()
        before = known = self._judged
        table = moment.scene
        moment = replace(moment, events=counted(moment.events, table))
        entered, course, followed = self._follow(moment, before.table if before else None, table, bool(said))
        if known is None or known.table is not table or known.stage != stage or known.course is not course:
            scene = _staged(table, stage) if course is None else seen_into(course.ledger().scene, table)
            rulings = moment.rulings if scene is moment.scene else rulings_of(scene, self._setting)
            known = _Judged(stage, course, table, scene, rulings)
        self._judged = known
        remarks: list[Event] = []
        when = (moment.time_s, moment.frame_index)
        if said:
            why = "; ".join(one.text for one in said)
            fields = {name: value for one in said for name, value in one.fields.items()}
            remarks.append(correction_event(*when, before.scene if before else known.scene, known.scene, why, fields))
        remarks += [Event(*when, "note", {**note.fields, "text": note.text}) for note in notes]
        events = (*_dated(entered, when), *moment.events, *remarks, *_dated(followed, when))
        return replace(moment, scene=known.scene, rulings=known.rulings, events=events)

    def _follow(
        self, moment: Moment, before: Scene | None, table: Scene, corrected: bool
    ) -> tuple[list[Event], Course | None, list[Event]]:
        """For the log what was told before, the course after what was seen and corrected, and what followed from it."""
        with self._lock:
            entered, followed, course = self._entered, [], self._course
            self._entered = []
            if course is None:
                return entered, None, []
            some = [*sights(moment.events, before, table)]
            if corrected and before is not None:
                some.append(Seen(CORRECTION, {"changes": scene_changes(before, table)}, table))
            for sight in some:
                course, steps = seen(course, sight), len(course.steps)
                news = course.news() if len(course.steps) > steps else ()
                followed += [note_event(0.0, 0, note) for note in news]
            self._course = course
            return entered, course, followed

    def _note_view(self, log: LogWriter, moment: Moment) -> None:
        """Logs where the camera stands when that has changed, so that the game can be looked at in its pictures."""
        view = moment.view
        if view is None or not moment.new_state or (self._logged_view and _same_place(self._logged_view, view)):
            return
        self._logged_view = view
        log.change(moment.state_time_s, moment.state_frame, replace(log.settings, calibration=view_to_json(view)))

    def _write(
        self,
        moment: Moment,
        before: _Judged | None,
        changed: bool,
    ) -> Health:
        if self._log is None:
            return Health()
        if not moment.events and not moment.new_state:
            return self._log.keep_trying()
        self._note_view(self._log, moment)
        # what was told before this look stands before it in the log, so that it is replayed in that order
        early = next((n for n, event in enumerate(moment.events) if LEDGER not in event.fields), len(moment.events))
        if early:
            self._log.append(Entry(moment.time_s, moment.frame_index, moment.events[:early]))
            moment = replace(moment, events=moment.events[early:])
        corrected = [event for event in moment.events if event.type == "correction"]
        records = tuple(ruling_to_json(ruling) for ruling in moment.rulings)
        if corrected and before is not None:
            fields = dict(corrected[0].fields)
            why = str(fields.pop("why"))
            fields.pop("changes")  # the log works them out from the two scenes
            self._log.correct(moment.time_s, moment.frame_index, before.scene, moment.scene, why, records, fields)
        events = tuple(event for event in moment.events if event.type != "correction")
        if not events and not moment.new_state and (corrected or not changed):
            return self._log.health
        pictures: tuple[Picture, ...] = ()
        if changed and self._snapshot is not None and (jpeg := self._snapshot.read_jpeg()):
            key = any(event.type in ("violation", "bumped") for event in events)
            pictures = (Picture(jpeg, ", ".join(dict.fromkeys(event.type for event in events)), key),)
        # a settled state is dated by when the table came to rest, not by when that was noticed
        at = (moment.state_time_s, moment.state_frame) if moment.new_state else (moment.time_s, moment.frame_index)
        entry = Entry(
            *at,
            events,
            moment.scene if changed else None,
            records if changed else (),
            pictures,
        )
        return self._log.append(entry)


def _dated(events: Iterable[Event], when: tuple[float, int]) -> list[Event]:
    return [replace(event, t_s=when[0], frame=when[1]) for event in events]


def _by(who: str) -> Mapping[str, JsonValue]:
    return {"by": who} if who else {}


def _staged(scene: Scene, stage: Stage | None) -> Scene:
    if stage is None:
        return scene
    return replace(
        scene, round=stage.round, extra={**scene.extra, "phase": stage.phase} if stage.phase else scene.extra
    )


def _same_place(a: TableView, b: TableView) -> bool:
    """Whether two views show the table's corners at the same pixels."""
    corners = np.array([[0.0, 0.0], [a.width_mm, 0.0], [a.width_mm, a.depth_mm], [0.0, a.depth_mm]])
    return bool(np.abs(a.board_to_image(corners) - b.board_to_image(corners)).max() < _SAME_PX)


def _kept(jpeg: bytes) -> Callable[[], bytes]:
    return lambda: jpeg
