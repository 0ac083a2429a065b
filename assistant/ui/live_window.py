"""The window of a live table: the picture with its rulings, the panels, and every command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from PyQt6.QtCore import QByteArray, QPointF, QSettings, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QFileDialog, QLabel, QMainWindow, QMessageBox, QSplitter, QWidget

from assistant.log.errors import LogError
from assistant.log.telling import sentence
from assistant.session import TableSetting
from assistant.session.corrections import Correction
from assistant.session.history import Happening
from assistant.session.referee import Referee, Stage, Update
from assistant.ui.actions import Command, install, keys_html
from assistant.ui.compare import CompareDialog
from assistant.ui.correcting import correction_menu
from assistant.ui.history import event_traces, put_back_marks
from assistant.ui.overlays.standing import Layers
from assistant.ui.overlays.strokes import spot
from assistant.ui.panels.event_feed import EventFeedModel
from assistant.ui.projector import ProjectorWindow
from assistant.ui.pump import FramePump
from assistant.ui.side_panel import SidePanel
from assistant.ui.table_model import TableModel, ViewMode
from assistant.ui.table_pane import TablePane
from assistant.ui.worker import Failed, LatestWorker
from vision.camera.live import Outage, SourceItem
from vision.camera.source import FrameSource
from vision.types.frame import Frame

_NUDGE_MM = 10.0


class LiveWindow(QMainWindow):
    """Shows frames as they come and moments as they are worked out; the picture never waits for the rulings."""

    updated = pyqtSignal()

    def __init__(
        self,
        source: FrameSource,
        referee: Referee,
        setting: TableSetting,
        synchronous: bool = False,
        in_step: bool = False,
        interrupt: Callable[[], None] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`interrupt` is called when the window closes, to end an update of the session that is still going on."""
        super().__init__(parent)
        self._interrupt = interrupt
        self.setWindowTitle(self.tr("Pinpoint"))
        self.resize(1360, 820)
        self._setting = setting
        self._referee = referee
        roster = setting.roster
        names = {profile.id: profile.name for profile in roster.profiles} if roster else {}
        self.model = TableModel(setting.game, setting.house, names, synchronous, self)
        self.feed = EventFeedModel(self)
        self.pane = TablePane(self.model, self)
        self.side = SidePanel(self.model, self.feed, self)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(self.pane)
        split.addWidget(self.side)
        split.setStretchFactor(0, 1)
        split.setSizes([1000, 360])
        self.setCentralWidget(split)
        self._status = QLabel(self)
        self._safety = QLabel(self)
        bar = self.statusBar()
        if bar is not None:
            bar.addWidget(self._status, 1)
            bar.addPermanentWidget(self._safety)
        self.projector: ProjectorWindow | None = None
        self._settled_once = False
        self._ended = False
        self.wants_set_up = False
        self._put_back: Happening | None = None
        self._worker: LatestWorker[SourceItem | None] = LatestWorker(
            referee.update, "referee", synchronous, self, lambda item: item is None or isinstance(item, Frame)
        )
        self._worker.done.connect(self._updated)
        self._pump = FramePump(source, in_step, self)
        self._pump.arrived.connect(self._arrived)
        self._pump.ended.connect(lambda: self._status.setText(self.tr("The recording has ended.")))
        self.commands = self._commands()
        self.actions_by_name = install(self, self.commands)
        self.pane.correction_asked.connect(self.ask_correction)
        self.side.events.chosen.connect(self.show_happening)
        self.side.stage.changed.connect(self.set_stage)
        self.pane.canvas.setFocus()

    def start(self) -> None:
        """Begins to read frames, in a window as large as it was the last time."""
        geometry = QSettings().value("live/geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        self._pump.start()

    @property
    def settled_once(self) -> bool:
        """Whether a table at rest has been shown."""
        return self._settled_once

    # --- frames and moments

    def _arrived(self) -> None:
        while (item := self._pump.take()) is not None:
            self.feed_item(item)

    def feed_item(self, item: SourceItem) -> None:
        """Shows a frame at once and has it looked at."""
        if isinstance(item, Outage):
            self.pane.canvas.show_message(self.tr("No picture: {why}. Trying again.").format(why=item.why))
        elif isinstance(item, Frame):
            self.model.set_picture(item.bgr)
        self._worker.submit(item)

    def _updated(self, _identity: int, result: object) -> None:
        self._pump.go_on()
        if isinstance(result, Failed):
            self._status.setText(self.tr("This frame could not be read: {why}").format(why=result.error))
            return
        if not isinstance(result, Update):
            return
        self.model.set_moment(result.moment)
        self.feed.add(result.happenings, self.model.known_names)
        for happening in result.happenings:
            if happening.event.type == "bumped" and self._put_back is None:  # else it is the first that is put right
                self._put_back = happening
        if self._put_back is not None and result.moment.new_state:
            marks = put_back_marks(self._put_back.event, result.moment.scene)
            self.model.show_extra(marks)
            self._put_back = self._put_back if marks else None
        self._show_status(result)
        if not self._settled_once and result.moment.settled and result.moment.state_frame >= 0:
            self._settled_once = True
        self.updated.emit()

    def _show_status(self, update: Update) -> None:
        view = update.moment.view
        words = [self.tr("{count} pieces").format(count=len(update.moment.scene.on_field()))]
        if view is not None:
            measured = view.calibration
            words.append(self.tr("table from {n} tokens").format(n=len(measured.tokens)))
            words.append(self.tr("scale from {what}").format(what=measured.scale_source))
            words.append(self.tr("residual {rms:.2f} px").format(rms=measured.rms_px))
        if update.corrections:
            words.append(self.tr("corrections held: {n}").format(n=len(update.corrections)))
        self._status.setText(" · ".join(words))
        health = update.health
        self._safety.setText(
            ""
            if health.safe
            else self.tr("log: {n} moments not on the disk ({why})").format(n=health.waiting, why=health.why)
        )

    # --- commands

    def _commands(self) -> tuple[Command, ...]:
        model, canvas, tr = self.model, self.pane.canvas, self.tr
        table, show, ask, game = tr("&Table"), tr("&View"), tr("&Ask"), tr("&Game")

        def layer(name: str) -> Command:
            titles = {
                "names": (tr("Names"), "N"),
                "rulings": (tr("Rulings on the table"), "R"),
                "terrain": (tr("Terrain"), "T"),
                "zones": (tr("Zones"), "Z"),
                "halos": (tr("How sure each place is"), "H"),
            }
            title, key = titles[name]
            first = bool(getattr(Layers(), name))
            return Command(
                show,
                title,
                key,
                lambda on: model.set_layers(replace(model.layers, **{name: on})),
                first,
                name == "names",
            )

        return (
            Command(table, tr("Picture of the window…"), "Ctrl+S", lambda _: self.save_screenshot()),
            Command(table, tr("Set up the table…"), "Ctrl+T", lambda _: self.ask_set_up()),
            Command(table, tr("Projector"), "P", self.show_projector, False, True),
            Command(table, tr("Full screen"), "F11", self._full_screen, False),
            Command(table, tr("Close"), "Ctrl+Q", lambda _: self.close()),
            Command(show, tr("Photograph"), "1", lambda _: model.set_mode(ViewMode.PHOTO), True, True, "mode"),
            Command(show, tr("From above"), "2", lambda _: model.set_mode(ViewMode.TOP), False, True, "mode"),
            Command(show, tr("Drawn board"), "3", lambda _: model.set_mode(ViewMode.DRAWN), False, True, "mode"),
            Command(show, tr("Closer"), "+", lambda _: canvas.zoom(1.25)),
            Command(show, tr("Farther"), "-", lambda _: canvas.zoom(0.8)),
            Command(show, tr("Whole table"), "0", lambda _: canvas.fit(), None, True),
            *(layer(name) for name in ("names", "rulings", "terrain", "zones", "halos")),
            Command(ask, tr("All range bands"), "B", model.show_all_bands, False, True),
            Command(ask, tr("Freeze the call"), "Space", self._freeze, False, True),
            Command(ask, tr("Next piece"), ".", lambda _: model.step(1)),
            Command(ask, tr("Previous piece"), ",", lambda _: model.step(-1)),
            Command(
                ask,
                tr("Ask about this piece"),
                "Return",
                lambda _: model.click(model.pointing.hover),
                only_in=self.pane,
            ),
            Command(ask, tr("Try a move north"), "Shift+Up", lambda _: model.nudge(0.0, -_NUDGE_MM)),
            Command(ask, tr("Try a move south"), "Shift+Down", lambda _: model.nudge(0.0, _NUDGE_MM)),
            Command(ask, tr("Try a move west"), "Shift+Left", lambda _: model.nudge(-_NUDGE_MM, 0.0)),
            Command(ask, tr("Try a move east"), "Shift+Right", lambda _: model.nudge(_NUDGE_MM, 0.0)),
            Command(ask, tr("Type a question"), "/", lambda _: self.side.call.question.setFocus()),
            Command(ask, tr("Clear"), "Esc", lambda _: self._clear()),
            Command(game, tr("Correct this piece…"), "C", lambda _: self._correct_by_key(), None, True),
            Command(game, tr("Undo the last correction"), "Ctrl+Z", lambda _: self.undo(), None, True),
            Command(game, tr("Next phase"), "Ctrl+N", lambda _: self.side.stage.next_phase()),
            Command(game, tr("Events"), "E", lambda _: self.side.events.setFocus()),
            Command(game, tr("Bump: done"), "Ctrl+B", lambda _: self.forget_bump()),
            Command(tr("&Help"), tr("Keys"), "F1", lambda _: self._show_keys()),
        )

    def _freeze(self, on: bool) -> None:
        self.model.freeze(on)
        action = self.actions_by_name[self.tr("Freeze the call")]
        action.setChecked(self.model.frozen)

    def _clear(self) -> None:
        self.model.clear()
        self._put_back = None
        self.actions_by_name[self.tr("Freeze the call")].setChecked(False)
        self.pane.canvas.setFocus()

    def _full_screen(self, on: bool) -> None:
        if on:
            self.showFullScreen()
        else:
            self.showNormal()

    def ask_set_up(self) -> None:
        """Ends this game's window; whoever opened it sets the table up and opens the next."""
        self.wants_set_up = True
        self.close()

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
        self.actions_by_name[self.tr("Projector")].setChecked(False)

    def save_screenshot(self, path: Path | None = None) -> None:
        """A picture of the window into a file."""
        if path is None:
            suggested = datetime.now().strftime("pinpoint-%Y%m%d-%H%M%S.png")
            chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Save the picture"), suggested, "PNG (*.png)")
            if not chosen:
                return
            path = Path(chosen)
        if not self.grab().save(str(path)):
            QMessageBox.warning(
                self, self.tr("Not saved"), self.tr("The picture could not be written to {path}.").format(path=path)
            )

    def _show_keys(self) -> None:
        box = QMessageBox(self)
        box.setWindowTitle(self.tr("Keys"))
        box.setText(keys_html(self.commands))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    # --- following and correcting

    def show_happening(self, happening: Happening) -> None:
        """An event as it was: before and after side by side."""
        if happening.event.type == "bumped" and self.model.moment is not None:
            self._put_back = happening
            self.model.show_extra(put_back_marks(happening.event, self.model.moment.scene))
        traces = event_traces(happening.event, happening.after.scene)
        title = sentence(happening.event, self.model.known_names)
        CompareDialog(title, happening.before, happening.after, traces, self.model.roster_names, self).show()

    def forget_bump(self) -> None:
        """The pieces are back, or are left as they lie."""
        self._put_back = None
        self.model.show_extra(())

    def ask_correction(self, identity: str | None, x_mm: float, y_mm: float, at: QPointF) -> None:
        """Offers what a piece can be instead."""
        moment = self.model.moment
        if moment is None:
            return
        profiles = self._setting.roster.profiles if self._setting.roster else ()
        menu = correction_menu(self.model, moment.scene, identity, (x_mm, y_mm), profiles, self.correct, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.pane.canvas.mapToGlobal(at.toPoint()))

    def _correct_by_key(self) -> None:
        moment, projection = self.model.moment, self.model.projection()
        identity = self.model.pointing.hover or self.model.pointing.first
        if moment is None or projection is None or identity is None:
            return
        x, y = moment.scene.piece(identity).centre
        at = self.pane.canvas.widget_point(*spot((x, y), projection))
        self.ask_correction(identity, x, y, at)

    def correct(self, correction: Correction) -> None:
        """A person overrules what was seen."""
        self._referee.correct(correction)
        self._worker.submit(None)

    def set_stage(self, number: int, phase: str) -> None:
        """Another round or phase, as people say."""
        self._referee.set_stage(Stage(number, phase))
        self._worker.submit(None)

    def undo(self) -> None:
        """Takes the last correction back."""
        if self._referee.undo():
            self._worker.submit(None)
        else:
            self._status.setText(self.tr("There is no correction to take back."))

    # --- the end

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ends the threads, then the log: nothing that was seen is lost."""
        if not self._ended:
            self._ended = True
            QSettings().setValue("live/geometry", self.saveGeometry())
            self._end()
        super().closeEvent(event)

    def _end(self) -> None:
        self._pump.stop()
        if self._interrupt is not None:
            self._interrupt()
        self._worker.stop()
        self.model.stop()
        if self.projector is not None:
            self.projector.close()
        try:
            self._referee.close()
        except LogError as error:
            QMessageBox.warning(self, self.tr("The log is not complete"), str(error))
