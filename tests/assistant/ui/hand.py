"""A hand on mouse and keyboard: Qt's own test functions, with the types its stubs lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import cast

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QWidget

_LEFT = Qt.MouseButton.LeftButton
_click = cast(Callable[..., None], QTest.mouseClick)
_press = cast(Callable[..., None], QTest.mousePress)
_release = cast(Callable[..., None], QTest.mouseRelease)
_move = cast(Callable[..., None], QTest.mouseMove)
_key = cast(Callable[..., None], QTest.keyClick)


def click(widget: QWidget, at: QPoint, button: Qt.MouseButton = _LEFT) -> None:
    """Presses and releases a button."""
    _click(widget, button, pos=at)


def point(widget: QWidget, at: QPoint) -> None:
    """Moves the pointer."""
    _move(widget, at)


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    """Drags with the left button."""
    _press(widget, _LEFT, pos=start)
    _move(widget, QPoint((start.x() + end.x()) // 2, (start.y() + end.y()) // 2))
    _move(widget, end)
    _release(widget, _LEFT, pos=end)


def key(widget: QWidget, pressed: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Presses a key."""
    _key(widget, pressed, modifier)


def draw(widget: QWidget, places: Sequence[QPoint]) -> None:
    """Draws a line with the left button."""
    _press(widget, _LEFT, pos=places[0])
    for start, end in pairwise(places):
        for share in (0.25, 0.5, 0.75, 1.0):
            step = start + (end - start) * share
            _move(widget, step)
    _release(widget, _LEFT, pos=places[-1])
