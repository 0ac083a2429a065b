"""The set-up from start to end, on a bundled picture with its real detection."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QWizard
from pytestqt.qtbot import QtBot

from assistant.scene.values import Player, Terrain
from assistant.ui.setup.looking import measured_sizes, suggested_players
from assistant.ui.setup.profile import TableProfile, read_profile
from assistant.ui.setup.wizard import SetupWizard, profile_path, remembered
from assistant.ui.setup.zones import span_of, zones_of
from calibration.errors import InputError
from tests.assistant.ui import hand, table
from vision.camera.source import FrameSource
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting

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
    assert {zone.owner for zone in kept.zones} == {"order", "destruction"}
    assert kept.setting().zones == kept.zones
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


def test_zones_follow_the_edges_and_are_dragged(wizard: SetupWizard, qtbot: QtBot) -> None:
    with_camera(wizard, qtbot)
    for _ in range(5):
        wizard.next()
    page = wizard.players
    assert wizard.currentPage() is page
    for edge, box in page.names.items():
        box.setCurrentText({"south": "anna", "north": "bert"}.get(edge, ""))
    zones = {zone.owner: zone.outline for zone in page.zones()}
    assert zones["bert"] == ((0.0, 0.0), (914.4, 0.0), (914.4, 152.4), (0.0, 152.4))
    assert zones["anna"] == pytest.approx(np.array([[0, 762.0], [914.4, 762.0], [914.4, 914.4], [0, 914.4]]))
    view = wizard.model.view
    assert view is not None
    page.preview.grab()
    start, end = (page.preview.widget_point(*view.board_to_image(np.array([[x, 76.2]]))[0].tolist()) for x in (0, 300))
    hand.drag(page.preview, start.toPoint(), end.toPoint())
    (bert,) = [zone for zone in page.zones() if zone.owner == "bert"]
    assert span_of(bert, "north") == pytest.approx((300.0, 914.4), abs=3.0)
    page.names["north"].setCurrentText("")
    page.names["east"].setCurrentText("bert")
    (bert,) = [zone for zone in page.zones() if zone.owner == "bert"]
    assert bert.outline[0] == pytest.approx((762.0, 0.0))
    page.zoned.setChecked(False)
    assert page.zones() == ()


def test_set_up_again_with_pieces_on_the_table_starts_from_what_is_known(
    source: table.ListSource, qtbot: QtBot
) -> None:
    terrain = (Terrain("hill", ((300.0, 300.0), (400.0, 300.0), (350.0, 400.0)), ("high ground",)),)
    players = (Player("order", "west", 1), Player("destruction", "east", 2))
    zones = zones_of(players, (914.4, 914.4), 152.4, {"west": (100.0, 500.0)})
    known = TableProfile("0", sizes_mm=(45.0, 60.0, 90.0), terrain=terrain, players=players, zones=zones)
    again = SetupWizard(known, lambda _: source, synchronous=True)
    qtbot.addWidget(again)
    again.show()
    qtbot.waitUntil(lambda: again.model.frame is not None, timeout=5000)
    for _ in range(5):
        again.next()
    assert again.currentPage() is again.players
    again.accept()
    again.close()
    kept = remembered()
    assert (kept.source, kept.sizes_mm, kept.terrain) == ("0", (45.0, 60.0, 90.0), terrain)
    assert (kept.players, kept.zones) == (players, zones)


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


def test_two_owners_sit_opposite_one_another() -> None:
    players = suggested_players({"a": [(880.0, 500.0)], "b": [(500.0, 860.0)]}, 914.4, 914.4)
    assert {player.edge for player in players} in ({"east", "west"}, {"north", "south"})
    assert [player.edge for player in suggested_players({"a": [], "b": []}, 914.4, 914.4)] == ["south", "north"]


def test_sizes_that_measure_a_little_differently_are_one_size() -> None:
    def disks(*diameters: float, confidence: float = 0.98) -> list[DiskSighting]:
        return [DiskSighting("d", 0.0, 0.0, np.eye(2), size, 2.0, confidence=confidence) for size in diameters]

    measured = disks(60.4, 60.6, 61.1, 61.4, 62.6, 63.5, 90.7, 91.2, 45.4, 45.7)
    assert measured_sizes(measured, (38.1, 50.8, 76.2)) == [(45.5, 2), (61.0, 6), (91.0, 2)]
    inside = disks(54.1, 54.3)  # the printed border of two of the six
    lone = disks(28.3)
    unsure = disks(84.9, 85.0, confidence=0.6)
    assert measured_sizes([*measured, *inside, *lone, *unsure], ()) == [(45.5, 2), (61.0, 6), (91.0, 2)]
    assert measured_sizes(disks(38.6, 51.3, 76.0), (38.1, 50.8, 76.2)) == [(38.1, 1), (50.8, 1), (76.2, 1)]
