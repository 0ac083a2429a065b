"""The Qt application: made once, offscreen where there is no display, in the system's colours."""

from __future__ import annotations

import os
import sys

from PyQt6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PyQt6.QtWidgets import QApplication

from calibration.errors import InputError

_SWITCH_S = 0.0005  # a busy worker gives way to the window ten times as often as Python's default
_CHATTER = ("This plugin does not support", "propagateSizeHints")


def application(offscreen_allowed: bool) -> QApplication:
    """The one application; without a display it draws offscreen where that is allowed, else says so in one line."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    if not has_display():
        if not offscreen_allowed:
            raise InputError("no display", "this machine", "start it on a desktop, or add --screenshot OUT.png")
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    qInstallMessageHandler(_say)
    sys.setswitchinterval(_SWITCH_S)
    created = QApplication(sys.argv[:1])
    created.setApplicationName("Pinpoint")
    created.setOrganizationName("Pinpoint")
    created.setStyle("Fusion")
    return created


def has_display() -> bool:
    """Whether a window can be shown."""
    if os.environ.get("QT_QPA_PLATFORM"):
        return True
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _say(kind: QtMsgType, context: QMessageLogContext, text: str | None) -> None:
    """Qt's own messages, without those that only say that an offscreen window is no real one."""
    del kind, context
    if text and not any(words in text for words in _CHATTER):
        sys.stderr.write(f"{text}\n")
