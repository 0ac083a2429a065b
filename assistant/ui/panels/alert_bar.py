"""What must not be overlooked, over the table: one bar, the gravest first, with the buttons that answer it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from PyQt6.QtCore import Qt, QVariantAnimation
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import design, icon, icon_size

_PULSE_MS = 900
_PULSES = 6


class Gravity(IntEnum):
    """Which alert is shown where there are several: the greatest."""

    NOTE = 0
    ENDED = 1
    VIOLATION = 2
    DISK = 3


@dataclass(frozen=True, slots=True)
class AlertButton:
    """An answer to an alert."""

    text: str
    icon: str
    run: Callable[[], object]


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that must not be overlooked; a new one of a key takes the old one's place."""

    key: str
    gravity: Gravity
    text: str
    buttons: tuple[AlertButton, ...] = ()


class AlertBar(QFrame):
    """Shows the gravest alert; a violation pulses for a while."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._alerts: dict[str, Alert] = {}
        self._shown: Alert | None = None
        self._glow = 0.0
        self.setObjectName("alerts")
        self._sign = QLabel(self)
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setMinimumWidth(60)
        self.more = QLabel(self)
        self.buttons: list[QPushButton] = []
        self._lines = QVBoxLayout(self)
        self._head = QHBoxLayout()
        self._head.addWidget(self._sign)
        self._head.addWidget(self.text, 1)
        self._head.addWidget(self.more)
        self._row = QHBoxLayout()
        self._row.addStretch(1)
        self._lines.addLayout(self._head)
        self._lines.addLayout(self._row)
        self._pulse = QVariantAnimation(self)
        self._pulse.valueChanged.connect(self._set_glow)
        self._pulse.setDuration(_PULSE_MS)
        self._pulse.setKeyValues([(0.0, 0.0), (0.5, 1.0), (1.0, 0.0)])
        self._pulse.setLoopCount(_PULSES)
        design().changed.connect(self._paint)
        self.hide()

    @property
    def alert(self) -> Alert | None:
        """What is shown."""
        return self._shown

    @property
    def pulsing(self) -> bool:
        """Whether the bar pulses."""
        return self._pulse.state() == QVariantAnimation.State.Running

    def raise_alert(self, alert: Alert) -> None:
        """Shows an alert, or updates the one of the same key."""
        fresh = alert.key not in self._alerts
        if self._alerts.get(alert.key) == alert:
            return
        self._alerts[alert.key] = alert
        self._show()
        if fresh and self._shown is alert and alert.gravity >= Gravity.VIOLATION:
            self._pulse.start()

    def settle(self, key: str) -> None:
        """An alert has been answered or is over."""
        if self._alerts.pop(key, None) is not None:
            self._show()

    def has(self, key: str) -> bool:
        """Whether an alert of that key waits."""
        return key in self._alerts

    def stop(self) -> None:
        """Ends the pulse."""
        self._pulse.stop()

    def _show(self) -> None:
        waiting = sorted(self._alerts.values(), key=lambda alert: -alert.gravity)
        alert = waiting[0] if waiting else None
        if alert is None or alert.gravity < Gravity.VIOLATION:
            self._pulse.stop()
        self._shown = alert
        for button in self.buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.buttons = []
        self.setVisible(alert is not None)
        if alert is None:
            return
        self.text.setText(alert.text)
        self.setAccessibleName(alert.text)
        self.more.setText(say("+{n} more", n=len(waiting) - 1) if len(waiting) > 1 else "")
        self.more.setVisible(len(waiting) > 1)
        for answer in alert.buttons:
            button = QPushButton(answer.text, self)
            button.setProperty("sign", answer.icon)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(answer.run)
            self._row.addWidget(button)
            self.buttons.append(button)
        self._paint()

    def _paint(self) -> None:
        alert = self._shown
        if alert is None:
            return
        theme, scale = design().theme, design().scale
        base = {
            Gravity.NOTE: theme.raised,
            Gravity.ENDED: theme.raised,
            Gravity.VIOLATION: theme.doubt,
            Gravity.DISK: theme.bad,
        }[alert.gravity]
        ink = theme.text if alert.gravity <= Gravity.ENDED else theme.on_signal
        ground = _mixed(base, theme.bad if alert.gravity is Gravity.VIOLATION else "#ffffff", self._glow)
        signs = {
            Gravity.NOTE: "information-outline",
            Gravity.ENDED: "flag-checkered",
            Gravity.VIOLATION: "alert",
            Gravity.DISK: "harddisk-remove",
        }
        self._sign.setPixmap(icon(signs[alert.gravity], ink).pixmap(icon_size() * 1.6))
        size = scale.strong if alert.gravity < Gravity.VIOLATION else scale.px(19)
        self.setStyleSheet(
            f"QFrame#alerts {{ background: {ground}; }} "
            f"QFrame#alerts QLabel {{ color: {ink}; font-size: {size}px; font-weight: 600; background: transparent; }}"
        )
        for button in self.buttons:
            button.setIcon(icon(str(button.property("sign"))))
            button.setIconSize(icon_size())
        self._lines.setContentsMargins(scale.gap(1.5), scale.gap(0.75), scale.gap(1.5), scale.gap(0.75))
        self._lines.setSpacing(scale.gap(0.5) if self.buttons else 0)
        self._row.setSpacing(scale.gap(1))

    def _set_glow(self, glow: object) -> None:
        self._glow = float(glow) if isinstance(glow, float) else 0.0
        self._paint()


def _mixed(first: str, second: str, share: float) -> str:
    a, b = QColor(first), QColor(second)
    parts = ((a.red(), b.red()), (a.green(), b.green()), (a.blue(), b.blue()))
    return QColor(*(round(x + share * (y - x)) for x, y in parts)).name()
