"""How much each pixel looks like a kit colour laid over its surroundings.

A ring or band is two or three pixels wide, so its pixels are mixtures of its colour and what lies around. Light mixes
linearly, so in linear light, with the surroundings known (a wide median), the share of the colour in the mixture can
be solved for, and what is left over measures how badly the colour explains the pixel. Of the light only its colour is
used, as two differences: red less green, and yellow less blue.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import TOKEN_CARD_MM, TOKEN_MARKER_MM, nominal_token_centres_mm
from calibration.kit_trays import RIM_COLOURS
from calibration.view import TableView
from vision.figures.options import FIGURES
from vision.types.arrays import FloatImage
from vision.types.tone import PAPER


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """The kit's colours as parts of white paper's light: names, red less green and yellow less blue (N, 2)."""

    names: tuple[str, ...]
    opponent: FloatArray
    white: FloatArray  # the light on white paper, linear BGR

    def of(self, name: str) -> FloatArray:
        """One colour's two differences."""
        return np.asarray(self.opponent[self.names.index(name)])

    def hues_deg(self) -> FloatArray:
        """The direction of each colour's two differences."""
        return np.degrees(np.arctan2(self.opponent[:, 1], self.opponent[:, 0]))

    def nearest(self, hues_deg: FloatArray) -> tuple[str, ...]:
        """The colours that measured hues (N,) are, all shifted alike: a camera's white is never quite white."""
        shifts = np.arange(-FIGURES.most_hue_shift_deg, FIGURES.most_hue_shift_deg + 1.0)
        off = np.abs((hues_deg[:, None] - self.hues_deg() - shifts[:, None, None] + 180.0) % 360.0 - 180.0)
        cost = (off.min(axis=2) ** 2).sum(axis=1) + shifts**2
        return tuple(self.names[k] for k in off[int(np.argmin(cost))].argmin(axis=1))


def colours_in_light(bgr: ByteImage, view: TableView) -> Colours:
    """The kit's colours, and the light that the white of the corner tokens shows."""
    linear = np.array(list(RIM_COLOURS.values())) ** 2.2 / PAPER
    opponent = np.column_stack([linear[:, 0] - linear[:, 1], (linear[:, 0] + linear[:, 1]) / 2 - linear[:, 2]])
    return Colours(tuple(RIM_COLOURS), opponent, _white(bgr, view))


def _white(bgr: ByteImage, view: TableView) -> FloatArray:
    """The light on white paper, linear BGR: the quiet zones of the corner tokens that are in the picture."""
    rim = (TOKEN_CARD_MM + TOKEN_MARKER_MM) / 4
    ring = np.array([[u, v] for u in (-rim, 0.0, rim) for v in (-rim, 0.0, rim) if u or v])
    found = []
    for centre in nominal_token_centres_mm(view.width_mm, view.depth_mm):
        pixels = np.round(view.board_to_image(centre + ring)).astype(int)
        inside = ((pixels >= 0) & (pixels < [bgr.shape[1], bgr.shape[0]])).all(axis=1)
        if inside.all():
            found.append(np.median(bgr[pixels[:, 1], pixels[:, 0]], axis=0))
    level = np.median(found, axis=0) if found else np.full(3, 200.0)
    return np.asarray(np.maximum(level, 40.0) / 255.0, dtype=np.float64) ** 2.2


def chroma(bgr: ByteImage, white: FloatArray, surroundings_px: int) -> FloatImage:
    """(H, W, 4): how each pixel's two differences differ from its surroundings', and the surroundings' own."""
    window = min(max(3, surroundings_px | 1), 255)
    table = (np.arange(256) / 255.0) ** 2.2
    blue, green, red = (np.take((table / white[k]).astype(np.float32), bgr[..., k]) for k in range(3))
    planes = np.empty((*bgr.shape[:2], 4), np.float32)
    for k, plane in enumerate((red - green, (red + green) / 2 - blue)):
        steps = np.clip(plane * 100 + 128, 0, 255).astype(np.uint8)  # the median is taken of bytes
        ground = (cv2.medianBlur(steps, window).astype(np.float32) - 128) / 100
        planes[..., k], planes[..., 2 + k] = plane - ground, ground
    return planes


