"""The call along the bottom of the table, readable from two metres: sign, colour and words, who and how sure."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QToolButton, QWidget

from assistant.ui.catalogue import say, tell
from assistant.ui.design import CALL_LEAST_PX, CALL_PX, design, icon, icon_size, sized, text_width
from assistant.ui.table_model import TableModel
from assistant.ui.verdicts import SIGNS, Headline, Tone, headline, is_certain


class CallBanner(QWidget):
    """Shows the headline of the model's call; the button tells the rule and the millimetres."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._headline: Headline | None = None
        self._fitted = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.why = QToolButton(self)
        self.why.setText(say("Why?"))
        self.why.setToolTip(say("The rule and the millimetres"))
        self.why.setCheckable(True)
        self.why.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.why.toggled.connect(self._restyled)
        design().changed.connect(self._restyled)
        model.call_changed.connect(self.show_call)
        self._restyled()
        self.show_call()

    @property
    def tone(self) -> Tone | None:
        """How the call sounds; None where there is none."""
        return self._headline.tone if self._headline else None

    def words(self) -> str:
        """The headline with its sign, or what to do to get one."""
        head = self._headline
        if head is None:
            return say("Click a piece, then another")
        values = {name: tell(value) for name, value in head.values.items()}
        return f"{SIGNS[head.tone]} {say(head.words, **values) if values else say(head.words)}"

    def spoken(self) -> str:
        """The call as a voice says it: without the sign."""
        head = self._headline
        return f"{self.words()[2:]}. {head.who}" if head is not None else ""

    def second_line(self) -> str:
        """Who it is about and how sure it is; with the button also the rule and the millimetres."""
        head, call = self._headline, self._model.call
        if head is None:
            hint = tell(call.hint) if call is not None else ""
            return hint or say("One piece: bands, reach and sight. Two: the distance. Drag one: try a move.")
        parts = [say("Frozen")] if self._model.frozen else []
        parts.append(head.who)
        ruling = head.sure
        if ruling is None:
            return " · ".join(parts)
        parts.append(say("certain") if is_certain(ruling) else say("{n:.1f} % sure", n=100 * ruling.certainty))
        if self.why.isChecked():
            parts += [say("rule {number}", number=ruling.rule)] if ruling.rule else []
            distance = ruling.answer.get("distance_mm")
            parts += [f"{distance:.1f} mm"] if isinstance(distance, int | float) else []
            sigma = ruling.answer.get("sigma_mm")
            if isinstance(sigma, int | float) and sigma > 0:
                parts.append(say("measured to ±{mm:.1f} mm", mm=2 * sigma))
            if ruling.margin_mm is not None:
                parts.append(say("{mm:.1f} mm from changing", mm=ruling.margin_mm))
        return " · ".join(parts)

    def show_call(self) -> None:
        """The call as it is now."""
        call = self._model.call
        self._headline = headline(call, self._model.names) if call is not None else None
        self.why.setVisible(self._headline is not None and self._headline.sure is not None)
        said = f"{self.words()}. {self.second_line()}"
        self.setAccessibleName(said)
        self.setToolTip(said if self._headline else "")
        self.update()

    def headline_px(self) -> int:
        """The size of the headline's letters: as large as its band and the width allow."""
        least, most = CALL_PX
        if self._headline is None:
            return design().scale.px(24)
        window = self.window()
        room = (window.height() if window is not None else 720) / 14
        size = round(min(most, max(least, room)))
        while size > CALL_LEAST_PX and text_width(self.words(), size, True) > self._text_width():
            size -= 1
        return size

    def sizeHint(self) -> QSize:
        """High enough for both lines."""
        scale = design().scale
        band = QFontMetrics(sized(CALL_PX[0], True)).height() + QFontMetrics(sized(scale.strong)).height()
        return QSize(480, band + scale.gap(1.5))

    def minimumSizeHint(self) -> QSize:
        """The same height, however narrow."""
        return QSize(200, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """The band in the colour of the tone, the headline, the second line."""
        del event
        theme, scale = design().theme, design().scale
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.surface))
        colours = {Tone.GOOD: theme.good, Tone.BAD: theme.bad, Tone.DOUBT: theme.doubt, Tone.FACT: theme.raised}
        head = self._headline
        ground = colours[head.tone] if head else theme.surface
        painter.fillRect(self.rect(), QColor(ground))
        on_signal = head is not None and head.tone is not Tone.FACT
        size = self.headline_px()
        gap = scale.gap(1.5)
        low = QFontMetrics(sized(scale.strong)).height() + scale.gap(0.5)
        top = QRectF(gap, 0, self._text_width(), self.height() - low)
        painter.setPen(QColor(theme.on_signal if on_signal else theme.text if head else theme.quiet))
        font = sized(size, True)
        painter.setFont(font)
        words = QFontMetrics(font).elidedText(self.words(), Qt.TextElideMode.ElideRight, int(top.width()))
        painter.drawText(top, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), words)
        small = sized(scale.strong)
        painter.setFont(small)
        painter.setPen(QColor(theme.on_signal if on_signal else theme.quiet))
        below = QRectF(gap, self.height() - low, self._text_width(), low - scale.gap(0.5))
        line = QFontMetrics(small).elidedText(self.second_line(), Qt.TextElideMode.ElideRight, int(below.width()))
        painter.drawText(below, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), line)
        painter.end()

    def resizeEvent(self, event: object) -> None:
        """Keeps the button at the right."""
        del event
        self._place_button()

    def _text_width(self) -> int:
        used = self.why.width() + design().scale.gap(1) if self.why.isVisibleTo(self) else 0
        return max(60, self.width() - 2 * design().scale.gap(1.5) - used)

    def _place_button(self) -> None:
        self.why.adjustSize()
        gap = design().scale.gap(1.5)
        self.why.move(self.width() - self.why.width() - gap, (self.height() - self.why.height()) // 2)

    def _restyled(self) -> None:
        self.why.setIcon(icon("help-circle-outline", design().theme.on_accent if self.why.isChecked() else None))
        self.why.setIconSize(icon_size())
        self._place_button()
        self.updateGeometry()
        self.show_call()
