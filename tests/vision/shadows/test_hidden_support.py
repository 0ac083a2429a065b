"""What shadows tell: from where light falls, and which cards lie higher than they seem to."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from scipy.optimize import nnls

from calibration.arrays import ByteImage, FloatArray
from calibration.failure import Failure
from calibration.lens import read_lens
from calibration.table_solve import solve_table
from tests.drawing.disks import camera, disk
from vision.camera.stills import read_picture
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.piles.settle import lie_down
from vision.roster.profiles import read_roster
from vision.shadows.hidden_support import raised_disks, support_by_shadows
from vision.shadows.room_light import TOWARDS, blocked, light_without, shadow
from vision.shadows.surrounds import SECTORS, surrounds_of
from vision.shadows.table_grain import TableGrain
from vision.shadows.table_shade import TableColours
from vision.types.frame import Frame
from vision.types.non_negative import non_negative
from vision.types.poses import poses_of
from vision.types.sighting import DiskSighting, Order, TableSighting

TABLES = Path(__file__).parents[3] / "sample_images" / "tables"
SIDEWAYS = 2 * np.array([[1.2, 0.3], [1.0, 0.5], [1.4, 0.1], [1.1, 0.0], [0.9, 0.3], [1.3, 0.5]])
VIEW = camera(40.0, 1150.0)
LAMP = 0.6  # share of the light that comes from the side; the rest comes from everywhere and is never blocked


@cache
def picture(raised_mm: float | None, chequered: bool, lamp: float = LAMP) -> ByteImage:
    """A cloth in the light of a lamp, with cards that stand on it, one of them so high; without any if that is None."""
    cards = [] if raised_mm is None else laid_out(raised_mm)
    rows, columns = np.mgrid[0 : VIEW.lens.height, 0 : VIEW.lens.width]
    cloth = VIEW.image_to_board(np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64))
    light = np.ones(len(cloth))
    for card in cards:
        near = np.flatnonzero(np.abs(cloth - np.array([card.x_mm, card.y_mm])).max(axis=1) < card.diameter_mm)
        for towards in SIDEWAYS:
            dark = _away(cloth[near], card, towards * card.face_height_mm) < card.diameter_mm / 2
            light[near] -= lamp / len(SIDEWAYS) * dark
    colour = np.full((len(cloth), 3), (0.35, 0.4, 0.5))
    if chequered:
        white = (np.floor(cloth / 40).astype(int).sum(axis=1) % 2).astype(bool)
        colour[white] = (0.75, 0.8, 0.8)
    linear = (colour * light[:, None]).reshape(VIEW.lens.height, VIEW.lens.width, 3)
    around = np.linspace(0, 2 * np.pi, 90)
    for card in cards:
        outward = card.diameter_mm / 2 * np.column_stack([np.cos(around), np.sin(around)])
        rim = np.array([card.x_mm, card.y_mm]) + outward
        seen = np.vstack([VIEW.board_to_image(rim, h) for h in (card.face_height_mm, card.face_height_mm - 2)])
        cv2.fillConvexPoly(linear, cv2.convexHull(np.round(seen).astype(np.int32)), (0.3, 0.1, 0.25))
    noisy = cv2.GaussianBlur(linear, (0, 0), 0.8) + np.random.default_rng(3).normal(0, 0.004, linear.shape)
    return np.asarray(np.clip(noisy, 0, 1) ** (1 / 2.2) * 255, dtype=np.uint8)


def _away(points: FloatArray, card: DiskSighting, towards_light: FloatArray) -> FloatArray:
    """How far points are from the line along which the card's outline moves as its shadow falls."""
    start = points - np.array([card.x_mm, card.y_mm])
    along = np.clip(-(start @ towards_light) / (towards_light @ towards_light), 0, 1)
    return np.asarray(np.linalg.norm(start + along[:, None] * towards_light, axis=1))


def seeming(card: DiskSighting) -> DiskSighting:
    """The card as it seems to lie on the table."""
    pixel = VIEW.board_to_image(np.array([[card.x_mm, card.y_mm]]), card.face_height_mm)
    x_mm, y_mm = VIEW.image_to_board(pixel, 2.0)[0]
    return disk(card.id, float(x_mm), float(y_mm), card.diameter_mm)


