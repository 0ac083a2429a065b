"""A newcomer with a mouse: from `pinpoint` to a recorded, judged game of the shipped film, typing only two names.

    xvfb-run -a -s "-screen 0 1366x768x24" python -m benchmarks.newcomer [-o FOLDER]

The window runs as `pinpoint` without arguments starts it. Every click is sent through the X server with xdotool, to the
place on the screen where a widget with that name is seen. Home is an empty folder.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QPoint, QTimer
from PyQt6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QListWidget, QMainWindow, QWidget

from assistant.cli.main import main as pinpoint
from assistant.log.game_log import GameLog
from assistant.ui.library import saved_games
from assistant.ui.live_window import LiveWindow
from assistant.ui.setup.window import SetupWindow
from assistant.ui.start_window import StartWindow

_STEP_MS = 120
_PATIENCE_S = 480.0
NAMES = ("Anna", "Ben")


class Newcomer:
    """Does one thing after another, each as soon as it can be seen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clicks = 0
        self.accepted = 0
        self.typed: list[str] = []
        self.done: list[str] = []
        self.failed = ""
        self._began = time.monotonic()
        self._steps: list[tuple[str, Callable[[], bool]]] = [
            ("start window: press Play", lambda: self._press(StartWindow, "Play")),
            ("set-up: choose the film", self._choose_film),
            ("set-up: first name", lambda: self._type("First player", NAMES[0])),
            ("set-up: second name", lambda: self._type("Second player", NAMES[1])),
            ("set-up: wait until the checklist has measured the table", self._measured),
            ("set-up: start the game", lambda: self._press(SetupWindow, "Start the game")),
            ("live: the table is at rest", self._settled),
            ("live: click a piece", lambda: self._click_piece(0)),
            ("live: click another", lambda: self._click_piece(1)),
            ("live: read the call", self._called),
            ("live: the film ends", self._ended),
            ("live: close", self._close_live),
            ("start window again: the game is listed", self._listed),
        ]
        self._waited = 0.0
        self.timer = QTimer()
        self.timer.setInterval(_STEP_MS)
        self.timer.timeout.connect(self._tick)

    def _tick(self) -> None:
        if not self._steps:
            return
        if time.monotonic() - self._began > _PATIENCE_S:
            self.failed = f"gave up at: {self._steps[0][0]}"
            self._steps = []
            self._shoot("gave-up")
            QApplication.closeAllWindows()
            return
        name, step = self._steps[0]
        if step():
            self._shoot(f"{len(self.done):02d}")
            self.done.append(f"{time.monotonic() - self._began:6.1f} s  {name}")
            self._steps.pop(0)
            if not self._steps:
                QApplication.closeAllWindows()

    # --- eyes and hands

    def _window(self, kind: type[QMainWindow]) -> QMainWindow | None:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, kind) and widget.isVisible():
                return widget
        return None

    def _click(self, widget: QWidget, at: QPoint | None = None) -> None:
        place = widget.mapToGlobal(at or widget.rect().center())
        xdotool("mousemove", str(place.x()), str(place.y()), "click", "1")
        self.clicks += 1

    def _press(self, kind: type[QMainWindow], words: str) -> bool:
        window = self._window(kind)
        if window is None:
            return False
        for button in window.findChildren(QAbstractButton):
            if button.isVisible() and button.isEnabled() and button.text() == words:
                self._click(button)
                return True
        return False

    def _choose_film(self) -> bool:
        window = self._window(SetupWindow)
        if not isinstance(window, SetupWindow):
            return False
        sources: QListWidget = window.page.camera.sources
        if not sources.isVisible():
            self._click(window.page.camera.head)
            return False
        for row in range(sources.count()):
            item = sources.item(row)
            if item is not None and "Film" in item.text():
                view = sources.viewport()
                if view is not None:
                    self._click(view, sources.visualItemRect(item).center())
                    return True
        return False

    def _type(self, placeholder: str, text: str) -> bool:
        window = self._window(SetupWindow)
        if not isinstance(window, SetupWindow):
            return False
        for line in window.findChildren(QLineEdit):
            if line.placeholderText() != placeholder:
                continue
            if not line.isVisible():
                return self._reach(window.page.players.head) and self._open(window.page.players.head)
            if not self._reach(line):
                return False
            if not line.hasFocus():
                self._click(line)
                return False
            if line.text() == text:
                self.typed.append(text)
                return True
            if not line.text():
                xdotool("type", "--delay", "30", text)
            return False
        return False

    def _open(self, head: QWidget) -> bool:
        self._click(head)
        return False

    def _reach(self, widget: QWidget) -> bool:
        """Whether a widget is in sight; else turns the mouse wheel over the list it is in."""
        if widget.visibleRegion().boundingRect().contains(widget.rect().center()):
            return True
        window = self._window(SetupWindow)
        if isinstance(window, SetupWindow):
            place = window.page._scroll.mapToGlobal(window.page._scroll.rect().center())
            xdotool("mousemove", str(place.x()), str(place.y()), "click", "5")
        return False

    # --- what is seen

    def _measured(self) -> bool:
        window = self._window(SetupWindow)
        return isinstance(window, SetupWindow) and window.page.start.isEnabled()

    def _settled(self) -> bool:
        window = self._window(LiveWindow)
        return isinstance(window, LiveWindow) and window.settled_once and window.model.revealed is None

    def _click_piece(self, number: int) -> bool:
        window = self._window(LiveWindow)
        if not isinstance(window, LiveWindow) or window.model.moment is None:
            return False
        projection = window.model.projection()
        pieces = [piece for piece in window.model.moment.scene.on_field() if piece.owner]
        owners = list(dict.fromkeys(piece.owner for piece in pieces))
        if projection is None or len(owners) < 2:
            return False
        piece = next(each for each in pieces if each.owner == owners[number])
        x, y = projection.to_picture(np.array([piece.centre]), 2.0)[0].tolist()
        self._click(window.pane.canvas, window.pane.canvas.widget_point(x, y).toPoint())
        return True

    def _called(self) -> bool:
        window = self._window(LiveWindow)
        return isinstance(window, LiveWindow) and window.banner.tone is not None

    def _ended(self) -> bool:
        window = self._window(LiveWindow)
        return isinstance(window, LiveWindow) and window.film_over

    def _close_live(self) -> bool:
        if self._press(LiveWindow, "Accept"):  # what was against the rules waits for an answer
            self.accepted += 1
            return False
        return self._press(LiveWindow, "Close")

    def _listed(self) -> bool:
        window = self._window(StartWindow)
        if not isinstance(window, StartWindow):
            return False
        item = window.games.item(0)
        words = " ".join(label.text() for label in window.findChildren(QLabel))
        return item is not None and all(name in item.text() for name in NAMES) and bool(words)

    def _shoot(self, name: str) -> None:
        screen = QApplication.primaryScreen()
        if screen is not None:
            screen.grabWindow().save(str(self.folder / f"newcomer-{name}.png"))


