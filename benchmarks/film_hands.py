"""What moves in a film: arms that reach in, a disk in a hand, the shadow of somebody who walks by."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.film_stage import Picture
from benchmarks.settled_cards import Card
from benchmarks.table_tops import Array
from calibration.view import TableView

SKINS = ((120, 150, 205), (80, 105, 150), (45, 62, 95))
SLEEVES = ((95, 55, 90), (60, 60, 60), (120, 90, 40), (40, 50, 130))
CARRIED_MM = 18.0
_FINGERS_DEG = (-62.0, -22.0, -7.0, 8.0, 24.0)
_FINGER_MM = (62.0, 88.0, 96.0, 90.0, 72.0)
_SHADOW = 0.4
_OUTSIDE_PX = 140.0


@dataclass(frozen=True, slots=True)
class Arm:
    """One person's arm: its colours and where in the picture it comes from."""

    skin: tuple[int, int, int]
    sleeve: tuple[int, int, int]
    from_px: tuple[float, float]
    size: tuple[int, int]  # of the picture

    @staticmethod
    def of(rng: np.random.Generator, size: tuple[int, int]) -> Arm:
        """An arm from a random side of the picture."""
        width, height = size
        across, down = rng.uniform(0.2, 0.8, 2)
        sides = ((across * width, height), (across * width, height), (0.0, down * height), (width, down * height))
        x, y = sides[int(rng.integers(len(sides)))]
        skin, sleeve = SKINS[int(rng.integers(len(SKINS)))], SLEEVES[int(rng.integers(len(SLEEVES)))]
        return Arm(skin, sleeve, (float(x), float(y)), size)

    def outside(self) -> Array:
        """Where the fingers' tips are while nothing of it is seen."""
        start = np.array(self.from_px)
        away = start - np.array(self.size) / 2
        return np.asarray(start + _OUTSIDE_PX * away / np.linalg.norm(away))


