"""A game as it goes: frames in, moments out."""

from __future__ import annotations

import time
from dataclasses import replace

from assistant.log.event import Event
from assistant.scene.values import Scene, Table
from assistant.session.happenings import Happenings
from assistant.session.moment import Moment, TableSetting
from assistant.session.translation import rulings_of, scene_of
from calibration.lens import Lens
from calibration.view import TableView
from vision.frame import Frame
from vision.live import Outage
from vision.pipeline import Pieces
from vision.watcher import TableWatcher, Watched


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

    def update(self, item: Frame | Outage) -> Moment:
        """The table at this frame, and what has just happened."""
        self._moment = self._outage(item) if isinstance(item, Outage) else self._frame(item)
        return self._moment

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

    def _looked(self, frame: Frame, watched: Watched, view: TableView, events: tuple[Event, ...]) -> Moment:
        """A moment at which the table was looked at."""
        start = time.perf_counter()
        last = self._moment
        new = last.state_frame < 0 or bool(watched.changes) or watched.camera_moved
        when = (round(watched.rest_time_s, 4), watched.rest_frame, watched.from_frame)
        if watched.camera_moved:
            events = (*events, Event(when[0], when[1], "camera_moved", {"from_frame": when[2]}))
        scene, rulings = last.scene, last.rulings
        if new:
            told = Happenings(self._setting, last.scene, watched.memory, when).events(watched.changes)
            events = (*events, *told)
            scene = scene_of(watched.memory.sighting(), view, self._setting, watched.memory.hidden())
            rulings = rulings_of(scene, self._setting)
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
