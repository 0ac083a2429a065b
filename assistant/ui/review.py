"""Looking through a finished game: the same table, overlays and questions, at any moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QFileDialog, QMainWindow, QMessageBox, QSplitter, QVBoxLayout, QWidget

from assistant.log.clock import moment_text
from assistant.log.exporting import event_lines, position_lines, scene_lines
from assistant.log.game_log import GameLog
from assistant.log.report import report_html
from assistant.log.whole_file import write_whole
from assistant.scene.names import display_names
from assistant.scene.writing import scene_to_text
from assistant.session.history import Happening
from assistant.ui.actions import Command, install
from assistant.ui.application import application
from assistant.ui.chapters import Book, read_book
from assistant.ui.compare import CompareDialog
from assistant.ui.history import event_traces
from assistant.ui.overlays.standing import Layers
from assistant.ui.panels.event_feed import EventFeedModel, decoded
from assistant.ui.screenshot import shoot
from assistant.ui.side_panel import SidePanel
from assistant.ui.small_picture import small_jpeg
from assistant.ui.table_model import TableModel, ViewMode
from assistant.ui.table_pane import TablePane
from assistant.ui.timeline import Timeline

_TICK_MS = 50
_SPEEDS = (1.0, 4.0, 16.0, 60.0)


class ReviewWindow(QMainWindow):
    """A finished game on its timeline."""

    def __init__(self, log: GameLog, synchronous: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log = log
        self.book: Book = read_book(log)
        self.setWindowTitle(self.tr("Pinpoint review: {name}").format(name=self.book.path.name))
        self.resize(1360, 820)
        self.model = TableModel(
            self.book.game, self.book.settings.readings, _roster_names(self.book), synchronous, self
        )
        if all(chapter.snapshot.view is None for chapter in self.book.chapters):
            self.model.set_mode(ViewMode.DRAWN)
        self.feed = EventFeedModel(self)
        self.pane = TablePane(self.model, self)
        self.side = SidePanel(self.model, self.feed, self)
        self.side.stage.hide()
        self.timeline = Timeline([happening.event for happening in self.book.happenings], self.book.end_s, self)
        self._current = -1
        self._marked: int | None = None
        self._speed = 0
        self._player = QTimer(self)
        self._player.setInterval(_TICK_MS)
        self._player.timeout.connect(self._tick)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane, 1)
        column.addWidget(self.timeline)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(self.side)
        split.setStretchFactor(0, 1)
        split.setSizes([1000, 360])
        self.setCentralWidget(split)
        self.commands = self._commands()
        self.actions_by_name = install(self, self.commands)
        self.timeline.moved.connect(self.go_to)
        self.side.events.chosen.connect(self.show_happening)
        self.show_chapter(0)
        for chapter in self.book.chapters:
            self.model.known_names |= display_names(chapter.moment.scene, self.model.roster_names)
        self.feed.add(self.book.happenings, self.model.known_names)
        self.statusBar()

    # --- moving in the game

    @property
    def chapter(self) -> int:
        """Which settled state is shown."""
        return self._current

    def go_to(self, time_s: float) -> None:
        """Shows the table as it was at a moment."""
        self.timeline.set_time(time_s)
        self._show(self.book.chapter_at(time_s))

    def show_chapter(self, index: int) -> None:
        """Shows a settled state and puts the head there."""
        index = min(len(self.book.chapters) - 1, max(0, index))
        self.timeline.set_time(self.book.chapters[index].moment.time_s)
        self._show(index)

    def play(self, on: bool) -> None:
        """Runs or halts."""
        if on:
            self._player.start()
        else:
            self._player.stop()

    def _show(self, index: int) -> None:
        if index == self._current:
            return
        self._current = index
        chapter = self.book.chapters[index]
        if chapter.snapshot.view is not None:
            self.model.set_picture(decoded(chapter.snapshot))
        self.model.set_moment(chapter.moment)
        words = self.tr("state {n} of {all} at {time}").format(
            n=index + 1, all=len(self.book.chapters), time=moment_text(chapter.moment.time_s)
        )
        bar = self.statusBar()
        if bar is not None:
            bar.showMessage(words)

    def _tick(self) -> None:
        time_s = self.timeline.time_s + _TICK_MS / 1000 * _SPEEDS[self._speed]
        self.go_to(time_s)
        if time_s >= self.book.end_s:
            self._player.stop()
            self.actions_by_name[self.tr("Play")].setChecked(False)

    # --- comparing, exporting

    def show_happening(self, happening: Happening) -> None:
        """Goes to an event and shows where its pieces came from."""
        self.go_to(happening.after.time_s)
        self.model.show_extra(event_traces(happening.event, happening.after.scene))

    def mark(self) -> None:
        """Remembers this moment, to be compared with another."""
        self._marked = self._current
        self.timeline.set_mark(self.book.chapters[self._current].moment.time_s)

    def compare(self) -> CompareDialog:
        """This moment beside the marked one, or beside the one before it."""
        other = self._marked if self._marked is not None else max(0, self._current - 1)
        first, second = sorted((other, self._current))
        before, after = self.book.chapters[first].snapshot, self.book.chapters[second].snapshot
        title = self.tr("{a} and {b}").format(a=moment_text(before.time_s), b=moment_text(after.time_s))
        traces = [
            mark
            for happening in self.book.happenings
            if before.time_s < happening.event.t_s <= after.time_s
            for mark in event_traces(happening.event, after.scene)
        ]
        dialog = CompareDialog(title, before, after, traces, self.model.roster_names, self)
        dialog.show()
        return dialog

    def export(self, path: Path) -> None:
        """Hands the game on; the ending says how: html (battle report), jsonl, csv, json (this scene), scenes, png."""
        match path.suffix:
            case ".csv":
                text = "".join(position_lines(self._log))
            case ".json":
                text = scene_to_text(self.book.chapters[self._current].moment.scene)
            case ".scenes":
                text = "".join(scene_lines(self._log))
            case ".html":
                text = report_html(self._log, small_jpeg)
            case ".png":
                shoot(self, path)
                return
            case _:
                text = "".join(event_lines(self._log))
        write_whole(path, text.encode("utf-8"))

    def _ask_export(self) -> None:
        kinds = ";;".join(
            (
                "battle report (*.html)",
                "events (*.jsonl)",
                "positions (*.csv)",
                "this scene (*.json)",
                "all scenes (*.scenes)",
                "picture (*.png)",
            )
        )
        chosen, _ = QFileDialog.getSaveFileName(
            self, self.tr("Export"), str(self.book.path.with_suffix(".html")), kinds
        )
        if not chosen:
            return
        try:
            self.export(Path(chosen))
        except OSError as error:
            QMessageBox.warning(self, self.tr("Not written"), str(error))

    def _faster(self) -> None:
        self._speed = (self._speed + 1) % len(_SPEEDS)
        bar = self.statusBar()
        if bar is not None:
            bar.showMessage(self.tr("{n:g} times as fast").format(n=_SPEEDS[self._speed]))

    def _commands(self) -> tuple[Command, ...]:
        model, canvas, tr = self.model, self.pane.canvas, self.tr
        game, show, ask = tr("&Game"), tr("&View"), tr("&Ask")
        photo = model.mode is ViewMode.PHOTO

        def layer(title: str, key: str, name: str) -> Command:
            first = bool(getattr(Layers(), name))
            return Command(show, title, key, lambda on: model.set_layers(replace(model.layers, **{name: on})), first)

        return (
            Command(game, tr("First state"), "Home", lambda _: self.show_chapter(0), None, True),
            Command(game, tr("Step back"), "Left", lambda _: self.show_chapter(self._current - 1), None, True),
            Command(game, tr("Play"), "Space", self.play, False, True),
            Command(game, tr("Step on"), "Right", lambda _: self.show_chapter(self._current + 1), None, True),
            Command(
                game, tr("Last state"), "End", lambda _: self.show_chapter(len(self.book.chapters) - 1), None, True
            ),
            Command(game, tr("Faster"), "F", lambda _: self._faster()),
            Command(game, tr("Mark this moment"), "M", lambda _: self.mark(), None, True),
            Command(game, tr("Compare"), "K", lambda _: self.compare(), None, True),
            Command(game, tr("Export…"), "Ctrl+E", lambda _: self._ask_export(), None, True),
            Command(game, tr("Close"), "Ctrl+Q", lambda _: self.close()),
            Command(show, tr("Photograph"), "1", lambda _: model.set_mode(ViewMode.PHOTO), photo, True, "mode"),
            Command(show, tr("From above"), "2", lambda _: model.set_mode(ViewMode.TOP), False, True, "mode"),
            Command(show, tr("Drawn board"), "3", lambda _: model.set_mode(ViewMode.DRAWN), not photo, True, "mode"),
            Command(show, tr("Closer"), "+", lambda _: canvas.zoom(1.25)),
            Command(show, tr("Farther"), "-", lambda _: canvas.zoom(0.8)),
            Command(show, tr("Whole table"), "0", lambda _: canvas.fit()),
            layer(tr("Names"), "N", "names"),
            layer(tr("Rulings on the table"), "R", "rulings"),
            layer(tr("Terrain"), "T", "terrain"),
            layer(tr("Zones"), "Z", "zones"),
            layer(tr("How sure each place is"), "H", "halos"),
            Command(ask, tr("All range bands"), "B", model.show_all_bands, False, True),
            Command(ask, tr("Next piece"), ".", lambda _: model.step(1)),
            Command(ask, tr("Previous piece"), ",", lambda _: model.step(-1)),
            Command(
                ask,
                tr("Ask about this piece"),
                "Return",
                lambda _: model.click(model.pointing.hover),
                only_in=self.pane,
            ),
            Command(ask, tr("Type a question"), "/", lambda _: self.side.call.question.setFocus()),
            Command(ask, tr("Clear"), "Esc", lambda _: model.clear()),
        )

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Ends the timer, the thread and the file."""
        self._player.stop()
        self.model.stop()
        self._log.close()
        super().closeEvent(event)


def review(path: Path, screenshot: Path | None = None) -> int:
    """The review window until it is closed; with a screenshot only until that is saved."""
    log = GameLog(path)
    app = application(offscreen_allowed=screenshot is not None)
    window = ReviewWindow(log, synchronous=screenshot is not None)
    try:
        if screenshot is not None:
            shoot(window, screenshot)
            return 0
        window.show()
        return app.exec()
    finally:
        window.close()
        window.deleteLater()


def _roster_names(book: Book) -> dict[str, str]:
    roster = book.settings.roster
    profiles = roster.get("profiles") if isinstance(roster, dict) else None
    names = {}
    for profile in profiles if isinstance(profiles, list) else ():
        if isinstance(profile, dict) and isinstance(profile.get("id"), str):
            names[str(profile["id"])] = str(profile.get("name") or profile["id"])
    return names
