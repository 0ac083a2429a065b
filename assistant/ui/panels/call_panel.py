"""The answer to what was pointed at or typed."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QCompleter, QGroupBox, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from assistant.ui.overlays.model import Ink
from assistant.ui.panels.wording import chip, muted, ruling_html
from assistant.ui.table_model import TableModel

_SHOWN = 30


class CallPanel(QGroupBox):
    """The call: title, rulings, and a line to type a question into."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.setTitle(self.tr("The call"))
        self.answer = QTextBrowser(self)
        self.answer.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.answer.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.answer.setAccessibleName(self.tr("Answer"))
        self.question = QLineEdit(self)
        self.question.setPlaceholderText(
            self.tr("Type a question, for example: {usage}").format(usage=model.game.questions[0].usage)
        )
        self.question.setAccessibleName(self.tr("Question"))
        completer = QCompleter([question.usage for question in model.game.questions], self.question)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.question.setCompleter(completer)
        self.question.returnPressed.connect(lambda: model.ask_typed(self.question.text()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 8)
        layout.addWidget(self.answer)
        layout.addWidget(self.question)
        model.call_changed.connect(self.show_call)
        self.show_call()

    def repaint_texts(self) -> None:
        """The same in the colours of now."""
        self.show_call()

    def show_call(self) -> None:
        """The answer as it is now."""
        call = self._model.call
        if call is None:
            hint = self.tr(
                "Click a piece: its range bands, reach and lines of sight. Click a second one: the distance between"
                " them. Drag a piece: try a move before making it."
            )
            self.answer.setHtml(f'<p style="color:{muted(self.palette())}">{escape(hint)}</p>')
            return
        frozen = chip(self.tr("frozen"), Ink.MEASURE) + " " if self._model.frozen else ""
        parts = [f'<p style="margin:0 0 6px 0">{frozen}<b>{escape(call.title)}</b></p>']
        parts += [ruling_html(ruling, self.palette()) for ruling in call.rulings[:_SHOWN]]
        if call.hint:
            parts.append(f"<p>{chip('!', Ink.CLOSE)} {escape(call.hint)}</p>")
        self.answer.setHtml("".join(parts))
