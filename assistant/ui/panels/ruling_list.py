"""All that the rules say by themselves, in words; violations stand first, as information."""

from __future__ import annotations

from dataclasses import replace

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QTextBrowser, QWidget

from assistant.rules.ruling import Ruling
from assistant.ui.asking import named
from assistant.ui.panels.wording import ruling_html
from assistant.ui.table_model import TableModel


class RulingList(QTextBrowser):
    """The rulings of the present scene."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[Ruling, ...] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(self.tr("Rulings"))
        self.setPlaceholderText(self.tr("The rules have nothing to say yet."))
        model.moment_changed.connect(self.show_rulings)
        self.show_rulings()

    def repaint_texts(self) -> None:
        """The same in the colours of now."""
        self._shown = None
        self.show_rulings()

    def show_rulings(self) -> None:
        """The rulings as they are now."""
        moment = self._model.moment
        if moment is None or moment.rulings is self._shown:
            return
        self._shown = moment.rulings
        lines = [
            (ruling.kind != "violation", ruling_html(_worded(ruling, self._model), self.palette(), asked=False))
            for ruling in moment.rulings
        ]
        self.setHtml("".join(html for _, html in sorted(lines, key=lambda line: line[0])))


def _worded(ruling: Ruling, model: TableModel) -> Ruling:
    return replace(ruling, sentence=named(ruling.sentence, model.names))