def draw_arm(picture: Picture, arm: Arm, tip_px: Array, px_per_mm: float) -> None:
    """Draws the arm with its middle finger's tip at a place, and the shadow it throws."""
    mask, colours = _silhouette(arm, tip_px, px_per_mm)
    if not mask.any():
        return
    quarter = (arm.size[0] // 4, arm.size[1] // 4)
    small = cv2.resize(mask, quarter, interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    shift = np.array([[1, 0, 9.0 * px_per_mm], [0, 1, 6.0 * px_per_mm]]) * np.array([1, 1, 0.25])
    shifted = cv2.warpAffine(small, shift, quarter)
    soft = cv2.resize(cv2.GaussianBlur(shifted, (0, 0), 4.0 * px_per_mm), arm.size)
    picture *= 1 - _SHADOW * np.asarray(soft, dtype=np.float32)[:, :, None]
    rows, columns = (slice(*_span(mask.max(axis=axis))) for axis in (1, 0))
    share = cv2.GaussianBlur(mask[rows, columns], (0, 0), 0.9).astype(np.float32)[:, :, None] / 255
    part = picture[rows, columns]
    part *= 1 - share
    part += share * cv2.GaussianBlur(colours[rows, columns], (0, 0), 2.0)


def draw_carried(picture: Picture, card: Card, art: Array, at_mm: Array, view: TableView, turned: float) -> None:
    """The disk in the hand, above the table; `turned` from 0 to 1 narrows and widens it as a flip does."""
    narrow = max(0.15, abs(np.cos(np.pi * turned)))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * card.radius * np.array([narrow, 1.0])
    size = art.shape[0]
    source = np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32) - 0.5
    target = view.board_to_image(corners + at_mm, CARRIED_MM).astype(np.float32)
    transform = cv2.getPerspectiveTransform(source, target)
    round_mask = np.zeros((size, size), np.uint8)
    cv2.circle(round_mask, (size // 2, size // 2), size // 2 - 1, 255, -1)
    bounds = picture.shape[1::-1]
    low = np.clip(np.floor(target.min(axis=0)).astype(int) - 2, 0, bounds)
    high = np.clip(np.ceil(target.max(axis=0)).astype(int) + 3, 0, bounds)
    if np.any(high - low < 4):
        return
    transform = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ transform
    extent = (int(high[0] - low[0]), int(high[1] - low[1]))
    share = cv2.warpPerspective(cv2.blur(round_mask, (5, 5)), transform, extent).astype(np.float32)[:, :, None] / 255
    face = cv2.warpPerspective((art * 200).astype(np.float32), transform, extent)
    part = picture[low[1] : high[1], low[0] : high[0]]
    part *= 1 - share
    part += share * face


def walk_by(step: float, across: bool, size: tuple[int, int]) -> Picture:
    """How much light is left while a person passes the lamp, `step` from 0 to 1."""
    x, y = np.meshgrid(np.linspace(0, 1, size[0] // 8), np.linspace(0, 1, size[1] // 8))
    along, over = (x, y) if across else (y, x)
    dim = 1 - 0.35 * np.exp(-(((along - (1.8 * step - 0.4)) / 0.12) ** 2) - ((over - 0.5) / 0.6) ** 2)
    return np.asarray(cv2.resize(dim.astype(np.float32), size)[:, :, None])


def draw_leaning(picture: Picture, sleeve: tuple[int, int, int], depth: float, sway_px: float) -> None:
    """A person who leans over the picture's lower side as far as this share of its height, and their shadow."""
    height, width = picture.shape[:2]
    small = np.zeros((height // 4, width // 4), np.float32)
    middle = (round((width / 2 + sway_px) / 4), height // 4)
    cv2.ellipse(small, middle, (round(width * 0.05), round(depth * height / 4)), 0, 180, 360, 1.0, -1)
    cv2.ellipse(small, middle, (round(width * 0.08), round(0.6 * depth * height / 4)), 0, 180, 360, 1.0, -1)
    body = cv2.resize(small, (width, height))[:, :, None]
    dim = cv2.resize(cv2.GaussianBlur(small, (0, 0), 0.02 * width), (width, height))[:, :, None]
    picture *= 1 - 0.35 * dim
    picture *= 1 - body
    picture += body * np.array(sleeve, np.float32)


def _silhouette(arm: Arm, tip_px: Array, px_per_mm: float) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The arm's mask and colours over the whole picture."""
    away = np.array(arm.from_px) - tip_px
    outwards = arm.outside() - np.array(arm.from_px)
    if float(away @ outwards) <= 0:  # the tip is outside already
        away = outwards
    back = away / np.linalg.norm(away)
    palm = tip_px + back * 125 * px_per_mm
    wrist = palm + back * 70 * px_per_mm
    elbow = wrist + back * 900 * px_per_mm
    mask = np.zeros(arm.size[::-1], np.uint8)
    colours = np.zeros((*arm.size[::-1], 3), np.uint8)
    darker = tuple(int(0.85 * value) for value in arm.skin)
    for degrees, length_mm in zip(_FINGERS_DEG, _FINGER_MM, strict=True):
        turn = np.radians(degrees)
        forward = -np.array(
            [back[0] * np.cos(turn) - back[1] * np.sin(turn), back[0] * np.sin(turn) + back[1] * np.cos(turn)]
        )
        ends = _whole(palm + forward * 30 * px_per_mm), _whole(palm + forward * (30 + length_mm) * px_per_mm)
        _stroke(mask, colours, ends, 17 * px_per_mm, darker)
    _stroke(
        mask,
        colours,
        (_whole(palm - back * 12 * px_per_mm), _whole(palm + back * 12 * px_per_mm)),
        78 * px_per_mm,
        arm.skin,
    )
    _stroke(mask, colours, (_whole(palm), _whole(wrist + back * 60 * px_per_mm)), 52 * px_per_mm, arm.skin)
    _stroke(mask, colours, (_whole(wrist + back * 60 * px_per_mm), _whole(elbow)), 82 * px_per_mm, arm.sleeve)
    return mask, colours


def _stroke(
    mask: NDArray[np.uint8],
    colours: NDArray[np.uint8],
    ends: tuple[tuple[int, int], tuple[int, int]],
    width_px: float,
    colour: tuple[int, ...],
) -> None:
    cv2.line(mask, *ends, 255, max(1, round(width_px)), cv2.LINE_AA)
    cv2.line(colours, *ends, colour, max(1, round(width_px)) + 6)


def _whole(point: Array) -> tuple[int, int]:
    return (round(float(point[0])), round(float(point[1])))


def _span(filled: NDArray[np.uint8]) -> tuple[int, int]:
    where = np.flatnonzero(filled)
    return max(0, int(where[0]) - 3), int(where[-1]) + 4
