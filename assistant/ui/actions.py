"""Every command of a window with its key and its icon, as data: menus, toolbar and help are made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import zip_longest

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QMainWindow, QMenuBar, QMessageBox, QToolBar, QWidget

from assistant.ui.catalogue import say
from assistant.ui.design import TEXT_PERCENTS, THEMES, Theme, design, icon, icon_size, remember


@dataclass(frozen=True, slots=True)
class Command:
    """A command: where it stands, what it is called, its key, and what it does (with the state it is switched to)."""

    menu: str
    name: str
    key: str
    run: Callable[[bool], object]
    switch: bool | None = None  # None: not a switch; else its first state
    icon: str = ""  # with one it is also on the toolbar
    group: str = ""  # switches of one group exclude one another
    only_in: QWidget | None = None  # the key counts only there: elsewhere it has its usual meaning
    short: str = ""  # the name on the toolbar


def install(window: QMainWindow, commands: tuple[Command, ...]) -> dict[str, QAction]:
    """Menus, toolbar and keys for the commands; gives the actions by name."""
    bar = window.menuBar() or QMenuBar(window)
    tools = QToolBar(say("Tools"), window)
    tools.setMovable(False)
    tools.setObjectName("tools")
    tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    tools.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
    window.addToolBar(tools)
    menus = {menu: bar.addMenu(menu) for menu in dict.fromkeys(command.menu for command in commands)}
    actions: dict[str, QAction] = {}
    last_menu = ""
    for command in commands:
        action = QAction(command.name, window)
        action.setIconText(command.short or command.name)
        if command.key:
            action.setShortcut(QKeySequence(command.key))
        action.setToolTip(f"{command.name} ({command.key})" if command.key else command.name)
        if command.switch is not None:
            action.setCheckable(True)
            action.setChecked(command.switch)
        if command.only_in is not None:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            command.only_in.addAction(action)
        action.triggered.connect(command.run)
        menu = menus[command.menu]
        if menu is not None:
            menu.addAction(action)
        if command.icon:
            if last_menu and last_menu != command.menu:
                tools.addSeparator()
            tools.addAction(action)
            last_menu = command.menu
        actions[command.name] = action
    for command in commands:
        if command.group:
            mates = [actions[other.name] for other in commands if other.group == command.group]
            _exclude(actions[command.name], mates)

    _Icons(tools, {actions[each.name]: each.icon for each in commands if each.icon})
    return actions


class _Icons(QObject):
    """Draws the toolbar's icons anew when the design changes, for as long as the toolbar lives."""

    def __init__(self, tools: QToolBar, icons: Mapping[QAction, str]) -> None:
        super().__init__(tools)
        self._tools, self._icons = tools, icons
        design().changed.connect(self.draw)
        self.draw()

    def draw(self) -> None:
        """The icons in the colours and the size of now."""
        self._tools.setIconSize(icon_size())
        for action, name in self._icons.items():
            action.setIcon(icon(name))


def look_commands(menu: str) -> tuple[Command, ...]:
    """Dark or light, and the size of the text: the same in every window."""
    themes = {"dark": say("Dark colours"), "light": say("Light colours")}
    chosen = design()
    return (
        *(
            Command(
                menu,
                themes[name],
                "",
                partial(_take_theme, theme),
                chosen.theme is theme,
                group="theme",
            )
            for name, theme in THEMES.items()
        ),
        *(
            Command(
                menu,
                say("Text size {n} %", n=percent),
                "",
                partial(_take_size, percent),
                chosen.scale.percent == percent,
                group="text size",
            )
            for percent in TEXT_PERCENTS
        ),
        Command(menu, say("Larger text"), "Ctrl++", lambda _: _step_text(1)),
        Command(menu, say("Smaller text"), "Ctrl+-", lambda _: _step_text(-1)),
    )


def _take_theme(theme: Theme, on: bool) -> None:
    del on
    remember(theme, design().scale.percent)


def _take_size(percent: int, on: bool) -> None:
    del on
    remember(design().theme, percent)


def _step_text(step: int) -> None:
    now = TEXT_PERCENTS.index(design().scale.percent) if design().scale.percent in TEXT_PERCENTS else 0
    remember(design().theme, TEXT_PERCENTS[min(len(TEXT_PERCENTS) - 1, max(0, now + step))])


def _exclude(action: QAction, mates: list[QAction]) -> None:
    def chosen() -> None:
        for mate in mates:
            mate.setChecked(mate is action)

    action.triggered.connect(chosen)


def keys_html(commands: tuple[Command, ...]) -> str:
    """All commands with their keys, for the help, in two columns."""
    cells = [
        f"<td style='padding-right:14px;white-space:nowrap'><b>{escape(command.key)}</b></td>"
        f"<td style='padding-right:28px;white-space:nowrap'>{escape(command.name)}</td>"
        for command in commands
        if command.key
    ]
    half = (len(cells) + 1) // 2
    rows = "".join(f"<tr>{left}{right}</tr>" for left, right in zip_longest(cells[:half], cells[half:], fillvalue=""))
    return f"<table>{rows}</table>"


def show_keys(window: QWidget, commands: tuple[Command, ...]) -> None:
    """All keys."""
    box = QMessageBox(window)
    box.setWindowTitle(say("Keys"))
    box.setText(keys_html(commands))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
