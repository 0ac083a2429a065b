"""Overlays as data, and where they fall on the screen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.rules.ruling import Area, Line, Meaning, Ruling, Verdict
from assistant.scene.values import Circle, OrderCertainty, Piece, Player, Rect, Scene, Table, Terrain
from assistant.ui.image import ShownPicture, from_above, top_view_map
from assistant.ui.overlays.items import ITEMS, item_of
from assistant.ui.overlays.labels import Box, Tag, place
from assistant.ui.overlays.model import AreaMark, Dash, Ink, LineMark, Overlay, PieceMark
from assistant.ui.overlays.projection import PhotoProjection, TopProjection, keystone
from assistant.ui.overlays.standing import Layers, outline_of, ruling_marks, standing_overlays
from assistant.ui.stacks import face_height_mm, stack_levels
from assistant.ui.steady import Steadier
from assistant.ui.viewport import Viewport, fitted, fitted_on, kept_inside, zoomed
from tests.assistant.ui import table
from tests.assistant.ui.boxes import overlap

numbers = st.floats(-200, 1200)
tags = st.lists(st.tuples(numbers, numbers, st.floats(0, 40), st.integers(0, 5), st.floats(10, 160)), max_size=40)


@given(tags)
def test_placed_texts_are_inside_and_apart(wishes: list[tuple[float, float, float, int, float]]) -> None:
    asked = [Tag("x", x, y, Ink.NOTE, clear, priority) for x, y, clear, priority, _ in wishes]
    placed = place(asked, [(width, 18.0) for *_, width in wishes], Box(0, 0, 1000, 700))
    assert all(label.box.inside(Box(0, 0, 1000, 700)) for label in placed)
    boxes = [label.box for label in placed]
    assert not any(overlap(a, b) for index, a in enumerate(boxes) for b in boxes[index + 1 :])


def test_a_lone_text_is_never_left_out() -> None:
    assert len(place([Tag("x", 500, 300, Ink.NOTE, 20.0)], [(80.0, 18.0)], Box(0, 0, 1000, 700))) == 1


def test_every_kind_of_overlay_has_its_item() -> None:
    assert set(ITEMS) == set(Overlay.__args__)


@given(st.lists(st.tuples(st.floats(-0.15, 0.15), st.floats(-0.15, 0.15)), min_size=4, max_size=4))
def test_a_keystone_meets_its_four_corners(nudges: list[tuple[float, float]]) -> None:
    base = ((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8))
    a, b, c, d = ((1280 * (x + dx), 800 * (y + dy)) for (x, y), (dx, dy) in zip(base, nudges, strict=True))
    lay = keystone((a, b, c, d), 914.4, 600.0, (1280, 800))
    field = np.array([[0.0, 0.0], [914.4, 0.0], [914.4, 600.0], [0.0, 600.0]])
    assert lay.to_picture(field) == pytest.approx(np.array([a, b, c, d]), abs=1e-6)
    assert lay.to_board(lay.to_picture(field)) == pytest.approx(field, abs=1e-6)


def test_the_view_from_above_shows_a_disk_where_the_board_has_it() -> None:
    top = TopProjection.of(table.scene(0).table)
    seen = from_above(table.picture(0), top_view_map(table.view(0), top))
    x, y = top.to_picture(np.array([[700.0, 300.0]]))[0]
    direct = table.view(0).board_to_image(np.array([[700.0, 300.0]]))[0].round().astype(int)
    expected = table.picture(0)[direct[1] - 2 : direct[1] + 3, direct[0] - 2 : direct[0] + 3].mean(axis=(0, 1))
    found = seen[round(y) - 2 : round(y) + 3, round(x) - 2 : round(x) + 3].mean(axis=(0, 1))
    assert found == pytest.approx(expected, abs=12)


def test_the_shown_part_lies_where_the_viewport_says() -> None:
    picture = np.zeros((400, 600, 3), np.uint8)
    picture[100:120, 200:230] = (0, 0, 255)
    for view in (Viewport(1.5, -40.0, 13.0), Viewport(0.7, 30.0, 20.0), Viewport(3.0, -500.0, -200.0)):
        image = ShownPicture().of(picture, view, 500, 380)
        x, y = view.to_widget(215, 110)
        assert image.pixelColor(round(x), round(y)).red() == 255
        x, y = view.to_widget(195, 110)
        assert image.pixelColor(round(x), round(y)).red() < 60


def test_a_ring_on_the_table_is_an_ellipse_in_a_slanting_picture() -> None:
    far = Piece("far", Circle(76.2), 100.0, 60.0)
    pixels = PhotoProjection(table.view(0)).to_picture(np.array(outline_of(far)))
    width, height = np.ptp(pixels, axis=0)
    assert 0.7 < height / width < 0.95


@given(st.floats(0.2, 4), st.floats(0, 900), st.floats(0, 600))
def test_zooming_keeps_the_place_under_the_pointer(factor: float, x: float, y: float) -> None:
    view = fitted((1920, 1080), (900, 600))
    closer = zoomed(view, factor, x, y, view.scale)
    assert closer.to_picture(x, y) == pytest.approx(view.to_picture(x, y), abs=1e-6)
    assert closer.scale >= view.scale


def test_fitting_on_the_table_leaves_no_gap() -> None:
    view = fitted_on((400, 100, 1500, 1000), (1920, 1080), (900, 700))
    left, top = view.to_picture(0, 0)
    right, bottom = view.to_picture(900, 700)
    assert left <= 400
    assert right >= 1500
    assert top >= 0
    assert bottom <= 1080
    moved = kept_inside(Viewport(view.scale, 500, 500), (1920, 1080), (900, 700))
    assert (moved.dx, moved.dy) == (0, 0)


def stack() -> Scene:
    """Three disks over one another beside a lone one, and a stand."""
    pieces = (
        Piece("top", Circle(40), 100, 100, "a"),
        Piece("middle", Circle(50), 110, 100, "b", visible=True),
        Piece("bottom", Circle(60), 120, 100, "b", visible=False),
        Piece("lone", Circle(40), 400, 400, None),
        Piece("stand", Rect(60, 30), 600, 600, "a", facing_deg=90),
    )
    above = (("top", "middle"), ("middle", "bottom"), ("top", "bottom"))
    sure = (OrderCertainty("top", "middle", 0.9),)
    hill = Terrain("hill", ((300, 300), (380, 300), (380, 380)), ("cover",))
    return Scene("diskwars", Table(900, 900), (Player("a"), Player("b")), pieces, above, sure, (hill,))


def test_a_piece_that_is_doubtful_looks_so() -> None:
    sure = Piece("a", Circle(40), 100, 100, "x", extra={"confidence": 0.99, "profile_confidence": 0.98})
    no_disk = Piece("b", Circle(40), 300, 100, "x", extra={"confidence": 0.65})
    misread = Piece("c", Circle(40), 500, 100, "x", extra={"confidence": 0.99, "profile_confidence": 0.7})
    scene = Scene("diskwars", Table(900, 900), (Player("x"),), (sure, no_disk, misread))
    marks = standing_overlays(scene, (), Layers(names=True), {"a": "A", "b": "B", "c": "C"})
    items = [item_of(mark, TopProjection(900, 900)) for mark in marks]
    assert [item.tags[0].text for item in items] == ["A", "B ?", "C ?"]
    assert [item.strokes[0].dash for item in items] == [Dash.SOLID, Dash.DASH_DOT, Dash.DASH_DOT]


def test_levels_count_from_the_top_of_a_stack() -> None:
    levels = stack_levels(stack())
    assert levels == {"top": 1, "middle": 2, "bottom": 3}
    heights = [face_height_mm(piece, levels) for piece in stack().pieces]
    assert heights == [6.0, 4.0, 2.0, 2.0, 2.0]


def test_a_scene_gives_its_overlays() -> None:
    marks = standing_overlays(stack(), (), Layers(), {"top": "Top"}, held=("lone",), selected=("top",))
    pieces = {mark.id: mark for mark in marks if isinstance(mark, PieceMark)}
    assert pieces["top"].ink is Ink.OWNER_1
    assert pieces["bottom"].ink is Ink.OWNER_2
    assert pieces["bottom"].double
    assert pieces["bottom"].hidden
    assert pieces["lone"].ink is Ink.NEUTRAL
    assert pieces["lone"].held
    assert pieces["top"].selected
    assert {round(x) for x, _ in pieces["stand"].outline} == {585, 615}  # turned a quarter: narrow along x
    hill = next(mark for mark in marks if isinstance(mark, AreaMark))
    assert hill.text == "hill · cover"
    assert all(item_of(mark, TopProjection(900, 900)).strokes for mark in marks)


def test_what_was_not_asked_stays_quiet_and_close_calls_look_so() -> None:
    pin = Line((0, 0), (10, 0), Meaning.PIN, "pins")
    sight = Line((0, 0), (90, 0), Meaning.FREE, "free")
    held = Area(stack().terrain[0].outline, Meaning.CONTROL, "b")
    ruling = Ruling("pin", Verdict.YES, "", "DW-33", evidence=(pin, sight, held), certainty=0.6)
    marks = standing_overlays(stack(), (ruling,), Layers(), {})
    lines = [mark for mark in marks if isinstance(mark, LineMark)]
    assert [line.ink for line in lines] == [Ink.PIN]
    assert lines[0].arrow
    assert next(mark for mark in marks if isinstance(mark, AreaMark)).text == "hill · cover · b"
    asked = ruling_marks(ruling)
    assert isinstance(asked[1], LineMark)
    assert (asked[1].ink, asked[1].dash) == (Ink.CLOSE, Dash.DASH_DOT)


def test_overlays_do_not_tremble_but_follow_a_move() -> None:
    steadier = Steadier()
    rng = np.random.default_rng(3)
    first = steadier.update(stack()).piece("lone").centre
    for _ in range(50):
        dx, dy = rng.normal(0, 0.15, 2)
        assert steadier.update(moved(dx, dy)).piece("lone").centre == first
    assert steadier.update(moved(2.0, 0.0)).piece("lone").centre == (402.0, 400.0)


def moved(dx: float, dy: float) -> Scene:
    """The scene with the lone disk shifted."""
    scene = stack()
    pieces = tuple(
        replace(piece, x=400 + dx, y=400 + dy, sigma_mm=0.2) if piece.id == "lone" else piece for piece in scene.pieces
    )
    return replace(scene, pieces=pieces)
