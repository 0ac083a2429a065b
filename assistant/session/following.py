"""A game as it goes: frames in, moments out, for disks and figures alike."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Protocol

from assistant.log.event import Event
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene, Table
from assistant.session.advising import Advising
from assistant.session.camera_events import CameraEvents, When
from assistant.session.corrections import Correction
from assistant.session.moment import Moment, TableSetting, moment_looked, moment_noted, moment_unlooked, moment_without
from assistant.session.translation import rulings_of
from calibration.view import TableView
from vision.camera.live import Outage, SourceItem, SourceNote
from vision.camera.table_camera import Watched
from vision.types.frame import Frame


class Follower(Protocol):
    """What follows the pieces of one kind through frames and describes them as a scene and as events."""

    def update(self, frame: Frame) -> Watched[Any, Any]:
        """The table at this frame."""

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""

    def recall(self, scenes: Iterable[Scene]) -> None:
        """Goes on from the settled states of an earlier sitting, oldest first, before the first frame."""

    def scene(self, view: TableView) -> Scene:
        """What is known of the table now."""

    def events(self, watched: Watched[Any, Any], before: Scene, when: When) -> tuple[Event, ...]:
        """What has happened, as events of the log."""

    def judged(
        self, before: tuple[Ruling, ...], after: tuple[Ruling, ...], changes: tuple[Any, ...], when: When
    ) -> tuple[Event, ...]:
        """Events for what the rules say of the new state and did not say of the one before."""

    def correct(self, correction: Correction) -> None:
        """A person overrules a reading: from now on the scene is described so."""

    def take_back(self) -> None:
        """Takes the last correction back."""


class Session:
    """Follows one table with one camera; `update` once per frame or outage, from one thread."""

    def __init__(self, setting: TableSetting, follower: Follower, table_mm: tuple[float, float] | None = None) -> None:
        self._setting = setting
        self._follower = follower
        scene = Scene(
            game=setting.game.id,
            table=Table(*(table_mm or setting.game.table_mm)),
            players=setting.players,
            ruler_mm=setting.game.ruler_mm,
        )
        self._moment = Moment(0, 0.0, scene, (), None, settled=False)
        self._camera = CameraEvents()
        self._advising = Advising()

    def update(self, item: SourceItem) -> Moment:
        """The table at this frame, and what has just happened."""
        if isinstance(item, Outage):
            lost = self._camera.outage(item, self._moment.frame_index)
            self._moment = moment_without(self._moment, item, lost)
        elif isinstance(item, SourceNote):
            self._moment = moment_noted(self._moment, item)
        else:
            moment = self._frame(item)
            self._moment = replace(moment, advice=self._advising.update(item, moment))
        return self._moment

    def correct(self, correction: Correction) -> Moment:
        """A person overrules what was seen; from now on it is followed so. The moment with the corrected scene.

        What lies on what, tokens, a disk that is none and one that was missed hold until the place is touched; who a
        disk is and whose stays with it. What speaks of a piece that is gone changes nothing.
        """
        self._follower.correct(correction)
        return self._described_anew()

    def take_back(self) -> Moment:
        """Takes the last correction back; the moment with the scene as it is without it."""
        self._follower.take_back()
        return self._described_anew()

    def go_on_from(self, scenes: Iterable[Scene]) -> None:
        """Resumes a game, before the first frame: the settled states of the earlier sitting, oldest first."""
        self._follower.recall(scenes)

    def _described_anew(self) -> Moment:
        self._moment = replace(self._moment, events=(), new_state=False, spent_ms={})
        if self._moment.view is not None and self._moment.state_frame >= 0:
            scene = self._follower.scene(self._moment.view)
            self._moment = replace(self._moment, scene=scene, rulings=rulings_of(scene, self._setting))
        return self._moment

    def _frame(self, frame: Frame) -> Moment:
        back = self._camera.back(frame)
        if back:
            self._follower.forget_the_past()
        watched = self._follower.update(frame)
        back += self._camera.cover(frame, watched.covered, watched.notice)
        if watched.looked and watched.view is not None:
            return self._looked(frame, watched, watched.view, back)
        return moment_unlooked(self._moment, frame, watched, back)

    def _looked(self, frame: Frame, watched: Watched[Any, Any], view: TableView, events: tuple[Event, ...]) -> Moment:
        """A moment at which the table was looked at."""
        start = time.perf_counter()
        last = self._moment
        when = (round(watched.rest_time_s, 4), watched.rest_frame, watched.from_frame)
        if watched.camera_moved:
            events += self._camera.knock(when)
        if last.state_frame >= 0 and not watched.changes and not watched.camera_moved:
            return moment_looked(last, frame, watched, None, events, start)
        events += self._follower.events(watched, last.scene, when)
        scene = self._follower.scene(view)
        rulings = rulings_of(scene, self._setting)
        if last.state_frame >= 0:
            events += self._follower.judged(last.rulings, rulings, watched.changes, when)
        return moment_looked(last, frame, watched, (scene, rulings), events, start)
