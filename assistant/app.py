"""The composition root of the window: puts source, session, log and window together and runs them."""

from __future__ import annotations

from pathlib import Path

from assistant.log.writer import LogWriter
from assistant.session import TableSetting
from assistant.ui.application import application
from assistant.ui.live_window import LiveWindow
from assistant.ui.referee import Referee, Session
from assistant.ui.review import review
from assistant.ui.screenshot import shoot_live
from vision.source import FrameSource


def run_live(
    source: FrameSource,
    session: Session,
    setting: TableSetting,
    log: LogWriter | None = None,
    screenshot: Path | None = None,
) -> int:
    """The window of a live or recorded table until it is closed; with a screenshot only until that is saved.

    For a screenshot hand over a source that is not paced: every frame is looked at until the table is at rest.
    """
    app = application(offscreen_allowed=screenshot is not None)
    window = LiveWindow(source, Referee(session, setting, log), setting, synchronous=screenshot is not None)
    try:
        if screenshot is not None:
            shoot_live(window, source, screenshot)
            return 0
        window.show()
        window.start()
        return app.exec()
    finally:
        window.close()
        window.deleteLater()


def run_review(path: Path, screenshot: Path | None = None) -> int:
    """The window of a finished game."""
    return review(path, screenshot)
