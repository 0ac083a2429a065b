"""What an engineer wants to know, out of the way: every ruling of the table, and how well it is measured."""

from __future__ import annotations

from dataclasses import replace
from html import escape

from PyQt6.QtWidgets import QTextBrowser, QWidget

from assistant.rules.ruling import Ruling
from assistant.ui.asking import named
from assistant.ui.catalogue import say
from assistant.ui.design import design
from assistant.ui.panels.wording import muted, ruling_html
from assistant.ui.table_model import TableModel


class Drawer(QTextBrowser):
    """The rulings nobody asked for, what is against the rules first, under a line about the measuring."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[object, str] | None = None
        self._words = ""
        self.setAccessibleName(say("Diagnostics"))
        self.setMinimumHeight(90)
        model.moment_changed.connect(self.show_rulings)
        design().changed.connect(self._restyled)
        self.show_rulings()

    def say_measured(self, words: str) -> None:
        """How well the table is measured."""
        if words != self._words:
            self._words = words
            self.show_rulings()

    def _restyled(self) -> None:
        self._shown = None
        self.show_rulings()

    def show_rulings(self) -> None:
        """The rulings as they are now."""
        moment = self._model.moment
        rulings = moment.rulings if moment is not None else ()
        if self._shown is not None and self._shown[0] is rulings and self._shown[1] == self._words:
            return
        self._shown = (rulings, self._words)
        lines = [
            (ruling.kind != "violation", ruling_html(_worded(ruling, self._model), asked=False)) for ruling in rulings
        ]
        told = "".join(html for _, html in sorted(lines, key=lambda line: line[0]))
        head = f'<p style="color:{muted()}">{escape(self._words)}</p>' if self._words else ""
        self.setHtml(head + (told or escape(say("The rules have nothing to say yet."))))


def _worded(ruling: Ruling, model: TableModel) -> Ruling:
    return replace(ruling, sentence=named(ruling.sentence, model.names))
