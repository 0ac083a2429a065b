"""The window of a live table: the picture with its rulings, the call, the panels, and every command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeyEvent
from PyQt6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMessageBox,
    QSplitter,
    QStackedWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from assistant.log.errors import LogError
from assistant.session import Moment, TableSetting
from assistant.session.referee import Referee, Update
from assistant.session.steadying import Steadying
from assistant.ui.actions import install
from assistant.ui.catalogue import say, tell
from assistant.ui.design import SIDE_SHARE, design, icon, open_on_screen
from assistant.ui.first_detection import FirstDetection
from assistant.ui.live_alerts import LiveAlerts
from assistant.ui.live_commands import live_commands
from assistant.ui.live_corrections import LiveCorrections
from assistant.ui.live_setup import Rebuild, SetUpDuringPlay
from assistant.ui.looking_back import LookingBack
from assistant.ui.panels.alert_bar import AlertBar
from assistant.ui.panels.call_banner import CallBanner
from assistant.ui.panels.move_list import MoveListModel
from assistant.ui.panels.present_bar import PresentBar
from assistant.ui.panels.wording import measured_words, status_words
from assistant.ui.progress import Progress
from assistant.ui.projector import ProjectorWindow
from assistant.ui.pump import FramePump
from assistant.ui.screens import Screens, ScreensDialog
from assistant.ui.setup.profile import TableProfile
from assistant.ui.side_panel import SidePanel
from assistant.ui.table_model import TableModel
from assistant.ui.table_pane import TablePane
from assistant.ui.toast import Toast
from assistant.ui.voice import Voice
from assistant.ui.worker import Failed, LatestWorker
from calibration.arrays import ByteImage
from vision.camera.live import LiveSource, Outage, SourceItem
from vision.camera.source import FrameSource
from vision.types.frame import Frame


class LiveWindow(QMainWindow):
    """Shows frames as they come and moments as they are worked out; the picture never waits for the rulings."""

    updated = pyqtSignal()
    _said_elsewhere = pyqtSignal()

    def __init__(
        self,
        source: FrameSource,
        referee: Referee,
        setting: TableSetting,
        synchronous: bool = False,
        in_step: bool = False,
        interrupt: Callable[[], None] | None = None,
        profile: TableProfile | None = None,
        rebuild: Rebuild | None = None,
        recording: Path | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`interrupt` is called when the window closes, to end an update of the session that is still going on.

        With a profile the table can be set up anew during the game: `rebuild` makes the referee that goes on.
        `recording` is the log that is written.
        """
        super().__init__(parent)
        self._interrupt = interrupt
        self.recording = recording
        self.synchronous = synchronous
        self.setting, self.referee = setting, referee
        self.setWindowTitle(say("Pinpoint"))
        open_on_screen(self)
        roster = setting.roster
        names = {each.id: each.name for each in roster.profiles} if roster else {}
        self.model = TableModel(setting.game, setting.house, names, synchronous, self)
        self.voice = Voice(self)
        self.feed = MoveListModel(self)
        self.pane = TablePane(self.model, self)
        self.alerts = AlertBar(self)
        self.banner = CallBanner(self.model, self)
        self.present_bar = PresentBar(self)
        self.side = SidePanel(self.model, self.feed, lambda identity: self.told.options_of(identity), self)
        self.toast = Toast(self.pane.canvas)
        self.progress = Progress(self.pane.canvas)
        self.first = FirstDetection(self)
        self.happened = LiveAlerts(self)
        self.looking_back = LookingBack(self)
        self.told = LiveCorrections(self)
        self.setup = SetUpDuringPlay(self, profile, rebuild)
        self.pages = QStackedWidget(self)
        self.table_page = self._laid_out()
        self.pages.addWidget(self.table_page)
        self.setCentralWidget(self.pages)
        self._status = QLabel(self)
        self._record = QLabel(self)
        bar = self.statusBar()
        if bar is not None:
            bar.addWidget(self._status, 1)
            bar.addPermanentWidget(self._record)
        self.projector: ProjectorWindow | None = None
        self._ended = self.film_over = False
        self.wants_review = False
        self._settled_picture: ByteImage | None = None
        self._worker: LatestWorker[SourceItem | None] = LatestWorker(
            self._follow, "referee", synchronous, self, lambda item: item is None or isinstance(item, Frame)
        )
        self._worker.done.connect(self._updated)
        self._source = source
        self.steadying: Steadying | None = None  # holds a live camera still, where there is one
        self.screens: Screens | None = None  # the game on other screens, where that is possible
        self._said_elsewhere.connect(self.judge_again)
        self._pump = FramePump(source, in_step, self)
        self._pump.arrived.connect(self._arrived)
        self._pump.ended.connect(self._film_ended)
        self._pump.failed.connect(self._film_broke)
        self.commands = live_commands(self)
        self.actions_by_name = install(self, self.commands)
        self.pane.correction_asked.connect(self.told.ask_correction)
        self.side.moves.chosen.connect(self.looking_back.look_back)
        self.side.play.changed.connect(self.told.set_stage)
        self.side.play.told.connect(self.told.tell_game)
        self.model.call_changed.connect(self._speak)
        design().changed.connect(self._restyled)
        self._restyled()
        self.pane.canvas.setFocus()

    def _laid_out(self) -> QSplitter:
        """The table with its call takes three quarters of the width, the panels the rest."""
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.present_bar)
        column.addWidget(self.alerts)
        column.addWidget(self.pane, 1)
        column.addWidget(self.banner)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(self.side)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setCollapsible(0, False)
        split.setSizes([round(self.width() * (1 - SIDE_SHARE)), round(self.width() * SIDE_SHARE)])
        self.present_bar.hide()
        return split

    def look_again(self) -> None:
        """Something was said elsewhere: the table is judged again. May be called from any thread."""
        self._said_elsewhere.emit()

    def show_screens(self) -> None:
        """The switch for other screens, with the links."""
        if self.screens is not None:
            ScreensDialog(self.screens, self).show()

    def start(self) -> None:
        """Begins to read frames, in a window as large as it was the last time."""
        geometry = QSettings().value("live/geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self.progress.start(say("Looking for the table and its pieces…"))
        self._pump.start()

    @property
    def settled_once(self) -> bool:
        """Whether a table at rest has been shown."""
        return self.first.done

    # --- frames and moments

    def _follow(self, item: SourceItem | None) -> Update | None:
        return self.referee.update(item)

    def _arrived(self) -> None:
        while (item := self._pump.take()) is not None:
            self.feed_item(item)

    def feed_item(self, item: SourceItem) -> None:
        """Shows a frame at once and has it looked at."""
        if isinstance(item, Outage):
            self.pane.canvas.show_message(say("No picture: {why}. Trying again.", why=tell(item.why)))
            self.model.set_blind(True)
        elif isinstance(item, Frame):
            self.model.set_blind(False)
            if self.looking_back.on:
                self.looking_back.keep_picture(item.bgr)
            else:
                self.model.set_picture(item.bgr)
            self.setup.feed(item)
        else:
            self.toast.say(tell(item.text))
        self._worker.submit(item)

    def _updated(self, _identity: int, result: object) -> None:
        self._pump.go_on()
        if isinstance(result, Failed):
            self._status.setText(say("This frame could not be read: {why}", why=result.error))
            return
        if not isinstance(result, Update):
            return
        moment = result.moment
        if self.looking_back.on:
            self.looking_back.keep_moment(moment)
        else:
            self.show_moment(moment)
        self.side.play.show_panel(result.panel)
        self.feed.add(result.happenings, self.model.known_names)
        for happening in result.happenings:
            if happening.event.type == "bumped":
                self.happened.raise_bump(happening)
            elif happening.event.type == "violation":
                self.happened.raise_violation(happening)
        if moment.new_state:
            self.happened.show_put_back(moment)
        self._show_status(result)
        self.happened.show_health(result.health)
        self.happened.show_advice(moment)
        if moment.settled and moment.state_frame >= 0:
            self._settled_picture = self.model.picture
            self.first.begin(moment)
        elif not self.first.done:
            self.first.show_progress(moment)
        self.updated.emit()

    def show_moment(self, moment: Moment) -> None:
        """A moment of the table with what it needs around it."""
        self.model.set_moment(moment)
        if moment.held and not moment.notice:
            self.pane.canvas.show_message(say("A hand is over the table: what lies under it stays as it was."))
        self.present_bar.show_game(moment, self.side.play)

    def _show_status(self, update: Update) -> None:
        view = update.moment.view
        self._status.setText(status_words(len(update.moment.scene.on_field()), update.corrections))
        if view is not None:
            mode = str(self._source.mode) if isinstance(self._source, LiveSource) else ""
            self.side.drawer.say_measured(measured_words(view, mode))

    def leave_to_camera(self, automatic: bool) -> None:
        """Leaves focus, exposure and white balance to the camera, or holds them from the next settled table on."""
        if self.steadying is not None:
            self.steadying.leave_to_camera(automatic)

    def _film_ended(self) -> None:
        self._film_over(say("The recording has ended."))

    def _film_broke(self, why: str) -> None:
        self._film_over(say("The recording broke off: {why}", why=why))

    def _film_over(self, words: str) -> None:
        """The last table at rest, in the picture that shows it; nothing moves any more."""
        self.film_over = True
        if self.screens is not None:
            self.screens.ended()
        self.progress.done()
        moment = self.looking_back.newest or self.model.moment
        if moment is not None:
            still = replace(moment, settled=True, held=(), notice="")
            if self.looking_back.on:
                self.looking_back.keep_moment(still)
                self.looking_back.keep_picture(self._settled_picture)
            else:
                if not moment.settled and self._settled_picture is not None:
                    self.model.set_picture(self._settled_picture)
                self.show_moment(still)
        self.happened.show_end(words)

    def ask_review(self) -> None:
        """Ends, and has the game reviewed."""
        self.wants_review = True
        self.close()

    def judge_again(self) -> None:
        """Something was told: the table is judged anew."""
        self._worker.submit(None)

    # --- commands

    def freeze(self, on: bool) -> None:
        """Keeps the call on the screen."""
        self.model.freeze(on)
        self.actions_by_name[say("Freeze the call")].setChecked(self.model.frozen)

    def clear(self) -> None:
        """Nothing is asked any more. Arrows to put pieces back stay: only Ctrl+B or the pieces end them."""
        if self.present_bar.isVisible():
            self.actions_by_name[say("Presentation: table, call, score and clock")].trigger()
            return
        self.model.clear()
        self.actions_by_name[say("Freeze the call")].setChecked(False)
        self.pane.canvas.setFocus()

    def present(self, on: bool) -> None:
        """Only the table, the call, the score and the clocks, on the whole screen."""
        bar, tools, menus = self.statusBar(), self.findChild(QToolBar, "tools"), self.menuBar()
        for part in (bar, tools, menus, self.side):
            if part is not None:
                part.setVisible(not on)
        self.present_bar.setVisible(on)
        if on:
            self.showFullScreen()
            if self.model.moment is not None:
                self.present_bar.show_game(self.model.moment, self.side.play)
        else:
            self.showNormal()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Keys of hidden menus still count in presentation mode."""
        if event is not None and event.key() == Qt.Key.Key_Escape and self.present_bar.isVisible():
            self.clear()
            return
        super().keyPressEvent(event)

    def show_drawer(self, on: bool) -> None:
        """Every ruling and how well the table is measured."""
        self.side.drawer.setVisible(on)

    def show_projector(self, on: bool) -> None:
        """The second window, whose overlays fall onto the real table."""
        if on and self.projector is None:
            self.projector = ProjectorWindow(self.model, self)
            self.projector.closed.connect(self._projector_closed)
            self.projector.show()
        elif not on and self.projector is not None:
            self.projector.close()

    def _projector_closed(self) -> None:
        self.projector = None
        self.actions_by_name[say("Projector")].setChecked(False)

    # --- the look, the voice

    def _speak(self) -> None:
        call = self.model.call
        if call is not None and call.complete and not self.synchronous:
            self.voice.speak(self.banner.spoken())

    def show_recording(self) -> None:
        """Which file the game is written into."""
        theme = design().theme
        if self.recording is not None:
            self._record.setText(
                f'<span style="color:{theme.bad}">⬤</span> ' + say("Recording: {file}", file=self.recording.stem)
            )
            self._record.setToolTip(str(self.recording))
        else:
            self._record.setText(say("Not recorded"))

    def _restyled(self) -> None:
        self.show_recording()
        self.setWindowIcon(icon("crosshairs-gps", design().theme.accent))

    # --- the end

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ends the threads, then the log: nothing that was seen is lost."""
        if not self._ended:
            self._ended = True
            if not self.present_bar.isVisible():
                QSettings().setValue("live/geometry", self.saveGeometry())
            self._end()
        super().closeEvent(event)

    def _end(self) -> None:
        self.first.stop()
        self.setup.leave()
        self._pump.stop()
        if self._interrupt is not None:
            self._interrupt()
        self._worker.stop()
        self.model.stop()
        for part in (self.progress.done, self.toast.stop, self.alerts.stop, self.side.play.stop):
            part()
        if self.projector is not None:
            self.projector.close()
        try:
            self.referee.close()
        except LogError as error:
            QMessageBox.warning(self, say("The log is not complete"), str(error))
