"""Asking in words, and the whole answer to what was pointed at or typed."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QStringListModel, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QCompleter, QLineEdit, QSizePolicy, QTextBrowser, QVBoxLayout, QWidget

from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon
from assistant.ui.panels.wording import chip, ruling_html
from assistant.ui.phrasing import suggestions
from assistant.ui.table_model import TableModel

_SHOWN = 30


class QuestionLine(QLineEdit):
    """A line to type a question into: completes names and questions, the arrow keys go through earlier ones."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._back = 0  # how far back in the history
        self._offered = QStringListModel(self)
        completer = QCompleter(self._offered, self)
        completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setMaxVisibleItems(8)
        self.setCompleter(completer)
        self.setClearButtonEnabled(True)
        self.setAccessibleName(say("Question"))
        self.setPlaceholderText(say("Ask: range falcon wolves"))
        self.setToolTip(say("For example: can falcon see wolves · how far is falcon from wolves · who is pinned"))
        self.textEdited.connect(self._offer)
        self.returnPressed.connect(self._ask)

    def offered(self) -> list[str]:
        """The lines offered now."""
        return self._offered.stringList()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """The arrow keys go through earlier questions while nothing is offered."""
        completer = self.completer()
        popup = completer.popup() if completer is not None else None
        if event is None or (popup is not None and popup.isVisible()):
            super().keyPressEvent(event)
            return
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}
        if event.key() in steps and self._model.history:
            self._back = min(len(self._model.history), max(0, self._back + steps[Qt.Key(event.key())]))
            self.setText(self._model.history[-self._back] if self._back else "")
            return
        super().keyPressEvent(event)

    def _offer(self, text: str) -> None:
        self._back = 0
        table = self._model.table()
        if table is not None:
            self._offered.setStringList(suggestions(text, table.game, table.scene, table.names))

    def _ask(self) -> None:
        if self.text().strip():
            self._back = 0
            self._model.ask_typed(self.text().strip())
            self.selectAll()


class CallPanel(QWidget):
    """The question line, and every ruling of the call below it."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.question = QuestionLine(model, self)
        self.answer = QTextBrowser(self)
        self.answer.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.answer.setAccessibleName(say("Answer"))
        self.answer.setMinimumHeight(72)
        self.answer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._lens = self.question.addAction(icon("magnify"), QLineEdit.ActionPosition.LeadingPosition)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.question)
        layout.addWidget(self.answer, 1)
        model.call_changed.connect(self.show_call)
        design().changed.connect(self._restyled)
        self.show_call()

    def _restyled(self) -> None:
        if self._lens is not None:
            self._lens.setIcon(icon("magnify"))
        self.show_call()

    def show_call(self) -> None:
        """The answer as it is now."""
        call = self._model.call
        self.answer.setVisible(call is not None)
        if call is None:
            self.answer.clear()
            return
        frozen = chip(say("frozen"), design().theme.accent) + " " if self._model.frozen else ""
        parts = [f'<p style="margin:0 0 6px 0">{frozen}<b>{escape(call.title)}</b></p>']
        parts += [ruling_html(ruling) for ruling in call.rulings[:_SHOWN]]
        if call.hint:
            parts.append(f"<p>{chip('!', design().theme.doubt)} {escape(tell(call.hint))}</p>")
        self.answer.setHtml("".join(parts))