def laid_out(raised_mm: float) -> list[DiskSighting]:
    places = [(x, y) for x in (180, 340, 500, 660) for y in (250, 420, 590)]
    return [
        disk(f"d{i}", x, y, (38.1, 50.8, 76.2)[i % 3], raised_mm if i == 4 else 2.0) for i, (x, y) in enumerate(places)
    ]


@pytest.mark.parametrize("chequered", [False, True])
def test_a_card_on_a_hidden_one_is_told_by_its_shadow(chequered: bool) -> None:
    cards = laid_out(raised_mm=4.0)
    bgr = picture(4.0, chequered)
    seen = TableSighting(tuple(seeming(card) for card in cards), ())
    colours = TableColours.of(bgr, VIEW, poses_of(seen.disks), ())
    raised = raised_disks(colours, VIEW, seen)
    assert set(raised) == {"d4"}
    assert raised["d4"].odds > 1
    lying = {card.id: card for card in lie_down(VIEW, seen, {}, raised=raised).disks}
    told = {card.id: card for card in seen.disks}
    off = [np.hypot(card.x_mm - cards[4].x_mm, card.y_mm - cards[4].y_mm) for card in (told["d4"], lying["d4"])]
    assert off[1] < 0.6 * off[0]
    assert all(lying[name].face_height_mm == pytest.approx(2.0) for name in told if name != "d4")


def test_cards_on_the_table_are_not_lifted_and_no_light_tells_nothing() -> None:
    on_table = laid_out(raised_mm=2.0)
    seen = TableSighting(tuple(on_table), ())
    lit = picture(2.0, chequered=False)
    assert raised_disks(TableColours.of(lit, VIEW, poses_of(seen.disks), ()), VIEW, seen) == {}
    raised = laid_out(raised_mm=4.0)
    unlit = picture(4.0, chequered=False, lamp=0.0)
    seen = TableSighting(tuple(seeming(card) for card in raised), ())
    assert raised_disks(TableColours.of(unlit, VIEW, poses_of(seen.disks), ()), VIEW, seen) == {}


def test_a_card_on_one_that_is_seen_is_left_to_that_one() -> None:
    cards = laid_out(raised_mm=4.0)
    bgr = picture(4.0, chequered=False)
    seen = TableSighting(tuple(seeming(card) for card in cards), (Order("d4", "d5", 0.9),))
    assert raised_disks(TableColours.of(bgr, VIEW, poses_of(seen.disks), ()), VIEW, seen) == {}


def test_an_empty_table_and_a_single_card_are_no_trouble() -> None:
    bgr = picture(None, chequered=True)
    nothing = TableSighting((), ())
    assert support_by_shadows(TableColours.of(bgr, VIEW, poses_of(()), ()), VIEW, nothing) == []
    alone = TableSighting((disk("a", 400, 400),), ())
    assert raised_disks(TableColours.of(bgr, VIEW, poses_of(alone.disks), ()), VIEW, alone) == {}


def test_the_light_comes_from_where_the_lamp_stands() -> None:
    cards = laid_out(raised_mm=2.0)
    seen = TableSighting(tuple(cards), ())
    colours = TableColours.of(picture(2.0, chequered=True), VIEW, poses_of(seen.disks), ())
    found = surrounds_of(colours, VIEW, poses_of(seen.disks), ())
    blocks = {}
    for i, one in found.items():
        darker = 1 - np.exp(one.shade - np.median(one.shade[one.bare]))
        blocks[i] = (one.by_any[one.bare].astype(float), darker[one.bare], np.ones(int(one.bare.sum())))
    light = light_without(blocks)[0]
    towards = light @ TOWARDS / light.sum()
    assert np.degrees(np.arctan2(towards[1], towards[0])) == pytest.approx(14, abs=12)
    assert 0.2 < light.sum() < 0.8


def test_what_a_card_blocks() -> None:
    beside = np.array([[30.0, 0.0], [0.0, 30.0], [0.0, 0.0]])
    hidden = blocked(beside, np.zeros(2), 25.0, 4.0)
    west = TOWARDS[:, 0] < -np.abs(TOWARDS[:, 1]) - 1e-9
    assert hidden[0, west & (np.linalg.norm(TOWARDS, axis=1) > 2)].any()
    assert not hidden[0, ~west & (TOWARDS[:, 0] > 0)].any()
    assert hidden[2].all()
    assert blocked(beside, np.zeros(2), 25.0, 8.0).sum() > hidden.sum()
    assert shadow(np.zeros((1, len(TOWARDS)), dtype=bool), np.full(len(TOWARDS), 0.01)) == pytest.approx(0.0)


