"""Holds a camera still: focus, exposure and white balance stay as they were when the table was measured.

A camera that refocuses or brightens by itself changes the picture between two passes, and that looks like a change.
"""

from __future__ import annotations

import contextlib
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cv2

from vision.camera.modes import Device

# Manual and automatic exposure, as each back end numbers them.
_EXPOSURE = {"linux": (1.0, 3.0), "win32": (0.25, 0.75)}
_V4L2 = {"VIDIOC_S_CTRL": 0xC008561C, "V4L2_CID_POWER_LINE_FREQUENCY": 0x00980918}
_MAINS = {"50 Hz": 1, "60 Hz": 2, "automatic": 3}  # as V4L2 numbers them
_AMERICAS_S = (12_600, 39_600)  # seconds west of Greenwich: the Americas but their southern end, where 60 Hz are usual


def hold(device: Device, platform: str = sys.platform) -> tuple[str, ...]:
    """Turns automatic focus, exposure and white balance off at what they are now; names those that the driver took."""
    held = []
    if device.get(cv2.CAP_PROP_AUTOFOCUS) > 0:
        focus = device.get(cv2.CAP_PROP_FOCUS)
        if device.set(cv2.CAP_PROP_AUTOFOCUS, 0.0):
            if focus > 0:
                device.set(cv2.CAP_PROP_FOCUS, focus)
            held.append("focus")
    manual_automatic = _EXPOSURE.get(platform)
    if manual_automatic is not None and device.get(cv2.CAP_PROP_AUTO_EXPOSURE) not in (manual_automatic[0], -1.0):
        exposure = device.get(cv2.CAP_PROP_EXPOSURE)  # asked before: some drivers forget it on the way
        if device.set(cv2.CAP_PROP_AUTO_EXPOSURE, manual_automatic[0]):
            device.set(cv2.CAP_PROP_EXPOSURE, exposure)
            held.append("exposure")
    if device.get(cv2.CAP_PROP_AUTO_WB) > 0:
        temperature = device.get(cv2.CAP_PROP_WB_TEMPERATURE)
        if device.set(cv2.CAP_PROP_AUTO_WB, 0.0):
            if temperature > 0:
                device.set(cv2.CAP_PROP_WB_TEMPERATURE, temperature)
            held.append("white balance")
    return tuple(held)


def let_go(device: Device, platform: str = sys.platform) -> None:
    """Gives the camera its automatic focus, exposure and white balance back."""
    device.set(cv2.CAP_PROP_AUTOFOCUS, 1.0)
    manual_automatic = _EXPOSURE.get(platform)
    if manual_automatic is not None:
        device.set(cv2.CAP_PROP_AUTO_EXPOSURE, manual_automatic[1])
    device.set(cv2.CAP_PROP_AUTO_WB, 1.0)


def set_mains(number: int, seconds_west: int = time.timezone, control: Callable[[int, int], bool] | None = None) -> int:
    """Has a camera's exposure follow the lamps' frequency, so that they do not flicker; 0 where it cannot be set.

    OpenCV has no property for it: on Linux it is asked of the device. Automatic where the camera can, else 60 Hz in
    the Americas and 50 Hz elsewhere.
    """
    if control is None:
        if not sys.platform.startswith("linux"):
            return 0
        control = _v4l2_control
    local = _MAINS["60 Hz" if _AMERICAS_S[0] < seconds_west < _AMERICAS_S[1] else "50 Hz"]
    return next((setting for setting in (_MAINS["automatic"], local) if control(number, setting)), 0)


def _v4l2_control(number: int, setting: int) -> bool:
    import fcntl  # not on every platform

    with contextlib.suppress(OSError), Path(f"/dev/video{number}").open("rb+", buffering=0) as device:
        fcntl.ioctl(device, _V4L2["VIDIOC_S_CTRL"], struct.pack("Ii", _V4L2["V4L2_CID_POWER_LINE_FREQUENCY"], setting))
        return True
    return False
