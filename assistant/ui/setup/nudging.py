"""Keys for what a mouse would drag: the full stop takes the next corner, Shift and an arrow moves it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QWidget

_ARROWS = {"Shift+Up": (0.0, -1.0), "Shift+Down": (0.0, 1.0), "Shift+Left": (-1.0, 0.0), "Shift+Right": (1.0, 0.0)}


def nudging(page: QWidget, take_next: Callable[[], None], move: Callable[[float, float], None]) -> None:
    """Gives a page these keys; `move` is told by how many steps to the east and to the south."""
    QShortcut(QKeySequence("."), page).activated.connect(take_next)
    for keys, (east, south) in _ARROWS.items():
        QShortcut(QKeySequence(keys), page).activated.connect(partial(move, east, south))