def likeness(planes: FloatImage, opponent: FloatArray) -> FloatImage:
    """0 to 1: the share of one colour in each pixel of `chroma`, less where other colours must be in it too."""
    change_a, change_b = planes[..., 0], planes[..., 1]
    full_a, full_b = np.float32(opponent[0]) - planes[..., 2], np.float32(opponent[1]) - planes[..., 3]
    full = full_a * full_a + full_b * full_b
    share = (change_a * full_a + change_b * full_b) / np.maximum(full, FIGURES.least_change**2)
    distinct = np.clip(np.sqrt(full) / FIGURES.least_change - 1.0, 0.0, 1.0)
    left_a, left_b = change_a - share * full_a, change_b - share * full_b
    tolerated = FIGURES.grey_left * np.sqrt(change_a * change_a + change_b * change_b) + FIGURES.colour_noise
    off = (left_a * left_a + left_b * left_b) / (tolerated * tolerated)
    return np.asarray(np.clip(share, 0.0, 1.0) * distinct * np.exp(-off), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class CardInk:
    """A picture as ink on white card: how each pixel differs from the brightest around it, which on a card is paper."""

    planes: FloatImage  # as `chroma` gives them, the ground being white
    dark: FloatImage  # 0 to 1, in linear light: sharp where a JPEG's colours are smeared over several pixels

    def of(self, name: str, opponent: FloatArray) -> FloatImage:
        """0 to 1: how much of a kit colour is at every pixel: as much as is dark there, where the colour is near."""
        return _inked(self.planes, self.dark, name, opponent)

    def hue_deg(self, pixels: FloatImage) -> float:
        """The direction of the two differences at places (N, 2) of the picture, where they are large."""
        planes = cv2.remap(self.planes, pixels[None, :, 0], pixels[None, :, 1], cv2.INTER_LINEAR)[0, :, :2]
        much = np.hypot(planes[:, 0], planes[:, 1])
        aside, ahead = np.median(planes[much >= FIGURES.least_ink * np.percentile(much, 90)], axis=0)
        return float(np.degrees(np.arctan2(ahead, aside)))

    def at(self, pixels: FloatImage, name: str, opponent: FloatArray) -> FloatImage:
        """The same at places of the picture (..., 2)."""
        planes = cv2.remap(self.planes, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR)
        dark = cv2.remap(self.dark, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR)
        return _inked(np.asarray(planes, dtype=np.float32), np.asarray(dark, dtype=np.float32), name, opponent)


def card_ink(bgr: ByteImage, reach_px: int) -> CardInk:
    """A picture as ink on white card, where white is never farther from ink than `reach_px`.

    Colours are compared channel by channel with the brightest nearby, so that on a card its own paper is white whatever
    the light, and cloth with no card on it has no colour.
    """
    table = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)
    linear = np.take(table, bgr)
    side = max(3, reach_px | 1)
    brightest = cv2.dilate(cv2.blur(linear, (3, 3)), np.ones((side, side), np.uint8))
    brightest = np.maximum(cv2.blur(brightest, (side, side)), 0.02)
    blue, green, red = (np.clip(linear[..., k] / brightest[..., k], 0.0, 1.2) for k in range(3))
    planes = np.zeros((*bgr.shape[:2], 4), np.float32)
    planes[..., 0], planes[..., 1] = red - green, (red + green) / 2 - blue
    dark = np.clip(1 - (0.299 * red + 0.587 * green + 0.114 * blue), 0.0, 1.0)
    return CardInk(planes, np.asarray(dark, dtype=np.float32))


def _inked(planes: FloatImage, dark: FloatImage, name: str, opponent: FloatArray) -> FloatImage:
    coloured = np.clip(likeness(planes, opponent) * 2.0, 0.0, 1.0)
    return np.asarray(coloured * np.clip(dark / depth_of_ink(name), 0.0, 1.0), dtype=np.float32)


def depth_of_ink(name: str) -> float:
    """How much darker than white paper a kit colour is."""
    red, green, blue = (value**2.2 for value in RIM_COLOURS[name])
    return float(1 - (0.299 * red + 0.587 * green + 0.114 * blue) / PAPER**2.2)
