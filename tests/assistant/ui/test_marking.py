"""Marking figures in the set-up with real clicks, on a drawn table of plain bases and stands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from assistant.scene.reading import scene_from_json
from assistant.scene.values import Circle, Piece
from assistant.session.marking import Brush, doubtful, with_base
from assistant.ui.setup import mark_jobs
from assistant.ui.setup import model as setup_model
from assistant.ui.setup.checklist import ChecklistItem
from assistant.ui.setup.looking import FiguresFound, TerrainFound, field_corners
from assistant.ui.setup.mark_item import MarkItem
from assistant.ui.setup.marking import Tool
from assistant.ui.setup.profile import TableProfile, profile_path, read_profile, remembered, with_marks
from assistant.ui.setup.window import SetupWindow
from benchmarks.figure_tables import TABLE_MM, Base, Picture, Stand, draw
from tests.assistant.ui import hand, table
from vision.types.frame import Frame

BASES = (
    Base(250.0, 250.0, 32.0, "red", 24.0),
    Base(330.0, 260.0, 32.0, "red", 26.0),
    Base(290.0, 330.0, 32.0, "red", 25.0),
    Base(640.0, 700.0, 32.0, "blue", 30.0),
)
RANK = tuple(Stand(300 + 60.2 * n, 560.0, 60.0, 60.0, 0.0, "green", 22.0 + n) for n in range(3))
Opened = Callable[..., SetupWindow]


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(41, 22.0, bases=BASES, stands=RANK, aided=False, size=(1500, 844), ground="marble")


@pytest.fixture
def opened(qtbot: QtBot, picture: Picture, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """The set-up of a table with figures whose corners are known; rings, cards and proposals are not looked for."""
    monkeypatch.setattr(setup_model, "see_figures", lambda *_: FiguresFound(()))
    monkeypatch.setattr(setup_model, "see_terrain", lambda *_: TerrainFound(()))
    windows: list[SetupWindow] = []

    def open_it(
        game: str = "firefight", marks: tuple[Piece, ...] = (), resumed: bool = False, proposing: bool = False
    ) -> SetupWindow:
        if not proposing:
            monkeypatch.setattr(mark_jobs, "proposed", lambda *_: ())
        source = table.ListSource()
        source.give(Frame(picture.bgr, 0, 0.0))
        size = (TABLE_MM, TABLE_MM)
        corners = field_corners(picture.view)
        known = TableProfile("0", game, picture.view.lens, table_mm=size, marks=marks, corners_px=corners)
        window = SetupWindow(known, lambda _: source, synchronous=True, resumed=resumed)
        qtbot.addWidget(window)
        window.resize(1366, 768)
        window.show()
        qtbot.waitUntil(lambda: window.page.model.figures is not None, timeout=60_000)
        window.page.figures.set_open(True)
        windows.append(window)
        return window

    yield open_it
    for window in windows:
        window.close()


def spot(window: SetupWindow, place_mm: tuple[float, float]) -> QPoint:
    """Where a place of the table is on the canvas."""
    view = window.page.model.view
    assert view is not None
    return window.page.canvas.widget_point(*view.board_to_image(np.array([place_mm]), 3.0)[0].tolist()).toPoint()


def click_base(window: SetupWindow, base: Base, off_mm: tuple[float, float] = (2.0, -2.0)) -> None:
    hand.click(window.page.canvas, spot(window, (base.x + off_mm[0], base.y + off_mm[1])))


def state(item: ChecklistItem) -> str:
    """How far an item is now."""
    return item.state.name


def names(item: MarkItem) -> list[str]:
    """What is marked now."""
    return [piece.id for piece in item.marking.marks]


def error_mm(piece: Piece, thing: Base | Stand) -> float:
    return float(np.hypot(piece.centre[0] - thing.x, piece.centre[1] - thing.y))


def test_clicks_snap_to_bases_with_unit_size_and_owner(opened: Opened) -> None:
    window = opened()
    page, marking = window.page, window.page.figures.marking
    assert state(page.figures) == "OPEN"
    page.figures.brush.sizes.setCurrentIndex(page.figures.brush.sizes.findText("⌀ 32 mm"))
    page.figures.brush.sizes.activated.emit(page.figures.brush.sizes.currentIndex())
    hand.point(page.canvas, spot(window, (BASES[0].x + 3.0, BASES[0].y + 1.0)))
    assert len(marking.preview) == 1
    assert error_mm(marking.preview[0], BASES[0]) < 2.0  # the ring is there before the click
    for base in BASES[:3]:
        click_base(window, base)
    hand.click(page.figures.brush.new, page.figures.brush.new.rect().center())
    click_base(window, BASES[3])
    assert [(p.id, p.unit, p.owner) for p in marking.marks] == [
        ("A-1", "A", "second"),
        ("A-2", "A", "second"),
        ("A-3", "A", "second"),
        ("B-1", "B", "first"),
    ]
    assert max(error_mm(piece, base) for piece, base in zip(marking.marks, BASES, strict=True)) < 2.0
    assert state(page.figures) == "DONE"
    for name, typed in zip(page.players.names, ("Anna", "Ben"), strict=True):
        name.setText(typed)
    page.accept()
    kept = remembered()
    assert [(piece.id, piece.owner) for piece in kept.marks] == [
        ("A-1", "Ben"),
        ("A-2", "Ben"),
        ("A-3", "Ben"),
        ("B-1", "Anna"),
    ]
    assert kept.setting().marks == kept.marks  # what `--marks` hands over
    assert read_profile(profile_path()).marks == page.profile.marks


def test_every_step_can_be_taken_back_moved_and_deleted(opened: Opened) -> None:
    window = opened()
    page, item, marking = window.page, window.page.figures, window.page.figures.marking
    marking.choose_brush(Brush(Circle(32.0), "A", "first"))
    click_base(window, BASES[0])
    click_base(window, BASES[1])
    hand.key(page.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert [piece.id for piece in marking.marks] == ["A-1"]
    hand.click(item.forth, item.forth.rect().center())
    assert [piece.id for piece in marking.marks] == ["A-1", "A-2"]
    hand.click(page.canvas, spot(window, (BASES[0].x, BASES[0].y)))  # on a mark: it is chosen, none is added
    assert marking.selected == "A-1"
    assert len(marking.marks) == 2
    before = marking.marks[0].centre
    hand.key(page.canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert marking.marks[0].centre == pytest.approx((before[0] + 1.0, before[1]))
    hand.drag(page.canvas, spot(window, marking.marks[1].centre), spot(window, (BASES[2].x + 2.0, BASES[2].y - 2.0)))
    assert error_mm(marking.marks[1], BASES[2]) < 2.0  # it snapped where it was dropped
    hand.key(page.canvas, Qt.Key.Key_Delete)
    assert [piece.id for piece in marking.marks] == ["A-1"]
    hand.click(item.back, item.back.rect().center())
    assert len(marking.marks) == 2
    hand.key(page.canvas, Qt.Key.Key_Period)
    assert marking.selected is not None
    hand.key(page.canvas, Qt.Key.Key_Escape)  # the first ends the choice, and leaves the set-up open
    assert marking.selected is None
    assert window.isVisible()


def test_a_mark_on_the_bare_table_is_doubtful_until_a_person_says_otherwise(opened: Opened) -> None:
    window = opened()
    item = window.page.figures
    item.marking.choose_brush(Brush(Circle(50.0), "A", "first"))
    hand.click(window.page.canvas, spot(window, (800.0, 150.0)))
    assert doubtful(item.marking.marks) == ("A-1",)
    assert state(item) == "PROBLEM"
    assert item.check.isVisible()
    assert "doubtful" in item.words.text()
    hand.click(item.right, item.right.rect().center())
    assert state(item) == "DONE"
    assert not item.check.isVisible()


def test_a_line_round_a_unit_marks_its_bases(opened: Opened) -> None:
    window = opened()
    page, item = window.page, window.page.figures
    item.marking.choose_brush(Brush(Circle(32.0), "A", "first"))
    tool = item.brush.tools[Tool.LASSO]
    hand.click(tool, tool.rect().center())
    item.brush.count.setValue(3)
    corners = ((210.0, 210.0), (375.0, 215.0), (375.0, 300.0), (300.0, 375.0), (210.0, 330.0), (208.0, 214.0))
    hand.draw(page.canvas, [spot(window, corner) for corner in corners])
    assert len(item.marking.marks) == 3
    for base in BASES[:3]:
        assert min(error_mm(piece, base) for piece in item.marking.marks) < 2.0
    assert item.marking.undo()
    assert names(item) == []


def test_a_block_is_dragged_along_its_front(opened: Opened) -> None:
    window = opened("conquest")
    page, item = window.page, window.page.figures
    tool = item.brush.tools[Tool.BLOCK]
    hand.click(tool, tool.rect().center())
    item.brush.ranks.setValue(1)
    hand.drag(page.canvas, spot(window, (273.0, 528.0)), spot(window, (448.0, 531.0)))
    assert names(item) == ["A-1", "A-2", "A-3"]
    for piece, stand in zip(item.marking.marks, RANK, strict=True):
        assert error_mm(piece, stand) < 2.0
        assert abs((piece.facing_deg + 180) % 360 - 180) < 2.0
    hand.click(item.turn, item.turn.rect().center())
    assert item.marking.undo()


def test_marks_of_the_last_game_are_confirmed_with_one_click(opened: Opened) -> None:
    brush = Brush(Circle(32.0), "wolves", "anna")
    marks = with_base(with_base((), brush, (BASES[0].x + 3, BASES[0].y)), brush, (BASES[1].x, BASES[1].y + 3))
    window = opened(marks=marks)
    item = window.page.figures
    assert names(item) == []
    assert len(item.marking.proposals) == 2
    assert state(item) == "OPEN"  # nothing is claimed that nobody confirmed
    hand.click(item.confirm, item.confirm.rect().center())
    assert names(item) == ["wolves-1", "wolves-2"]
    assert max(error_mm(piece, base) for piece, base in zip(item.marking.marks, BASES, strict=False)) < 2.0
    assert item.confirm.isHidden()


def test_plain_bases_are_proposed_and_confirmed_with_one_click(opened: Opened) -> None:
    window = opened(proposing=True)
    page, item = window.page, window.page.figures
    assert len(item.marking.proposals) == len(BASES)
    assert item.confirm.text() == "Confirm all 4"
    assert state(item) == "OPEN"
    item.store()
    assert page.profile.marks == ()  # nothing is claimed that nobody confirmed
    hand.click(item.confirm, item.confirm.rect().center())
    assert item.marking.proposals == ()
    for base in BASES:
        piece = min(item.marking.marks, key=lambda piece: error_mm(piece, base))
        assert error_mm(piece, base) < 2.0
        assert piece.shape == Circle(32.0)
        assert piece.owner == ("second" if base.y < 400 else "first")  # of the nearer edge
        assert "proposed" not in piece.extra
    assert len({piece.unit for piece in item.marking.marks}) == 2
    item.store()
    assert len(page.profile.marks) == len(BASES)


def test_proposals_are_confirmed_one_by_one_and_dismissed(opened: Opened) -> None:
    window = opened(proposing=True)
    item = window.page.figures
    hand.click(window.page.canvas, spot(window, (BASES[3].x, BASES[3].y)))
    assert len(item.marking.marks) == 1
    assert error_mm(item.marking.marks[0], BASES[3]) < 2.0
    assert [error_mm(each, BASES[3]) > 50 for each in item.marking.proposals] == [True] * 3
    hand.click(item.dismiss, item.dismiss.rect().center())
    assert item.marking.proposals == ()
    assert len(item.marking.marks) == 1
    assert item.confirm.isHidden()


def test_a_resumed_game_keeps_its_marks(opened: Opened) -> None:
    marks = with_base((), Brush(Circle(32.0), "wolves", "anna"), (BASES[0].x, BASES[0].y))
    item = opened(marks=marks, resumed=True).page.figures
    assert names(item) == ["wolves-1"]
    assert item.marking.proposals == ()


def test_an_army_list_says_what_is_clicked_next(opened: Opened, tmp_path: Path) -> None:
    window = opened()
    item = window.page.figures
    path = tmp_path / "army.json"
    units = [
        {"name": "Wolves", "models": 2, "points": 50, "stats": {"quality": 4, "defence": 4}},
        {"name": "Chief", "models": 1, "points": 50, "stats": {"quality": 3, "defence": 3}},
    ]
    path.write_text(json.dumps({"schema": "pinpoint.army/1", "game": "firefight", "units": units}))
    item.use_file(path)
    assert item.words.text() == "Click base 1 of 2 of wolves."
    item.marking.change_unit(shape=Circle(32.0))
    click_base(window, BASES[0])
    click_base(window, BASES[1])
    assert item.words.text() == "Click base 1 of 1 of chief."
    click_base(window, BASES[2])
    assert names(item) == ["wolves-1", "wolves-2", "chief-1"]
    assert item.marking.marks[0].stats["quality"] == 4
    saved = tmp_path / "marks.json"
    item.save_to(saved)
    scene = scene_from_json(json.loads(saved.read_text()))
    assert [piece.id for piece in scene.on_field()] == ["wolves-1", "wolves-2", "chief-1"]


def test_another_size_of_a_unit_fits_what_is_marked_again(opened: Opened) -> None:
    window = opened()
    item = window.page.figures
    click_base(window, BASES[0])
    assert item.marking.marks[0].shape == Circle(25.0)
    sizes = item.brush.sizes
    sizes.setCurrentIndex(sizes.findText("⌀ 32 mm"))
    sizes.activated.emit(sizes.currentIndex())
    assert item.marking.marks[0].shape == Circle(32.0)
    assert error_mm(item.marking.marks[0], BASES[0]) < 2.0


def test_marks_go_on_from_where_people_marked_them_now() -> None:
    brush = Brush(Circle(32.0), "wolves", "anna")
    old = scene_from_json(
        {
            "schema": "pinpoint.scene/1",
            "game": "firefight",
            "table": {"width_mm": 900, "depth_mm": 900},
            "pieces": [{"id": "wolves-1", "x": 1.0, "y": 2.0, "shape": {"circle_mm": 32}}],
        }
    )
    marks = with_base(with_base((), brush, (10.0, 20.0)), brush, (100.0, 20.0))
    assert [piece.id for piece in with_marks([old], marks)[-1].on_field()] == ["wolves-1", "wolves-2"]
    assert with_marks([old], ())[-1] is old
    assert with_marks([], marks) == []
