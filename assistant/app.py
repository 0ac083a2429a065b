"""The composition root of the window: puts source, session, log and window together and runs them."""

from __future__ import annotations

from pathlib import Path

import cv2

from assistant.log.game_log import GameLog
from assistant.log.resuming import start_or_resume
from assistant.log.settings import Settings
from assistant.log.writer import LogWriter
from assistant.session import Session, TableSetting
from assistant.session.playing import course_in
from assistant.session.referee import Referee
from assistant.session.steadying import Steadying
from assistant.ui.application import application, closed_by_signals
from assistant.ui.far_session import FarSession, Followed
from assistant.ui.live_window import LiveWindow
from assistant.ui.resuming import LogChoice, choose_log
from assistant.ui.review import review
from assistant.ui.screenshot import shoot_live
from assistant.ui.setup.model import open_live
from assistant.ui.setup.profile import TableProfile
from assistant.ui.setup.wizard import SetupWizard, remembered
from calibration.lens import lens_to_json
from vision.camera.source import FrameSource
from vision.types.options import all_options


def run_live(
    source: FrameSource,
    session: Followed,
    setting: TableSetting,
    log: LogWriter | None = None,
    screenshot: Path | None = None,
    in_step: bool = False,
    automatic: bool = False,
) -> int:
    """The window of a live or recorded table until it is closed; with a screenshot only until that is saved.

    For a screenshot hand over a source that is not paced: every frame is looked at until the table is at rest.
    `in_step` plays a recording that is not paced without missing a frame, however slow the machine.
    `automatic` leaves focus, exposure and white balance to a camera also when the table was measured.
    Closing the window ends the source and the log. When the players ask to set the table up anew, the wizard runs and
    the game goes on with the new table; the same log goes on where it is the same game.
    """
    app = application(offscreen_allowed=screenshot is not None)
    far = FarSession(session) if screenshot is None else None
    if far is not None:
        cv2.setNumThreads(1)  # the other cores are for the process that looks; resizing a picture gains nothing by them
    referee = Referee(far or session, setting, log, course_in(log.path if log else None, setting.game))
    referee.listen(Steadying(source, automatic))
    window = LiveWindow(
        source,
        referee,
        setting,
        screenshot is not None,
        in_step,
        far.interrupt if far is not None else None,
    )
    try:
        if screenshot is not None:
            shoot_live(window, source, screenshot)
            return 0
        window.show()
        window.start()
        with closed_by_signals(window):
            code = app.exec()
    finally:
        window.close()
        window.deleteLater()
        if far is not None:
            far.close()
    profile = set_up() if window.wants_set_up else None
    if profile is None:
        return code
    same_game = log is not None and log.settings.game == profile.game
    again = LogWriter(log.path) if log is not None and same_game else None
    return run_live(open_live(profile.source), _session(profile, again), profile.setting(), again)


def run_set_up(log: Path | None = None, resume: bool = False) -> int:
    """The wizard, then the table that was set up."""
    profile = set_up()
    if profile is None:
        return 0
    settings = Settings(
        profile.game,
        profile.source,
        camera=lens_to_json(profile.lens) if profile.lens else None,
        options=all_options(),
    )
    writer = None
    if log is not None:
        chosen = choose_log(log, profile.game, resume)
        if chosen is None:
            return 0
        writer = start_or_resume(chosen.path, settings, chosen.resume)
    return run_live(open_live(profile.source), _session(profile, writer), profile.setting(), writer)


def ask_log(path: Path, game: str, resume: bool) -> LogChoice | None:
    """Which log is written: where it is there already, the players are asked; None where they give up."""
    application(offscreen_allowed=False)
    return choose_log(path, game, resume)


def _session(profile: TableProfile, log: LogWriter | None) -> Session:
    """What follows a table that was set up; where its log goes on, from what that last knew."""
    session = profile.session()
    if log is not None:
        with GameLog(log.path) as written:
            session.go_on_from(state.scene for state in written.states())
    return session


def set_up() -> TableProfile | None:
    """The wizard, starting from what was remembered; None where it was given up."""
    application(offscreen_allowed=False)
    cv2.setNumThreads(-1)  # as many as there are: the wizard looks at the table in this process
    wizard = SetupWizard(remembered())
    try:
        return wizard.profile if wizard.exec() else None
    finally:
        wizard.deleteLater()


def run_review(path: Path, screenshot: Path | None = None) -> int:
    """The window of a finished game."""
    return review(path, screenshot)
