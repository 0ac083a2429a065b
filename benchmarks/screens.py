"""Every screen of the window as a picture, in every size, theme and text size, with its texts checked.

    QT_QPA_PLATFORM=offscreen python -m benchmarks.screens [-o FOLDER] [--only NAME,NAME] [--quick]

A text is clipped when its widget is smaller than the text needs, and overlaps when two widgets with texts that are not
inside one another share pixels. The command ends with 1 where any is.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, product
from pathlib import Path
from unittest.mock import patch

from PyQt6.QtCore import QCoreApplication, QPoint, QRect, QSettings, QSize, Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
    QWidget,
)

from assistant.games import GAMES
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.log.writer import Health, LogWriter
from assistant.scene.values import Circle, Player, Rect, Table
from assistant.session import Moment, TableSetting, rulings_of
from assistant.session.history import Happening
from assistant.session.marking import Brush, Marks, marks_scene, units_in, with_base
from assistant.session.referee import Referee, Update
from assistant.ui.application import application
from assistant.ui.correcting import CorrectionDialog
from assistant.ui.design import THEMES, design
from assistant.ui.live_window import LiveWindow
from assistant.ui.review import ReviewWindow
from assistant.ui.setup import model as setup_model
from assistant.ui.setup.looking import (
    FiguresFound,
    TerrainFound,
    TokenSighting,
    field_corners,
    see_pieces,
    see_tokens,
)
from assistant.ui.setup.model import Opener
from assistant.ui.setup.profile import TableProfile
from assistant.ui.setup.window import SetupWindow
from assistant.ui.start_window import PhoneDialog, StartWindow
from benchmarks.figure_tables import TABLE_MM, Base, Picture, Stand, draw
from calibration.lens import read_lens
from tests.assistant.ui import table
from tests.assistant.ui.test_fix_first import broken_move
from vision.camera.live import SourceItem
from vision.camera.source import FrameSource
from vision.look.pieces import Pieces
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

SIZES = ((1280, 720), (1366, 768), (1920, 1080))
PERCENTS = (100, 200)
ITEMS = ("players", "pieces", "camera", "size_item", "lens", "terrain")
SLACK_PX = 2  # a letter may reach this far over its box before it is cut


@dataclass(frozen=True, slots=True)
class Fault:
    """A text that cannot be read."""

    screen: str
    what: str


Maker = Callable[[Path], QWidget]


def start(folder: Path) -> QWidget:
    """The first window, with a game that was recorded."""
    path = folder / "games" / "2026-11-17 19.30 Anna against Ben.pinpoint"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        logged(path)
    return StartWindow()


def phone(folder: Path) -> QWidget:
    """How a phone becomes the camera."""
    del folder
    return PhoneDialog()


def set_up(folder: Path, item: str = "players") -> QWidget:
    """The set-up over the bundled game, one item open."""
    del folder
    setting = table.setting()
    known = TableProfile(
        str(table.GAME),
        "diskwars",
        read_lens(table.GAME / "camera.json"),
        table.SAMPLES / "tables" / "roster.json",
        (),
        setting.terrain,
        setting.players,
    )

    def opener(address: str) -> FrameSource:
        del address
        source = table.ListSource()
        source.give(Frame(table.picture(0), 0, 0.0))
        return source

    with patch.object(setup_model, "see_pieces", _pieces_seen), patch.object(setup_model, "see_tokens", _tokens_seen):
        return _set_up_window(known, opener, item)


@cache
def _pieces_once() -> TableSighting:
    view = table.view(0)
    return see_pieces(Frame(table.picture(0), 0, 0.0), view, Pieces(table.roster().sizes_mm(), table.roster()))


def _pieces_seen(*_seen: object) -> TableSighting:
    """The bundled picture is looked at once: every screen shows the same pieces."""
    return _pieces_once()


@cache
def _tokens_once() -> TokenSighting:
    lens = read_lens(table.GAME / "camera.json")
    return see_tokens(Frame(table.picture(0), 0, 0.0), (914.4, 914.4), lens)


def _tokens_seen(*_seen: object) -> TokenSighting:
    return _tokens_once()


def _set_up_window(known: TableProfile, opener: Opener, item: str) -> QWidget:
    window = SetupWindow(known, opener, synchronous=True)
    for name, typed in zip(window.page.players.names, ("Anna", "Ben"), strict=True):
        name.setText(typed)
    settle(lambda: window.page.model.sighting is not None)
    getattr(window.page, item).set_open(True)
    return window


def figures(folder: Path, game: str = "firefight") -> QWidget:
    """The set-up of a game with figures: bases or stands are being marked, one of them doubtful."""
    del folder
    drawn = _figures_drawn(game)
    known = TableProfile(
        "0", game, drawn.view.lens, table_mm=(TABLE_MM, TABLE_MM), corners_px=field_corners(drawn.view)
    )

    def opener(address: str) -> FrameSource:
        del address
        source = table.ListSource()
        source.give(Frame(drawn.bgr, 0, 0.0))
        return source

    with (
        patch.object(setup_model, "see_figures", lambda *_: FiguresFound(())),
        patch.object(setup_model, "see_terrain", lambda *_: TerrainFound(())),
    ):
        window = SetupWindow(known, opener, synchronous=True)
        for name, typed in zip(window.page.players.names, ("Anna", "Ben"), strict=True):
            name.setText(typed)
        settle(lambda: window.page.model.figures is not None)
    marking = window.page.figures.marking
    marking.marks = marks_of_drawn(game)
    marking.choose_brush(units_in(marking.marks)[-1].brush)
    window.page.figures.set_open(True)
    return window


@cache
def _figures_drawn(game: str) -> Picture:
    bases = tuple(
        Base(
            200.0 + 60 * (n % 5), 240.0 + 70 * (n // 5) + (360 if n > 9 else 0), 32.0, "red" if n < 10 else "blue", 26.0
        )
        for n in range(15)
    )
    stands = tuple(
        Stand(300 + 60.2 * (n % 3), 330.0 - 60.2 * (n // 3), 60.0, 60.0, 180.0, "red", 24.0) for n in range(6)
    ) + tuple(Stand(500 + 60.2 * n, 640.0, 60.0, 60.0, 0.0, "blue", 24.0) for n in range(3))
    if game == "conquest":
        return draw(41, 22.0, stands=stands, aided=False, ground="marble")
    return draw(41, 22.0, bases=bases, aided=False, ground="marble")


def marks_of_drawn(game: str) -> Marks:
    """What stands on a drawn table, as it is marked; the second is doubtful."""
    drawn = _figures_drawn(game)
    marks: Marks = ()
    things: list[Base | Stand] = [*drawn.bases, *drawn.stands]
    for number, thing in enumerate(things):
        shape = Circle(thing.diameter_mm) if isinstance(thing, Base) else Rect(thing.width_mm, thing.depth_mm)
        unit, owner = ("Wolves", "second") if thing.colour == "red" else ("B", "first")
        facing = 0.0 if isinstance(thing, Base) else thing.facing_deg
        marks = with_base(marks, Brush(shape, unit, owner), (thing.x, thing.y), facing)
        if number == 1:
            marks = (*marks[:-1], replace(marks[-1], extra={"doubtful": True}))
    return marks


class StillSession(table.TruthSession):
    """Follows a drawn table on which nothing moves."""

    def __init__(self, setting: TableSetting) -> None:
        super().__init__()
        drawn = _figures_drawn(setting.game.id)
        scene = replace(
            marks_scene(setting.marks, setting.game.id, Table(TABLE_MM, TABLE_MM), setting.players), round=1
        )
        scene = replace(scene, round=1)
        self._moment = Moment(0, 0.0, scene, rulings_of(scene, setting), drawn.view, state_frame=0, new_state=True)

    def update(self, item: SourceItem) -> Moment:
        """The same moment."""
        del item
        return self._moment


def live_figures(folder: Path, game: str) -> QWidget:
    """A live table of a game with figures, two of them asked about."""
    players = (Player("first", "south", 1, {"name": "Anna"}), Player("second", "north", 2, {"name": "Ben"}))
    system = next(each for each in GAMES if each.id == game)
    setting = TableSetting(system, players, marks=marks_of_drawn(game))
    source, session = table.ListSource(), StillSession(setting)
    path = folder / "2026-11-17 19.30 Anna against Ben.pinpoint"
    window = LiveWindow(source, Referee(session, setting), setting, True, recording=path)
    window.feed_item(Frame(_figures_drawn(game).bgr, 0, 0.0))
    window.model.click("B-1")
    window.model.click("Wolves-3")
    return window


def corners(folder: Path) -> QWidget:
    """Four clicks for the corners of a table without tokens; three are there."""
    window = set_up(folder, "tokens")
    assert isinstance(window, SetupWindow)
    item = window.page.tokens
    item.by_hand.setChecked(True)
    for corner in field_corners(table.view(0))[:3]:
        item.click(corner)
    return window


def live(folder: Path) -> LiveWindow:
    """A live table."""
    window = LiveWindow(
        table.ListSource(),
        Referee(table.TruthSession(), table.setting()),
        table.setting(),
        True,
        recording=folder / "2026-11-17 19.30 Anna against Ben.pinpoint",
    )
    window.feed_item(table.frame(0))
    window.feed_item(table.frame(1, 30))
    return window


def piece(folder: Path) -> QWidget:
    """One piece clicked."""
    window = live(folder)
    window.model.click("d12")
    return window


def pair(folder: Path) -> QWidget:
    """Two pieces clicked."""
    window = live(folder)
    window.model.click("d11")
    window.model.click("d08")
    window.banner.why.setChecked(True)
    return window


def violation(folder: Path) -> QWidget:
    """A move against the rules."""
    window = live(folder)
    happening = broken_move()
    assert window.model.moment is not None
    moment = replace(window.model.moment, scene=happening.after.scene, new_state=True)
    window._updated(0, Update(moment, (happening,), 0, Health()))
    window.alerts.stop()
    return window


def full_disk(folder: Path) -> QWidget:
    """A game that cannot be saved."""
    window = live(folder)
    assert window.model.moment is not None
    window._updated(0, Update(window.model.moment, (), 0, Health(3, 0, "No space left on device")))
    window.alerts.stop()
    return window


def back(folder: Path) -> QWidget:
    """Looking back at a move."""
    window = live(folder)
    happening = window.feed.happening(window.feed.rowCount() - 1)
    assert isinstance(happening, Happening)
    window.looking_back.look_back(happening)
    return window


def present(folder: Path) -> QWidget:
    """Presentation mode."""
    window = live(folder)
    window.model.click("d12")
    window.model.click("d08")
    window.present(True)
    return window


def drawer(folder: Path) -> QWidget:
    """The diagnostics."""
    window = live(folder)
    window.show_drawer(True)
    return window


def correct(folder: Path) -> QWidget:
    """Putting a reading right."""
    window = live(folder)
    assert window.model.moment is not None
    dialog = CorrectionDialog(
        window.model, window.model.moment.scene, "d05", (0.0, 0.0), table.roster().profiles, window
    )
    dialog.setWindowFlag(Qt.WindowType.Popup, False)
    return dialog


def review(folder: Path) -> QWidget:
    """A finished game."""
    path = folder / "review.pinpoint"
    if not path.exists():
        logged(path)
    window = ReviewWindow(GameLog(path), synchronous=True)
    window.show_chapter(2)
    return window


SCREENS: dict[str, Maker] = {
    "start": start,
    "phone": phone,
    **{f"set-up-{item}": partial(set_up, item=item) for item in ITEMS},
    "set-up-figures": figures,
    "set-up-stands": partial(figures, game="conquest"),
    "set-up-corners": corners,
    "live": live,
    **{f"figures-{game.id}": partial(live_figures, game=game.id) for game in GAMES if game.figures},
    "piece": piece,
    "pair": pair,
    "violation": violation,
    "full-disk": full_disk,
    "back": back,
    "present": present,
    "drawer": drawer,
    "correct": correct,
    "review": review,
}


def logged(path: Path) -> None:
    """A short game in a log."""
    referee = Referee(table.TruthSession(), table.setting(), LogWriter.create(path, Settings(game="diskwars")))
    for state in range(4):
        referee.update(table.frame(state, 30 * state))
    referee.close()


def settle(done: Callable[[], bool] = lambda: True, rounds: int = 400) -> None:
    """Lets Qt lay everything out, and waits for something."""
    for _ in range(rounds):
        QCoreApplication.processEvents()
        if done():
            break
    for _ in range(3):
        QCoreApplication.processEvents()


@contextmanager
def shown(make: Maker, folder: Path, size: tuple[int, int]) -> Iterator[QWidget]:
    """A screen in its size, closed afterwards."""
    screen = make(folder)
    top = screen.parentWidget() if isinstance(screen, CorrectionDialog) else None
    if not isinstance(screen, QDialog):
        screen.showNormal()
        screen.resize(QSize(*size))
    screen.show()
    settle()
    if isinstance(screen, QDialog):
        screen.adjustSize()
        settle()
    try:
        yield screen
    finally:
        screen.close()
        if top is not None:
            top.close()
            top.deleteLater()
        screen.deleteLater()
        settle()


def texts(screen: QWidget) -> list[tuple[QWidget, str]]:
    """Every visible widget that shows a text of its own."""
    found: list[tuple[QWidget, str]] = []
    for widget in screen.findChildren(QWidget):
        if not widget.isVisible() or widget.window() is not screen or widget.visibleRegion().isEmpty():
            continue
        text = ""
        if (isinstance(widget, QLabel) and widget.pixmap().isNull()) or isinstance(
            widget, QPushButton | QCheckBox | QToolButton
        ):
            text = widget.text()
        elif isinstance(widget, QComboBox):
            text = widget.currentText()
        if text:
            found.append((widget, text))
    return found


def clipped(widget: QWidget, text: str) -> str:
    """Why a text does not fit into its widget, or nothing."""
    if isinstance(widget, QLabel):
        if widget.wordWrap():
            needed = widget.heightForWidth(widget.width())
            if needed > widget.height() + SLACK_PX:
                return f"needs {needed} px of height, has {widget.height()}"
            return ""
        needed = widget.sizeHint().width()
    elif isinstance(widget, QComboBox):
        letters = QFontMetrics(widget.font()).horizontalAdvance(text)
        inside = widget.width() - QFontMetrics(widget.font()).height()
        return f"needs {letters} px, has {inside}" if letters > inside + SLACK_PX else ""
    elif isinstance(widget, QAbstractButton):
        needed = widget.sizeHint().width()
        if widget.property("kind") in ("tile", "main"):
            widest = max(QFontMetrics(widget.font()).horizontalAdvance(line) for line in text.split("\n"))
            needed = widest + widget.iconSize().width()
    else:
        return ""
    if needed > widget.width() + SLACK_PX:
        return f"needs {needed} px, has {widget.width()}"
    metrics = QFontMetrics(widget.font())
    lines = text.count("\n") + 1
    if metrics.height() * lines > widget.height() + SLACK_PX + lines:
        return f"needs {metrics.height() * lines} px of height, has {widget.height()}"
    return ""


def seen_rect(screen: QWidget, widget: QWidget) -> QRect:
    """The part of a widget that is in sight, in the screen's pixels."""
    region = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(screen, region.topLeft()), region.size())


