"""The piece under the pointer: its face, its owner, its values, and whether it may act."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from assistant.ui.catalogue import say, tell
from assistant.ui.design import design
from assistant.ui.faces import face_pixmap
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.panels.wording import chip, muted
from assistant.ui.table_model import TableModel

_FACE_PX = 64
_FACTS = 7


class CardPanel(QWidget):
    """One glance at a piece."""

    def __init__(
        self, model: TableModel, options: Callable[[str], list[str]] | None = None, parent: QWidget | None = None
    ) -> None:
        """`options` tells what a piece may do now, where the game's course knows it."""
        super().__init__(parent)
        self._model = model
        self._options = options
        self.face = QLabel(self)
        self.face.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.face.setAccessibleName(say("Its face"))
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.MinimumExpanding)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.face)
        layout.addWidget(self.text, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        model.hover_changed.connect(self.show_card)
        model.moment_changed.connect(self.show_card)
        model.call_changed.connect(self.show_card)
        design().changed.connect(self._restyled)
        self._shown: object = self
        self.show_card()

    def _restyled(self) -> None:
        self._shown = self
        self.show_card()

    def show_card(self) -> None:
        """The card as it is now."""
        moment = self._model.moment
        asked = (self._model.pointing.hover or self._model.pointing.first, moment.scene if moment else None)
        if self._shown == asked:
            return
        self._shown = asked
        card, quiet = self._model.card(), muted()
        if card is None or moment is None:
            self.face.clear()
            self.face.hide()
            self.text.setText(
                f'<span style="color:{quiet}">{escape(say("Point at a piece to see its values."))}</span>'
            )
            return
        side = design().scale.px(_FACE_PX)
        picture = face_pixmap(self._model.picture, moment.view, moment.scene.piece(card.id), side)
        self.face.setPixmap(picture if picture is not None else QPixmap())
        self.face.setVisible(picture is not None)
        ink = owner_inks(moment.scene).get(card.owner, Ink.NEUTRAL)
        facts = " · ".join(
            f'<span style="color:{quiet}">{escape(tell(name))}</span>&nbsp;{escape(tell(value))}'
            for name, value in card.facts[:_FACTS]
        )
        act = ""
        theme = design().theme
        if card.may_act is not None:
            act = chip(("✓ " if card.may_act else "✗ ") + tell(card.why), theme.good if card.may_act else theme.doubt)
        offered = self._options(card.id) if self._options is not None else []
        may = f"<p style='margin:2px 0 0 0'>{escape(', '.join(offered))}</p>" if offered else ""
        swatch = f'<span style="color:{colour(ink).name()}">⬤</span>'
        self.text.setText(
            f"<p style='margin:0 0 2px 0'>{swatch} <b>{escape(card.title)}</b> "
            f'<span style="color:{quiet}">{escape(card.owner)}</span></p>'
            f"<p style='margin:0 0 2px 0'>{act}</p><p style='margin:0'>{facts}</p>{may}"
        )
