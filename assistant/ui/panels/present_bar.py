"""Score, round and clocks in one large line, for people who watch from afar."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from assistant.session import Moment
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.panels.play_panel import PlayPanel, in_order

_MOST_PX = 40


class PresentBar(QFrame):
    """Shown over the table in presentation mode."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.left = QLabel(self)
        self.middle = QLabel(self)
        self.right = QLabel(self)
        row = QHBoxLayout(self)
        for label, side in (
            (self.left, Qt.AlignmentFlag.AlignLeft),
            (self.middle, Qt.AlignmentFlag.AlignCenter),
            (self.right, Qt.AlignmentFlag.AlignRight),
        ):
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setAlignment(side)
            label.setWordWrap(True)
            row.addWidget(label, 1)

    def show_game(self, moment: Moment, panel: PlayPanel) -> None:
        """The game as it is now, read off the panel beside the table."""
        if not self.isVisible():
            return
        inks = owner_inks(moment.scene)
        size = min(design().scale.px(26), _MOST_PX)

        def player(identity: str) -> str:
            ink = colour(inks.get(identity, Ink.NEUTRAL)).name()
            score = panel.scores[identity].text() if identity in panel.scores else ""
            clock = panel.clocks[identity].text() if identity in panel.clocks else ""
            return (
                f'<span style="font-size:{size}px"><span style="color:{ink}">⬤</span> {escape(panel.called(identity))} '
                f"<b>{escape(score)}</b>&nbsp;&nbsp;{escape(clock)}</span>"
            )

        players = in_order(moment.scene)
        self.left.setText(player(players[0]) if players else "")
        self.right.setText(player(players[1]) if len(players) > 1 else "")
        phase = str(panel.phase.currentData() or "")
        number = say("Round {n}", n=panel.round.value()) if panel.round.value() else ""
        told = " · ".join(part for part in (number, tell(phase)) if part)
        self.middle.setText(f'<span style="font-size:{size}px">{escape(told)}</span>')