def test_colours_of_the_cloth_are_no_shade() -> None:
    bgr = picture(None, chequered=True)
    colours = TableColours.of(bgr, VIEW, poses_of(()), ())
    points = np.random.default_rng(5).uniform(100, 800, (2000, 2))
    shade, bare = colours.shade(VIEW, points, poses_of(()), ())
    plain = np.abs((points % 40) - 20).max(axis=1) < 16  # not where two colours meet
    gray = bgr.astype(float).mean(axis=2)
    assert np.log(np.percentile(gray, 90) / np.percentile(gray, 10)) > 0.25
    assert shade[bare & plain].std() < 0.06
    assert bare.mean() > 0.9


def test_a_rough_table_is_rougher_and_its_cells_are_alike_all_around() -> None:
    cards = laid_out(raised_mm=2.0)
    seen = TableSighting(tuple(cards), ())
    bgr = picture(2.0, chequered=False, lamp=0.0)
    blotches = cv2.GaussianBlur(np.random.default_rng(2).normal(0, 1, bgr.shape[:2]), (0, 0), 4)
    rough = np.clip(bgr * (1 + 0.2 * blotches / blotches.std())[..., None], 0, 255).astype(np.uint8)
    variances = []
    for taken in (bgr, rough):
        colours = TableColours.of(taken, VIEW, poses_of(seen.disks), ())
        covariance = TableGrain(surrounds_of(colours, VIEW, poses_of(seen.disks), ()).values()).covariance(25.4)
        assert covariance == pytest.approx(covariance.T, abs=1e-9)
        assert np.linalg.eigvalsh(covariance).min() > -1e-9
        rings = len(covariance) // SECTORS
        assert covariance.diagonal()[:rings] == pytest.approx(covariance.diagonal()[-rings:])
        variances.append(covariance.diagonal()[rings - 1])
    assert variances[1] > 4 * variances[0]


def test_least_squares_that_cannot_be_below_nothing() -> None:
    chance = np.random.default_rng(7)
    seen, told = chance.normal(size=(3, 40, 6)), chance.normal(size=(3, 40))
    square, right = np.einsum("nki,nkj->nij", seen, seen), np.einsum("nki,nk->ni", seen, told)
    found = non_negative(square, right)
    assert found == pytest.approx(np.array([nnls(a, b)[0] for a, b in zip(seen, told, strict=True)]), abs=2e-3)
    assert (found >= 0).all()
    assert (found == 0).any()
    assert non_negative(square, right, found[0]) == pytest.approx(found, abs=2e-3)


def test_a_look_at_a_table_lifts_the_cards_whose_shadows_tell_so() -> None:
    truth = json.loads((TABLES / "slanting-19.truth.json").read_text(encoding="utf-8"))
    bgr = read_picture(TABLES / "slanting-19.jpg")
    lens = TABLES / "slanting-19.camera.json"
    size = truth["table"]["width_mm"], truth["table"]["depth_mm"]
    view = solve_table(bgr, *size, read_lens(lens) if lens.exists() else None)
    assert not isinstance(view, Failure)
    roster = read_roster(TABLES / truth["roster"])
    pieces = Pieces(roster.sizes_mm(), roster)
    (true,) = [piece for piece in truth["pieces"] if piece["id"] == "d28"]  # on a card that nobody sees

    def found(by_shadows: bool) -> tuple[float, float]:
        disks = look(Frame(bgr, 0, 0.0), view, pieces, by_shadows).disks
        apart = [float(np.hypot(disk.x_mm - true["x"], disk.y_mm - true["y"])) for disk in disks]
        nearest = int(np.argmin(apart))
        return apart[nearest], disks[nearest].face_height_mm

    (off_mm, height_mm), (off_without_mm, height_without_mm) = found(True), found(False)
    assert height_mm == pytest.approx(true["face_height_mm"], abs=0.4)
    assert height_without_mm == pytest.approx(2.0, abs=0.1)
    assert off_mm < 1.05 < 1.25 < off_without_mm
