"""Advice on the picture: each problem is named with what to do, and a good picture is left alone."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.scene.values import Circle, Piece, Scene, Table
from assistant.session.advising import BETWEEN_S, MOVED, Advising, outlines_of
from assistant.session.moment import Moment
from calibration.arrays import ByteImage
from calibration.lens import Lens
from calibration.table_solve import solve_table
from calibration.view import TableView
from tests.drawing.tokens import HAND_LAID, DrawnTable, camera, draw, tokens
from vision.camera.quality import PieceOutline, advise, edge_width_px
from vision.types.frame import Frame

TABLE_MM = (914.4, 914.4)
PIECE = PieceOutline("orc-boyz", 450.0, 450.0, 38.1)


@pytest.fixture(scope="module", params=[0, 1])
def table(request: pytest.FixtureRequest) -> tuple[ByteImage, TableView]:
    """A table with a dozen printed disks, seen from one of two places, with 0.9 pixels per mm."""
    view = camera(*((25.0, 1700.0, 5.0), (8.0, 1750.0, -7.0))[request.param], Lens.pinhole(1920, 1080, 1500.0))
    picture = draw(DrawnTable(tokens=tokens(HAND_LAID)), view, seed=request.param)
    random = np.random.default_rng(request.param)
    for _ in range(12):
        x, y = random.uniform(150, 760, 2)
        centre = view.board_to_image(np.array([[x, y]]))[0]
        cv2.circle(picture, tuple(np.round(centre).astype(int).tolist()), 30, (30, 60, 150), -1, cv2.LINE_AA)
        cv2.circle(picture, tuple(np.round(centre).astype(int).tolist()), 22, (200, 210, 190), -1, cv2.LINE_AA)
    found = solve_table(picture, *TABLE_MM, view.lens)
    assert isinstance(found, TableView)
    return picture, found


def test_a_good_picture_is_left_alone(table: tuple[ByteImage, TableView]) -> None:
    assert advise(*table, (PIECE,)) is None


@pytest.mark.parametrize("sigma", [3.0, 6.0])
def test_out_of_focus(table: tuple[ByteImage, TableView], sigma: float) -> None:
    blurred = np.asarray(cv2.GaussianBlur(table[0], (0, 0), sigma), np.uint8)
    for view in (table[1], None):
        said = advise(blurred, view)
        assert said is not None
        assert said.problem == "out of focus"
        assert "focus on the table" in said.text


def test_too_dark(table: tuple[ByteImage, TableView]) -> None:
    dark = (table[0] * 0.15).astype(np.uint8)
    for view in (table[1], None):
        said = advise(dark, view)
        assert said is not None
        assert (said.problem, "lamp" in said.text) == ("too dark", True)


def test_glare_names_the_pieces(table: tuple[ByteImage, TableView]) -> None:
    picture, view = table[0].copy(), table[1]
    centre = view.board_to_image(np.array([[PIECE.x_mm, PIECE.y_mm]]))[0]
    cv2.circle(picture, tuple(np.round(centre).astype(int).tolist()), 24, (255, 255, 255), -1)
    said = advise(picture, view, (PieceOutline("far", 100.0, 800.0, 25.4), PIECE))
    assert said is not None
    assert (said.problem, said.pieces) == ("glare", ("orc-boyz",))
    assert "orc-boyz" in said.text


def test_too_far_away() -> None:
    view = camera(20.0, 2600.0)
    picture = draw(DrawnTable(tokens=tokens()), view)
    found = solve_table(picture, *TABLE_MM, view.lens)
    assert isinstance(found, TableView)
    said = advise(picture, found)
    assert said is not None
    assert said.problem == "too far away"
    assert "pixels per mm" in said.text


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_tokens_cut_off_with_and_without_a_view(table: tuple[ByteImage, TableView], cut: int) -> None:
    picture, view = table
    places = view.board_to_image(np.array([[-30.0, -30.0], [944.0, -30.0], [944.0, 944.0], [-30.0, 944.0]]))
    left, top = np.round(places.min(axis=0)).astype(int)
    right, bottom = np.round(places.max(axis=0)).astype(int)
    part = np.ascontiguousarray((picture[:, left:], picture[:, :right], picture[top:], picture[:bottom])[cut])
    found = solve_table(part, *TABLE_MM)
    said = advise(part, found if isinstance(found, TableView) else None, (), TABLE_MM)
    assert said is not None
    assert said.problem == "tokens cut off"


def test_nothing_is_said_of_the_focus_of_a_bare_cloth() -> None:
    cloth = np.random.default_rng(5).normal(120, 3, (720, 1280)).astype(np.uint8)
    assert edge_width_px(cloth) is None


def test_what_is_told_holds_for_two_checks(table: tuple[ByteImage, TableView]) -> None:
    picture, view = table
    scene = Scene(game=GAMES[0].id, table=Table(*TABLE_MM), pieces=(Piece("a", Circle(50.8), 400.0, 300.0),))
    assert outlines_of(scene)[0].radius_mm == 25.4
    moment = Moment(0, 0.0, scene, (), view)
    dark = (picture * 0.15).astype(np.uint8)
    advising = Advising()
    assert advising.update(Frame(dark, 0, 0.0), moment) is None
    assert advising.update(Frame(dark, 1, 1.0), moment) is None
    told = advising.update(Frame(dark, 2, BETWEEN_S), moment)
    assert told is not None and told.problem == "too dark"
    assert advising.update(Frame(picture, 3, 2 * BETWEEN_S), moment) is None
    moved = replace(moment, events=(Event(9.0, 9, "camera_moved", {}),))
    assert advising.update(Frame(picture, 9, 9.0), moved) is MOVED


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (1, 500), (500, 1), (20, 30)])
def test_pictures_of_any_size_are_judged_or_not(shape: tuple[int, int]) -> None:
    noise = np.random.default_rng(6).integers(0, 255, (*shape, 3), dtype=np.uint8)
    advise(noise, None, (), TABLE_MM)
    assert not solve_table(noise, *TABLE_MM)
