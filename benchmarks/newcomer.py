"""A newcomer with a mouse: from `pinpoint` to a recorded, judged game of a film, typing only two names.

    xvfb-run -a -s "-screen 0 1366x768x24" python -m benchmarks.newcomer [-o FOLDER] [--game G]

Diskwars is the shipped film. Firefight and Conquest are drawn films of figures without rings and cards: the newcomer
marks every base with a click, or every regiment with a drag, three millimetres off.

The window runs as `pinpoint` without arguments starts it. Every click is sent through the X server with xdotool, to the
place on the screen where a widget with that name is seen. Home is an empty folder.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from PyQt6.QtCore import QPoint, QTimer
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QWidget,
)

from assistant.cli.main import main as pinpoint
from assistant.log.game_log import GameLog
from assistant.scene.values import Circle, Rect
from assistant.ui.library import saved_games
from assistant.ui.live_window import LiveWindow
from assistant.ui.setup import cameras
from assistant.ui.setup.brush_panel import size_text
from assistant.ui.setup.marking import Tool
from assistant.ui.setup.window import SetupWindow
from assistant.ui.start_window import StartWindow
from benchmarks.figure_films import Table, frames, regiments, skirmish, unit_of, view_of
from benchmarks.figure_tables import TABLE_MM, Base
from calibration.lens import lens_to_json

_STEP_MS = 120
_PATIENCE_S = 480.0
NAMES = ("Anna", "Ben")
_SEED, _HAPPENINGS = 5, 4  # of a drawn film


class Newcomer:
    """Does one thing after another, each as soon as it can be seen."""

    def __init__(self, folder: Path, game: str = "diskwars", figures: Table | None = None) -> None:
        self.folder = folder
        self._figures = dict(figures or {})
        self.marked = 0
        self.clicks = 0
        self.accepted = 0
        self.typed: list[str] = []
        self.done: list[str] = []
        self.failed = ""
        self._began = time.monotonic()
        self._steps: list[tuple[str, Callable[[], bool]]] = [
            *([("start window: choose the game", lambda: self._choose_game(game))] if figures else []),
            ("start window: press Play", lambda: self._press(StartWindow, "Play")),
            ("set-up: choose the film", self._choose_film),
            ("set-up: first name", lambda: self._type("First player", NAMES[0])),
            ("set-up: second name", lambda: self._type("Second player", NAMES[1])),
            ("set-up: wait until the checklist has measured the table", self._measured),
            *([("set-up: mark the figures", self._mark)] if figures else []),
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

    def _choose_game(self, game: str) -> bool:
        window = self._window(StartWindow)
        if not isinstance(window, StartWindow):
            return False
        tile = window.tiles[game]
        if tile.isChecked():
            return True
        self._click(tile)
        return False

    # --- marking

    def _mark(self) -> bool:
        """One thing after another: the item, a new unit, its size, then its bases or its block."""
        window = self._window(SetupWindow)
        if not isinstance(window, SetupWindow):
            return False
        item, page = window.page.figures, window.page
        if not item.is_open:
            return self._press(SetupWindow, "Mark the figures") and False
        marking = item.marking
        self.marked = len(marking.marks)
        if self.marked >= len(self._figures):
            return True
        names = list(self._figures)
        unit = unit_of(names[self.marked])
        first = unit_of(names[self.marked - 1]) != unit if self.marked else True
        thing = self._figures[names[self.marked]]
        if first and self.marked and marking.marked_of(marking.brush.unit):
            return self._reach(item.brush.new) and self._open(item.brush.new)
        shape = Circle(thing.diameter_mm) if isinstance(thing, Base) else Rect(thing.width_mm, thing.depth_mm)
        if marking.brush.shape != shape:
            return self._reach(item.brush.sizes) and self._choose_size(item.brush.sizes, size_text(shape))
        if isinstance(thing, Base):
            self._click(page.canvas, self._on_canvas(window, thing.x + 3.0, thing.y - 2.0))
            return False
        return self._drag_block(window, [name for name in names if unit_of(name) == unit])

    def _on_canvas(self, window: SetupWindow, x_mm: float, y_mm: float) -> QPoint:
        view = window.page.model.view
        assert view is not None
        x, y = view.board_to_image(np.array([[x_mm, y_mm]]), 3.0)[0].tolist()
        return window.page.canvas.widget_point(x, y).toPoint()

    def _choose_size(self, box: QComboBox, words: str) -> bool:
        """Opens the list, then takes the line with these words."""
        view = box.view()
        if view is None or not view.isVisible():
            self._click(box)
            return False
        lines, port = view.model(), view.viewport()
        if lines is not None and port is not None:
            self._click(port, view.visualRect(lines.index(box.findText(words), 0)).center())
        return False

    def _drag_block(self, window: SetupWindow, names: Sequence[str]) -> bool:
        item = window.page.figures
        if item.marking.tool is not Tool.BLOCK:
            return self._press(SetupWindow, "Block") and False
        stands = [self._figures[name] for name in names]
        facing = math.radians(getattr(stands[0], "facing_deg", 0.0))
        right, forward = np.array([math.cos(facing), math.sin(facing)]), np.array([math.sin(facing), -math.cos(facing)])
        places = np.array([[stand.x, stand.y] for stand in stands])
        ahead = places @ forward
        front = places[ahead > ahead.max() - 30.0]
        across = front @ right
        ends = (front[across.argmin()] - 30 * right, front[across.argmax()] + 30 * right)
        ranks = math.ceil(len(stands) / len(front))
        if item.brush.ranks.value() != ranks or item.brush.stands.value() != len(stands):
            item.brush.ranks.setValue(ranks)
            item.brush.stands.setValue(len(stands))
            return False
        reached = [(end + 30 * forward + 2.0).tolist() for end in ends]
        start, end = (window.page.canvas.mapToGlobal(self._on_canvas(window, x, y)) for x, y in reached)
        middle = (start + end) / 2
        moves = [word for at in (middle, end) for word in ("mousemove", str(at.x()), str(at.y()), "sleep", "0.05")]
        xdotool("mousemove", str(start.x()), str(start.y()), "mousedown", "1", *moves, "mouseup", "1")
        self.clicks += 1
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
    """Sends real events through the X server, and waits until they are sent: on a slow machine none is sent twice."""
    subprocess.run(["xdotool", *words], check=True)


def drawn_film(game: str, folder: Path) -> Table:
    """A film of figures with its camera and table beside it; returns what stands on the table at its beginning."""
    happenings = (regiments(_SEED) if game == "conquest" else skirmish(_SEED))[:_HAPPENINGS]
    view = view_of(_SEED, 20.0)
    folder.mkdir(parents=True, exist_ok=True)
    for index, (_, picture) in enumerate(frames(happenings, view, _SEED)):
        cv2.imwrite(str(folder / f"{index:04d}.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    (folder / "camera.json").write_text(json.dumps(lens_to_json(view.lens)), encoding="utf-8")
    table = {"width_mm": TABLE_MM, "depth_mm": TABLE_MM}
    scene = {"schema": "pinpoint.scene/1", "game": game, "table": table, "pieces": []}
    (folder / "setup.json").write_text(json.dumps(scene), encoding="utf-8")
    return happenings[0].table


def main() -> int:
    """Runs the newcomer and says what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("-o", type=Path, default=Path(tempfile.gettempdir()) / "pinpoint-newcomer")
    parser.add_argument("--game", choices=("diskwars", "firefight", "conquest"), default="diskwars")
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
    figures = None
    if args.game != "diskwars":
        figures = drawn_film(args.game, home / "film")
        cameras.FILM = home / "film"
    newcomer = Newcomer(args.o, args.game, figures)
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
    if figures is not None:
        print(f"{newcomer.marked} of {len(figures)} figures marked")
    print(f"{newcomer.clicks} clicks, {newcomer.accepted} violations accepted, typed only {', '.join(newcomer.typed)}")
    print(
        f"recorded {game.path.name}: {len(states)} states, {len(events)} events ({', '.join(kinds)}), {rulings} rulings"
    )
    least = 5 if figures is None else 2
    return 0 if len(states) > least and rulings > 0 and newcomer.typed == list(NAMES) else 1


if __name__ == "__main__":
    sys.exit(main())
