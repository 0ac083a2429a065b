"""What a camera cannot see of a game: the round, the phase, and the cards that decide who acts first."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QVBoxLayout, QWidget

from assistant.ui.panels.game_panel import in_order
from assistant.ui.table_model import TableModel


class StagePanel(QWidget):
    """Round and phase to be set, and one card a player where the game has them: all shown, the order is asked."""

    changed = pyqtSignal(int, str)

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.round = QSpinBox(self)
        self.round.setRange(0, 99)
        self.round.setAccessibleName(self.tr("Round"))
        self.phase = QComboBox(self)
        self.phase.addItems(model.game.phases)
        self.phase.setAccessibleName(self.tr("Phase"))
        self.phase.setVisible(bool(model.game.phases))
        self.cards: dict[str, QComboBox] = {}
        row = QHBoxLayout()
        row.addWidget(QLabel(self.tr("Round"), self))
        row.addWidget(self.round)
        row.addWidget(self.phase, 1)
        self._card_row = QHBoxLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 0, 10, 4)
        layout.addLayout(row)
        layout.addLayout(self._card_row)
        self.round.valueChanged.connect(self._tell)
        self.phase.activated.connect(self._choose)
        model.moment_changed.connect(self._offer_cards)

    def next_phase(self) -> None:
        """The next phase, or the first of the next round."""
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
        self.changed.emit(self.round.value(), self.phase.currentText())

    def _offer_cards(self) -> None:
        moment = self._model.moment
        if moment is not None and moment.scene.round is not None and moment.scene.round != self.round.value():
            self.round.blockSignals(True)
            self.round.setValue(moment.scene.round)
            self.round.blockSignals(False)
        if moment is None or not self._model.game.cards or self.cards:
            return
        for player in in_order(moment.scene):
            box = QComboBox(self)
            box.addItems([self.tr("{player}: card").format(player=player), *self._model.game.cards])
            box.setAccessibleName(self.tr("Card of {player}").format(player=player))
            box.activated.connect(self._ask_order)
            self.cards[player] = box
            self._card_row.addWidget(box)

    def _ask_order(self) -> None:
        shown = {player: box.currentText() for player, box in self.cards.items() if box.currentIndex() > 0}
        if len(shown) == len(self.cards):
            words = " ".join(f'"{player}={card}"' for player, card in shown.items())
            self._model.ask_typed(f"commands {words}")
