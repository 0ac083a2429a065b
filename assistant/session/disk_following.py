"""Disks as a session follows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.log.event import Event
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene
from assistant.session.camera_events import When
from assistant.session.corrections import Correction
from assistant.session.happenings import Happenings
from assistant.session.hearing import recalled, word_of
from assistant.session.judgements import broken_by_moving, judged_events
from assistant.session.moment import TableSetting
from assistant.session.translation import scene_of
from calibration.view import TableView
from vision.tracking.corrections import Word
from vision.tracking.memory import Appeared, Moved
from vision.types.frame import Frame
from vision.watch.watcher import DisksWatched, TableWatcher


class DiskFollower:
    """A `Follower` of disks."""

    def __init__(self, setting: TableSetting, watcher: TableWatcher) -> None:
        self._setting = setting
        self._watcher = watcher
        self._laid: set[str] = set()  # disks that were seen being laid where they lie
        self._undo: list[Word | None] = []  # what undoes each correction, None for one that was not heard

    def update(self, frame: Frame) -> DisksWatched:
        """The table at this frame."""
        return self._watcher.update(frame)

    def forget_the_past(self) -> None:
        """The pictures were interrupted."""
        self._watcher.forget_the_past()

    def recall(self, scenes: Iterable[Scene]) -> None:
        """Goes on from the settled states of an earlier sitting, oldest first."""
        self._watcher.recall(recalled(scenes))

    def scene(self, view: TableView) -> Scene:
        """Every disk that is known, seen or covered."""
        memory = self._watcher.memory
        return scene_of(memory.sighting(), view, self._setting, memory.hidden(), self._laid)

    def events(self, watched: DisksWatched, before: Scene, when: When) -> tuple[Event, ...]:
        """What happened to disks, and the moves that the rules did not allow."""
        if before.pieces:  # at the first look nothing was seen being laid
            self._laid |= {change.piece for change in watched.changes if isinstance(change, Moved | Appeared)}
        told = Happenings(self._setting, before, watched.memory, when).events(watched.changes)
        return (*told, *broken_by_moving(before, told))

    def judged(
        self, before: tuple[Ruling, ...], after: tuple[Ruling, ...], changes: tuple[Any, ...], when: When
    ) -> tuple[Event, ...]:
        """New engagements and violations; a camera that moved alone makes none."""
        return judged_events(before, after, when) if changes else ()

    def correct(self, correction: Correction) -> bool:
        """A person overrules a reading."""
        word = word_of(correction, self._watcher.memory)
        self._undo.append(self._watcher.hear(word) if word is not None else None)
        return True

    def take_back(self) -> bool:
        """Takes the last correction back."""
        if not self._undo or (word := self._undo.pop()) is None:
            return False
        self._watcher.hear(word)
        return True
