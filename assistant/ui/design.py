"""Every design token of the window: colours, type scale, spacing, icons, and the style sheet made from them.

Nothing else in the window names a colour, a font size or a margin. Colours that carry a meaning are told apart by
lightness as well as by hue, so they stay apart for eyes that lack red or green, and a sign stands beside each.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import qtawesome
from PyQt6.QtCore import QObject, QSettings, QSize, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QFontMetrics, QGuiApplication, QIcon, QPalette
from PyQt6.QtWidgets import QApplication, QWidget

from assistant.ui.overlays.model import Ink

_SIGNS: Final = Path(__file__).parent / "signs"
TEXT_PERCENTS: Final = (100, 125, 150, 175, 200)
SCREEN_SHARE: Final = 0.9  # of the screen that a window opens at
OFFSCREEN_SIZE: Final = (1366, 768)  # of a picture that is drawn without a screen
LEAST_SIZE: Final = (1280, 720)  # the smallest screen every window fits on
SIDE_SHARE: Final = 0.25  # of the width that the panels beside the table take
FAMILIES: Final = ("Inter", "Segoe UI", "Noto Sans", "DejaVu Sans")


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of the window in one brightness, as #rrggbb."""

    name: str
    ground: str  # behind everything
    surface: str  # panels
    raised: str  # buttons, fields
    line: str
    text: str
    quiet: str  # text beside the point
    accent: str
    on_accent: str
    good: str
    bad: str
    doubt: str
    on_signal: str  # text on good, bad and doubt


DARK: Final = Theme(
    "dark", "#11151a", "#1a2027", "#262f39", "#3a4653", "#f1f4f7", "#a9b5c1",
    "#5ab8ff", "#06121c", "#35e0a1", "#ff7a66", "#ffe45c", "#0b1015",
)  # fmt: skip
LIGHT: Final = Theme(
    "light", "#eef1f4", "#ffffff", "#e3e8ed", "#b9c4cf", "#12171c", "#4c5863",
    "#0b63b5", "#ffffff", "#7fe6c0", "#ff9d8e", "#ffe45c", "#0b1015",
)  # fmt: skip
THEMES: Final = {theme.name: theme for theme in (DARK, LIGHT)}


@dataclass(frozen=True, slots=True)
class Scale:
    """The type scale and the spacing grid in pixels, at one text size."""

    percent: int = 100

    def px(self, size: float) -> int:
        """A length that grows with the text."""
        return round(size * self.percent / 100)

    @property
    def small(self) -> int:
        """Remarks."""
        return self.px(12)

    @property
    def body(self) -> int:
        """Ordinary text."""
        return self.px(14)

    @property
    def strong(self) -> int:
        """What matters in a panel."""
        return self.px(17)

    @property
    def title(self) -> int:
        """The heading of a window."""
        return self.px(26)

    @property
    def figure(self) -> int:
        """Scores and clocks."""
        return self.px(24)

    @property
    def icon(self) -> int:
        """The side of an icon."""
        return self.px(18)

    def gap(self, steps: float = 1.0) -> int:
        """Steps of the spacing grid; space grows more slowly than text, or nothing fits on a small screen."""
        return round(8 * steps * (1 + (self.percent - 100) / 300))


# On the table: the same in both themes, for they lie on a photograph.
HALO: Final = (6, 9, 14, 205)  # under every line, so that it stands out on a light mat as on a dark one
HALO_PX: Final = 3.2  # how much wider than its line
PLATE_GROUND: Final = (12, 16, 22, 228)  # behind every text
PLATE_INK: Final = "#fafafa"
ROOM: Final = (23, 26, 30)  # around the picture
CLOTH: Final = ((58, 74, 62), (70, 88, 74), (150, 160, 150))  # of a drawn board: cloth, grid, rim; r, g, b
INKS: Final = {
    Ink.OWNER_1: "#5ab8ff",
    Ink.OWNER_2: "#ffa62b",
    Ink.OWNER_3: "#ff3d94",
    Ink.OWNER_4: "#a6fff4",
    Ink.NEUTRAL: "#d7dde4",
    Ink.MEASURE: "#ffffff",
    Ink.FREE: "#35e0a1",
    Ink.BLOCKED: "#ff5e45",
    Ink.CLOSE: "#ffe45c",
    Ink.PIN: "#ffffff",
    Ink.ENGAGEMENT: "#ff7ab8",
    Ink.REACH: "#7fe3ff",
    Ink.CONTROL: "#b9a3ff",
    Ink.VIOLATION: "#ffe45c",
    Ink.NOTE: "#d7dde4",
    Ink.TERRAIN: "#c9f27b",
    Ink.ZONE: "#b9c7d6",
    Ink.BAND: "#cfe8ff",
    Ink.SELECTED: "#ffffff",
    Ink.GHOST: "#ffffff",
}

