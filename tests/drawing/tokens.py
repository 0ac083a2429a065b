"""Draws a table with tokens and ruler as a camera would see it, for tests that need the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import (
    CARD_HEIGHT_MM,
    MARKER_CELLS,
    RULER_BASELINE_MM,
    RULER_IDS,
    RULER_LENGTH_MM,
    RULER_MARKER_MM,
    RULER_WIDTH_MM,
    TOKEN_CARD_MM,
    TOKEN_MARKER_MM,
    inner_corner_mm,
    marker_cells,
    nominal_token_centres_mm,
)
from calibration.lens import Lens
from calibration.tone import encode
from calibration.view import Calibration, TableView

_FINE = 3
EXACT = Calibration((), 0.0, "table", 0.0)


@dataclass(frozen=True)
class Card:
    """A token's place: its centre, and its turn clockwise in degrees."""

    x: float
    y: float
    turn_deg: float = 0.0


@dataclass(frozen=True)
class DrawnTable:
    """A table as it truly is, in a frame of its own (about the board frame)."""

    width_mm: float = 914.4
    depth_mm: float = 914.4
    tokens: Mapping[int, Card] = field(default_factory=dict)
    ruler: Card | None = None
    token_scale: float = 1.0

    def inner_corners(self) -> FloatArray:
        """The battlefield's true corners, for the tokens there are."""
        corners = []
        for token, card in sorted(self.tokens.items()):
            corners.append(_turn(inner_corner_mm(token)[None] * self.token_scale, card)[0])
        return np.array(corners)


def tokens(offsets: Mapping[int, tuple[float, float, float]] | None = None, size: float = 914.4) -> dict[int, Card]:
    """The four tokens, each off its nominal place by dx, dy (mm) and a turn (degrees)."""
    cards = {}
    for token, (x, y) in enumerate(nominal_token_centres_mm(size, size)):
        dx, dy, turn = (offsets or {}).get(token, (0.0, 0.0, 0.0))
        cards[token] = Card(float(x) + dx, float(y) + dy, turn)
    return cards


HAND_LAID = {0: (3.0, -2.0, 1.5), 1: (-2.5, 3.5, -2.0), 2: (1.0, 4.0, 0.5), 3: (-3.0, -1.0, 2.5)}


def camera(
    tilt_deg: float = 25.0, distance_mm: float = 1750.0, turn_deg: float = 5.0, lens: Lens | None = None
) -> TableView:
    """A camera looking at the middle of a 3 x 3 foot table from the south."""
    lens = lens or Lens(1280, 720, np.array([[1010.0, 0, 652.0], [0, 1010.0, 351.0], [0, 0, 1]]), np.array(_BENT))
    tilt = cv2.Rodrigues(np.array([-np.radians(tilt_deg), 0.0, 0.0]))[0]
    spin = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(turn_deg)]))[0]
    rotation = np.asarray(tilt @ spin, dtype=np.float64)
    translation = np.array([0.0, 0.0, distance_mm]) - rotation @ np.array([457.2, 457.2, 0.0])
    return TableView(lens, rotation, translation, 914.4, 914.4, EXACT)


_BENT = [-0.08, 0.01, 0.0003, -0.0002, 0.0]


def draw(table: DrawnTable, view: TableView, noise: float = 2.0, blur_px: float = 0.6, seed: int = 1) -> ByteImage:
    """The picture (BGR) that this camera takes of the table."""
    lens = view.lens
    fine = np.full((lens.height * _FINE, lens.width * _FINE), 0.18, dtype=np.float32)
    for token, card in table.tokens.items():
        scale = table.token_scale
        _lay(fine, view, card, (TOKEN_CARD_MM * scale,) * 2, {token: (0.0, 0.0, TOKEN_MARKER_MM * scale)})
    if table.ruler is not None:
        ends = {
            end: (s * RULER_BASELINE_MM / 2, 0.0, RULER_MARKER_MM) for end, s in zip(RULER_IDS, (-1, 1), strict=True)
        }
        _lay(fine, view, table.ruler, (RULER_LENGTH_MM, RULER_WIDTH_MM), ends)
    soft = cv2.GaussianBlur(fine, (0, 0), blur_px * _FINE)
    light = np.asarray(cv2.resize(soft, (lens.width, lens.height), interpolation=cv2.INTER_AREA), dtype=np.float64)
    values = encode(light) * 255 + np.random.default_rng(seed).normal(0, noise, light.shape)
    gray = np.clip(np.round(values), 0, 255).astype(np.uint8)
    return np.repeat(gray[:, :, None], 3, axis=2)


def _turn(points: FloatArray, card: Card) -> FloatArray:
    cos, sin = np.cos(np.radians(card.turn_deg)), np.sin(np.radians(card.turn_deg))
    return np.asarray(points @ np.array([[cos, sin], [-sin, cos]]) + [card.x, card.y], dtype=np.float64)


def _lay(
    fine: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    view: TableView,
    card: Card,
    size_mm: tuple[float, float],
    markers: Mapping[int, tuple[float, float, float]],
) -> None:
    """Puts a white card with its markers into the finely sampled picture."""
    half = np.array(size_mm) / 2
    outline = _turn(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half, card)
    pixels = view.board_to_image(outline, CARD_HEIGHT_MM)
    low = np.floor((pixels.min(axis=0) - 1) * _FINE).astype(int)
    high = np.ceil((pixels.max(axis=0) + 2) * _FINE).astype(int)
    low, high = np.maximum(low, 0), np.minimum(high, [fine.shape[1], fine.shape[0]])
    if (high <= low).any():
        return
    x, y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    samples = (np.column_stack([x.ravel(), y.ravel()]) - (_FINE - 1) / 2) / _FINE
    board = view.image_to_board(samples, CARD_HEIGHT_MM) - [card.x, card.y]
    local = _turn(board, Card(0.0, 0.0, -card.turn_deg))
    part = fine[low[1] : high[1], low[0] : high[0]].ravel()
    part[(np.abs(local) <= half).all(axis=1)] = 0.7
    for marker, (mx, my, side) in markers.items():
        cells = np.floor((local - [mx, my]) / side * MARKER_CELLS + MARKER_CELLS / 2).astype(int)
        inside = ((cells >= 0) & (cells < MARKER_CELLS)).all(axis=1)
        code = marker_cells(marker)
        part[inside] = np.where(code[cells[inside, 1], cells[inside, 0]] > 0.5, 0.7, 0.02)
    fine[low[1] : high[1], low[0] : high[0]] = part.reshape(x.shape)
