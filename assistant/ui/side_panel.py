"""Everything beside the table, in one column."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from assistant.ui.panels.call_panel import CallPanel
from assistant.ui.panels.card_panel import CardPanel
from assistant.ui.panels.event_feed import EventFeed, EventFeedModel
from assistant.ui.panels.game_panel import GamePanel
from assistant.ui.panels.ruling_list import RulingList
from assistant.ui.panels.stage_panel import StagePanel
from assistant.ui.table_model import TableModel


class SidePanel(QWidget):
    """The game, the call, the piece, the events and the rulings."""

    def __init__(self, model: TableModel, feed: EventFeedModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._coloured: tuple[GamePanel | CallPanel | CardPanel | RulingList, ...] = ()
        self.game = GamePanel(model, self)
        self.stage = StagePanel(model, self)
        self.call = CallPanel(model, self)
        self.card = CardPanel(model, self)
        self.events = EventFeed(feed, self)
        self.rulings = RulingList(model, self)
        self.tabs = QTabWidget(self)
        self.tabs.addTab(self.events, self.tr("Events"))
        self.tabs.addTab(self.rulings, self.tr("Rulings"))
        column = QSplitter(Qt.Orientation.Vertical, self)
        column.addWidget(self.call)
        column.addWidget(self.card)
        column.addWidget(self.tabs)
        column.setSizes([240, 230, 330])
        column.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 0, 4, 4)
        layout.addWidget(self.game)
        layout.addWidget(self.stage)
        layout.addWidget(column)
        self.setMinimumWidth(300)
        self._coloured = (self.game, self.call, self.card, self.rulings)
        for panel in self._coloured:
            panel.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """When the desktop turns dark or light, texts with colours of their own are written anew."""
        if event is not None and event.type() == QEvent.Type.PaletteChange:
            for panel in self._coloured:
                if panel is watched:
                    panel.repaint_texts()
        return super().eventFilter(watched, event)
