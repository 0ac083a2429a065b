"""A game as it goes: frames in, moments out."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from assistant.log.event import Event
from assistant.scene.values import Scene, Table
from assistant.session.camera_events import CameraEvents
from assistant.session.corrections import Correction
from assistant.session.happenings import Happenings
from assistant.session.hearing import recalled, word_of
from assistant.session.judgements import broken_by_moving, judged_events
from assistant.session.moment import Moment, TableSetting, moment_looked, moment_unlooked, moment_without
from assistant.session.translation import rulings_of, scene_of
from calibration.lens import Lens
from calibration.view import TableView
from vision.camera.live import Outage
from vision.look.pipeline import Pieces
from vision.tracking.corrections import Word
from vision.types.frame import Frame
from vision.watch.watcher import DisksWatched, TableWatcher


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
        self._camera = CameraEvents()
        self._taken_back: list[Word | None] = []  # what undoes each correction, None for one that was not heard

    def update(self, item: Frame | Outage) -> Moment:
        """The table at this frame, and what has just happened."""
        if isinstance(item, Outage):
            lost = self._camera.outage(item, self._moment.frame_index)
            self._moment = moment_without(self._moment, item, lost)
        else:
            self._moment = self._frame(item)
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

    def _frame(self, frame: Frame) -> Moment:
        back = self._camera.back(frame)
        if back:
            self._watcher.forget_the_past()
        watched = self._watcher.update(frame)
        back += self._camera.cover(frame, watched.covered, watched.notice)
        if watched.looked and watched.view is not None:
            return self._looked(frame, watched, watched.view, back)
        return moment_unlooked(self._moment, frame, watched, back)

    def _looked(self, frame: Frame, watched: DisksWatched, view: TableView, events: tuple[Event, ...]) -> Moment:
        """A moment at which the table was looked at."""
        start = time.perf_counter()
        last = self._moment
        when = (round(watched.rest_time_s, 4), watched.rest_frame, watched.from_frame)
        if watched.camera_moved:
            events += self._camera.knock(when)
        if last.state_frame >= 0 and not watched.changes and not watched.camera_moved:
            return moment_looked(last, frame, watched, None, events, start)
        told = Happenings(self._setting, last.scene, watched.memory, when).events(watched.changes)
        scene = scene_of(watched.memory.sighting(), view, self._setting, watched.memory.hidden())
        rulings = rulings_of(scene, self._setting)
        events = (*events, *told, *broken_by_moving(last.scene, told))
        if watched.changes and last.state_frame >= 0:
            events = (*events, *judged_events(last.rulings, rulings, when))
        return moment_looked(last, frame, watched, (scene, rulings), events, start)