def xdotool(*words: str) -> None:
    """Sends real events through the X server."""
    subprocess.Popen(["xdotool", *words])


def main() -> int:
    """Runs the newcomer and says what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("-o", type=Path, default=Path(tempfile.gettempdir()) / "pinpoint-newcomer")
    args = parser.parse_args()
    if shutil.which("xdotool") is None or not os.environ.get("DISPLAY"):
        print("newcomer: needs xdotool and a display; see the first lines of this file")
        return 2
    args.o.mkdir(parents=True, exist_ok=True)
    home = Path(tempfile.mkdtemp(prefix="newcomer-"))
    os.environ["HOME"] = str(home)
    os.environ["XDG_CONFIG_HOME"] = str(home / "config")
    os.environ["XDG_DATA_HOME"] = str(home / "data")
    os.environ["LANG"] = "en_GB.UTF-8"
    from assistant.ui.application import application

    application(offscreen_allowed=False)
    newcomer = Newcomer(args.o)
    newcomer.timer.start()
    code = pinpoint([])
    newcomer.timer.stop()
    for line in newcomer.done:
        print(line)
    if newcomer.failed or code != 0:
        print(f"newcomer: {newcomer.failed or f'exit code {code}'}")
        return 1
    (game,) = saved_games()
    with GameLog(game.path) as log:
        states, events = list(log.states()), list(log.events())
        rulings = sum(len(row.records) for state in states for row in log.rulings(state.id))
    kinds = sorted({each.event.type for each in events})
    print(f"{newcomer.clicks} clicks, {newcomer.accepted} violations accepted, typed only {', '.join(newcomer.typed)}")
    print(
        f"recorded {game.path.name}: {len(states)} states, {len(events)} events ({', '.join(kinds)}), {rulings} rulings"
    )
    return 0 if len(states) > 5 and rulings > 0 and newcomer.typed == list(NAMES) else 1


if __name__ == "__main__":
    sys.exit(main())