def out_of_sight(screen: QWidget, widget: QWidget) -> bool:
    """Whether a widget is cut by its window and no scroll area can bring it into sight."""
    parent = widget.parentWidget()
    while parent is not None and parent is not screen:
        if isinstance(parent, QScrollArea):
            inside = parent.viewport()
            left = widget.mapTo(parent, QPoint(0, 0)).x() if inside is not None else 0
            return left < 0 or left + widget.width() > parent.width() + SLACK_PX
        parent = parent.parentWidget()
    box = QRect(widget.mapTo(screen, QPoint(0, 0)), widget.size())
    return not screen.rect().adjusted(-SLACK_PX, -SLACK_PX, SLACK_PX, SLACK_PX).contains(box)


def faults_of(name: str, screen: QWidget) -> list[Fault]:
    """What cannot be read on a screen."""
    found = []
    widgets = texts(screen)
    for widget, text in widgets:
        plain = text if "<" not in text else "rich text"
        why = clipped(widget, text)
        if why:
            found.append(Fault(name, f"clipped {type(widget).__name__} {plain[:50]!r}: {why}"))
        if out_of_sight(screen, widget):
            found.append(Fault(name, f"out of sight {type(widget).__name__} {plain[:50]!r}"))
    for (first, a), (second, b) in combinations(widgets, 2):
        if first.isAncestorOf(second) or second.isAncestorOf(first):
            continue
        shared = seen_rect(screen, first) & seen_rect(screen, second)
        if shared.width() > SLACK_PX and shared.height() > SLACK_PX and not _over(first) and not _over(second):
            found.append(Fault(name, f"overlapping {a[:30]!r} and {b[:30]!r}"))
    for line in screen.findChildren(QLineEdit):
        if line.isVisible() and line.height() < QFontMetrics(line.font()).height():
            found.append(Fault(name, f"low line {line.accessibleName()!r}"))
    return found


