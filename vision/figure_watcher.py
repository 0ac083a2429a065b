"""Follows bases and stands through frames: at rest and changed, the table is looked at and remembered."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.lens import Lens
from calibration.view import TableView
from vision.bases import BASE_HEIGHT_MM, BaseSighting, find_bases
from vision.figure_tracker import FigureChange, FigureMemory, FigureSighting, follow_figures
from vision.frame import Frame
from vision.motion import Mask, MotionSense
from vision.settling import SETTLE_S, Calm, Settling, field_mask
from vision.standpoint import Standpoint
from vision.stands import find_stands, stand_corners
from vision.watcher import COVERED, RunningMean

_COVERED_S = 0.5
_RETRY_S = 1.0  # between tries to find the table, and between looks that found nothing new
_LONGEST_RETRY_S = 15.0
_RIM_POINTS = 24


@dataclass(frozen=True, slots=True)
class FiguresWatched:
    """What is known at one frame, and what was found out at it."""

    view: TableView | None
    memory: FigureMemory
    settled: bool
    held: tuple[str, ...] = ()
    notice: str = ""
    changes: tuple[FigureChange, ...] = ()
    looked: bool = False
    covered: bool = False
    camera_moved: bool = False
    rest_frame: int = 0
    rest_time_s: float = 0.0
    from_frame: int = 0
    spent_ms: dict[str, float] = field(default_factory=dict)


class FigureWatcher:
    """One camera over one table of figures with the kit's rings and cards; `update` once per frame."""

    def __init__(
        self,
        table_mm: tuple[float, float],
        circles_mm: Sequence[float],
        rects_mm: Sequence[tuple[float, float]],
        lens: Lens | None = None,
    ) -> None:
        self._standpoint = Standpoint(table_mm, lens)
        self._circles_mm, self._rects_mm = tuple(circles_mm), tuple(rects_mm)
        self._sense = MotionSense()
        self._settling = Settling()
        self._mean = RunningMean()
        self._field: Mask | None = None
        self._seen_s = np.inf
        self._retry_at_s = -np.inf
        self._retry_s = _RETRY_S
        self._looked_rest = self._checked_rest = -1
        self._compared = False  # whether there is a picture that the next one can be compared with
        self._spent_ms: dict[str, float] = {}
        self.memory = FigureMemory()

    def update(self, frame: Frame) -> FiguresWatched:
        """The table at this frame."""
        self._spent_ms = {}
        with self._stage("motion"):
            motion = self._sense.update(frame)
        view = self._standpoint.view or self._find_table(frame)
        if view is None:
            return FiguresWatched(None, self.memory, False, notice=self._standpoint.notice, spent_ms=self._spent_ms)
        if self._blind(frame, motion.covered):
            everything = tuple(figure.id for figure in self.memory.figures)
            return FiguresWatched(view, self.memory, False, everything, COVERED, covered=True, spent_ms=self._spent_ms)
        if self._field is None or self._field.shape != motion.moving.shape:
            self._field = field_mask(view, motion.moving.shape, motion.px_per_cell)
        with self._stage("settle"):
            calm = self._settling.update(frame, motion, self._field)
        if not calm.at_rest:
            self._mean.clear()
        elif calm.still_s <= SETTLE_S:
            self._mean.add(frame.bgr)
        if self._knocked(frame, calm):
            return self._look(frame, calm.without_arms(), motion.changed, view)
        if self._worth_a_look(frame, calm):
            return self._look(frame, calm, motion.changed, view)
        return self._watched(view, calm, calm.at_rest and calm.still_s >= SETTLE_S)

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""
        self._sense.forget()
        self._settling = Settling()
        self._mean.clear()
        self._compared = False

    def _blind(self, frame: Frame, covered: bool) -> bool:
        if not covered:
            self._seen_s = frame.time_s
        return frame.time_s - self._seen_s >= _COVERED_S

    def _find_table(self, frame: Frame) -> TableView | None:
        if frame.time_s < self._retry_at_s:
            return None
        self._retry_at_s = frame.time_s + _RETRY_S
        with self._stage("table"):
            self._standpoint.find(frame.bgr)
        return self._standpoint.view

    def _knocked(self, frame: Frame, calm: Calm) -> bool:
        """Once after every motion: whether what looks like arms all around is a camera that was moved."""
        if calm.at_rest or calm.still_s < SETTLE_S or calm.rest_frame == self._checked_rest:
            return False
        self._checked_rest = calm.rest_frame
        with self._stage("table"):
            return self._standpoint.moved(frame.bgr)

    def _worth_a_look(self, frame: Frame, calm: Calm) -> bool:
        if not calm.at_rest or calm.still_s < SETTLE_S:
            return False
        if not self.memory.looked or not self._compared:
            return True
        if calm.something_changed and calm.rest_frame != self._looked_rest:
            return True
        return (calm.something_changed or self.memory.waiting) and frame.time_s >= self._retry_at_s

    def _look(self, frame: Frame, calm: Calm, changed: Mask, view: TableView) -> FiguresWatched:
        """Looks at the whole settled table and follows what has happened there."""
        picture = self._mean.picture() if self._mean.count else frame.bgr
        self._mean.clear()
        self._looked_rest = self._checked_rest = calm.rest_frame
        with self._stage("table"):
            finding = self._standpoint.check(picture)
        if finding == "unknown":
            self._retry_at_s = frame.time_s + self._retry_s
            return self._watched(view, calm, False)
        camera_moved = finding == "moved"
        if camera_moved:
            view, self._field = self._standpoint.view or view, None
        with self._stage("look"):
            seen = look_for_figures(picture, view, self._circles_mm, self._rects_mm)
        with self._stage("track"):
            comparable = self._compared and not camera_moved
            touched = changed if comparable else np.ones_like(changed)
            untouched = [f.id for f in self.memory.figures if not _covers(f.seen, touched, view)]
            fresh = [each.id for each in seen if comparable and _covers(each, touched, view)]
            self.memory, changes = follow_figures(self.memory, seen, untouched, fresh)
        if not self.memory.waiting or camera_moved or not self._compared:
            # While a piece is in doubt what has changed is still told against the picture before.
            self._sense.remember(picture)
            self._compared = True
        self._retry_s = _RETRY_S if changes else min(2 * self._retry_s, _LONGEST_RETRY_S)
        self._retry_at_s = frame.time_s + self._retry_s
        return self._watched(view, calm, calm.at_rest, changes, looked=True, camera_moved=camera_moved)

    def _watched(
        self,
        view: TableView,
        calm: Calm,
        settled: bool,
        changes: tuple[FigureChange, ...] = (),
        looked: bool = False,
        camera_moved: bool = False,
    ) -> FiguresWatched:
        held = tuple(f.id for f in self.memory.figures if calm.held.any() and _covers(f.seen, calm.held, view))
        return FiguresWatched(
            view,
            self.memory,
            settled,
            held,
            self._standpoint.notice,
            changes,
            looked,
            False,
            camera_moved,
            calm.rest_frame,
            calm.rest_time_s,
            calm.from_frame,
            self._spent_ms,
        )

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self._spent_ms[name] = self._spent_ms.get(name, 0.0) + 1000 * (time.perf_counter() - start)


