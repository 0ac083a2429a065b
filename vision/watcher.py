"""Follows one table through frames: when it is at rest and something has changed, it is looked at and remembered."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from calibration.failure import Failure
from calibration.lens import Lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from vision.frame import Frame
from vision.memory import Change, Evidence, Memory
from vision.motion import Mask, Motion, MotionSense
from vision.pipeline import Pieces, look
from vision.pixel_witness import PixelWitness, moved_picture, outline_px, softened
from vision.settling import SETTLE_S, Calm, Settling, field_mask
from vision.tracker import follow

AVERAGED_FRAMES = 8
_RETRY_S = 1.0  # between tries to find the table, and between looks that found nothing new
_LONGEST_RETRY_S = 15.0
_CAMERA_SHIFT_PX = 0.7


@dataclass(frozen=True, slots=True)
class Watched:
    """What is known at one frame, and what was found out at it."""

    view: TableView | None
    memory: Memory
    settled: bool
    held: tuple[str, ...] = ()
    notice: str = ""
    changes: tuple[Change, ...] = ()
    looked: bool = False  # the table was looked at, whether or not anything had changed
    camera_moved: bool = False
    rest_frame: int = 0
    rest_time_s: float = 0.0
    from_frame: int = 0
    spent_ms: dict[str, float] = field(default_factory=dict)


class TableWatcher:
    """One camera over one table; `update` once per frame."""

    def __init__(self, table_mm: tuple[float, float], pieces: Pieces, lens: Lens | None = None) -> None:
        self._table_mm = table_mm
        self._pieces = pieces
        self._lens = lens
        self._sense = MotionSense()
        self._settling = Settling()
        self._mean = RunningMean()
        self._view: TableView | None = None
        self._field: Mask | None = None
        self._memory = Memory()
        self._picture: ByteImage | None = None
        self._notice = ""
        self._retry_at_s = -np.inf
        self._retry_s = _RETRY_S
        self._looked_rest = -1
        self._checked_rest = -1
        self._spent_ms: dict[str, float] = {}

    def update(self, frame: Frame) -> Watched:
        """The table at this frame."""
        self._spent_ms = {}
        with self._stage("motion"):
            motion = self._sense.update(frame)
        if self._view is None or self._field is None or self._field.shape != motion.moving.shape:
            self._find_table(frame, motion)
            if self._view is None or self._field is None:
                return Watched(None, self._memory, False, notice=self._notice, spent_ms=self._spent_ms)
        with self._stage("settle"):
            calm = self._settling.update(frame, motion, self._field)
            held = self._held(calm)
        if not calm.at_rest:
            self._mean.clear()
        elif calm.still_s <= SETTLE_S:
            with self._stage("average"):
                self._mean.add(frame.bgr)
        if not self._worth_a_look(frame, calm):
            settled = calm.at_rest and calm.still_s >= SETTLE_S
            return self._watched(calm, settled, held)
        return self._look(frame, calm, motion, held)

    def _find_table(self, frame: Frame, motion: Motion) -> None:
        if frame.time_s < self._retry_at_s:
            return
        with self._stage("table"):
            found = solve_table(frame.bgr, *self._table_mm, self._lens)
        if isinstance(found, Failure):
            self._notice = str(found)
            self._retry_at_s = frame.time_s + _RETRY_S
            return
        self._notice = ""
        self._retry_at_s = -np.inf
        self._see_from(found, motion)

    def _see_from(self, view: TableView, motion: Motion) -> None:
        self._view = view
        self._field = field_mask(view, motion.moving.shape, motion.px_per_cell)

    def _worth_a_look(self, frame: Frame, calm: Calm) -> bool:
        if calm.at_rest and calm.still_s < SETTLE_S:
            return False
        if self._picture is None:
            return calm.at_rest
        if not calm.something_changed and not self._pieces_disturbed(frame, calm):
            return False
        return frame.time_s >= self._retry_at_s or calm.rest_frame != self._looked_rest

    def _pieces_disturbed(self, frame: Frame, calm: Calm) -> bool:
        """Once after every motion: whether a disk looks other than before, be it by a token."""
        if self._view is None or self._picture is None or not calm.at_rest or calm.rest_frame == self._checked_rest:
            return False
        self._checked_rest = calm.rest_frame
        with self._stage("disturbed"):
            soft = softened(self._mean.picture() if self._mean.count else frame.bgr)
            return PixelWitness(self._picture, soft, self._view, self._sense.noise_levels).disturbed(self._memory)

    def _look(self, frame: Frame, calm: Calm, motion: Motion, held: tuple[str, ...]) -> Watched:
        """Looks at the settled part of the table and follows what has happened there."""
        assert self._view is not None
        picture = self._mean.picture() if calm.at_rest and self._mean.count else frame.bgr
        self._mean.clear()
        camera_moved = calm.at_rest and self._camera_moved(picture, motion)
        with self._stage("look"):
            sighting = look(Frame(picture, frame.index, frame.time_s), self._view, self._pieces)
        with self._stage("track"):
            soft = softened(picture)
            evidence = Evidence()
            if self._picture is not None:
                witness = PixelWitness(self._picture, soft, self._view, self._sense.noise_levels)
                evidence = witness.testify(self._memory, sighting, calm.held, calm.at_rest)
            self._memory, changes = follow(self._memory, sighting, evidence)
            self._remember(picture, soft, calm)
        self._retry_s = _RETRY_S if changes else min(2 * self._retry_s, _LONGEST_RETRY_S)
        self._retry_at_s = frame.time_s + self._retry_s
        self._looked_rest = self._checked_rest = calm.rest_frame
        return self._watched(calm, calm.at_rest, held, changes, looked=True, camera_moved=camera_moved)

    def _camera_moved(self, picture: ByteImage, motion: Motion) -> bool:
        """Whether the table is seen from elsewhere; then from there on, with the past brought into the new view."""
        assert self._view is not None
        if self._picture is None or not self._tokens_changed(motion):
            return False
        with self._stage("table"):
            found = solve_table(picture, *self._table_mm, self._lens)
        if isinstance(found, Failure):
            self._notice = str(found)
            return False
        corners = np.array([[0, 0], [found.width_mm, 0], [found.width_mm, found.depth_mm], [0, found.depth_mm]])
        shift_px = np.abs(found.board_to_image(corners) - self._view.board_to_image(corners)).max()
        if shift_px < _CAMERA_SHIFT_PX:
            return False
        self._picture = moved_picture(self._picture, self._view, found)
        self._see_from(found, motion)
        return True

    def _tokens_changed(self, motion: Motion) -> bool:
        assert self._view is not None
        out = 30.0
        right, far = self._view.width_mm + out, self._view.depth_mm + out
        centres = np.array([[-out, -out], [right, -out], [right, far], [-out, far]])
        cells = np.round(self._view.board_to_image(centres) / motion.px_per_cell).astype(int)
        changed = 0
        for x, y in cells:
            patch = motion.changed[max(0, y - 8) : y + 9, max(0, x - 8) : x + 9]
            changed += bool(patch.any())
        return changed >= 2

    def _remember(self, picture: ByteImage, soft: ByteImage, calm: Calm) -> None:
        if calm.at_rest or self._picture is None:
            self._sense.remember(picture)
            self._picture = soft
            return
        near = cv2.dilate(calm.changed.astype(np.uint8), np.ones((9, 9), np.uint8))
        self._sense.remember(picture, only_where=near > 0)
        size = (soft.shape[1], soft.shape[0])
        looked_at = cv2.resize(near, size, interpolation=cv2.INTER_NEAREST) > 0
        self._picture = np.where(looked_at[:, :, None], soft, self._picture)

    def _held(self, calm: Calm) -> tuple[str, ...]:
        """The pieces under a hand or something that moves."""
        if self._view is None or not calm.held.any():
            return ()
        px_per_cell = self._view.lens.width / calm.held.shape[1]
        held = []
        for track in self._memory.tracks:
            cells = np.round(outline_px(track.disk, self._view) / px_per_cell).astype(int)
            cells = np.clip(cells, 0, np.array(calm.held.shape[::-1]) - 1)
            if calm.held[cells[:, 1], cells[:, 0]].any():
                held.append(track.id)
        return tuple(held)

    def _watched(
        self,
        calm: Calm,
        settled: bool,
        held: tuple[str, ...],
        changes: tuple[Change, ...] = (),
        looked: bool = False,
        camera_moved: bool = False,
    ) -> Watched:
        return Watched(
            self._view,
            self._memory,
            settled,
            held,
            self._notice,
            changes,
            looked,
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


class RunningMean:
    """The mean of a few frames of a table at rest: less noise than any one of them."""

    def __init__(self) -> None:
        self._sum: NDArray[np.float32] | None = None
        self.count = 0

    def add(self, bgr: ByteImage) -> None:
        """One more frame, up to as many as are worth it."""
        if self.count >= AVERAGED_FRAMES:
            return
        if self._sum is None or self._sum.shape != bgr.shape:
            self._sum, self.count = np.zeros(bgr.shape, dtype=np.float32), 0
        cv2.accumulate(bgr, self._sum)
        self.count += 1

    def picture(self) -> ByteImage:
        """The mean of all frames added."""
        assert self._sum is not None
        return np.asarray(np.round(self._sum / self.count), dtype=np.uint8)

    def clear(self) -> None:
        """Starts over."""
        self._sum, self.count = None, 0
