"""The first window: which game, and what to do: play, watch the demo, go on, look back, print, use a phone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import cv2
import numpy as np
from PyQt6.QtCore import QSettings, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QIcon, QPixmap
from PyQt6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from assistant.games import GAMES
from assistant.rules.game import GameSystem
from assistant.ui import catalogue
from assistant.ui.catalogue import say
from assistant.ui.design import DARK, LIGHT, TEXT_PERCENTS, design, icon, icon_size, open_on_screen, remember
from assistant.ui.image import to_qimage
from assistant.ui.library import SavedGame, games_folder, saved_games
from assistant.ui.panels.wording import short_name

_SIGNS = {"diskwars": "circle-multiple-outline", "wrath-of-kings": "chess-knight", "firefight": "target-account"}
_HINTS_TO = 125  # per cent: the largest text with which buttons say what they do
_THUMB = (120, 68)


class Wish(Enum):
    """What the players want to do."""

    PLAY = "play"
    DEMO = "demo"
    RESUME = "resume"
    REVIEW = "review"
    KIT = "kit"
    PHONE = "phone"


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, for which game, with which file."""

    wish: Wish
    game: str
    path: Path | None = None


class StartWindow(QMainWindow):
    """Tiles for the games, large buttons for what can be done, and the games that were recorded."""

    left = pyqtSignal()  # something was chosen, or the window was closed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice: Choice | None = None
        self.again = False  # whether to open anew, in another language
        self.setWindowTitle(say("Pinpoint"))
        open_on_screen(self)
        self.tiles: dict[str, QPushButton] = {}
        self.buttons: dict[Wish, QPushButton] = {}
        self.games = QListWidget(self)
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.addLayout(self._head(inside))
        self._column.addWidget(self._quiet(say("1. Choose your game"), inside))
        self._column.addLayout(self._tile_row(inside))
        self._column.addWidget(self._quiet(say("2. Play, or look around"), inside))
        self._column.addLayout(self._button_grid(inside))
        self._column.addWidget(self._quiet(say("Recorded games"), inside))
        self._column.addWidget(self.games, 1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        self.setCentralWidget(scroll)
        self.games.setAccessibleName(say("Recorded games"))
        self.games.setIconSize(QSize(*_THUMB))
        self.games.setWordWrap(True)
        self.games.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self.games.itemActivated.connect(self._open_game)
        self.games.currentRowChanged.connect(lambda _: self._enable())
        design().changed.connect(self._restyled)
        self.fill_games()
        self._restyled()
        self.buttons[Wish.PLAY].setFocus()

    # --- parts

    def _head(self, parent: QWidget) -> QHBoxLayout:
        title, words = QLabel(say("Pinpoint"), parent), QLabel(parent)
        title.setProperty("kind", "title")
        words.setText(say("The camera referee for games with real pieces"))
        words.setProperty("kind", "quiet")
        words.setWordWrap(True)
        self.language = QComboBox(parent)
        self.language.setAccessibleName(say("Language"))
        for code, language in catalogue.languages().items():
            self.language.addItem(language.name, code)
        self.language.setCurrentIndex(max(0, self.language.findData(catalogue.current().code)))
        self.language.activated.connect(self._language)
        self.size_box = QComboBox(parent)
        self.size_box.setAccessibleName(say("Text size"))
        for percent in TEXT_PERCENTS:
            self.size_box.addItem(f"{percent} %", percent)
        self.size_box.setCurrentIndex(max(0, self.size_box.findData(design().scale.percent)))
        self.size_box.activated.connect(lambda: remember(design().theme, int(self.size_box.currentData())))
        self.theme = QPushButton(parent)
        self.theme.setAccessibleName(say("Dark or light colours"))
        self.theme.setToolTip(say("Dark or light colours"))
        self.theme.clicked.connect(self._switch_theme)
        row = QHBoxLayout()
        row.addWidget(title)
        row.addWidget(words, 1)
        for widget in (self.language, self.size_box, self.theme):
            row.addWidget(widget)
        return row

    def _tile_row(self, parent: QWidget) -> QGridLayout:
        grid = QGridLayout()
        group = QButtonGroup(self)
        known = str(QSettings().value("start/game", GAMES[0].id))
        for index, game in enumerate(GAMES):
            tile = QPushButton(f"{short_name(game)}\n{_facts(game)}", parent)
            tile.setProperty("kind", "tile")
            tile.setCheckable(True)
            tile.setChecked(game.id == known or (index == 0 and known not in {each.id for each in GAMES}))
            tile.setAccessibleName(game.name)
            tile.setToolTip(game.name)
            tile.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            group.addButton(tile)
            self.tiles[game.id] = tile
            grid.addWidget(tile, index // 2, index % 2)
        return grid

    def _button_grid(self, parent: QWidget) -> QGridLayout:
        words = {
            Wish.PLAY: (say("Play"), say("Set the table up and play; every game is recorded"), "play"),
            Wish.DEMO: (say("Demo"), say("Watch the game that comes with Pinpoint being judged"), "television-play"),
            Wish.RESUME: (say("Resume"), say("Go on with the chosen game below"), "history"),
            Wish.REVIEW: (say("Review"), say("Look through the chosen game, or a file"), "movie-open-outline"),
            Wish.KIT: (say("Print the kit"), say("Tokens, ruler and a quick start, as a PDF"), "printer-outline"),
            Wish.PHONE: (say("Use a phone as camera"), say("How to send a phone's picture here"), "cellphone"),
        }
        grid = QGridLayout()
        for index, (wish, (name, hint, sign)) in enumerate(words.items()):
            button = QPushButton(name, parent)
            button.setAccessibleName(name)
            button.setToolTip(hint)
            button.setAccessibleDescription(hint)
            button.setProperty("sign", sign)
            button.setProperty("kind", "main" if wish is Wish.PLAY else "tile")
            button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _, wanted=wish: self._wish(wanted))
            self.buttons[wish] = button
            grid.addWidget(button, index // 2, index % 2)
        return grid

    def _quiet(self, text: str, parent: QWidget) -> QLabel:
        label = QLabel(text, parent)
        label.setProperty("kind", "quiet")
        return label

    # --- what is chosen

    @property
    def game(self) -> str:
        """The game whose tile is chosen."""
        return next((identity for identity, tile in self.tiles.items() if tile.isChecked()), GAMES[0].id)

    def fill_games(self) -> None:
        """The games in the documents folder, the newest first."""
        self.games.clear()
        for saved in saved_games():
            item = QListWidgetItem(QIcon(_thumb(saved)), _saved_words(saved), self.games)
            item.setData(Qt.ItemDataRole.UserRole, saved)
        if self.games.count():
            self.games.setCurrentRow(0)
        else:
            item = QListWidgetItem(say("None yet. Games are kept in {folder}.", folder=games_folder()), self.games)
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._enable()

    def saved(self) -> SavedGame | None:
        """The recorded game that is chosen."""
        item = self.games.currentItem()
        found = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        return found if isinstance(found, SavedGame) else None

    def _enable(self) -> None:
        if Wish.RESUME in self.buttons:
            self.buttons[Wish.RESUME].setEnabled(self.saved() is not None)

    def _open_game(self, item: QListWidgetItem) -> None:
        if isinstance(item.data(Qt.ItemDataRole.UserRole), SavedGame):
            self._wish(Wish.REVIEW)

    def _wish(self, wish: Wish) -> None:
        QSettings().setValue("start/game", self.game)
        saved = self.saved()
        if wish is Wish.PHONE:
            PhoneDialog(self).open()
            return
        path = None
        if wish in (Wish.RESUME, Wish.REVIEW) and saved is not None:
            path = saved.path
        elif wish is Wish.REVIEW:
            name, _ = QFileDialog.getOpenFileName(self, say("A recorded game"), "", "(*.pinpoint)")
            if not name:
                return
            path = Path(name)
        elif wish is Wish.KIT:
            suggested = str(games_folder().parent / f"pinpoint-kit-{self.game}.pdf")
            name, _ = QFileDialog.getSaveFileName(self, say("Save the kit"), suggested, "PDF (*.pdf)")
            if not name:
                return
            path = Path(name)
        self.choice = Choice(wish, saved.game if wish is Wish.RESUME and saved is not None else self.game, path)
        self.left.emit()

    # --- the look

    def _switch_theme(self) -> None:
        remember(LIGHT if design().theme is DARK else DARK, design().scale.percent)

    def _language(self) -> None:
        catalogue.remember(str(self.language.currentData()))
        self.again = True
        self.left.emit()

    def _restyled(self) -> None:
        scale, theme = design().scale, design().theme
        gap = scale.gap(3)
        self._column.setContentsMargins(gap, scale.gap(2), gap, scale.gap(2))
        self._column.setSpacing(scale.gap(1.25))
        side = QSize(scale.px(30), scale.px(30))
        for identity, tile in self.tiles.items():
            tile.setIcon(icon(_SIGNS.get(identity, "shield-sword-outline"), theme.accent if theme is DARK else None))
            tile.setIconSize(side)
        for wish, button in self.buttons.items():
            main = wish is Wish.PLAY
            told = scale.percent <= _HINTS_TO and not main  # larger letters have no room for a second line
            hint = f"\n{button.toolTip()}" if told else ""
            button.setText(f"{button.accessibleName()}{hint}")
            policy = QSizePolicy.Policy.Expanding if main else QSizePolicy.Policy.Fixed
            button.setSizePolicy(QSizePolicy.Policy.Ignored, policy)
            button.setIcon(icon(str(button.property("sign")), theme.on_accent if main else None))
            button.setIconSize(icon_size())
        self.theme.setIcon(icon("theme-light-dark"))
        self.theme.setIconSize(icon_size())
        self.games.setMinimumHeight(scale.px(120))
        self.setWindowIcon(icon("crosshairs-gps", theme.accent))

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Nothing was chosen."""
        super().closeEvent(event)
        self.left.emit()


class PhoneDialog(QDialog):
    """How a phone becomes the camera: an app that sends its picture, and its address typed in the set-up."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(say("Use a phone as camera"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = QLabel(self)
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.RichText)
        steps = (
            say("Put the phone above the table, on a shelf or a tripod, so that it sees all four corner tokens."),
            say("Install an app that sends the camera's picture (an “IP camera” app). Use the same Wi-Fi."),
            say("The app shows an address such as http://192.168.0.20:8080/video."),
            say("Press Play here, open “Camera” in the checklist, and type that address."),
        )
        words.setText("<ol>" + "".join(f"<li style='margin-bottom:8px'>{step}</li>" for step in steps) + "</ol>")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        buttons.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.addWidget(words)
        layout.addWidget(buttons)
        self.setMinimumWidth(design().scale.px(420))


def _facts(game: GameSystem) -> str:
    width, depth = (round(side / 304.8) for side in game.table_mm)
    pieces = say("figures") if game.figures else say("disks")
    return f"{width} × {depth} ft · {pieces}"


def _saved_words(saved: SavedGame) -> str:
    game = next((short_name(game) for game in GAMES if game.id == saved.game), saved.game)
    number = say("Round {n}", n=saved.round) if saved.round else say("Before the first round")
    state = say("finished") if saved.ended else say("not finished")
    return f"{saved.path.stem}\n{game} · {number} · {saved.played} · {state}"


def _thumb(saved: SavedGame) -> QPixmap:
    picture = cv2.imdecode(np.frombuffer(saved.jpeg, np.uint8), cv2.IMREAD_REDUCED_COLOR_4) if saved.jpeg else None
    if picture is None:
        blank = QPixmap(*_THUMB)
        blank.fill(Qt.GlobalColor.transparent)
        return blank
    return QPixmap.fromImage(to_qimage(np.asarray(picture, np.uint8))).scaled(
        *_THUMB, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    )