def _over(widget: QWidget) -> bool:
    """Whether a widget lies over the picture on purpose (a toast, the progress)."""
    parent: QWidget | None = widget
    while parent is not None:
        if type(parent).__name__ in ("Toast", "Progress"):
            return True
        parent = parent.parentWidget()
    return False


def main() -> int:
    """Draws the screens and says what is wrong with them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("-o", type=Path, default=Path(tempfile.gettempdir()) / "pinpoint-screens")
    parser.add_argument("--only", default="", help="screens whose name has one of these parts, with commas between")
    parser.add_argument("--quick", action="store_true", help="the smallest screen, dark, both text sizes")
    args = parser.parse_args()
    args.o.mkdir(parents=True, exist_ok=True)
    app = application(offscreen_allowed=True)
    assert isinstance(app, QApplication)
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(args.o / "settings"))
    QSettings().setValue("games/folder", str(args.o / "games"))
    QSettings().setValue("table/profile", str(args.o / "table.json"))
    QSettings().setValue("voice/muted", "true")
    sizes, themes = (SIZES[:1], list(THEMES.values())[:1]) if args.quick else (SIZES, list(THEMES.values()))
    faults: list[Fault] = []
    count = 0
    for size, theme, percent in product(sizes, themes, PERCENTS):
        design().choose(theme, percent)
        for name, make in SCREENS.items():
            if args.only and not any(part in name for part in args.only.split(",")):
                continue
            where = f"{name}-{size[0]}x{size[1]}-{theme.name}-{percent}"
            with shown(make, args.o, size) as screen:
                found = faults_of(where, screen)
                if not isinstance(screen, QDialog) and (screen.width(), screen.height()) != size:
                    found.append(Fault(where, f"opens at {screen.width()}x{screen.height()}, not {size}"))
                screen.grab().save(str(args.o / f"{where}.png"))
                count += 1
            faults += found
            for fault in found:
                print(f"{fault.screen}: {fault.what}", flush=True)
    print(f"{count} screens in {args.o}, {len(faults)} texts that are clipped, hidden or overlap")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
