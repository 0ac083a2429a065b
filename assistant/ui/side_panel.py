"""Everything beside the table, in one column that scrolls where it does not fit."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import design
from assistant.ui.panels.call_panel import CallPanel
from assistant.ui.panels.card_panel import CardPanel
from assistant.ui.panels.drawer import Drawer
from assistant.ui.panels.move_list import MoveList, MoveListModel
from assistant.ui.panels.play_panel import PlayPanel
from assistant.ui.table_model import TableModel


class SidePanel(QScrollArea):
    """The game, the piece, the question and its answer, the moves; the drawer is closed until it is asked for."""

    def __init__(
        self,
        model: TableModel,
        moves: MoveListModel,
        options: Callable[[str], list[str]] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        inside = QWidget(self)
        inside.setObjectName("side")
        self.play = PlayPanel(model, inside)
        self.card = CardPanel(model, options, inside)
        self.call = CallPanel(model, inside)
        self.moves = MoveList(moves, inside)
        self.drawer = Drawer(model, inside)
        self.drawer.hide()
        self._title = QLabel(say("Moves by round"), inside)
        self._title.setProperty("kind", "quiet")
        self._column = QVBoxLayout(inside)
        self._column.addWidget(self.play)
        self._column.addWidget(_rule(inside))
        self._column.addWidget(self.card)
        self._column.addWidget(_rule(inside))
        self._column.addWidget(self.call, 3)
        self._column.addWidget(self._title)
        self._column.addWidget(self.moves, 4)
        self._column.addWidget(self.drawer, 3)
        inside.setMinimumWidth(0)
        self.setWidget(inside)
        model.call_changed.connect(lambda: self._make_room(model.call is not None))
        self._make_room(model.call is not None)
        design().changed.connect(self._restyled)
        self._restyled()

    def _make_room(self, called: bool) -> None:
        """An answer takes room from the moves only while there is one."""
        self._column.setStretchFactor(self.call, 3 if called else 0)

    def put_first(self, widget: QWidget) -> None:
        """Another panel above all others."""
        self._column.insertWidget(0, widget)

    def _restyled(self) -> None:
        scale = design().scale
        gap = scale.gap(1.25)
        self._column.setContentsMargins(gap, gap, gap, gap)
        self._column.setSpacing(scale.gap(1))
        self.setMinimumWidth(90 + scale.px(185))
        self.moves.setMinimumHeight(scale.px(110))
        self.call.answer.setMinimumHeight(scale.px(64))


def _rule(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setFrameShape(QFrame.Shape.HLine)
    line.setFixedHeight(1)
    line.setStyleSheet(f"background:{design().theme.line};border:0;")
    return line
