"""A picture of the real window at its first settled state."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtWidgets import QApplication, QMainWindow

from assistant.ui.live_window import LiveWindow
from assistant.ui.picture import save_picture
from calibration.errors import InputError
from vision.camera.source import FrameSource


def shoot_live(window: LiveWindow, source: FrameSource, path: Path) -> None:
    """Feeds the source frame by frame until a table at rest is shown, then saves the window's picture."""
    window.show()
    while not window.settled_once:
        item = source.read()
        if item is None:
            notice = window.pane.canvas.message or "it ended before the table came to rest"
            raise InputError("no settled table", source.name, notice)
        window.feed_item(item)
        QApplication.processEvents()
    shoot(window, path)


def shoot(window: QMainWindow, path: Path) -> None:
    """Saves a window's picture."""
    window.show()
    QApplication.processEvents()
    save_picture(window.grab().toImage(), path)