CALL_PX: Final = (48, 72)  # the headline of a call: readable from two metres
CALL_LEAST_PX: Final = 26  # a headline too long for its line shrinks to this before it is cut


class Design(QObject):
    """The design in force; `changed` asks those that paint for themselves to paint anew."""

    changed = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.theme = DARK
        self.scale = Scale()

    def choose(self, theme: Theme, percent: int) -> None:
        """Puts another theme or text size in force, for every window at once."""
        self.theme, self.scale = theme, Scale(percent)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setFont(base_font(self.scale))
            app.setPalette(palette(theme))
            app.setStyleSheet(style_sheet(theme, self.scale))
        _ICONS.clear()
        self.changed.emit()


_DESIGNS: list[Design] = []
_ICONS: dict[tuple[str, str, str], QIcon] = {}


def design() -> Design:
    """The one design in force."""
    if not _DESIGNS:
        _DESIGNS.append(Design())
    return _DESIGNS[0]


def apply_remembered() -> None:
    """Puts in force what was chosen the last time: dark and 100 % until somebody chooses."""
    settings = QSettings()
    theme = THEMES.get(str(settings.value("design/theme", "dark")), DARK)
    kept = str(settings.value("design/text", "100"))
    percent = int(kept) if kept.isdigit() and int(kept) in TEXT_PERCENTS else 100
    design().choose(theme, percent)


def remember(theme: Theme, percent: int) -> None:
    """Puts a choice in force and keeps it for the next time."""
    settings = QSettings()
    settings.setValue("design/theme", theme.name)
    settings.setValue("design/text", str(percent))
    design().choose(theme, percent)


def base_font(scale: Scale) -> QFont:
    """The font of ordinary text, with figures of one width so that clocks and scores do not jump."""
    font = QFont()
    font.setFamilies([*FAMILIES, font.defaultFamily()])
    font.setPixelSize(scale.body)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def sized(pixels: int, bold: bool = False) -> QFont:
    """The base font in another size of the scale."""
    font = base_font(design().scale)
    font.setPixelSize(max(1, pixels))
    font.setBold(bold)
    return font


def text_width(text: str, pixels: int, bold: bool = False) -> int:
    """How wide a text is in that size."""
    return QFontMetrics(sized(pixels, bold)).horizontalAdvance(text)


def icon(name: str, colour: str | None = None) -> QIcon:
    """An icon of the Material set by its name, in the colour of text; dimmed where it is disabled."""
    theme = design().theme
    chosen = colour or theme.text
    key = (name, chosen, theme.quiet)
    if key not in _ICONS:
        _ICONS[key] = qtawesome.icon(f"mdi6.{name}", color=chosen, color_disabled=theme.line)
    return _ICONS[key]


def icon_size() -> QSize:
    """The size of icons in buttons."""
    side = design().scale.icon
    return QSize(side, side)


def opening_size(widget: QWidget) -> QSize:
    """Nine tenths of the screen the window is on."""
    screen = widget.screen() or QGuiApplication.primaryScreen()
    if screen is None:
        return QSize(*LEAST_SIZE)
    if QGuiApplication.platformName() == "offscreen":  # it has no screen to speak of
        return QSize(*OFFSCREEN_SIZE)
    room = screen.availableGeometry()
    return QSize(round(room.width() * SCREEN_SHARE), round(room.height() * SCREEN_SHARE))


