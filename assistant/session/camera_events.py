"""What happens to the camera, told once: lost, covered, back, knocked."""

from __future__ import annotations

import math

from assistant.log.event import Event
from vision.camera.live import Outage
from vision.types.frame import Frame

ONE_KNOCK_S = 2.0  # a camera that swings on has been knocked once

When = tuple[float, int, int]  # time, frame, and the frame from which on it may have happened


class CameraEvents:
    """The events of one camera, from one frame or outage to the next."""

    def __init__(self) -> None:
        self._lost = False
        self._covered = False
        self._knocked_s = -math.inf

    def outage(self, outage: Outage, frame_index: int) -> tuple[Event, ...]:
        """The camera gives no pictures; told at the first word of it only."""
        told = () if self._lost else (Event(outage.time_s, frame_index, "camera_lost", {"why": outage.why}),)
        self._lost = True
        return told

    def back(self, frame: Frame) -> tuple[Event, ...]:
        """A picture came; something is told if it is the first after an outage."""
        if not self._lost:
            return ()
        self._lost = False
        return (Event(frame.time_s, frame.index, "camera_back", {}),)

    def cover(self, frame: Frame, covered: bool, notice: str) -> tuple[Event, ...]:
        """A covered lens is a lost camera, except that what is seen afterwards can be compared with before."""
        if covered == self._covered:
            return ()
        self._covered = covered
        if covered:
            return (Event(frame.time_s, frame.index, "camera_lost", {"why": notice}),)
        return (Event(frame.time_s, frame.index, "camera_back", {}),)

    def knock(self, when: When) -> tuple[Event, ...]:
        """The camera was moved."""
        again = when[0] - self._knocked_s < ONE_KNOCK_S
        self._knocked_s = when[0]
        return () if again else (Event(when[0], when[1], "camera_moved", {"from_frame": when[2]}),)
