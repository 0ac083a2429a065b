"""The set-up from start to end, on a bundled picture with its real detection."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from assistant.scene.values import Player, Terrain
from assistant.ui.setup.checklist import State
from assistant.ui.setup.looking import measured_sizes, suggested_players
from assistant.ui.setup.page import SetupPage
from assistant.ui.setup.profile import TableProfile, profile_path, read_profile, remembered
from assistant.ui.setup.window import SetupWindow
from assistant.ui.setup.zones import span_of, zones_of
from calibration.errors import InputError
from calibration.lens import read_lens
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
def page(qtbot: QtBot, source: table.ListSource) -> Iterator[SetupPage]:
    """The set-up with that camera and its lens; anything else is no camera."""

    def opener(address: str) -> FrameSource:
        if address != "0":
            raise InputError("no source", address, "it gives no picture")
        return source

    known = TableProfile("0", lens=read_lens(PICTURE.with_suffix(".camera.json")))
    shown = SetupWindow(known, opener, synchronous=True)
    qtbot.addWidget(shown)
    shown.resize(1366, 768)
    shown.show()
    qtbot.waitUntil(lambda: shown.page.model.sighting is not None, timeout=20_000)
    yield shown.page
    shown.close()


def widget_place(page: SetupPage, place_mm: tuple[float, float]) -> QPoint:
    """Where a place of the table is on the canvas."""
    view = page.model.view
    assert view is not None
    page.canvas.grab()
    return page.canvas.widget_point(*view.board_to_image(np.array([place_mm]))[0].tolist()).toPoint()


def test_the_checklist_completes_itself(page: SetupPage, qtbot: QtBot) -> None:
    states = {item.title: item.state for item in page.items}
    assert states["Camera"] is State.DONE
    assert states["Corner tokens"] is State.DONE
    assert "4/4" in page.tokens.head.words.text()
    assert states["Table size"] is State.DONE
    assert states["Lens"] is State.DONE
    assert "±" in page.lens.head.words.text()
    assert states["Pieces"] is State.DONE
    assert states["Players"] is State.OPEN
    page.pieces.use_file(PICTURE.parent / "roster.json")
    assert "known by their faces" in page.pieces.head.words.text()
    for name, typed in zip(page.players.names, ("Anna", "Ben"), strict=True):
        name.setText(typed)
    assert page.players.state is State.DONE
    before = len(page.profile.terrain)
    page.terrain.set_open(True)
    page.terrain.add_terrain()
    page.terrain.kinds["Woods"].click()
    assert page.profile.terrain[before].keywords == ("blocks sight",)
    with qtbot.waitSignal(page.accepted):
        hand.click(page.start, page.start.rect().center())
    kept = remembered()
    assert kept.source == "0"
    assert kept.lens is not None
    assert kept.terrain == page.profile.terrain
    assert {player.id for player in kept.players} == {"order", "destruction"}
    assert [player.extra["name"] for player in kept.players] == ["Anna", "Ben"]
    assert {zone.owner for zone in kept.zones} == {"order", "destruction"}
    assert kept.setting().zones == kept.zones
    assert read_profile(profile_path()).roster == PICTURE.parent / "roster.json"


def test_terrain_is_chosen_by_a_click_and_a_corner_is_dragged(page: SetupPage) -> None:
    page.terrain.set_open(True)
    page.terrain.add_terrain()
    page.terrain.list.setCurrentRow(-1)
    square = page.profile.terrain[-1].outline
    middle = (square[0][0] + 30.0, square[0][1] + 30.0)
    hand.click(page.canvas, widget_place(page, middle))
    assert page.terrain.list.currentRow() == len(page.profile.terrain) - 1
    x, y = square[0]
    hand.drag(page.canvas, widget_place(page, (x, y)), widget_place(page, (x + 30, y + 50)))
    assert page.profile.terrain[-1].outline[0] == pytest.approx((x + 30, y + 50), abs=3.0)
    hand.drag(page.canvas, QPoint(3, 3), QPoint(30, 30))  # the bare table: nothing is held
    assert page.profile.terrain[-1].outline[0] == pytest.approx((x + 30, y + 50), abs=3.0)


def test_objectives_are_laid_by_a_click_and_dragged(page: SetupPage) -> None:
    page.objectives.set_open(True)
    hand.click(page.canvas, widget_place(page, (450.0, 450.0)))
    (marker,) = page.profile.objectives
    assert (marker.x, marker.y) == pytest.approx((450.0, 450.0), abs=3.0)
    hand.drag(page.canvas, widget_place(page, (450.0, 450.0)), widget_place(page, (500.0, 400.0)))
    (marker,) = page.profile.objectives
    assert (marker.x, marker.y) == pytest.approx((500.0, 400.0), abs=4.0)
    assert page.profile.setting().objectives == (marker,)
    page.objectives.remove.click()
    assert page.profile.objectives == ()


def test_zones_follow_the_edges_and_are_dragged(page: SetupPage) -> None:
    players = page.players
    players.set_open(True)
    for name, typed in zip(players.names, ("anna", "bert"), strict=True):
        name.setText(typed)
    for box, edge in zip(players.edges, ("south", "north"), strict=True):
        box.setCurrentIndex(box.findData(edge))
    first, second = players.players()
    zones = {zone.owner: zone.outline for zone in players.zones()}
    assert zones[second.id] == ((0.0, 0.0), (914.4, 0.0), (914.4, 152.4), (0.0, 152.4))
    assert zones[first.id] == pytest.approx(np.array([[0, 762.0], [914.4, 762.0], [914.4, 914.4], [0, 914.4]]))
    hand.drag(page.canvas, widget_place(page, (0.0, 76.2)), widget_place(page, (300.0, 76.2)))
    (north,) = [zone for zone in players.zones() if zone.owner == second.id]
    assert span_of(north, "north") == pytest.approx((300.0, 914.4), abs=3.0)
    players.edges[1].setCurrentIndex(players.edges[1].findData("east"))
    (east,) = [zone for zone in players.zones() if zone.owner == second.id]
    assert east.outline[0] == pytest.approx((762.0, 0.0))
    players.zoned.setChecked(False)
    assert players.zones() == ()


def test_set_up_again_with_pieces_on_the_table_starts_from_what_is_known(
    source: table.ListSource, qtbot: QtBot
) -> None:
    terrain = (Terrain("hill", ((300.0, 300.0), (400.0, 300.0), (350.0, 400.0)), ("high ground",)),)
    players = (Player("order", "west", 1), Player("destruction", "east", 2))
    zones = zones_of(players, (914.4, 914.4), 152.4, {"west": (100.0, 500.0)})
    roster = PICTURE.parent / "roster.json"
    known = TableProfile("0", roster=roster, sizes_mm=(45.0, 60.0, 90.0), terrain=terrain, players=players, zones=zones)
    again = SetupWindow(known, lambda _: source, synchronous=True)
    qtbot.addWidget(again)
    again.show()
    qtbot.waitUntil(lambda: again.page.ready, timeout=20_000)
    again.page.accept()
    again.close()
    kept = remembered()
    assert (kept.source, kept.sizes_mm, kept.terrain) == ("0", (45.0, 60.0, 90.0), terrain)
    assert (kept.players, kept.zones) == (players, zones)


def test_without_tokens_it_says_what_to_do(qtbot: QtBot) -> None:
    blank = table.ListSource()
    blank.give(Frame(np.full((1080, 1920, 3), 90, np.uint8), 1, 0.1))
    setup = SetupWindow(TableProfile("0"), lambda _: blank, synchronous=True)
    qtbot.addWidget(setup)
    setup.show()
    qtbot.waitUntil(lambda: setup.page.model.tokens is not None, timeout=5000)
    words = setup.page.tokens.head.words.text()
    assert words.startswith("0/4 seen: none.")
    assert len(words) > 30  # and what to do
    assert not setup.page.start.isEnabled()
    assert "corner tokens" in setup.page.hint.text()
    setup.close()


def test_a_lens_without_views_says_what_is_lacking(page: SetupPage) -> None:
    page.lens.set_open(True)
    page.lens.take_view()
    assert "Not taken: no camera board" in page.lens.words.text()
    page.lens.solve_now()
    assert "usable views" in page.lens.words.text()


def test_a_roster_can_be_dropped_in(page: SetupPage) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(PICTURE.parent / "roster.json"))])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    page.pieces.dropEvent(drop)
    assert page.profile.roster == PICTURE.parent / "roster.json"
    assert len(page.pieces.names) > 5


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