def open_on_screen(widget: QWidget) -> None:
    """Sizes a window to nine tenths of its screen, in the middle."""
    size = opening_size(widget)
    widget.resize(size)
    screen = widget.screen() or QGuiApplication.primaryScreen()
    if screen is not None:
        room = screen.availableGeometry()
        widget.move(
            room.x() + (room.width() - size.width()) // 2, room.y() + max(0, (room.height() - size.height()) // 2)
        )


def _sign(name: str, theme: Theme) -> str:
    """A small sign for style sheets, which take files only."""
    return (_SIGNS / f"{name}-{theme.name}.svg").as_posix()


def palette(theme: Theme) -> QPalette:
    """The theme for widgets that no style sheet reaches."""
    made = QPalette()
    role = QPalette.ColorRole
    for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
        for where, colour in (
            (role.Window, theme.ground),
            (role.WindowText, theme.text),
            (role.Base, theme.surface),
            (role.AlternateBase, theme.raised),
            (role.Text, theme.text),
            (role.Button, theme.raised),
            (role.ButtonText, theme.text),
            (role.ToolTipBase, theme.raised),
            (role.ToolTipText, theme.text),
            (role.Highlight, theme.accent),
            (role.HighlightedText, theme.on_accent),
            (role.PlaceholderText, theme.quiet),
            (role.Link, theme.accent),
        ):
            made.setColor(group, where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, where, QColor(theme.line))
    return made


