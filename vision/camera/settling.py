"""Is the table at rest, where is a hand over it, and what of it should be looked at again."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.view import TableView
from vision.camera.motion import Mask, Motion
from vision.camera.options import CAMERA
from vision.types.frame import Frame


@dataclass(frozen=True, slots=True, eq=False)
class Calm:
    """How the field lies at one frame; masks are over the small picture."""

    at_rest: bool  # nothing moves and no arm is over it
    still_s: float  # since the last motion over the field
    held: Mask  # under an arm or in motion
    changed: Mask  # at rest, not held, and other than when last looked at
    intruding: Mask  # what reaches in from outside and moved lately, be it only beside the field
    rest_frame: int  # the first frame after the last motion
    rest_time_s: float
    from_frame: int  # the last frame before that motion began

    @property
    def something_changed(self) -> bool:
        """Whether there is anything to look at."""
        return int(np.count_nonzero(self.changed)) >= CAMERA.least_cells

    def without_arms(self) -> Calm:
        """The same field, where what was taken for arms is none."""
        nothing = np.zeros_like(self.held)
        return replace(self, at_rest=True, held=nothing, intruding=nothing)


def field_mask(view: TableView, shape: tuple[int, ...], px_per_cell: float) -> Mask:
    """The battlefield and a little around it, on the small picture."""
    steps = np.linspace(0, 1, 12, endpoint=False)
    low, right, far = (
        -CAMERA.field_margin_mm,
        view.width_mm + CAMERA.field_margin_mm,
        view.depth_mm + CAMERA.field_margin_mm,
    )
    corners = np.array([[low, low], [right, low], [right, far], [low, far]])
    ring = np.concatenate(
        [a + steps[:, None] * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    )
    pixels = (view.board_to_image(ring) + 0.5) / px_per_cell - 0.5
    mask = np.zeros(shape, dtype=np.uint8)
    cv2.fillPoly(mask, [np.round(pixels).astype(np.int32)], 1)
    return mask > 0


class Settling:
    """Remembers for every place when it last moved; `update` once per frame."""

    def __init__(self) -> None:
        self._moved_s: NDArray[np.float64] | None = None  # when each place of the field last moved
        self._stirred_s: NDArray[np.float64] = np.zeros((0, 0))  # the same of all that is seen
        self._same_s: NDArray[np.float64] = np.zeros((0, 0))  # when each place last looked as it was last looked at
        self._moving = False
        self._last_motion_s = -np.inf
        self._rest = (0, 0.0)
        self._from_frame = 0
        self._settled_frame = 0

    def update(self, frame: Frame, motion: Motion, field: Mask) -> Calm:
        """The state of the field at this frame."""
        if self._moved_s is None or self._moved_s.shape != motion.moving.shape:
            self._moved_s = np.full(motion.moving.shape, -np.inf)
            self._stirred_s = self._moved_s.copy()
            self._same_s = np.full(motion.moving.shape, frame.time_s)
            self._rest, self._last_motion_s = (frame.index, frame.time_s), frame.time_s
        moving = _without_specks(motion.moving & field)
        self._moved_s[moving] = frame.time_s
        self._stirred_s[motion.moving] = frame.time_s
        self._note_motion(frame, bool(moving.any()))
        arms, intruding = self._arms(frame, motion, field)
        at_rest = not moving.any() and not arms.any()
        quiet_s = CAMERA.settle_s if at_rest else CAMERA.partial_settle_s
        held = (_grown(frame.time_s - self._moved_s < quiet_s, CAMERA.held_margin_cells) | arms) & field
        self._same_s[~motion.changed] = frame.time_s
        changed = motion.changed & field & ~held
        if not at_rest:
            changed &= frame.time_s - self._same_s >= CAMERA.partial_settle_s
        still_s = frame.time_s - self._last_motion_s
        self._note_rest(frame, at_rest, still_s)
        return Calm(at_rest, still_s, held, _without_specks(changed), intruding, *self._rest, self._from_frame)

    def _note_motion(self, frame: Frame, moving: bool) -> None:
        if moving:
            self._last_motion_s = frame.time_s
        elif self._moving:
            self._rest = (frame.index, frame.time_s)
        self._moving = moving

    def _note_rest(self, frame: Frame, at_rest: bool, still_s: float) -> None:
        if not at_rest:
            self._from_frame = self._settled_frame
        elif still_s >= CAMERA.settle_s:
            self._settled_frame = frame.index

    def _arms(self, frame: Frame, motion: Motion, field: Mask) -> tuple[Mask, Mask]:
        """Changed regions that reach from the picture's edge into the field: arms, until they prove to be things.

        And those that reach in at all, of which some stirred lately.
        """
        arms, intruding = np.zeros(field.shape, dtype=np.bool_), np.zeros(field.shape, dtype=np.bool_)
        other = motion.changed | motion.moving
        rim = np.zeros(field.shape, dtype=np.bool_)
        rim[:2], rim[-2:], rim[:, :2], rim[:, -2:] = True, True, True, True
        if self._moved_s is None or not (other & rim).any():
            return arms, intruding
        closed = cv2.morphologyEx(other.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        _, labels = cv2.connectedComponents(closed.astype(np.uint8))
        for label in np.unique(labels[rim & (labels > 0)]):
            region = labels == label
            inside = region & field
            if frame.time_s - float(self._stirred_s[region].max()) < CAMERA.object_after_s:
                intruding |= region
            if np.count_nonzero(inside) < CAMERA.least_cells:
                continue
            if frame.time_s - float(self._moved_s[inside].max()) < CAMERA.object_after_s:
                arms |= region
        return _grown(arms, CAMERA.arm_margin_cells), _grown(intruding, CAMERA.arm_margin_cells)


def _without_specks(mask: Mask) -> Mask:
    """The mask without regions too small to be anything."""
    if not mask.any():
        return mask
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    large = stats[:, cv2.CC_STAT_AREA] >= CAMERA.least_cells
    large[0] = False
    return np.asarray(large[labels], dtype=np.bool_)


def _grown(mask: Mask, cells: int) -> Mask:
    if not mask.any():
        return mask
    size = 2 * cells + 1
    return cv2.dilate(mask.astype(np.uint8), np.ones((size, size), np.uint8)) > 0
