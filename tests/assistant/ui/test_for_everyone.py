"""The window for every eye and hand: colours, keyboard, screen readers, dark desktops, dense screens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QImage, QPalette
from PyQt6.QtWidgets import QAbstractButton, QAbstractSpinBox, QApplication, QComboBox, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from assistant.session.referee import Referee
from assistant.ui.design import DARK, LIGHT, Theme, design
from assistant.ui.live_window import LiveWindow
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.setup.profile import TableProfile
from assistant.ui.setup.window import SetupWindow
from assistant.ui.start_window import StartWindow
from calibration.arrays import ByteImage, FloatArray
from tests.assistant.ui import hand, table

# how linear light looks to eyes without one kind of cone (Machado, Oliveira and Fernandes, 2009)
EYES = {
    "all cones": np.eye(3),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
PAIRS = (
    ("text", "ground"),
    ("text", "surface"),
    ("text", "raised"),
    ("quiet", "ground"),
    ("quiet", "surface"),
    ("quiet", "raised"),
    ("on_accent", "accent"),
    ("on_signal", "good"),
    ("on_signal", "bad"),
    ("on_signal", "doubt"),
)
APART = 20.0  # in CIE Lab: ten times what is just noticed


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[LiveWindow]:
    """A live window on the bundled game's first table, answering at once."""
    shown = LiveWindow(table.ListSource(), Referee(table.TruthSession(), table.setting()), table.setting(), True)
    qtbot.addWidget(shown)
    shown.show()
    shown.feed_item(table.frame(3))
    yield shown
    shown.close()


def seen_as(rgb: FloatArray, eyes: str) -> FloatArray:
    """Colours of 0 to 1 in CIE Lab as these eyes see them."""
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = np.clip(light @ EYES[eyes].T, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = light @ to_xyz.T / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def pixels(image: QImage) -> ByteImage:
    """A picture as red, green and blue."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    bits = plain.constBits()
    assert bits is not None
    rows = np.frombuffer(bits.asstring(plain.sizeInBytes()), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3)


@pytest.mark.parametrize("eyes", EYES)
def test_owners_and_sights_are_told_apart_on_the_screen(window: LiveWindow, eyes: str) -> None:
    """The colours are taken from the painted window, as these eyes see it."""
    window.model.click("d12")
    picture = pixels(window.pane.canvas.grab().toImage())
    places = {}
    for ink in (Ink.OWNER_1, Ink.OWNER_2, Ink.FREE, Ink.BLOCKED):
        wanted = np.array(colour(ink).getRgb()[:3])
        found = np.argwhere(np.abs(picture.astype(int) - wanted).max(axis=2) <= 2)
        assert len(found) > 20, ink
        places[ink] = tuple(found[len(found) // 2])
    lab = seen_as(picture / 255.0, eyes)
    for a, b in ((Ink.OWNER_1, Ink.OWNER_2), (Ink.FREE, Ink.BLOCKED)):
        assert np.linalg.norm(lab[places[a]] - lab[places[b]]) > APART, (a, b)


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize(
    "inks",
    [(Ink.OWNER_1, Ink.OWNER_2, Ink.OWNER_3, Ink.OWNER_4), (Ink.FREE, Ink.BLOCKED, Ink.CLOSE)],
    ids=["owners", "sights"],
)
def test_colours_that_must_be_told_apart_are(inks: tuple[Ink, ...], eyes: str) -> None:
    for a, b in combinations(inks, 2):
        first, second = (seen_as(np.array(colour(ink).getRgbF()[:3]), eyes) for ink in (a, b))
        assert np.linalg.norm(first - second) > APART, (a, b)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: str(theme.name))
@pytest.mark.parametrize("pair", PAIRS)
def test_texts_are_readable_on_their_grounds(theme: Theme, pair: tuple[str, str]) -> None:
    def luminance(name: str) -> float:
        rgb = np.array(QColor(name).getRgbF()[:3])
        light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        return float(light @ np.array([0.2126, 0.7152, 0.0722]))

    ink, ground = (str(getattr(theme, name)) for name in pair)
    light, dark = sorted((luminance(ink), luminance(ground)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_texts_follow_the_theme(window: LiveWindow) -> None:
    window.model.hover("d12")
    before = window.side.card.text.text()
    assert DARK.quiet in before
    design().choose(LIGHT, 100)
    after = window.side.card.text.text()
    assert LIGHT.quiet in after
    assert window.palette().color(QPalette.ColorRole.Window) == QColor(LIGHT.ground)


def silent(widget: QWidget) -> bool:
    """Whether a screen reader has nothing to say of a widget that takes the keyboard."""
    if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or widget.focusProxy() is not None or not widget.isEnabled():
        return False
    inner = isinstance(widget.parentWidget(), QComboBox | QAbstractSpinBox) or isinstance(widget, QTabBar)
    said = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
    return not inner and not said and type(widget).__name__ not in ("QWidget", "SetupPage", "QScrollArea", "SidePanel")


def test_whatever_takes_the_keyboard_has_a_name(window: LiveWindow, qtbot: QtBot) -> None:
    setup = SetupWindow(TableProfile(), synchronous=True)
    qtbot.addWidget(setup)
    start = StartWindow()
    qtbot.addWidget(start)
    for top in (window, setup, start):
        nameless = [widget for widget in top.findChildren(QWidget) if silent(widget) and widget.window() is top]
        assert not [(type(widget).__name__, widget.objectName()) for widget in nameless]
    setup.close()
    start.close()


def test_tab_goes_round_the_whole_window(window: LiveWindow) -> None:
    window.pane.canvas.setFocus()
    window.activateWindow()
    visited = []
    for _ in range(24):
        focused = window.focusWidget()
        if focused in visited:
            break
        visited.append(focused)
        hand.key(focused or window, Qt.Key.Key_Tab)
    assert visited[0] is window.pane.canvas
    for widget in (window.side.play.phase, window.side.call.question, window.side.moves):
        assert widget in visited


def test_corners_are_moved_without_a_mouse(qtbot: QtBot) -> None:
    setup = SetupWindow(TableProfile(), synchronous=True)
    qtbot.addWidget(setup)
    page = setup.page
    setup.show()
    page.terrain.set_open(True)
    page.terrain.add_terrain()
    before = page.profile.terrain[0].outline
    setup.activateWindow()
    QApplication.processEvents()
    page.canvas.setFocus()
    hand.key(page.canvas, Qt.Key.Key_Period)
    hand.key(page.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    hand.key(page.canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    after = page.profile.terrain[0].outline
    assert after[1] == (before[1][0] + 5.0, before[1][1] + 5.0)
    assert after[0] == before[0]
    setup.close()
