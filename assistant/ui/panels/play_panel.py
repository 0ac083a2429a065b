"""Where the game stands: score, clocks, round and phase, and what is needed next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from PyQt6.QtCore import QEvent, Qt, QTimer, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from assistant.rules.panel import GamePanel
from assistant.rules.play import ADVANCE, BACK, START
from assistant.scene.errors import GameError
from assistant.scene.values import Scene
from assistant.ui.asking import Table
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon, icon_size
from assistant.ui.game_clock import GameClock, clock_words
from assistant.ui.library import player_name
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.panels.wording import short_name
from assistant.ui.table_model import TableModel

_TICK_MS = 500
_CHOICES = 4


@dataclass(frozen=True, slots=True)
class NeedRow:
    """What must be said now, with the answers there are: what a button says and what it tells."""

    text: str
    choices: tuple[tuple[str, str], ...] = ()
    usage: str = ""  # how it is typed where there is nothing to pick


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player's line: the score is None where nobody counts one."""

    id: str
    score: int | None
    words: str
    in_turn: bool = False


class PlayPanel(QWidget):
    """One glance at the game. Round and phase can be set; a click on a clock starts it and halts the other."""

    changed = pyqtSignal(int, str)
    told = pyqtSignal(str)  # the answer to a need, in the words of the game's course

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: Scene | None = None
        self.clock = GameClock.of(())
        self.now: Callable[[], float] = time.monotonic
        self.game = QLabel(short_name(model.game), self)
        self.game.setProperty("kind", "strong")
        self.game.setWordWrap(True)
        self.rest = QLabel(self)
        self.rest.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.round = QSpinBox(self)
        self.round.setRange(0, 99)
        self.round.setAccessibleName(say("Round"))
        self.phase = QComboBox(self)
        self.phase.setAccessibleName(say("Phase"))
        self.phase.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.phase.setMinimumContentsLength(6)
        self.phase.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.next = QPushButton(self)
        self.next.setToolTip(say("Next phase (Ctrl+N)"))
        self.next.setAccessibleName(say("Next phase"))
        self.cards: dict[str, QComboBox] = {}
        self.scores: dict[str, QLabel] = {}
        self.clocks: dict[str, QPushButton] = {}
        self._words: dict[str, QLabel] = {}
        self.round.setMinimumWidth(40)
        self.panel: GamePanel | None = None
        self.start = QPushButton(say("Follow the whole game"), self)
        self.start.setToolTip(say("Counts rounds, phases, casualties and scores, and says what is needed next"))
        self.start.hide()
        self.back = QPushButton(say("Take the last step back"), self)
        self.back.hide()
        self.needs = QFrame(self)
        self._need_column = QVBoxLayout(self.needs)
        self._need_column.setContentsMargins(0, 0, 0, 0)
        self.needs.hide()
        head = QHBoxLayout()
        head.addWidget(self.game, 1)
        head.addWidget(self.rest, 0, Qt.AlignmentFlag.AlignTop)
        stage = QGridLayout()
        stage.addWidget(QLabel(say("Round"), self), 0, 0)
        stage.addWidget(self.round, 0, 1)
        stage.addWidget(self.next, 0, 2)
        stage.addWidget(self.phase, 1, 0, 1, 3)
        stage.setColumnStretch(1, 1)
        self._players = QGridLayout()
        self._players.setColumnStretch(1, 1)
        self._card_row = QHBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(head)
        layout.addLayout(self._players)
        layout.addLayout(stage)
        layout.addLayout(self._card_row)
        layout.addWidget(self.needs)
        layout.addWidget(self.start)
        layout.addWidget(self.back)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self._ticking = QTimer(self)
        self._ticking.setInterval(_TICK_MS)
        self._ticking.timeout.connect(self.show_clocks)
        self.round.valueChanged.connect(self._tell)
        self.phase.activated.connect(self._choose)
        self.next.clicked.connect(self.next_phase)
        self.start.clicked.connect(lambda: self.told.emit(START))
        self.back.clicked.connect(lambda: self.told.emit(BACK))
        model.moment_changed.connect(self.show_game)
        design().changed.connect(self._restyled)
        self.set_phases(model.game.phases)
        self._restyled()
        self.show_game()

    def event(self, event: QEvent | None) -> bool:
        """Never lower than its wrapped texts need at its width: a scroll area asks only for the narrowest height."""
        done = super().event(event)
        layout = self.layout()
        if event is not None and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and layout is not None:
            needed = layout.totalHeightForWidth(self.width())
            if needed > 0 and needed != self.minimumHeight():
                self.setMinimumHeight(needed)
        return done

    # --- the stage

    def set_phases(self, phases: Sequence[str]) -> None:
        """The phases of a round; none where the game has none."""
        self.phase.clear()
        for phase in phases:
            self.phase.addItem(tell(phase), phase)
        self.phase.setVisible(bool(phases))
        self.next.setVisible(bool(phases))

    def next_phase(self) -> None:
        """The next phase, or the first of the next round; in a game that is followed, what comes next in it."""
        if self.panel is not None:
            self.told.emit(ADVANCE)
            return
        last = self.phase.currentIndex() + 1 >= self.phase.count()
        self.phase.setCurrentIndex(0 if last else self.phase.currentIndex() + 1)
        if last:
            self.round.setValue(self.round.value() + 1)
        else:
            self._choose()

    def _choose(self) -> None:
        if self.phase.currentIndex() > 0 and self.round.value() == 0:
            self.round.setValue(1)  # only what comes first comes before the first round; this tells
        else:
            self._tell()

    def _tell(self) -> None:
        self.changed.emit(self.round.value(), str(self.phase.currentData() or ""))

    # --- players, scores, clocks

    def show_game(self) -> None:
        """The game as it is now."""
        moment, table = self._model.moment, self._model.table()
        self.game.setText(short_name(self._model.game))
        if moment is None or table is None:
            self.rest.setText("")
            return
        theme = design().theme
        ground = theme.good if moment.settled else theme.doubt
        words = say("at rest") if moment.settled else say("moving")
        if self.rest.text() != words:
            self.rest.setText(words)
            self.rest.setStyleSheet(
                f"background:{ground};color:{theme.on_signal};font-weight:600;border-radius:4px;padding:2px 6px;"
            )
        if self._shown is moment.scene:
            return
        self._shown = moment.scene
        if moment.scene.round is not None and moment.scene.round != self.round.value():
            self.round.blockSignals(True)
            self.round.setValue(moment.scene.round)
            self.round.blockSignals(False)
        if self.panel is not None:
            return
        self._offer_cards(moment.scene)
        self.show_players([PlayerRow(who, None, player_words(table, who)) for who in in_order(moment.scene)])

    def show_players(self, rows: Sequence[PlayerRow]) -> None:
        """A line for each player, with the score where one is counted."""
        ids = [row.id for row in rows]
        if list(self.clocks) != ids:
            self._make_rows(ids)
        moment = self._model.moment
        inks = owner_inks(moment.scene) if moment is not None else {}
        for row in rows:
            ink = colour(inks.get(row.id, Ink.NEUTRAL)).name()
            mark = "▶ " if row.in_turn else ""
            self._words[row.id].setText(
                f'{mark}<span style="color:{ink}">⬤</span> <b>{escape(self.called(row.id))}</b><br>'
                f'<span style="color:{design().theme.quiet};font-size:{design().scale.small}px">{row.words}</span>'
            )
            self.scores[row.id].setText("" if row.score is None else str(row.score))
            self.scores[row.id].setVisible(row.score is not None)
        self.show_clocks()

    def show_panel(self, panel: GamePanel | None) -> None:
        """The game's own course, where somebody has started to tell it: scores, whose turn it is, what is needed."""
        self.start.setVisible(panel is None and self._model.game.play is not None and self._model.moment is not None)
        self.back.setVisible(panel is not None and panel.can_go_back)
        self.next.setToolTip(say("Next phase (Ctrl+N)") if panel is None else say("What comes next (Ctrl+N)"))
        if panel is None:
            if self.panel is not None:
                self.show_needs(())
            self.panel = None
            return
        if panel is self.panel:
            return
        self.panel = panel
        self.round.setEnabled(False)
        self.phase.setEnabled(False)
        self.round.blockSignals(True)
        self.round.setValue(panel.round)
        self.round.blockSignals(False)
        if self.phase.findData(panel.phase) < 0 and panel.phase:
            self.phase.addItem(tell(panel.phase), panel.phase)
        self.phase.setCurrentIndex(max(0, self.phase.findData(panel.phase)))
        self.phase.setVisible(bool(panel.phase))
        self.next.setVisible(not panel.over)
        for box in self.cards.values():
            box.hide()
        rows = [
            PlayerRow(
                row.id,
                row.score,
                say("{n} on the table, {r} in reserve, {c} lost", n=row.on_table, r=row.reserve, c=row.casualties),
                row.in_turn,
            )
            for row in panel.players
        ]
        self.show_players(rows)
        needs = [
            NeedRow(
                f"{self.called(need.player)}: {tell(need.what)}" if need.player else tell(need.what),
                tuple((choice.label, choice.tell) for choice in need.choices),
                need.usage,
            )
            for need in panel.needs
        ]
        if panel.over:
            who = self.called(panel.winner) if panel.winner else ""
            needs = [NeedRow(say("{player} wins", player=who) if who else say("The game is over: nobody wins"))]
        self.show_needs(needs)

    def called(self, identity: str) -> str:
        """What a player is called."""
        moment = self._model.moment
        players = moment.scene.players if moment is not None else ()
        return next((player_name(player) for player in players if player.id == identity), identity)

    def show_needs(self, rows: Sequence[NeedRow]) -> None:
        """What must be said next, the first one with its answers as buttons."""
        while (item := self._need_column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self.needs.setVisible(bool(rows))
        for row in rows[:1]:
            label = QLabel(row.text, self.needs)
            label.setWordWrap(True)
            label.setProperty("kind", "strong")
            self._need_column.addWidget(label)
            for words, answer in row.choices[:_CHOICES]:
                button = QPushButton(tell(words), self.needs)
                button.clicked.connect(lambda _, telling=answer: self.told.emit(telling))
                self._need_column.addWidget(button)
            if row.usage and not row.choices:
                self._need_column.addWidget(self._telling_line(row.usage))

    def _telling_line(self, usage: str) -> QLineEdit:
        """A line to type what must be told, such as dice."""
        line = QLineEdit(self.needs)
        line.setPlaceholderText(usage)
        line.setAccessibleName(usage)
        line.returnPressed.connect(lambda: self.told.emit(line.text()))
        return line

    def switch_clock(self) -> None:
        """The next player's clock runs."""
        self.clock = self.clock.switched(self.now())
        self._run_clock()

    def pause_clock(self) -> None:
        """No clock runs."""
        self.clock = self.clock.paused(self.now())
        self._run_clock()

    def show_clocks(self) -> None:
        """The clocks as they stand."""
        now = self.now()
        for number, (who, button) in enumerate(self.clocks.items()):
            runs = self.clock.running == number
            words = clock_words(self.clock.used(number, now))
            if button.text() != words:
                button.setText(words)
                button.setAccessibleName(say("Clock of {player}: {time}", player=who, time=words))
            if button.isChecked() != runs:
                button.setChecked(runs)

    def stop(self) -> None:
        """Halts the timer."""
        self._ticking.stop()

    def _make_rows(self, ids: Sequence[str]) -> None:
        for widget in (*self._words.values(), *self.scores.values(), *self.clocks.values()):
            self._players.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._words, self.scores, self.clocks = {}, {}, {}
        self.clock = GameClock.of(ids)
        for number, who in enumerate(ids):
            words, score, clock = QLabel(self), QLabel(self), QPushButton(self)
            words.setWordWrap(True)
            score.setProperty("kind", "figure")
            score.setAccessibleName(say("Score of {player}", player=who))
            clock.setCheckable(True)
            clock.setToolTip(say("Run this player's clock; again: halt it (X: the other's)"))
            clock.clicked.connect(lambda on, which=number: self._pressed(which, on))
            self._players.addWidget(words, number, 1)
            self._players.addWidget(score, number, 2)
            self._players.addWidget(clock, number, 3)
            self._words[who], self.scores[who], self.clocks[who] = words, score, clock

    def _pressed(self, which: int, on: bool) -> None:
        self.clock = self.clock.started(which, self.now()) if on else self.clock.paused(self.now())
        self._run_clock()

    def _run_clock(self) -> None:
        if self.clock.running is None:
            self._ticking.stop()
        else:
            self._ticking.start()
        self.show_clocks()

    # --- command cards

    def _offer_cards(self, scene: Scene) -> None:
        if not self._model.game.cards or self.cards:
            return
        for player in in_order(scene):
            box = QComboBox(self)
            box.addItem(say("Card"))
            box.setToolTip(say("Card of {player}", player=player))
            for card in self._model.game.cards:
                box.addItem(tell(card), card)
            ink = colour(owner_inks(scene).get(player, Ink.NEUTRAL)).name()
            for index in range(box.count()):
                box.setItemIcon(index, icon("circle", ink))
            box.setAccessibleName(say("Card of {player}", player=player))
            box.setMinimumContentsLength(6)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.activated.connect(self._ask_order)
            self.cards[player] = box
            self._card_row.addWidget(box)

    def _ask_order(self) -> None:
        shown = {player: str(box.currentData()) for player, box in self.cards.items() if box.currentIndex() > 0}
        if len(shown) == len(self.cards):
            words = " ".join(f'"{player}={card}"' for player, card in shown.items())
            self._model.ask_typed(f"commands {words}")

    def _restyled(self) -> None:
        self._shown = None
        self.rest.setText("")
        self.next.setIcon(icon("skip-next"))
        self.next.setIconSize(icon_size())
        layout, gap = self.layout(), design().scale.gap(1)
        if layout is not None:
            layout.setSpacing(gap)
        self.show_game()


def in_order(scene: Scene) -> list[str]:
    """The players by initiative; those without one as they sit."""
    players = sorted(scene.players, key=lambda player: (player.initiative is None, player.initiative or 0))
    return [player.id for player in players]


def player_words(table: Table, identity: str) -> str:
    """How many pieces of a player lie on the table and how many may act."""
    lying = sum(1 for piece in table.scene.on_field() if piece.owner == identity)
    words = [say("{n} on the table", n=lying)]
    if table.has("activatable"):
        try:
            able = table.ask("activatable", identity).answer.get("disks")
            words.append(say("{n} may act", n=len(able) if isinstance(able, list) else 0))
        except GameError as error:
            words.append(tell(str(error)))
    return ", ".join(words)
