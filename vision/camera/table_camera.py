"""A camera over a table: where the table is, when it lies at rest, when it is out of sight, when the camera moved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.view import TableView
from vision.camera.motion import Mask, MotionSense
from vision.camera.options import CAMERA
from vision.camera.settling import Calm, Settling, field_mask
from vision.camera.standpoint import Finding, Given, Standpoint
from vision.types.frame import Frame
from vision.types.workers import get_ready

COVERED = "the camera is covered or it is dark; the table is kept as it was"

Known = TypeVar("Known")
Happened = TypeVar("Happened")


@dataclass(frozen=True, slots=True)
class Watched(Generic[Known, Happened]):
    """What is known at one frame, and what was found out at it."""

    view: TableView | None
    memory: Known
    settled: bool
    held: tuple[str, ...] = ()
    notice: str = ""
    changes: tuple[Happened, ...] = ()
    looked: bool = False  # the table was looked at, whether or not anything had changed
    covered: bool = False  # nothing is seen of the table
    camera_moved: bool = False
    rest_frame: int = 0
    rest_time_s: float = 0.0
    from_frame: int = 0
    spent_ms: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class InSight:
    """The table in sight at one frame; `knocked` where what looked like arms all around was a camera that moved."""

    view: TableView
    calm: Calm
    changed: Mask  # other than when last looked at, on the small picture
    knocked: bool


class TableCamera:
    """One camera over one table; `update` once per frame."""

    def __init__(self, table_mm: tuple[float, float], lens: Lens | None, given: Given | None = None) -> None:
        self.sense = MotionSense()
        self.spent_ms: dict[str, float] = {}  # by stage of this frame's way
        self._standpoint = Standpoint(table_mm, lens, given)
        self._settling = Settling()
        self._mean = RunningMean()
        self._field: Mask | None = None
        self._seen_s = np.inf  # when the table was last in sight
        self._retry_at_s = -np.inf
        self._retry_s = CAMERA.retry_s[0]
        self._checked_rest = -1
        self._measured_at_rest = False

    @property
    def view(self) -> TableView | None:
        """How it sees the table, None until the table was found."""
        return self._standpoint.view

    def update(self, frame: Frame) -> InSight | None:
        """The table at this frame; None where it is not known yet, or nothing is seen of it."""
        self.spent_ms = {}
        with self.stage("motion"):
            motion = self.sense.update(frame)
        view = self.view or self._find_table(frame)
        if view is not None and frame.bgr.shape[:2] != (view.lens.height, view.lens.width):
            return self._at_another_size(frame, view)
        if view is None or self._blind(frame, motion.covered):
            return None
        if self._field is None or self._field.shape != motion.moving.shape:
            self._field = field_mask(view, motion.moving.shape, motion.px_per_cell)
        with self.stage("settle"):
            calm = self._settling.update(frame, motion, self._field)
        if not calm.at_rest:
            self._mean.clear()
        elif calm.still_s <= CAMERA.settle_s:
            with self.stage("average"):
                self._mean.add(frame.bgr)
        knocked = self._knocked(frame, calm)
        return InSight(view, calm.without_arms() if knocked else calm, motion.changed, knocked)

    def picture(self, frame: Frame) -> ByteImage:
        """The table at rest, with less noise than the frame alone."""
        return self._mean.picture() if self._mean.count else frame.bgr

    def take(self, frame: Frame, calm: Calm) -> ByteImage:
        """The same to be looked at; this rest needs no further asking."""
        picture = self.picture(frame)
        self._mean.clear()
        self._checked_rest = calm.rest_frame
        return picture

    def gathered(self, frame: Frame) -> bool:
        """Averages further frames of the same rest, for another detection pass; whether there are enough."""
        with self.stage("average"):
            self._mean.add(frame.bgr)
        return self._mean.count >= CAMERA.averaged_frames

    def asked_first(self, calm: Calm) -> bool:
        """True once for each time that the table has come to rest."""
        first = calm.rest_frame != self._checked_rest
        self._checked_rest = calm.rest_frame
        return first

    def check(self, picture: ByteImage) -> Finding:
        """Whether the table at rest is seen as before; after a knock it is measured anew, in the same board frame.

        At first it was found in a single frame: the first picture at rest shows better where it lies.
        """
        with self.stage("table"):
            first, self._measured_at_rest = not self._measured_at_rest, True
            if first and self._standpoint.find(picture):
                self._field = None
                return "same"
            finding = self._standpoint.check(picture)
        if finding in ("moved", "drifted"):
            self._field = None
        return finding

    def due(self, frame: Frame) -> bool:
        """Whether it is time for another look though the table has not moved since the last."""
        return frame.time_s >= self._retry_at_s

    def try_later(self, frame: Frame) -> None:
        """The next such look comes after the usual while."""
        self._retry_at_s = frame.time_s + self._retry_s

    def looked(self, frame: Frame, news: bool) -> None:
        """Looks that find nothing new become ever rarer."""
        self._retry_s = CAMERA.retry_s[0] if news else min(2 * self._retry_s, CAMERA.retry_s[1])
        self.try_later(frame)

    def remember(self, picture: ByteImage, calm: Calm) -> None:
        """From now on changes are detected against this picture, but where somebody reaches in beside the field."""
        self.sense.remember(picture, ~calm.intruding if calm.intruding.any() else None)

    def forget_the_past(self) -> None:
        """The pictures were interrupted: the next ones cannot be compared with those before."""
        self.sense.forget()
        self._settling = Settling()
        self._mean.clear()

    def watched(
        self,
        sight: InSight,
        memory: Known,
        settled: bool,
        held: tuple[str, ...],
        changes: tuple[Happened, ...] = (),
        looked: bool = False,
        camera_moved: bool = False,
    ) -> Watched[Known, Happened]:
        """What is known of a table in sight."""
        return Watched(
            self.view or sight.view,
            memory,
            settled,
            held,
            self._standpoint.notice,
            changes,
            looked=looked,
            camera_moved=camera_moved,
            rest_frame=sight.calm.rest_frame,
            rest_time_s=sight.calm.rest_time_s,
            from_frame=sight.calm.from_frame,
            spent_ms=self.spent_ms,
        )

    def out_of_sight(self, memory: Known, everything: tuple[str, ...]) -> Watched[Known, Happened]:
        """What is known of a table that is not found yet, or of which nothing is seen now."""
        if self.view is None:
            return Watched(None, memory, False, notice=self._standpoint.notice, spent_ms=self.spent_ms)
        notice = self._standpoint.notice or COVERED
        return Watched(self.view, memory, False, everything, notice, covered=True, spent_ms=self.spent_ms)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time of what is done within to a stage."""
        start = time.perf_counter()
        yield
        self.spent_ms[name] = self.spent_ms.get(name, 0.0) + 1000 * (time.perf_counter() - start)

    def _find_table(self, frame: Frame) -> TableView | None:
        if frame.time_s < self._retry_at_s:
            return None
        self._retry_at_s = frame.time_s + CAMERA.retry_s[0]
        with self.stage("table"):
            get_ready()
            found = self._standpoint.find(frame.bgr)
        if found:
            self._retry_at_s = -np.inf
        return self.view

    def _at_another_size(self, frame: Frame, before: TableView) -> InSight | None:
        """The camera has changed its mode: as after a knock, the table has to be measured anew, now and then tried."""
        if frame.time_s < self._retry_at_s:
            return None
        self._retry_at_s = frame.time_s + CAMERA.retry_s[0]
        self.forget_the_past()
        self._field = None
        motion = self.sense.update(frame)
        nothing = np.zeros_like(motion.moving)
        calm = Calm(
            True, CAMERA.settle_s, nothing, nothing, nothing, frame.index, frame.time_s, max(0, frame.index - 1)
        )
        return InSight(before, calm, nothing, knocked=True)

    def _blind(self, frame: Frame, covered: bool) -> bool:
        """Whether nothing has been seen of the table for a while."""
        if not covered:
            self._seen_s = frame.time_s
        return frame.time_s - self._seen_s >= CAMERA.covered_s

    def _knocked(self, frame: Frame, calm: Calm) -> bool:
        """Once after every motion: whether what looks like arms all around is a camera that was moved."""
        if calm.at_rest or calm.still_s < CAMERA.settle_s or not self.asked_first(calm):
            return False
        with self.stage("table"):
            return self._standpoint.moved(frame.bgr)


class RunningMean:
    """The mean of a few frames of a table at rest: less noise than any one of them."""

    def __init__(self) -> None:
        self._sum: NDArray[np.float32] | None = None
        self.count = 0

    def add(self, bgr: ByteImage) -> None:
        """One more frame, up to as many as are worth it."""
        if self.count >= CAMERA.averaged_frames:
            return
        if self._sum is None or self._sum.shape != bgr.shape:
            self._sum, self.count = np.zeros(bgr.shape, dtype=np.float32), 0
        cv2.accumulate(bgr, self._sum)
        self.count += 1

    def picture(self) -> ByteImage:
        """The mean of all frames added."""
        assert self._sum is not None
        return np.asarray(cv2.convertScaleAbs(self._sum, alpha=1 / self.count), dtype=np.uint8)

    def clear(self) -> None:
        """Starts over."""
        self._sum, self.count = None, 0
