"""The composition root of the window: puts source, session, log and window together and runs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import cv2
from PyQt6.QtCore import QEventLoop
from PyQt6.QtWidgets import QMessageBox

from assistant.evidence.options import RECORDING, RecordingOptions
from assistant.evidence.recording import Recorder
from assistant.games import GAMES
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.resuming import start_or_resume
from assistant.log.settings import Settings
from assistant.log.whole_file import write_whole
from assistant.log.writer import LogWriter
from assistant.session import Session, TableSetting
from assistant.session.corner_memory import CornerMemory
from assistant.session.kit import kit_of
from assistant.session.playing import course_in
from assistant.session.referee import Listener, Referee
from assistant.session.referee import Session as Follower
from assistant.session.steadying import Steadying
from assistant.ui.application import application, closed_by_signals
from assistant.ui.catalogue import say
from assistant.ui.far_session import FarSession, Followed
from assistant.ui.library import new_game_path
from assistant.ui.live_window import LiveWindow
from assistant.ui.resuming import LogChoice, choose_log
from assistant.ui.review import review
from assistant.ui.screenshot import shoot_live
from assistant.ui.setup.profile import TableProfile, marked_now, remembered, with_marks
from assistant.ui.setup.window import SetupWindow
from assistant.ui.start_window import Choice, StartWindow, Wish
from assistant.web.hosting import Hosting, Screens
from calibration.errors import InputError
from calibration.kit_pdf import kit_pdf
from calibration.lens import lens_to_json
from vision.camera.address import without_password
from vision.camera.live import LiveSource
from vision.camera.source import FrameSource, open_source
from vision.types.options import all_options

Demo = Callable[[], int]


class Reporting(Protocol):
    """What reports a game somewhere, from `start` to `stop`."""

    def start(self) -> None: ...

    def stop(self) -> None: ...


def run_live(
    source: FrameSource,
    session: Followed,
    setting: TableSetting,
    log: LogWriter | None = None,
    screenshot: Path | None = None,
    in_step: bool = False,
    automatic: bool = False,
    profile: TableProfile | None = None,
    recording: RecordingOptions = RECORDING,
    listeners: Sequence[Listener] = (),
    hosting: Hosting | None = None,
    report: Callable[[Referee, TableSetting, LogWriter], Reporting] | None = None,
) -> int:
    """The window of a live or recorded table until it is closed; with a screenshot only until that is saved.

    For a screenshot hand over a source that is not paced: every frame is looked at until the table is at rest.
    `in_step` plays a recording that is not paced without missing a frame, however slow the machine.
    `automatic` leaves focus, exposure and white balance to a camera also when the table was measured.
    `hosting` turns the switch for other screens on from the start. `report` makes what reports the log to a hall.
    `recording` says which clips are kept beside the log.
    Closing the window ends the source and the log. With a profile the table can be set up anew while the game goes on.
    """
    app = application(offscreen_allowed=screenshot is not None)
    far = [FarSession(session)] if screenshot is None else []
    if far:
        cv2.setNumThreads(1)  # the other cores are for the process that looks; resizing a picture gains nothing by them

    recorders: list[Recorder] = []
    steadying = Steadying(source, automatic)
    reporters: list[Reporting] = []
    screens = Screens(lambda: window.look_again(), log.path if log else None, log.start if log else (0.0, 0), hosting)

    def refereed(follower: Follower, told: TableSetting) -> Referee:
        made = Referee(follower, told, log, course_in(log.path if log else None, told.game))
        made.listen(steadying)
        screens.follow(made, told)
        while recorders:
            recorders.pop().close()
        if log is not None and screenshot is None:
            recorders.append(Recorder(made, log, recording, waits=in_step))
        for listener in listeners:
            made.listen(listener)
        while reporters:
            reporters.pop().stop()
        if log is not None and report is not None:
            reporters.append(report(made, told, log))
            reporters[-1].start()
        return made

    def rebuild(changed: TableProfile) -> tuple[Referee, TableSetting]:
        """The same game at a table that was set up anew: it goes on from what was last known."""
        fresh, old = changed.session(), far.pop()
        fresh.go_on_from(with_marks(old.states(), changed.marks))
        far.append(FarSession(fresh))
        old.interrupt()
        old.close()
        told = changed.setting()
        return refereed(far[0], told), told

    def interrupt() -> None:
        for each in far:
            each.interrupt()

    window = LiveWindow(
        source,
        refereed(far[0] if far else session, setting),
        setting,
        screenshot is not None,
        in_step,
        interrupt,
        profile,
        rebuild if far else None,
        log.path if log is not None else None,
    )
    try:
        if screenshot is not None:
            shoot_live(window, source, screenshot)
            return 0
        window.screens = screens
        window.steadying = steadying
        screens.turn_on_as_wanted()
        window.show()
        window.start()
        with closed_by_signals(window):
            code = app.exec()
    finally:
        screens.turn_off()
        for reporter in reporters:
            reporter.stop()
        window.close()
        window.deleteLater()
        for each in far:
            each.close()
    if window.wants_review and log is not None:
        return review(log.path)
    return code


def run_start(demo: Demo) -> int:
    """The start window, then whatever is chosen in it, until it is closed."""
    application(offscreen_allowed=False)
    while True:
        choice = choose_start()
        if choice is None:
            return 0
        try:
            run_choice(choice, demo)
        except (InputError, LogError, OSError) as error:
            QMessageBox.warning(None, say("Pinpoint"), str(error))


def choose_start() -> Choice | None:
    """What the players choose in the start window; None where they close it."""
    again = True
    while again:
        loop = QEventLoop()
        window = StartWindow()
        window.left.connect(loop.quit)
        window.show()
        with closed_by_signals(window):
            loop.exec()
        choice, again = window.choice, window.again
        window.close()
        window.deleteLater()
        if choice is not None:
            return choice
    return None


def run_choice(choice: Choice, demo: Demo) -> int:
    """Does what was chosen in the start window."""
    match choice.wish:
        case Wish.DEMO:
            return demo()
        case Wish.REVIEW if choice.path is not None:
            return review(choice.path)
        case Wish.KIT if choice.path is not None:
            write_whole(choice.path, kit_pdf("a4", kit_of(next(g for g in GAMES if g.id == choice.game))))
            QMessageBox.information(
                None,
                say("The kit is saved"),
                say("{file}: print it at 100 %, and measure the 100 mm bar on each page.", file=choice.path),
            )
            return 0
        case Wish.RESUME if choice.path is not None:
            return run_set_up(choice.path, True, started_from(choice))
        case _:
            return run_set_up(None, False, started_from(choice))


def started_from(choice: Choice) -> TableProfile:
    """What the set-up starts from: the table of the last time, if it was the same game."""
    known = remembered()
    return known if known.game == choice.game else replace(TableProfile(), game=choice.game, source=known.source)


def run_set_up(
    log: Path | None = None,
    resume: bool = False,
    profile: TableProfile | None = None,
    recording: RecordingOptions = RECORDING,
    hosting: Hosting | None = None,
) -> int:
    """The set-up, then the table that was set up. Without a log one is made in the documents folder."""
    if resume and log is not None and profile is not None:
        profile = _marked_as_left(profile, log)
    profile = set_up(profile, resume)
    if profile is None:
        return 0
    chosen = LogChoice(log or new_game_path(profile.players), resume)
    if log is not None and not resume:
        asked = choose_log(log, profile.game, resume)
        if asked is None:
            return 0
        chosen = asked
    writer = start_or_resume(chosen.path, settings_of(profile), chosen.resume)
    return play(profile, writer, chosen.resume, recording, hosting)


def play(
    profile: TableProfile,
    log: LogWriter,
    resume: bool = False,
    recording: RecordingOptions = RECORDING,
    hosting: Hosting | None = None,
) -> int:
    """Follows a table that was set up; pictures in a folder are followed one by one, none is missed."""
    pictures = Path(profile.source).is_dir()
    lens = profile.lens
    source = open_source(profile.source, not pictures, (lens.width, lens.height) if lens else None)
    return run_live(
        source,
        _session(profile, log if resume else None),
        profile.setting(),
        log,
        in_step=pictures,
        profile=profile,
        recording=recording,
        listeners=_corner_memory(profile) if isinstance(source, LiveSource) else (),
        hosting=hosting,
    )


def _corner_memory(profile: TableProfile) -> tuple[Listener, ...]:
    """What remembers clicked corners for a camera."""
    given = profile.given()
    if given is None or given.corners_px is None:
        return ()
    return (CornerMemory(without_password(profile.source), given.corners_px),)


def settings_of(profile: TableProfile) -> Settings:
    """What the log says of a table that was set up."""
    return Settings(
        profile.game,
        without_password(profile.source),
        camera=lens_to_json(profile.lens) if profile.lens else None,
        roster=profile.roster_json(),
        options=all_options(),
    )


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


def _marked_as_left(profile: TableProfile, log: Path) -> TableProfile:
    """A profile whose marked figures stand where the log last knew them."""
    if not profile.marks or not log.exists():
        return profile
    with GameLog(log) as written:
        scenes = [state.scene for state in written.states()]
    return marked_now(profile, scenes[-1]) if scenes else profile


def set_up(profile: TableProfile | None = None, resumed: bool = False) -> TableProfile | None:
    """The set-up, starting from what was remembered; None where it was given up.

    `resumed`: a game of another sitting goes on.
    """
    application(offscreen_allowed=False)
    cv2.setNumThreads(-1)  # as many as there are: the set-up looks at the table in this process
    loop = QEventLoop()
    window = SetupWindow(profile or remembered(), resumed=resumed)
    window.left.connect(loop.quit)
    window.show()
    with closed_by_signals(window):
        loop.exec()
    found = window.page.profile if window.done else None
    window.close()
    window.deleteLater()
    return found


def run_review(path: Path, screenshot: Path | None = None) -> int:
    """The window of a finished game."""
    return review(path, screenshot)
