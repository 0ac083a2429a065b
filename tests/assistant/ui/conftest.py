"""Every window test ends clean: no thread, running timer or window may be left over."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QCoreApplication, QEvent, QSettings, QTimer
from PyQt6.QtWidgets import QApplication

from assistant.ui import catalogue
from assistant.ui.design import DARK, design


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, qapp: QApplication) -> None:
    """Settings are kept in the test's own folder; every test starts dark, with ordinary text, in English."""
    del qapp
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    QCoreApplication.setOrganizationName("Pinpoint")
    QCoreApplication.setApplicationName("Pinpoint tests")
    QSettings().setValue("table/profile", str(tmp_path / "table.json"))
    QSettings().setValue("games/folder", str(tmp_path / "games"))
    QSettings().setValue("voice/muted", "true")
    QSettings().setValue("language", "en")
    design().choose(DARK, 100)
    catalogue.choose("en")


@pytest.fixture(autouse=True)
def nothing_left(qapp: QApplication) -> Iterator[None]:
    """Fails a test that leaves a thread, a running timer or a window behind."""
    threads = set(threading.enumerate())
    yield
    _settle()
    assert not (set(threading.enumerate()) - threads), "a thread is left over"
    windows = [widget for widget in qapp.topLevelWidgets() if widget.isVisible()]
    assert not windows, f"windows are left over: {windows}"
    running = [timer for timer in gc.get_objects() if is_running(timer)]
    assert not running, f"timers are left running: {running}"


def is_running(thing: object) -> bool:
    """Whether this is a timer that still ticks."""
    try:
        return isinstance(thing, QTimer) and thing.isActive()
    except (RuntimeError, ReferenceError):  # a timer that Qt has deleted already
        return False


def _settle() -> None:
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    gc.collect()
