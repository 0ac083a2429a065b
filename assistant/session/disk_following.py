"""Disks as a session follows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from assistant.log.event import Event
from assistant.rules.ruling import Ruling
from assistant.scene.values import Scene
from assistant.session.camera_events import When
from assistant.session.corrections import Correction, applied
from assistant.session.happenings import Happenings
from assistant.session.judgements import broken_by_moving, judged_events
from assistant.session.memory_corrections import TRACKED_FIELDS, memory_correction, memory_of
from assistant.session.moment import TableSetting
from assistant.session.translation import scene_of
from calibration.view import TableView
from vision.tracking.corrections import MemoryCorrection
from vision.tracking.memory import Appeared, Bumped, Change, Moved
from vision.types.frame import Frame
from vision.watch.watcher import DisksWatched, TableWatcher


def seen_being_laid(changes: Iterable[Change], before: Scene) -> set[str]:
    """The disks that a hand has laid where they lie, so that what is directly below them was in sight.

    One that came to light was not laid; one that was carried together with what it lay on is as it was before. Where
    others seem shifted a little at the same time, the camera or the table was moved, and nothing was seen for sure.
    """
    changes = tuple(changes)
    if any(isinstance(change, Bumped) for change in changes):
        return set()
    laid = {change.piece for change in changes if isinstance(change, Appeared) and change.was_under is None}
    moved = {change.piece for change in changes if isinstance(change, Moved)}
    carried = {top for top, bottom in before.above if top in moved and bottom in moved}
    return laid | (moved - carried)


class DiskFollower:
    """A `Follower` of disks."""

    def __init__(self, setting: TableSetting, watcher: TableWatcher) -> None:
        self._setting = setting
        self._watcher = watcher
        self._laid: set[str] = set()  # disks that were seen being laid where they lie
        self._undo: list[MemoryCorrection | None] = []  # what undoes each correction of the memory
        self._fields: list[Correction | None] = []  # of each correction the fields of a piece that no camera sees

    def update(self, frame: Frame) -> DisksWatched:
        """The table at this frame."""
        return self._watcher.update(frame)

    def forget_the_past(self) -> None:
        """The pictures were interrupted."""
        self._watcher.forget_the_past()

    def recall(self, scenes: Iterable[Scene]) -> None:
        """Goes on from the settled states of an earlier sitting, oldest first."""
        self._watcher.resume(memory_of(scenes))

    def scene(self, view: TableView) -> Scene:
        """Every disk that is known, seen or covered."""
        memory = self._watcher.memory
        scene = scene_of(memory.sighting(), view, self._setting, memory.hidden(), self._laid)
        return applied(scene, [correction for correction in self._fields if correction is not None])[0]

    def events(self, watched: DisksWatched, before: Scene, when: When) -> tuple[Event, ...]:
        """What happened to disks, and the moves that the rules did not allow."""
        if before.pieces:  # at the first look nothing was seen being laid
            self._laid |= seen_being_laid(watched.changes, before)
        told = Happenings(self._setting, before, watched.memory, when).events(watched.changes)
        return (*told, *broken_by_moving(before, told))

    def judged(
        self, before: tuple[Ruling, ...], after: tuple[Ruling, ...], changes: tuple[Any, ...], when: When
    ) -> tuple[Event, ...]:
        """New engagements and violations; a camera that moved alone makes none."""
        return judged_events(before, after, when) if changes else ()

    def correct(self, correction: Correction) -> None:
        """A person overrules a reading: the memory takes what it knows of a disk, the scene the other fields."""
        known = memory_correction(correction, self._watcher.memory)
        self._undo.append(self._watcher.correct(known) if known is not None else None)
        unseen = {name: value for name, value in correction.changes.items() if name not in TRACKED_FIELDS}
        self._fields.append(replace(correction, changes=unseen) if unseen else None)

    def take_back(self) -> None:
        """Takes the last correction back."""
        if not self._undo:
            return
        if (inverse := self._undo.pop()) is not None:
            self._watcher.correct(inverse)
        self._fields.pop()
