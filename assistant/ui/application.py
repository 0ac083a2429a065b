"""The Qt application: made once, offscreen where there is no display, in the design and language chosen last."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PyQt6.QtCore import QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PyQt6.QtWidgets import QApplication, QWidget

from assistant.ui import catalogue, design
from calibration.errors import InputError

_SWITCH_S = 0.0005  # a busy worker gives way to the window ten times as often as Python's default
_WAKE_MS = 200
_KEPT: list[QApplication] = []  # an application that nobody holds is gone at once, and every widget with it
_QUIET = ("qt.multimedia", "qt.speech")  # what they lack of sound is no fault of the game
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
    _KEPT.append(created)
    created.setApplicationName("Pinpoint")
    created.setOrganizationName("Pinpoint")
    created.setStyle("Fusion")
    created.setDesktopFileName("pinpoint")
    design.apply_remembered()
    catalogue.apply_remembered()
    return created


@contextmanager
def closed_by_signals(window: QWidget) -> Iterator[None]:
    """While it lasts, Ctrl+C and a polite kill close the window, and with it the log, in good order."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in handlers:
        signal.signal(number, lambda *_: window.close())
    waking = QTimer(window)  # Python sees a signal only when it runs: the timer lets it, now and then
    waking.timeout.connect(lambda: None)
    waking.start(_WAKE_MS)
    try:
        yield
    finally:
        waking.stop()
        for number, handler in handlers.items():
            signal.signal(number, handler)


def has_display() -> bool:
    """Whether a window can be shown."""
    if os.environ.get("QT_QPA_PLATFORM"):
        return True
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _say(kind: QtMsgType, context: QMessageLogContext, text: str | None) -> None:
    """Qt's own messages, without those that only say that an offscreen window is no real one."""
    del kind
    chatter = str(context.category or "").startswith(_QUIET)
    if text and not chatter and not any(words in text for words in _CHATTER):
        sys.stderr.write(f"{text}\n")
