"""A webcam opened by its platform's back end, in the best mode that it delivers, and held still when asked."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import cv2

from calibration.errors import InputError
from vision.camera import controls
from vision.camera.devices import BACK_ENDS, Opener, open_device, why_not
from vision.camera.modes import Device, Mode, Negotiated, NoPictureError, negotiate, wanted_modes


class Webcam:
    """One camera that gives pictures. `mode` says what was asked for, granted and measured when it was opened."""

    why = ""

    def __init__(self, device: Device, mode: Negotiated) -> None:
        self._device = device
        self.mode = mode

    def read(self) -> tuple[bool, Any]:
        """The next frame."""
        return self._device.read()

    def release(self) -> None:
        """Lets the camera go."""
        self._device.release()

    def hold(self) -> tuple[str, ...]:
        """Turns what the camera does by itself off; names what the driver took."""
        return controls.hold(self._device)

    def let_go(self) -> None:
        """Leaves focus, exposure and white balance to the camera again."""
        controls.let_go(self._device)


class WebcamOpener:
    """Opens one camera again and again: after an outage in the mode that it was found to deliver before."""

    def __init__(
        self,
        number: int,
        lens_size: tuple[int, int] | None = None,
        opener: Opener = open_device,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._number = number
        self._lens_size = lens_size
        self._opener = opener
        self._clock = clock
        self._known: Mode | None = None
        self._back_ends = BACK_ENDS.get(sys.platform, (cv2.CAP_ANY,))

    def __call__(self) -> Webcam:
        """A camera that gives pictures; raises InputError with what is wrong and what to do."""
        wanted = wanted_modes(self._lens_size)
        if self._known is not None:
            wanted = (self._known, *(mode for mode in wanted if mode != self._known))
        for back_end in self._back_ends:
            device = self._opener(self._number, back_end)
            try:
                mode = negotiate(device, wanted, self._lens_size, self._clock)
            except NoPictureError:
                device.release()
                continue
            self._known = mode.requested
            self._back_ends = (back_end,)
            if self._opener is open_device:
                controls.set_mains(self._number)
            return Webcam(device, mode)
        raise InputError("no source", f"camera {self._number}", why_not(self._number))
