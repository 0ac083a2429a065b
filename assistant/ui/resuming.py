"""Which log a game is written into: where one is there already, the players are asked whether to go on with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtWidgets import QMessageBox, QPushButton, QWidget

from assistant.log.clock import clock_text
from assistant.log.game_log import GameLog
from assistant.ui.catalogue import say


@dataclass(frozen=True, slots=True)
class LogChoice:
    """The log to write, and whether the game in it goes on."""

    path: Path
    resume: bool


class ResumeDialog(QMessageBox):
    """Offers to go on with the game that a log holds, or to write a new game beside it."""

    def __init__(self, path: Path, game: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = path
        with GameLog(path) as log:
            same = log.settings.game == game
            states = sum(1 for _ in log.states())
            played = clock_text(log.end()[0])
            begun = log.settings.started.replace("T", " ")[:16]
            held = say("a finished game") if log.ended else say("an unfinished game")
        self.setWindowTitle(say("A game is there already"))
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(say("{file} holds {held} of {played}.", file=path.name, held=held, played=played))
        words = [say("{n} settled tables.", n=states)]
        if begun:
            words.append(say("Begun {when}.", when=begun))
        if not same:
            words.append(say("It is another game than the one to be played."))
        self.setInformativeText(" ".join(words))
        self.go_on: QPushButton | None = None
        if same:
            self.go_on = self.addButton(say("Go on with it"), QMessageBox.ButtonRole.AcceptRole)
            self.setDefaultButton(self.go_on)
        self.beside = self.addButton(
            say("New game in {file}", file=free_name(path).name), QMessageBox.ButtonRole.ActionRole
        )
        self.setEscapeButton(self.addButton(QMessageBox.StandardButton.Cancel))

    def choice(self) -> LogChoice | None:
        """What was chosen; None where nothing is to be played."""
        clicked = self.clickedButton()
        if clicked is not None and clicked is self.go_on:
            return LogChoice(self._path, True)
        return LogChoice(free_name(self._path), False) if clicked is self.beside else None


def choose_log(path: Path, game: str, resume: bool) -> LogChoice | None:
    """The log to write: as given where it is new or to be resumed, else as the players choose; None to play nothing."""
    if resume or not path.exists():
        return LogChoice(path, resume)
    dialog = ResumeDialog(path, game)
    try:
        dialog.exec()
        return dialog.choice()
    finally:
        dialog.deleteLater()


def free_name(path: Path) -> Path:
    """The first name beside a log that is free."""
    names = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in range(2, 10_000))
    return next(name for name in names if not name.exists())