def style_sheet(theme: Theme, scale: Scale) -> str:
    """How widgets look; object names and the property `kind` choose among the variants."""
    s, t = scale, theme
    radius = s.gap(0.75)
    return f"""
* {{ font-size: {s.body}px; }}
QMainWindow, QDialog, QMessageBox {{ background: {t.ground}; }}
QWidget#side, QWidget#checklist, QFrame[kind="card"] {{ background: {t.surface}; }}
QFrame[kind="card"] {{ border: 1px solid {t.line}; border-radius: {radius}px; }}
QLabel {{ background: transparent; color: {t.text}; }}
QLabel[kind="quiet"] {{ color: {t.quiet}; }}
QLabel[kind="small"] {{ color: {t.quiet}; font-size: {s.small}px; }}
QLabel[kind="strong"] {{ font-size: {s.strong}px; font-weight: 600; }}
QLabel[kind="title"] {{ font-size: {s.title}px; font-weight: 700; }}
QLabel[kind="figure"] {{ font-size: {s.figure}px; font-weight: 700; }}
QLabel[kind="bad"] {{ color: {t.bad}; }}
QPushButton, QToolButton {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line};
  border-radius: {radius}px; padding: {s.gap(0.5)}px {s.gap(1.25)}px; }}
QPushButton:hover, QToolButton:hover {{ border-color: {t.accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {t.accent}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {t.line}; }}
QPushButton:disabled, QToolButton:disabled {{ color: {t.quiet}; background: {t.surface}; }}
QPushButton:checked, QToolButton:checked {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent}; }}
QPushButton[kind="main"] {{ background: {t.accent}; color: {t.on_accent}; border-color: {t.accent};
  font-size: {s.strong}px; font-weight: 600; padding: {s.gap(1)}px {s.gap(2)}px; }}
QPushButton[kind="main"]:focus {{ border: 2px solid {t.text}; }}
QPushButton[kind="main"]:disabled {{ background: {t.raised}; color: {t.quiet}; border-color: {t.line}; }}
QPushButton[kind="choice"]:checked {{ background: {t.surface}; color: {t.text}; border: 2px solid {t.accent}; }}
QPushButton[kind="tile"] {{ background: {t.surface}; font-size: {s.strong}px; text-align: left;
  padding: {s.gap(1.5)}px; }}
QPushButton[kind="tile"]:checked {{ background: {t.raised}; color: {t.text}; border: 2px solid {t.accent}; }}
QToolBar {{ background: {t.surface}; border: 0; border-bottom: 1px solid {t.line}; spacing: {s.gap(0.5)}px;
  padding: {s.gap(0.5)}px; }}
QToolBar QToolButton {{ background: transparent; border: 1px solid transparent; padding: {s.gap(0.5)}px; }}
QToolBar QToolButton:hover {{ background: {t.raised}; }}
QToolBar QToolButton:focus {{ border: 1px solid {t.accent}; }}
QToolBar QToolButton:checked {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.accent}; }}
QToolBar::separator {{ width: 1px; background: {t.line}; margin: {s.gap(0.5)}px; }}
QMenuBar {{ background: {t.surface}; color: {t.text}; }}
QMenuBar::item {{ padding: {s.gap(0.5)}px {s.gap(1)}px; background: transparent; }}
QMenuBar::item:selected, QMenu::item:selected {{ background: {t.accent}; color: {t.on_accent}; }}
QMenu {{ background: {t.surface}; color: {t.text}; border: 1px solid {t.line}; padding: {s.gap(0.5)}px; }}
QMenu::item {{ padding: {s.gap(0.5)}px {s.gap(2)}px; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: {s.gap(0.5)}px; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ background: {t.raised}; color: {t.text};
  border: 1px solid {t.line}; border-radius: {radius}px; padding: {s.gap(0.5)}px; min-height: {s.px(18)}px; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{ border: 2px solid {t.accent}; }}
QComboBox::drop-down {{ border: 0; width: {s.px(20)}px; }}
QComboBox::down-arrow {{ image: url({_sign("down", t)}); width: {s.px(12)}px; height: {s.px(12)}px; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ background: transparent; border: 0;
  width: {s.px(18)}px; }}
QAbstractSpinBox::up-arrow {{ image: url({_sign("up", t)}); width: {s.px(10)}px; height: {s.px(10)}px; }}
QAbstractSpinBox::down-arrow {{ image: url({_sign("down", t)}); width: {s.px(10)}px; height: {s.px(10)}px; }}
QComboBox QAbstractItemView {{ background: {t.surface}; color: {t.text}; selection-background-color: {t.accent};
  selection-color: {t.on_accent}; }}
QListView, QListWidget, QTreeView, QTextBrowser, QTableView {{ background: {t.surface}; color: {t.text}; border: 0;
  outline: 0; }}
QListWidget::item {{ padding: {s.gap(0.25)}px 0px; }}
QListView::item:selected, QTreeView::item:selected {{ background: {t.raised}; color: {t.text};
  border-left: 3px solid {t.accent}; }}
QListView:focus, QTreeView:focus, QTextBrowser:focus {{ border: 1px solid {t.accent}; }}
QScrollArea {{ background: transparent; border: 0; }}
QScrollBar:vertical {{ background: transparent; width: {s.px(10)}px; }}
QScrollBar:horizontal {{ background: transparent; height: {s.px(10)}px; }}
QScrollBar::handle {{ background: {t.line}; border-radius: {s.px(4)}px; min-height: {s.px(24)}px;
  min-width: {s.px(24)}px; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QCheckBox, QRadioButton {{ color: {t.text}; spacing: {s.gap(1)}px; background: transparent; }}
QCheckBox::indicator, QListView::indicator {{ width: {s.px(14)}px; height: {s.px(14)}px; background: {t.raised};
  border: 1px solid {t.quiet}; border-radius: {s.px(3)}px; }}
QCheckBox::indicator:checked, QListView::indicator:checked {{ background: {t.accent}; border-color: {t.accent};
  image: url({_sign("check", t)}); }}
QCheckBox:focus, QRadioButton:focus {{ border: 1px solid {t.accent}; }}
QProgressBar {{ background: {t.raised}; border: 0; border-radius: {s.px(3)}px; max-height: {s.px(6)}px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: {s.px(3)}px; }}
QStatusBar {{ background: {t.surface}; color: {t.quiet}; border-top: 1px solid {t.line}; }}
QStatusBar QLabel {{ color: {t.quiet}; }}
QSplitter::handle {{ background: {t.line}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QToolTip {{ background: {t.raised}; color: {t.text}; border: 1px solid {t.line}; padding: {s.gap(0.5)}px; }}
QTabBar::tab {{ background: transparent; color: {t.quiet}; padding: {s.gap(0.5)}px {s.gap(1)}px; }}
QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
QTabWidget::pane {{ border: 0; }}
"""
