"""The switch for other screens: where the game can be opened, as links and as codes to photograph."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QPixmap
from PyQt6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from assistant.ui.catalogue import say
from calibration.errors import InputError

_CODE_PX = 300
_COUNT_MS = 1000


class Served(Protocol):
    """A game that is being served."""

    @property
    def url(self) -> str: ...

    @property
    def watch_link(self) -> str: ...

    @property
    def referee_link(self) -> str: ...

    @property
    def watchers(self) -> int: ...

    @property
    def loopback(self) -> bool: ...

    def qr_png(self, referee: bool = False) -> bytes: ...


class Screens(Protocol):
    """What can be switched on and off."""

    def turn_on(self, network: bool) -> None: ...

    def turn_off(self) -> None: ...

    def ended(self) -> None: ...

    @property
    def server(self) -> Served | None: ...


class ScreensDialog(QDialog):
    """Off, for this computer (a stream), or for everybody in the network (phones)."""

    def __init__(self, screens: Screens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._screens = screens
        self.setWindowTitle(say("On phones and streams"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.choices = QButtonGroup(self)
        top = QVBoxLayout()
        names = (say("Off"), say("On this computer: overlays for a stream"), say("In this network: phones, too"))
        for number, name in enumerate(names):
            button = QRadioButton(name, self)
            self.choices.addButton(button, number)
            top.addWidget(button)
        self.words = QLabel(self)
        self.words.setWordWrap(True)
        self.links = QWidget(self)
        columns = QHBoxLayout(self.links)
        watch, self.watch_code, self.watch_link = self._link(say("To watch"))
        self.referee, self.referee_code, self.referee_link = self._link(say("For the referee alone"))
        self.referee.hide()  # a window that is shown on a stream must not give this one away
        self.reveal = QPushButton(say("Show the referee's link"), self)
        self.reveal.clicked.connect(self.show_referee)
        columns.addWidget(watch)
        columns.addWidget(self.referee)
        columns.addWidget(self.reveal)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setSpacing(14)
        layout.addLayout(top)
        layout.addWidget(self.words)
        layout.addWidget(self.links)
        layout.addWidget(buttons)
        self._counting = QTimer(self)
        self._counting.timeout.connect(self._count)
        self._counting.start(_COUNT_MS)
        self.show_state()
        self.choices.idClicked.connect(self.choose)

    def choose(self, number: int) -> None:
        """Turns the switch; an address that cannot be had is said in the window."""
        try:
            if number:
                self._screens.turn_on(network=number == 2)
            else:
                self._screens.turn_off()
        except InputError as error:
            self._screens.turn_off()
            self.show_state()
            self.words.setText(str(error))
            return
        self.show_state()

    def show_state(self) -> None:
        """The links as they are now."""
        server = self._screens.server
        number = 0 if server is None else 1 if server.loopback else 2
        button = self.choices.button(number)
        if button is not None:
            button.setChecked(True)
        self.links.setVisible(server is not None)
        self._count()
        if server is None:
            self.adjustSize()
            return
        for label, line, link, referee in (
            (self.watch_code, self.watch_link, server.watch_link, False),
            (self.referee_code, self.referee_link, server.referee_link, True),
        ):
            picture = QPixmap()
            picture.loadFromData(server.qr_png(referee))
            label.setPixmap(picture.scaled(_CODE_PX, _CODE_PX, Qt.AspectRatioMode.KeepAspectRatio))
            line.setText(link)
            line.setCursorPosition(0)
        self.adjustSize()

    def show_referee(self) -> None:
        """The referee's link beside the other."""
        self.referee.show()
        self.reveal.hide()
        self.adjustSize()

    def _link(self, title: str) -> tuple[QWidget, QLabel, QLineEdit]:
        """A code with its link below it, and a button that copies the link."""
        column = QWidget(self)
        code = QLabel(self)
        code.setAlignment(Qt.AlignmentFlag.AlignCenter)
        code.setAccessibleName(say("{what}: the link as a code", what=title))
        link = QLineEdit(self)
        link.setReadOnly(True)
        link.setAccessibleName(title)
        copy = QPushButton(say("Copy"), self)
        copy.clicked.connect(lambda: self._copy(link.text()))
        heading = QLabel(f"<b>{title}</b>", self)
        line = QHBoxLayout()
        line.addWidget(link, 1)
        line.addWidget(copy)
        layout = QVBoxLayout(column)
        layout.addWidget(heading, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(code)
        layout.addLayout(line)
        return column, code, link

    def _copy(self, text: str) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)

    def _count(self) -> None:
        server = self._screens.server
        if server is None:
            self.words.setText(say("Nobody else sees the game."))
            return
        self.words.setText(say("{n} watching. Overlays for OBS: {url}", n=server.watchers, url=f"{server.url}overlays"))
