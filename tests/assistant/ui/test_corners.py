"""A table without tokens: four clicks on its corners in the set-up, with a magnifier, remembered for the camera."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from assistant.app import play, settings_of
from assistant.log.writer import Health, LogWriter
from assistant.session.corner_memory import CornerMemory, recall_corners
from assistant.session.moment import Moment
from assistant.session.referee import Update
from assistant.ui.setup import model as setup_model
from assistant.ui.setup.checklist import State
from assistant.ui.setup.corners import in_order, turned
from assistant.ui.setup.looking import TerrainFound, field_corners
from assistant.ui.setup.profile import TableProfile
from assistant.ui.setup.window import SetupWindow
from calibration.arrays import ByteImage
from tests.assistant.ui import hand, table
from vision.types.frame import Frame
from vision.types.sighting import TableSighting

Opened = Callable[[], SetupWindow]


@pytest.fixture(scope="module")
def bare() -> ByteImage:
    """The bundled table with its tokens painted over."""
    picture = table.picture(0).copy()
    board = table.view(0).board_to_image(
        np.array([[x, y] for x in (-32.0, 946.0) for y in (-32.0, 946.0)], dtype=np.float64)
    )
    for x, y in board.round().astype(int).tolist():
        cv2.circle(picture, (x, y), 70, (60, 70, 80), -1)
    return picture


@pytest.fixture
def opened(qtbot: QtBot, bare: ByteImage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Opened]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(setup_model, "see_pieces", lambda *_: TableSighting((), ()))
    monkeypatch.setattr(setup_model, "see_terrain", lambda *_: TerrainFound(()))
    windows: list[SetupWindow] = []

    def open_it() -> SetupWindow:
        source = table.ListSource()
        source.give(Frame(bare, 0, 0.0))
        window = SetupWindow(TableProfile("7", lens=table.view(0).lens), lambda _: source, synchronous=True)
        qtbot.addWidget(window)
        window.resize(1366, 768)
        window.show()
        qtbot.waitUntil(lambda: window.page.model.tokens is not None, timeout=60_000)
        windows.append(window)
        return window

    yield open_it
    for window in windows:
        window.close()


def at(window: SetupWindow, place_px: tuple[float, float]) -> QPoint:
    return window.page.canvas.widget_point(*place_px).toPoint()


def test_four_clicks_measure_the_table(opened: Opened) -> None:
    window = opened()
    page, item = window.page, window.page.tokens
    assert not page.ready
    item.set_open(True)
    hand.click(item.by_hand, item.by_hand.rect().center())
    true = field_corners(table.view(0))
    for number, corner in enumerate((true[2], true[0], true[3], true[1])):  # in any order
        hand.point(page.canvas, at(window, corner))
        assert item.magnifier.isVisible()
        assert not item.magnifier.geometry().contains(at(window, corner))
        assert f"{number} of 4" in item.head.words.text()
        hand.click(page.canvas, at(window, corner))
    assert item.state is State.DONE
    assert page.ready
    assert page.start.isEnabled()
    assert page.profile.corners_px is not None
    assert np.abs(np.array(page.profile.corners_px) - np.array(true)).max() < 2.0
    given = page.profile.given()
    assert given is not None
    assert given.corners_px is not None
    assert given.corners_px.shape == (4, 2)


def test_a_corner_is_dragged_moved_by_keys_and_taken_back(opened: Opened) -> None:
    window = opened()
    page, item = window.page, window.page.tokens
    item.set_open(True)
    item.by_hand.setChecked(True)
    true = field_corners(table.view(0))
    for corner in true:
        hand.click(page.canvas, at(window, corner))
    hand.drag(page.canvas, at(window, true[0]), at(window, (true[0][0] + 40, true[0][1] + 30)))
    assert page.profile.corners_px is not None
    assert page.profile.corners_px[0] == pytest.approx((true[0][0] + 40, true[0][1] + 30), abs=3.0)
    before = page.profile.corners_px[0]
    hand.key(page.canvas, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert page.profile.corners_px[0] == pytest.approx((before[0] - 1.0, before[1]))
    hand.click(item.turn, item.turn.rect().center())
    assert page.profile.corners_px[0] == pytest.approx(true[1], abs=3.0)
    hand.key(page.canvas, Qt.Key.Key_Delete)
    assert "3 of 4" in item.head.words.text()
    assert not page.ready
    hand.key(page.canvas, Qt.Key.Key_Escape)  # ends the clicking, not the set-up
    assert window.isVisible()
    assert not item.by_hand.isChecked()


def test_corners_are_remembered_for_the_camera(opened: Opened, bare: ByteImage) -> None:
    true = field_corners(table.view(0))
    moment = Moment(0, 0.0, table.scene(0), (), table.view(0))
    CornerMemory("7", np.array(true))(Frame(bare, 0, 0.0), Update(moment, (), 0, Health()))
    assert recall_corners("7") is not None
    window = opened()
    assert window.page.ready  # without a click
    assert window.page.profile.corners_px is not None
    assert np.abs(np.array(window.page.profile.corners_px) - np.array(true)).max() < 1.0
    assert window.page.tokens.by_hand.isChecked()
    assert window.page.tokens.state is State.DONE


def test_a_game_that_was_set_up_by_clicks_hands_the_corners_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    handed: list[object] = []

    def run_live(_source: object, session: object, *_rest: object, **named: object) -> int:
        handed.extend((session, named["listeners"]))
        return 0

    monkeypatch.setattr("assistant.app.run_live", run_live)
    corners = field_corners(table.view(0))
    profile = TableProfile(str(table.GAME), lens=table.view(0).lens, corners_px=corners)
    log = LogWriter.create(tmp_path / "a.pinpoint", settings_of(profile))
    assert play(profile, log) == 0
    log.close()
    assert handed[1] == ()  # a recording is no camera that comes back


def test_corners_are_sorted_and_turned() -> None:
    square = ((10.0, 10.0), (90.0, 12.0), (88.0, 80.0), (8.0, 78.0))
    assert in_order([square[2], square[1], square[3], square[0]]) == square
    assert turned(square) == (square[1], square[2], square[3], square[0])