def look_for_figures(
    picture: ByteImage, view: TableView, circles_mm: Sequence[float], rects_mm: Sequence[tuple[float, float]]
) -> tuple[FigureSighting, ...]:
    """All bases and stands in one picture."""
    frame = Frame(picture, 0, 0.0)
    bases = find_bases(frame, view, circles_mm) if circles_mm else ()
    return (*bases, *(find_stands(frame, view, rects_mm) if rects_mm else ()))


def outline_mm(seen: FigureSighting) -> FloatArray:
    """What a base or stand covers, as a polygon on the table (N, 2)."""
    if isinstance(seen, BaseSighting):
        turns = np.linspace(0.0, 2 * np.pi, _RIM_POINTS, endpoint=False)
        rim = np.stack([np.cos(turns), np.sin(turns)], axis=1) * seen.diameter_mm / 2
        return np.asarray(rim + np.array([seen.x_mm, seen.y_mm]))
    return stand_corners(seen)


def _covers(seen: FigureSighting, mask: Mask, view: TableView) -> bool:
    """Whether a mask over the small picture marks any of a piece's place."""
    cells = (view.board_to_image(outline_mm(seen), BASE_HEIGHT_MM) + 0.5) * mask.shape[1] / view.lens.width - 0.5
    place = np.zeros(mask.shape, dtype=np.uint8)
    cv2.fillPoly(place, [np.round(cells).astype(np.int32)], 1)
    return bool((mask & (place > 0)).any())
