"""A film drawn by hand: a table with corner tokens, disks of the dice game, arms, noise and restless light."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage
from calibration.kit import nominal_token_centres_mm, square_mm
from calibration.lens import Lens
from calibration.view import Calibration, TableView
from tests.drawing.simulated_game import TABLE_MM, Piece, Table
from vision.types.frame import Frame

WIDTH, HEIGHT, FPS = 960, 540, 30
FACE_MM = 2.0
TOKEN_COLOURS = {"activation": (0, 200, 240), "damage": (40, 40, 220), "wound": (160, 40, 160)}
Picture = NDArray[np.float32]


def overhead_view(x_mm: float = TABLE_MM / 2, y_mm: float = TABLE_MM / 2) -> TableView:
    """A camera straight above a point of the table."""
    lens = Lens.pinhole(WIDTH, HEIGHT, 760.0)
    translation = np.array([-x_mm, -y_mm, 1500.0])
    return TableView(lens, np.eye(3), translation, TABLE_MM, TABLE_MM, Calibration((0, 1, 2, 3), 0.1, "markers", 1e-3))


def drawn_table(table: Table, view: TableView) -> Picture:
    """The table without hands, noise and light."""
    picture = _bare_cloth().copy()
    for marker, centre in enumerate(nominal_token_centres_mm(TABLE_MM, TABLE_MM)):
        card = np.full((240, 240, 3), 235, np.uint8)
        dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
        marks = cv2.aruco.generateImageMarker(dictionary, marker, 160)
        card[40:200, 40:200] = marks[:, :, None]
        _paste(picture, card, view.board_to_image(square_mm(60.0) + centre), None)
    for piece in sorted(table.pieces, key=lambda piece: piece.layer):
        around = square_mm(piece.diameter_mm) + np.array([piece.x, piece.y])
        art = _art(piece)
        _paste(picture, art, view.board_to_image(around, FACE_MM), _round_mask(art.shape[0]))
    return picture


@dataclass
class DrawnFilm:
    """Frames one after another; `light` and `noise_levels` change what the camera makes of them."""

    view: TableView = field(default_factory=overhead_view)
    noise_levels: float = 1.5
    seed: int = 0
    index: int = 0

    def __post_init__(self) -> None:
        self._dice = np.random.default_rng(self.seed)
        shape = (HEIGHT + 64, WIDTH + 64, 3)
        self._grain = self._dice.standard_normal(shape, dtype=np.float32) * self.noise_levels

    def still(self, table: Table, frames: int, gain: float = 1.0, flicker: float = 0.0) -> Iterator[Frame]:
        """The table at rest; with `flicker` the lamp's brightness swings, in bands across the picture."""
        drawn = drawn_table(table, self.view)
        rows = np.arange(HEIGHT)[:, None, None]
        for _ in range(frames):
            bands = 1 + flicker * np.sin(self.index * 2.1 + rows / 60)
            yield self._frame(drawn * gain * bands.astype(np.float32))

    def shown(self, picture: Picture, frames: int) -> Iterator[Frame]:
        """Whatever is before the camera."""
        for _ in range(frames):
            yield self._frame(picture)

    def shadow(self, table: Table, frames: int) -> Iterator[Frame]:
        """Somebody walks by: a soft shadow crosses the table."""
        drawn = drawn_table(table, self.view)
        x, y = np.meshgrid(np.arange(WIDTH), np.arange(HEIGHT))
        for step in range(frames):
            middle = WIDTH * (1.6 * step / frames - 0.3)
            dim = 1 - 0.35 * np.exp(-(((x - middle) / 150) ** 2) - ((y - HEIGHT / 2) / 260) ** 2)
            yield self._frame(drawn * dim.astype(np.float32)[:, :, None])

    def hand(
        self, before: Table, after: Table, at_mm: tuple[float, float], frames: int = 24, rest: int = 0
    ) -> Iterator[Frame]:
        """An arm reaches in from the south, the table changes under it, rests for a while, and goes."""
        tables = drawn_table(before, self.view), drawn_table(after, self.view)
        goal = self.view.board_to_image(np.array([at_mm]))[0]
        depth = [*np.linspace(0, 1, frames // 2), *[1.0] * rest, *np.linspace(1, 0, frames - frames // 2)]
        for step, reach in enumerate(depth):
            drawn = tables[step >= len(depth) // 2].copy()
            tip = np.array([goal[0], HEIGHT + 60 - reach * (HEIGHT + 60 - goal[1])])
            end = np.array([goal[0] + 40, HEIGHT + 60])
            cv2.line(drawn, _whole(tip), _whole(end), (120, 145, 190), 64)
            cv2.circle(drawn, _whole(tip), 46, (125, 150, 200), -1)
            yield self._frame(drawn)

    def _frame(self, drawn: Picture) -> Frame:
        down, right = self._dice.integers(0, 64, 2)
        noisy = drawn + self._grain[down : down + HEIGHT, right : right + WIDTH]
        frame = Frame(cv2.convertScaleAbs(np.maximum(noisy, 0)).astype(np.uint8), self.index, self.index / FPS)
        self.index += 1
        return frame


def _whole(point: NDArray[np.float64]) -> tuple[int, int]:
    return (round(float(point[0])), round(float(point[1])))


@cache
def _bare_cloth() -> Picture:
    dice = np.random.default_rng(7)
    grain = cv2.GaussianBlur(dice.normal(0, 1, (HEIGHT, WIDTH)), (0, 0), 3)
    return (np.array([70.0, 95.0, 80.0]) + 60 * grain[:, :, None]).astype(np.float32)


def _art(piece: Piece) -> ByteImage:
    """A face that only its profile has, with the piece's tokens on it."""
    size = 96
    dice = np.random.default_rng(zlib.crc32(piece.profile.encode()))
    art = np.full((size, size, 3), dice.integers(120, 230, 3), np.uint8)
    for _ in range(7):
        spot = tuple(int(value) for value in dice.integers(15, size - 15, 2))
        colour = tuple(int(value) for value in dice.integers(20, 255, 3))
        cv2.circle(art, spot, int(dice.integers(6, 16)), colour, -1)
    cv2.circle(art, (size // 2, size // 2), size // 2 - 3, (230, 230, 235), 4)
    for number, kind in enumerate(sorted(kind for kind, count in piece.tokens.items() if count)):
        angle = 2 * math.pi * number / 3
        spot = (round(size / 2 + size / 4 * math.cos(angle)), round(size / 2 + size / 4 * math.sin(angle)))
        cv2.circle(art, spot, round(7.5 / piece.diameter_mm * size), TOKEN_COLOURS[kind], -1)
    return art


def _round_mask(size: int) -> ByteImage:
    mask = np.zeros((size, size), np.uint8)
    cv2.circle(mask, (size // 2, size // 2), size // 2 - 1, 255, -1)
    return mask


def _paste(picture: Picture, art: ByteImage, corners_px: NDArray[np.float64], mask: ByteImage | None) -> None:
    side = art.shape[0]
    left, top = np.floor(corners_px.min(axis=0)).astype(int) - 1
    width, height = np.ceil(corners_px.max(axis=0)).astype(int) + 2 - (left, top)
    left, top = max(left, 0), max(top, 0)
    part = picture[top : top + height, left : left + width]
    source = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - 0.5
    transform = cv2.getPerspectiveTransform(source, (corners_px - (left, top)).astype(np.float32))
    size = (part.shape[1], part.shape[0])
    soften = (max(1, round(1.2 * side / size[0])),) * 2  # as a camera's pixels do
    warped = cv2.warpPerspective(cv2.blur(art, soften), transform, size, borderMode=cv2.BORDER_REPLICATE)
    whole = cv2.blur(np.full(art.shape[:2], 255, np.uint8) if mask is None else mask, soften)
    share = cv2.warpPerspective(whole, transform, size).astype(np.float32)[:, :, None] / 255
    part *= 1 - share
    part += share * warped
