"""The set-up from start to end, on a bundled picture with its real detection."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QWizard
from pytestqt.qtbot import QtBot

from assistant.ui.setup.looking import suggested_players
from assistant.ui.setup.profile import TableProfile, read_profile
from assistant.ui.setup.wizard import SetupWizard, profile_path, remembered
from calibration.errors import InputError
from tests.assistant.ui import hand, table
from vision.frame import Frame
from vision.source import FrameSource

PICTURE = table.SAMPLES / "tables" / "overhead-03.jpg"


@pytest.fixture
def source() -> table.ListSource:
    """A camera that shows one picture."""
    given = table.ListSource()
    given.give(Frame(np.asarray(cv2.imread(str(PICTURE)), dtype=np.uint8), 0, 0.0))
    return given


@pytest.fixture
def wizard(qtbot: QtBot, source: table.ListSource) -> Iterator[SetupWizard]:
    """The set-up with that camera; anything else is no camera."""

    def opener(address: str) -> FrameSource:
        if address != "0":
            raise InputError("no source", address, "it gives no picture")
        return source

    shown = SetupWizard(TableProfile(), opener, synchronous=True)
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    shown.close()


def with_camera(wizard: SetupWizard, qtbot: QtBot) -> None:
    """Chooses the camera and waits for its picture."""
    wizard.camera.choose("0")
    qtbot.waitUntil(lambda: wizard.model.frame is not None, timeout=5000)


def test_a_camera_that_is_not_there_is_told(wizard: SetupWizard) -> None:
    wizard.camera.choose("7")
    assert "gives no picture" in wizard.camera.problem.text()
    assert not wizard.camera.isComplete()


def test_the_whole_way(wizard: SetupWizard, qtbot: QtBot) -> None:
    with_camera(wizard, qtbot)
    wizard.next()
    assert wizard.currentPage() is wizard.lens
    wizard.lens.use_file(PICTURE.with_suffix(".camera.json"))
    assert wizard.profile.lens is not None
    wizard.next()
    assert wizard.currentPage() is wizard.tokens
    assert wizard.tokens.isComplete()
    assert "NW, NE, SE, SW" in wizard.tokens.words.text()
    assert "Residual" in wizard.tokens.words.text()
    wizard.next()
    assert wizard.currentPage() is wizard.pieces
    wizard.pieces.use_roster(str(PICTURE.parent / "roster.json"))
    wizard.pieces.measure_now()
    assert "Measured:" in wizard.pieces.words.text()
    assert wizard.pieces.chosen()
    wizard.next()
    assert wizard.currentPage() is wizard.terrain
    before = len(wizard.profile.terrain)
    wizard.terrain.add_terrain()
    item = wizard.terrain.words.item(0)
    assert item is not None
    item.setCheckState(Qt.CheckState.Checked)
    added = wizard.profile.terrain[before]
    assert added.keywords == ("blocks sight",)
    wizard.next()
    assert wizard.currentPage() is wizard.players
    assert {box.currentText() for box in wizard.players.names.values()} >= {"order", "destruction"}
    with qtbot.waitSignal(wizard.finished):
        button = wizard.button(QWizard.WizardButton.FinishButton)
        assert button is not None
        button.click()
    kept = remembered()
    assert kept.source == "0"
    assert kept.lens is not None
    assert kept.terrain == wizard.profile.terrain
    assert {player.id for player in kept.players} == {"order", "destruction"}
    assert read_profile(profile_path()).roster == PICTURE.parent / "roster.json"


def test_a_corner_of_terrain_is_dragged(wizard: SetupWizard, qtbot: QtBot) -> None:
    with_camera(wizard, qtbot)
    for _ in range(4):
        wizard.next()
    assert wizard.currentPage() is wizard.terrain
    wizard.terrain.add_terrain()
    view = wizard.model.view
    assert view is not None
    canvas = wizard.terrain.preview
    canvas.grab()
    corner = np.array([wizard.profile.terrain[-1].outline[0]])
    start = canvas.widget_point(*view.board_to_image(corner)[0].tolist()).toPoint()
    end = canvas.widget_point(*view.board_to_image(corner + np.array([[30.0, 50.0]]))[0].tolist()).toPoint()
    hand.drag(canvas, start, end)
    assert wizard.profile.terrain[-1].outline[0] == pytest.approx((corner[0, 0] + 30, corner[0, 1] + 50), abs=3.0)
    hand.drag(canvas, QPoint(3, 3), QPoint(30, 30))  # the bare table: nothing is held
    assert wizard.profile.terrain[-1].outline[0] == pytest.approx((corner[0, 0] + 30, corner[0, 1] + 50), abs=3.0)


def test_without_tokens_it_says_what_to_do(wizard: SetupWizard, source: table.ListSource, qtbot: QtBot) -> None:
    with_camera(wizard, qtbot)
    source.give(Frame(np.full((1080, 1920, 3), 90, np.uint8), 1, 0.1))
    qtbot.waitUntil(lambda: wizard.model.frame is not None and wizard.model.frame.index == 1, timeout=5000)
    wizard.next()
    wizard.next()
    assert not wizard.tokens.isComplete()
    assert "What to do:" in wizard.tokens.words.text()
    assert "seen: none" in wizard.tokens.words.text()


def test_a_lens_without_views_says_what_is_lacking(wizard: SetupWizard, qtbot: QtBot) -> None:
    with_camera(wizard, qtbot)
    wizard.next()
    wizard.lens.take_view()
    assert "Not taken: no camera board" in wizard.lens.words.text()
    wizard.lens.solve_now()
    assert "usable views" in wizard.lens.words.text()
    assert wizard.profile.lens is None


def test_owners_sit_where_their_disks_are() -> None:
    players = suggested_players({"a": [(400.0, 880.0)], "b": [(450.0, 30.0)], "c": [(440.0, 860.0)]}, 914.4, 914.4)
    assert [(player.id, player.edge) for player in players][:2] == [("a", "south"), ("b", "north")]
    assert players[2].edge in ("east", "west")
