"""Looking through a finished game: the same table, overlays and questions, at any moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QFileDialog, QLabel, QMainWindow, QMessageBox, QSplitter, QVBoxLayout, QWidget

from assistant.evidence.report_pictures import evidence_pictures
from assistant.log.clock import moment_text
from assistant.log.exporting import event_lines, position_lines, scene_lines
from assistant.log.game_log import GameLog
from assistant.log.report import report_html
from assistant.log.telling import sentence
from assistant.log.whole_file import write_whole
from assistant.scene.names import display_names
from assistant.scene.writing import scene_to_text
from assistant.session.history import Happening
from assistant.ui.actions import Command, install, show_keys
from assistant.ui.application import application
from assistant.ui.catalogue import say, tell
from assistant.ui.chapters import Book, read_book
from assistant.ui.compare import CompareDialog
from assistant.ui.design import SIDE_SHARE, design, icon, open_on_screen
from assistant.ui.evidence_dialog import EvidenceDialog, TrackDialog, close_look, logged_as
from assistant.ui.history import event_traces
from assistant.ui.live_commands import view_commands
from assistant.ui.panels.board_view import BoardView
from assistant.ui.panels.call_banner import CallBanner
from assistant.ui.panels.move_list import MoveListModel, decoded, round_words
from assistant.ui.screenshot import shoot
from assistant.ui.side_panel import SidePanel
from assistant.ui.small_picture import small_jpeg
from assistant.ui.table_model import TableModel, ViewMode
from assistant.ui.table_pane import TablePane
from assistant.ui.timeline import Timeline

_TICK_MS = 50
_SPEEDS = (1.0, 4.0, 16.0, 60.0)


class ReviewWindow(QMainWindow):
    """A finished game on its timeline: list, timeline, board and picture show the same moment."""

    def __init__(self, log: GameLog, synchronous: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log = log
        self.book: Book = read_book(log)
        self.setWindowTitle(say("Pinpoint review: {name}", name=self.book.path.name))
        self.setWindowIcon(icon("crosshairs-gps", design().theme.accent))
        open_on_screen(self)
        self.model = TableModel(
            self.book.game, self.book.settings.readings, _roster_names(self.book), synchronous, self
        )
        drawn = all(chapter.snapshot.view is None for chapter in self.book.chapters)
        if drawn:
            self.model.set_mode(ViewMode.DRAWN)
        self.feed = MoveListModel(self)
        self.pane = TablePane(self.model, self)
        self.banner = CallBanner(self.model, self)
        self.side = SidePanel(self.model, self.feed, parent=self)
        self.side.play.hide()
        self.board = BoardView(self.model, self.side)
        self.board.setVisible(not drawn)
        self.side.put_first(self.board)
        self.timeline = Timeline(
            [happening.event for happening in self.book.happenings], self.book.end_s, self.book.rounds(), self
        )
        self.what = QLabel(self)
        self.what.setWordWrap(True)
        self.what.setProperty("kind", "strong")
        self.what.setAccessibleName(say("What happened"))
        self._current = -1
        self._event: Happening | None = None
        self._marked: int | None = None
        self._speed = 0
        self._player = QTimer(self)
        self._player.setInterval(_TICK_MS)
        self._player.timeout.connect(self._tick)
        self.setCentralWidget(self._laid_out())
        self.commands = self._commands()
        self.actions_by_name = install(self, self.commands)
        self.timeline.moved.connect(self.go_to)
        self.side.moves.chosen.connect(self.show_happening)
        for chapter in self.book.chapters:
            self.model.known_names |= display_names(
                chapter.moment.scene, self.model.roster_names, self.model.known_names
            )
        self.feed.add(self.book.happenings, self.model.known_names)
        self.statusBar()
        self.show_chapter(0)

    def _laid_out(self) -> QSplitter:
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.pane, 1)
        column.addWidget(self.banner)
        below = QWidget(left)
        lines = QVBoxLayout(below)
        gap = design().scale.gap(0.75)
        lines.setContentsMargins(design().scale.gap(1.5), gap, design().scale.gap(1.5), gap)
        lines.addWidget(self.what)
        lines.addWidget(self.timeline)
        column.addWidget(below)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.addWidget(left)
        split.addWidget(self.side)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setCollapsible(0, False)
        split.setSizes([round(self.width() * (1 - SIDE_SHARE)), round(self.width() * SIDE_SHARE)])
        return split

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

    def show_round(self, step: int) -> None:
        """The beginning of the next round, or of this or the one before."""
        begins = [begin_s for begin_s, _ in self.book.rounds()]
        now = self.timeline.time_s
        later = [begin_s for begin_s in begins if begin_s > now + 1e-6]
        earlier = [begin_s for begin_s in begins if begin_s < now - 1e-6]
        if step > 0 and later:
            self.go_to(later[0])
        elif step < 0:
            self.go_to(earlier[-1] if earlier else 0.0)

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
        here = [each for each in self.book.happenings if each.after is chapter.snapshot]
        self._show_event(here[0] if here else None)
        words = say(
            "moment {n} of {all}, at {time}",
            n=index + 1,
            all=len(self.book.chapters),
            time=moment_text(chapter.moment.time_s),
        )
        bar = self.statusBar()
        if bar is not None:
            bar.showMessage(words)

    def _show_event(self, happening: Happening | None) -> None:
        """What led to this table: its line in the list, its arrows on board and picture, how sure it is."""
        self._event = happening
        chapter = self.book.chapters[self._current]
        marks = [
            mark
            for each in self.book.happenings
            if each.after is chapter.snapshot and (happening is None or each is happening or each.event.type == "moved")
            for mark in event_traces(each.event, each.after.scene)
        ]
        self.model.show_extra(marks)
        self.board.show_table(chapter.moment.scene, marks)
        row = self.feed.row_of(happening) if happening is not None else None
        if row is None:
            row = self.feed.row_before(chapter.moment.time_s)
        if row is not None:
            self.side.moves.highlight(row)
        self.what.setText(self._event_words(happening))

    def _event_words(self, happening: Happening | None) -> str:
        scene = self.book.chapters[self._current].moment.scene
        parts = [round_words(scene.round)]
        if happening is None:
            return parts[0]
        parts.append(tell(sentence(happening.event, self.model.known_names)))
        certainty = happening.event.fields.get("certainty")
        if isinstance(certainty, int | float):
            parts.append(say("{n:.1f} % sure", n=100 * certainty))
        return " · ".join(parts)

    def _tick(self) -> None:
        time_s = self.timeline.time_s + _TICK_MS / 1000 * _SPEEDS[self._speed]
        self.go_to(time_s)
        if time_s >= self.book.end_s:
            self._player.stop()
            self.actions_by_name[say("Play")].setChecked(False)

    # --- comparing, exporting

    def show_happening(self, happening: Happening) -> None:
        """Goes to an event and shows where its pieces came from."""
        self.go_to(happening.after.time_s)
        self._show_event(happening)

    def mark(self) -> None:
        """Remembers this moment, to be compared with another."""
        self._marked = self._current
        self.timeline.set_mark(self.book.chapters[self._current].moment.time_s)

    def compare(self) -> CompareDialog:
        """This moment beside the marked one, or beside the one before it."""
        other = self._marked if self._marked is not None else max(0, self._current - 1)
        first, second = sorted((other, self._current))
        before, after = self.book.chapters[first].snapshot, self.book.chapters[second].snapshot
        title = say("{a} and {b}", a=moment_text(before.time_s), b=moment_text(after.time_s))
        traces = [
            mark
            for happening in self.book.happenings
            if before.time_s < happening.event.t_s <= after.time_s
            for mark in event_traces(happening.event, after.scene)
        ]
        dialog = CompareDialog(title, before, after, traces, self.model.roster_names, self)
        dialog.show()
        return dialog

    def show_evidence(self) -> EvidenceDialog | None:
        """What proves the event that led to this table: card, zooms, clip."""
        happening = self._event or next(
            (each for each in self.book.happenings if each.after is self.book.chapters[self._current].snapshot), None
        )
        logged = None if happening is None else logged_as(self._log, happening.event)
        if logged is None:
            return None
        dialog = EvidenceDialog(self._log, logged, dict(self.model.known_names), self)
        dialog.show()
        return dialog

    def show_track(self) -> TrackDialog | None:
        """Where the piece that is pointed at, or that the event is about, has been."""
        pieces = self._event.event.pieces() if self._event is not None else ()
        piece = self.model.pointing.hover or self.model.pointing.first or next(iter(pieces), None)
        if piece is None:
            return None
        dialog = TrackDialog(self._log, piece, self.model.known_names.get(piece, piece), self)
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
                text = report_html(self._log, small_jpeg, evidence_pictures(self._log))
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
        chosen, _ = QFileDialog.getSaveFileName(self, say("Export"), str(self.book.path.with_suffix(".html")), kinds)
        if not chosen:
            return
        try:
            self.export(Path(chosen))
        except OSError as error:
            QMessageBox.warning(self, say("Not written"), str(error))

    def _faster(self) -> None:
        self._speed = (self._speed + 1) % len(_SPEEDS)
        bar = self.statusBar()
        if bar is not None:
            bar.showMessage(say("{n:g} times as fast", n=_SPEEDS[self._speed]))

    def _commands(self) -> tuple[Command, ...]:
        model = self.model
        game, show, ask, help_menu = say("&Game"), say("&View"), say("&Ask"), say("&Help")
        last = len(self.book.chapters) - 1

        def step(name: str, key: str, run: Callable[[], object], sign: str, short: str) -> Command:
            return Command(game, name, key, lambda _: run(), None, sign, short=short)

        return (
            step(say("First state"), "Home", lambda: self.show_chapter(0), "skip-backward", say("First")),
            step(say("Step back"), "Left", lambda: self.show_chapter(self._current - 1), "step-backward", say("Back")),
            Command(game, say("Play"), "Space", self.play, False, "play"),
            step(say("Step on"), "Right", lambda: self.show_chapter(self._current + 1), "step-forward", say("On")),
            step(say("Last state"), "End", lambda: self.show_chapter(last), "skip-forward", say("Last")),
            Command(game, say("To the start"), "Up", lambda _: self.show_chapter(0)),
            Command(game, say("To the end"), "Down", lambda _: self.show_chapter(last)),
            Command(game, say("Previous round"), "Shift+Left", lambda _: self.show_round(-1)),
            Command(game, say("Next round"), "Shift+Right", lambda _: self.show_round(1)),
            Command(game, say("Faster"), "F", lambda _: self._faster()),
            step(say("Mark this moment"), "M", self.mark, "bookmark-outline", say("Mark")),
            step(say("Compare"), "K", self.compare, "compare", say("Compare")),
            step(say("Evidence of this event"), "Shift+E", self.show_evidence, "image-search-outline", say("Evidence")),
            Command(game, say("Track of this piece"), "Shift+T", lambda _: self.show_track()),
            step(say("Export…"), "Ctrl+E", self._ask_export, "export-variant", say("Export")),
            Command(game, say("Close"), "Ctrl+Q", lambda _: self.close()),
            *view_commands(show, model, self.pane.canvas),
            Command(
                ask,
                say("All range bands"),
                "B",
                model.show_all_bands,
                False,
                "signal-distance-variant",
                short=say("Bands"),
            ),
            Command(ask, say("Next piece"), ".", lambda _: model.step(1)),
            Command(ask, say("Previous piece"), ",", lambda _: model.step(-1)),
            Command(
                ask,
                say("Ask about this piece"),
                "Return",
                lambda _: model.click(model.pointing.hover),
                only_in=self.pane,
            ),
            Command(ask, say("Type a question"), "/", lambda _: self.side.call.question.setFocus()),
            Command(ask, say("Diagnostics"), "D", self.side.drawer.setVisible, False),
            Command(ask, say("Close look at this answer"), "Shift+G", lambda _: close_look(model, self)),
            Command(ask, say("Clear"), "Esc", lambda _: model.clear()),
            Command(help_menu, say("Keys"), "F1", lambda _: show_keys(self, self.commands)),
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
