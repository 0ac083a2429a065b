"""The window of a live table: the picture with its rulings, the call, the panels, and every command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QByteArray, QPointF, QSettings, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeyEvent
from PyQt6.QtWidgets import (
    QFileDialog,
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
from assistant.log.game_log import GameLog
from assistant.log.telling import sentence
from assistant.log.writer import Health
from assistant.scene.errors import GameError
from assistant.session import Moment, TableSetting
from assistant.session.corrections import Correction
from assistant.session.history import Happening
from assistant.session.referee import Referee, Stage, Update
from assistant.session.steadying import Steadying
from assistant.ui.actions import install, keys_html
from assistant.ui.catalogue import say, tell
from assistant.ui.compare import CompareDialog
from assistant.ui.correcting import CorrectionDialog
from assistant.ui.design import SIDE_SHARE, design, icon, open_on_screen
from assistant.ui.evidence_dialog import EvidenceDialog, logged_as
from assistant.ui.history import event_traces, put_back_marks
from assistant.ui.live_commands import live_commands
from assistant.ui.overlays.strokes import spot
from assistant.ui.panels.alert_bar import Alert, AlertBar, AlertButton, Gravity
from assistant.ui.panels.call_banner import CallBanner
from assistant.ui.panels.move_list import MoveListModel, decoded
from assistant.ui.panels.present_bar import PresentBar
from assistant.ui.progress import Progress
from assistant.ui.projector import ProjectorWindow
from assistant.ui.pump import FramePump
from assistant.ui.screens import Screens, ScreensDialog
from assistant.ui.setup.looking import field_corners
from assistant.ui.setup.page import SetupPage
from assistant.ui.setup.profile import TableProfile, marked_now
from assistant.ui.side_panel import SidePanel
from assistant.ui.table_model import TableModel
from assistant.ui.table_pane import TablePane
from assistant.ui.toast import Toast
from assistant.ui.violations import put_back_event, violation_key, violation_marks, violation_sentence
from assistant.ui.voice import Voice
from assistant.ui.worker import Failed, LatestWorker
from calibration.arrays import ByteImage
from vision.camera.live import LiveSource, Outage, SourceItem
from vision.camera.source import FrameSource
from vision.types.frame import Frame

_REVEAL_MS = 60  # between two pieces of the first detection
_GRAVE_PULSE = "violation"

Rebuild = Callable[[TableProfile], tuple[Referee, TableSetting]]


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
        self._profile, self._rebuild, self._recording = profile, rebuild, recording
        self._synchronous = synchronous
        self._setting, self._referee = setting, referee
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
        self.side = SidePanel(self.model, self.feed, self.options_of, self)
        self.toast = Toast(self.pane.canvas)
        self.progress = Progress(self.pane.canvas)
        self.setup: SetupPage | None = None
        self._stack = QStackedWidget(self)
        self._split = self._laid_out()
        self._stack.addWidget(self._split)
        self.setCentralWidget(self._stack)
        self._status = QLabel(self)
        self._record = QLabel(self)
        bar = self.statusBar()
        if bar is not None:
            bar.addWidget(self._status, 1)
            bar.addPermanentWidget(self._record)
        self.projector: ProjectorWindow | None = None
        self._settled_once = self._ended = self.film_over = False
        self.wants_review = False
        self._put_back: Happening | None = None
        self._live: tuple[Moment, ByteImage | None] | None = None  # kept while an earlier moment is looked at
        self._looking_back: Happening | None = None
        self._settled_picture: ByteImage | None = None
        self._revealing = QTimer(self)
        self._revealing.setInterval(_REVEAL_MS)
        self._revealing.timeout.connect(self._reveal)
        self._worker: LatestWorker[SourceItem | None] = LatestWorker(
            self._follow, "referee", synchronous, self, lambda item: item is None or isinstance(item, Frame)
        )
        self._worker.done.connect(self._updated)
        self._source = source
        self.steadying: Steadying | None = None  # holds a live camera still, where there is one
        self.screens: Screens | None = None  # the game on other screens, where that is possible
        self._said_elsewhere.connect(lambda: self._worker.submit(None))
        self._pump = FramePump(source, in_step, self)
        self._pump.arrived.connect(self._arrived)
        self._pump.ended.connect(self._film_ended)
        self._pump.failed.connect(self._film_broke)
        self.commands = live_commands(self)
        self.actions_by_name = install(self, self.commands)
        self.pane.correction_asked.connect(self.ask_correction)
        self.side.moves.chosen.connect(self.look_back)
        self.side.play.changed.connect(self.set_stage)
        self.side.play.told.connect(self.tell_game)
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
        return self._settled_once

    # --- frames and moments

    def _follow(self, item: SourceItem | None) -> Update | None:
        return self._referee.update(item)

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
            if self._looking_back is None:
                self.model.set_picture(item.bgr)
            elif self._live is not None:
                self._live = (self._live[0], item.bgr)
            if self.setup is not None:
                self.setup.model.feed(item)
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
        if self._looking_back is not None:
            self._live = (moment, self._live[1] if self._live else None)
        else:
            self._show_moment(moment)
        self.side.play.show_panel(result.panel)
        self.feed.add(result.happenings, self.model.known_names)
        for happening in result.happenings:
            if happening.event.type == "bumped" and self._put_back is None:  # else it is the first that is put right
                self._put_back = happening
            elif happening.event.type == "violation":
                self._raise_violation(happening)
        if moment.new_state:
            self._show_put_back(moment)
        self._show_status(result)
        self._show_health(result.health)
        self._show_advice(moment)
        if moment.settled and moment.state_frame >= 0:
            self._settled_picture = self.model.picture
            self._first_settled(moment)
        elif not self._settled_once:
            self._show_progress(moment)
        self.updated.emit()

    def _show_moment(self, moment: Moment) -> None:
        self.model.set_moment(moment)
        if moment.held and not moment.notice:
            self.pane.canvas.show_message(say("A hand is over the table: what lies under it stays as it was."))
        self.present_bar.show_game(moment, self.side.play)

    def _show_progress(self, moment: Moment) -> None:
        """Before the first detection: what is being waited for."""
        if moment.notice:
            self.progress.done()  # the notice says what is lacking
        elif moment.view is None:
            self.progress.start(say("Looking for the four corner tokens…"))
        else:
            self.progress.start(say("Reading the pieces…"))

    def _first_settled(self, moment: Moment) -> None:
        if self._settled_once:
            return
        self._settled_once = True
        self.progress.done()
        if not self._synchronous and moment.scene.on_field():
            self.model.reveal(0)
            self._revealing.start()

    def _reveal(self) -> None:
        moment = self.model.moment
        whole = len(moment.scene.on_field()) if moment is not None else 0
        shown = (self.model.revealed or 0) + 1
        if shown >= whole:
            self._revealing.stop()
            self.progress.done()
            self.model.reveal(None)
            self.toast.say(say("{n} pieces found. Click one.", n=whole))
        else:
            self.model.reveal(shown)
            self.progress.count(say("{n} of {all} pieces", n=shown, all=whole), shown, whole)

    def _show_status(self, update: Update) -> None:
        view = update.moment.view
        words = [say("{count} pieces", count=len(update.moment.scene.on_field()))]
        if update.corrections:
            words.append(say("corrections held: {n}", n=len(update.corrections)))
        self._status.setText(" · ".join(words))
        if view is not None:
            measured = view.calibration
            details = [
                say("table from {n} tokens", n=len(measured.tokens)),
                say("scale from {what}", what=tell(measured.scale_source)),
                say("residual {rms:.2f} px", rms=measured.rms_px),
            ]
            if isinstance(self._source, LiveSource):
                details.append(say("camera {mode}", mode=self._source.mode))
            self.side.drawer.say_measured(" · ".join(details))

    def _show_advice(self, moment: Moment) -> None:
        """What is wrong with the picture, and what to do about it."""
        if moment.advice is None:
            self.alerts.settle("advice")
        else:
            self.alerts.raise_alert(Alert("advice", Gravity.NOTE, tell(moment.advice.text)))

    def leave_to_camera(self, automatic: bool) -> None:
        """Leaves focus, exposure and white balance to the camera, or holds them from the next settled table on."""
        if self.steadying is not None:
            self.steadying.leave_to_camera(automatic)

    def _show_health(self, health: Health) -> None:
        """A game that is not on the disk is the gravest alert there is."""
        if health.safe:
            self.alerts.settle("disk")
            return
        self.alerts.raise_alert(
            Alert(
                "disk",
                Gravity.DISK,
                say(
                    "NOT SAVED: {n} moments are not on the disk ({why}). They are kept: free some space.",
                    n=health.waiting,
                    why=health.why,
                ),
                (AlertButton(say("Save elsewhere…"), "content-save-move-outline", self._save_elsewhere),),
            )
        )

    def _save_elsewhere(self) -> None:
        """The game goes on in another file, with everything that waits."""
        chosen, _ = QFileDialog.getSaveFileName(self, say("Save the game elsewhere"), "", "(*.pinpoint)")
        if not chosen:
            return
        try:
            health = self._referee.save_elsewhere(Path(chosen))
        except LogError as error:
            self.toast.say(tell(str(error)))
            return
        self._recording = Path(chosen)
        self._restyled()
        self._show_health(health)

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
        moment = self._live[0] if self._live is not None else self.model.moment
        if moment is not None:
            still = replace(moment, settled=True, held=(), notice="")
            if self._looking_back is not None:
                self._live = (still, self._settled_picture)
            else:
                if not moment.settled and self._settled_picture is not None:
                    self.model.set_picture(self._settled_picture)
                self._show_moment(still)
        buttons = [AlertButton(say("Close"), "close", self.close)]
        if self._recording is not None:
            buttons.insert(0, AlertButton(say("Review this game"), "movie-open-outline", self._ask_review))
        self.alerts.raise_alert(Alert("ended", Gravity.ENDED, words, tuple(buttons)))

    def _ask_review(self) -> None:
        self.wants_review = True
        self.close()

    # --- violations and bumps

    def _raise_violation(self, happening: Happening) -> None:
        key = violation_key(happening.event)
        text = tell(violation_sentence(happening, self.model.known_names))
        back = put_back_event(happening)
        buttons = [AlertButton(say("Accept"), "check", lambda: self._accept(key, text))]
        if back is not None:
            again = Happening(back, happening.before, happening.after)
            buttons.append(AlertButton(say("Put back"), "undo-variant", lambda: self._ask_put_back(key, text, again)))
        buttons.append(AlertButton(say("Overrule"), "gavel", lambda: self._overrule(key, text, happening)))
        self.model.show_extra(violation_marks(happening, self.model.game, self.model.house))
        self.alerts.raise_alert(Alert(key, Gravity.VIOLATION, text, tuple(buttons)))
        self.voice.chime()
        self.voice.speak(text)

    def _accept(self, key: str, text: str) -> None:
        self._referee.note(say("accepted: {what}", what=text), {"violation": text, "answer": "accepted"})
        self._answered(key, say("Accepted: {what}", what=text))

    def _ask_put_back(self, key: str, text: str, happening: Happening) -> None:
        moment, self._put_back = self.model.moment, happening
        self._referee.note(say("to be put back: {what}", what=text), {"violation": text, "answer": "put back"})
        self._answered(key, say("The arrows stay until it is back."))
        if moment is not None:
            self._show_put_back(moment)

    def _overrule(self, key: str, text: str, happening: Happening) -> None:
        self._referee.overrule(
            say("overruled: {what}", what=text),
            {"rule": happening.event.fields.get("rule"), "pieces": list(happening.event.pieces())},
        )
        self._answered(key, say("Overruled; the log says so: {what}", what=text))

    def _answered(self, key: str, words: str) -> None:
        self.alerts.settle(key)
        self.model.show_extra(())
        self.toast.say(words)
        self._worker.submit(None)

    def _show_put_back(self, moment: Moment) -> None:
        """Arrows to where each piece was, until it is back."""
        if self._put_back is None:
            return
        marks = put_back_marks(self._put_back.event, moment.scene)
        self.model.show_extra(marks)
        self._put_back = self._put_back if marks else None

    def forget_bump(self) -> None:
        """The pieces are back, or are left as they lie."""
        self._put_back = None
        self.model.show_extra(())

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

    def ask_set_up(self) -> None:
        """The set-up over the same camera; the game goes on behind it and is there again after Esc."""
        if self._profile is None or self._rebuild is None or self.setup is not None:
            return
        page = SetupPage(self._profile_now(self._profile), synchronous=self._synchronous, playing=True, parent=self)
        page.accepted.connect(self._set_up_done)
        page.cancelled.connect(self._leave_set_up)
        self.setup = page
        self._stack.addWidget(page)
        self._stack.setCurrentWidget(page)
        picture = self.model.picture
        if picture is not None:
            page.model.feed(Frame(picture, 0, 0.0))
        for action in self.actions_by_name.values():
            action.setEnabled(False)

    def _profile_now(self, profile: TableProfile) -> TableProfile:
        """The table as it is now: marked figures where they stand, clicked corners where the camera sees them."""
        moment = self.model.moment
        if moment is None or moment.view is None:
            return profile
        corners_px = field_corners(moment.view) if profile.corners_px is not None else None
        return marked_now(replace(profile, corners_px=corners_px), moment.scene)

    def _set_up_done(self) -> None:
        page = self.setup
        if page is None or self._rebuild is None:
            return
        profile = page.profile
        self._leave_set_up()
        referee, setting = self._rebuild(profile)
        self._profile, self._referee, self._setting = profile, referee, setting
        roster = setting.roster
        names = {each.id: each.name for each in roster.profiles} if roster else {}
        self.model.set_table(setting.game, setting.house, names)
        if self.side.play.round.value() or self.side.play.phase.currentIndex() > 0:
            self.set_stage(self.side.play.round.value(), str(self.side.play.phase.currentData() or ""))
        self.toast.say(say("The table was set up anew; the game goes on."))

    def _leave_set_up(self) -> None:
        page, self.setup = self.setup, None
        if page is None:
            return
        page.stop()
        self._stack.removeWidget(page)
        page.deleteLater()
        self._stack.setCurrentWidget(self._split)
        for action in self.actions_by_name.values():
            action.setEnabled(True)
        self.pane.canvas.setFocus()

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

    def save_screenshot(self, path: Path | None = None) -> None:
        """A picture of the window into a file."""
        if path is None:
            suggested = datetime.now().strftime("pinpoint-%Y%m%d-%H%M%S.png")
            chosen, _ = QFileDialog.getSaveFileName(self, say("Save the picture"), suggested, "PNG (*.png)")
            if not chosen:
                return
            path = Path(chosen)
        if not self.grab().save(str(path)):
            QMessageBox.warning(self, say("Not saved"), say("The picture could not be written to {path}.", path=path))

    def show_keys(self) -> None:
        """All keys."""
        box = QMessageBox(self)
        box.setWindowTitle(say("Keys"))
        box.setText(keys_html(self.commands))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    # --- looking back

    def look_back(self, happening: Happening) -> None:
        """The table as it was after a move, with its way; frames go on being followed behind it."""
        if happening.event.type == "bumped" and self.model.moment is not None:
            self._put_back = happening
        if self._looking_back is None and self.model.moment is not None:
            self._live = (self.model.moment, self.model.picture)
        self._looking_back = happening
        if happening.after.view is not None and happening.after.read_jpeg():
            self.model.set_picture(decoded(happening.after))
        if self._live is not None:
            shown = happening.after
            self.model.set_moment(
                replace(
                    self._live[0],
                    scene=shown.scene,
                    view=shown.view,
                    time_s=shown.time_s,
                    rulings=(),
                    settled=True,
                    held=(),
                    notice="",
                )
            )
        self.model.show_extra(event_traces(happening.event, happening.after.scene))
        row = self.feed.row_of(happening)
        self.side.moves.highlight(row)
        words = say("Looking back: {what}", what=tell(sentence(happening.event, self.model.known_names)))
        buttons = (
            AlertButton(say("Back to live"), "access-point", self.back_to_live),
            AlertButton(say("Before and after"), "compare", self.compare),
            AlertButton(say("Evidence"), "image-search-outline", self.show_evidence),
        )
        self.alerts.raise_alert(Alert("back", Gravity.ENDED, words, buttons))

    def back_to_live(self) -> None:
        """The table as it is now."""
        live, self._live = self._live, None
        if self._looking_back is None:
            return
        self._looking_back = None
        self.alerts.settle("back")
        self.model.show_extra(())
        if live is not None:
            if live[1] is not None:
                self.model.set_picture(live[1])
            self._show_moment(live[0])
            self._show_put_back(live[0])
        self.side.moves.highlight(None)

    def _chosen_move(self) -> Happening | None:
        if self._looking_back is not None:
            return self._looking_back
        index = self.side.moves.currentIndex()
        return self.feed.happening(index.row()) if index.isValid() else None

    def show_evidence(self) -> EvidenceDialog | None:
        """What proves the chosen move, as the log has it: card, zooms, clip; None where no log is written."""
        happening = self._chosen_move()
        if happening is None or self._recording is None:
            return None
        try:
            with GameLog(self._recording) as log:
                logged = logged_as(log, happening.event)
                if logged is None:
                    return None
                dialog = EvidenceDialog(log, logged, dict(self.model.known_names), self)
        except LogError as error:
            QMessageBox.warning(self, say("No evidence"), str(error))
            return None
        dialog.show()
        return dialog

    def compare(self) -> None:
        """The chosen move: before and after side by side."""
        happening = self._chosen_move()
        if happening is None:
            return
        traces = event_traces(happening.event, happening.after.scene)
        title = tell(sentence(happening.event, self.model.known_names))
        CompareDialog(title, happening.before, happening.after, traces, self.model.roster_names, self).show()

    # --- correcting

    def ask_correction(self, identity: str | None, x_mm: float, y_mm: float, at: QPointF) -> None:
        """Offers what a piece can be instead."""
        moment = self.model.moment
        if moment is None:
            return
        profiles = self._setting.roster.profiles if self._setting.roster else ()
        dialog = CorrectionDialog(self.model, moment.scene, identity, (x_mm, y_mm), profiles, self)
        dialog.chosen.connect(self.correct_all)
        dialog.popup(self.pane.canvas.mapToGlobal(at.toPoint()))

    def correct_by_key(self) -> None:
        """Corrects the piece that the keyboard points at."""
        moment, projection = self.model.moment, self.model.projection()
        identity = self.model.pointing.hover or self.model.pointing.first
        if moment is None or projection is None or identity is None:
            return
        x, y = moment.scene.piece(identity).centre
        at = self.pane.canvas.widget_point(*spot((x, y), projection))
        self.ask_correction(identity, x, y, at)

    def correct(self, correction: Correction) -> None:
        """A person overrules what was seen."""
        self.correct_all((correction,))

    def correct_all(self, corrections: Sequence[Correction]) -> None:
        """The same of several pieces at once; one undo takes all of them back."""
        for correction in corrections:
            self._referee.correct(correction)
        self._worker.submit(None)
        self.toast.say(tell(corrections[0].why), lambda: self.undo(len(corrections)))

    def set_stage(self, number: int, phase: str) -> None:
        """Another round or phase, as people say."""
        self._referee.set_stage(Stage(number, phase))
        self._worker.submit(None)

    def tell_game(self, text: str) -> None:
        """What a person tells of the game's course; what the rules do not allow is said, and changes nothing."""
        try:
            self._referee.tell(text)
        except GameError as error:
            self.toast.say(tell(str(error)))
            return
        self._worker.submit(None)

    def options_of(self, identity: str) -> list[str]:
        """What a piece may do now, by the game's course."""
        course = self._referee.course
        if course is None:
            return []
        try:
            return [tell(option.action) for option in course.options(identity) if not option.reasons]
        except GameError:
            return []

    def undo(self, count: int = 1) -> None:
        """Takes the last corrections back."""
        if sum(self._referee.undo() for _ in range(count)):
            self._worker.submit(None)
            self.toast.say(say("The last correction was taken back."))
        else:
            self.toast.say(say("There is no correction to take back."))

    # --- the look, the voice

    def _speak(self) -> None:
        call = self.model.call
        if call is not None and call.complete and not self._synchronous:
            self.voice.speak(self.banner.spoken())

    def _restyled(self) -> None:
        theme = design().theme
        if self._recording is not None:
            self._record.setText(
                f'<span style="color:{theme.bad}">⬤</span> ' + say("Recording: {file}", file=self._recording.stem)
            )
            self._record.setToolTip(str(self._recording))
        else:
            self._record.setText(say("Not recorded"))
        self.setWindowIcon(icon("crosshairs-gps", theme.accent))

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
        self._revealing.stop()
        self._leave_set_up()
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
            self._referee.close()
        except LogError as error:
            QMessageBox.warning(self, say("The log is not complete"), str(error))
