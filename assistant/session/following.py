"""A game as it goes: frames in, moments out."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import replace

from assistant.log.event import Event
from assistant.scene.values import Scene, Table
from assistant.session.corrections import Correction
from assistant.session.happenings import Happenings
from assistant.session.hearing import recalled, word_of
from assistant.session.judgements import broken_by_moving, judged_events
from assistant.session.moment import Moment, TableSetting
from assistant.session.translation import rulings_of, scene_of
from calibration.lens import Lens
from calibration.view import TableView
from vision.frame import Frame
from vision.live import Outage
from vision.pipeline import Pieces
from vision.watcher import TableWatcher, Watched
from vision.words import Word

ONE_KNOCK_S = 2.0  # a camera that swings on has been knocked once


class Session:
    """Follows one table with one camera; `update` once per frame or outage, from one thread."""

    def __init__(
        self,
        setting: TableSetting,
        pieces: Pieces,
        lens: Lens | None = None,
        table_mm: tuple[float, float] | None = None,
    ) -> None:
        self._setting = setting
        table = table_mm or setting.game.table_mm
        self._watcher = TableWatcher(table, pieces, lens)
        scene = Scene(
            game=setting.game.id, table=Table(*table), players=setting.players, ruler_mm=setting.game.ruler_mm
        )
        self._moment = Moment(0, 0.0, scene, (), None, settled=False)
        self._lost = False
        self._covered = False
        self._knocked_s = -math.inf
        self._taken_back: list[Word | None] = []  # what undoes each correction, None for one that was not heard

    def update(self, item: Frame | Outage) -> Moment:
        """The table at this frame, and what has just happened."""
        self._moment = self._outage(item) if isinstance(item, Outage) else self._frame(item)
        return self._moment

    def correct(self, correction: Correction) -> None:
        """A person overrules what was seen; from now on it is followed so.

        What lies on what, tokens, a disk that is none and one that was missed hold until the place is touched; who a
        disk is and whose stays with it. What speaks of a piece that is gone is not heard.
        """
        word = word_of(correction, self._watcher.memory)
        back = self._watcher.hear(word) if word is not None else None
        self._taken_back.append(back)
        self._told_anew()

    def take_back(self) -> None:
        """Takes the last correction back."""
        if self._taken_back and (word := self._taken_back.pop()) is not None:
            self._watcher.hear(word)
            self._told_anew()

    def go_on_from(self, scenes: Iterable[Scene]) -> None:
        """Resumes a game, before the first frame: the settled states of the earlier sitting, oldest first."""
        self._watcher.recall(recalled(scenes))

    def _told_anew(self) -> None:
        memory, view = self._watcher.memory, self._moment.view
        if view is None or self._moment.state_frame < 0:
            return
        scene = scene_of(memory.sighting(), view, self._setting, memory.hidden())
        self._moment = replace(self._moment, scene=scene, rulings=rulings_of(scene, self._setting))

    def _outage(self, outage: Outage) -> Moment:
        event = Event(outage.time_s, self._moment.frame_index, "camera_lost", {"why": outage.why})
        events = () if self._lost else (event,)
        self._lost = True
        return replace(
            self._moment,
            time_s=outage.time_s,
            settled=False,
            held=(),
            notice=outage.why,
            events=events,
            new_state=False,
            spent_ms={},
        )

    def _frame(self, frame: Frame) -> Moment:
        back: tuple[Event, ...] = ()
        if self._lost:
            self._lost = False
            self._watcher.forget_the_past()
            back = (Event(frame.time_s, frame.index, "camera_back", {}),)
        watched = self._watcher.update(frame)
        back += self._cover(frame, watched)
        if watched.looked and watched.view is not None:
            return self._looked(frame, watched, watched.view, back)
        return replace(
            self._moment,
            frame_index=frame.index,
            time_s=frame.time_s,
            view=watched.view,
            settled=watched.settled,
            held=watched.held,
            notice=watched.notice,
            events=back,
            new_state=False,
            spent_ms=watched.spent_ms,
        )

    def _cover(self, frame: Frame, watched: Watched) -> tuple[Event, ...]:
        """A covered lens is a lost camera, except that what is seen afterwards can be compared with before."""
        if watched.covered == self._covered:
            return ()
        self._covered = watched.covered
        kind, fields = ("camera_lost", {"why": watched.notice}) if watched.covered else ("camera_back", {})
        return (Event(frame.time_s, frame.index, kind, dict(fields)),)

    def _looked(self, frame: Frame, watched: Watched, view: TableView, events: tuple[Event, ...]) -> Moment:
        """A moment at which the table was looked at."""
        start = time.perf_counter()
        last = self._moment
        new = last.state_frame < 0 or bool(watched.changes) or watched.camera_moved
        when = (round(watched.rest_time_s, 4), watched.rest_frame, watched.from_frame)
        if watched.camera_moved:
            if when[0] - self._knocked_s >= ONE_KNOCK_S:
                events = (*events, Event(when[0], when[1], "camera_moved", {"from_frame": when[2]}))
            self._knocked_s = when[0]
        scene, rulings = last.scene, last.rulings
        if new:
            told = Happenings(self._setting, last.scene, watched.memory, when).events(watched.changes)
            scene = scene_of(watched.memory.sighting(), view, self._setting, watched.memory.hidden())
            rulings = rulings_of(scene, self._setting)
            events = (*events, *told, *broken_by_moving(last.scene, told))
            if watched.changes and last.state_frame >= 0:
                events = (*events, *judged_events(last.rulings, rulings, when))
        return Moment(
            frame.index,
            frame.time_s,
            scene,
            rulings,
            view,
            watched.settled,
            watched.held,
            watched.notice,
            events,
            watched.rest_frame if new else last.state_frame,
            watched.rest_time_s if new else last.state_time_s,
            new,
            {**watched.spent_ms, "rules": 1000 * (time.perf_counter() - start)},
        )
