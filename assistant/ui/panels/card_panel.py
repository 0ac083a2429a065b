"""The card of the piece under the pointer."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGroupBox, QLabel, QVBoxLayout, QWidget

from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.panels.wording import chip, muted
from assistant.ui.table_model import TableModel


class CardPanel(QGroupBox):
    """Name, owner, values, tokens, and whether the piece may act."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setTitle(self.tr("The piece"))
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.addWidget(self.text)
        model.hover_changed.connect(self.show_card)
        model.moment_changed.connect(self.show_card)
        model.call_changed.connect(self.show_card)
        self._shown: object = self
        self.show_card()

    def repaint_texts(self) -> None:
        """The same in the colours of now."""
        self._shown = self
        self.show_card()

    def show_card(self) -> None:
        """The card as it is now."""
        moment = self._model.moment
        asked = (self._model.pointing.hover or self._model.pointing.first, moment.scene if moment else None)
        if self._shown == asked:
            return
        self._shown = asked
        card, quiet = self._model.card(), muted(self.palette())
        if card is None or moment is None:
            self.text.setText(f'<span style="color:{quiet}">{escape(self.tr("Point at a piece."))}</span>')
            return
        ink = owner_inks(moment.scene).get(card.owner, Ink.NEUTRAL)
        rows = "".join(
            f'<tr><td style="color:{quiet};padding-right:12px">{escape(name)}</td><td>{escape(value)}</td></tr>'
            for name, value in card.facts
        )
        act = ""
        if card.may_act is not None:
            act = chip(("✓ " if card.may_act else "✗ ") + card.why, Ink.FREE if card.may_act else Ink.CLOSE)
        swatch = f'<span style="color:{colour(ink).name()}">⬤</span>'
        self.text.setText(
            f"<p style='margin:0 0 4px 0'>{swatch} <b>{escape(card.title)}</b> "
            f'<span style="color:{quiet}">{escape(card.owner)} · {escape(card.id)}</span></p>'
            f"<p style='margin:0 0 4px 0'>{act}</p><table>{rows}</table>"
        )
