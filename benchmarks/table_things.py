"""Pictures of what lies on a table beside disks: kit tokens, terrain, and things that are no pieces at all.

Each is a square BGRA picture in 0..1, seen from straight above; what is outside the thing has no alpha.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
TOKEN_KINDS = ("activation", "damage", "empowerment", "wound")
THINGS = ("coaster", "die", "card", "mug", "paper")
_TINTS = {"woods": (0.15, 0.4, 0.2), "lake": (0.6, 0.4, 0.2), "ruins": (0.45, 0.47, 0.5), "hill": (0.3, 0.5, 0.6)}
TERRAIN_KINDS = tuple(_TINTS)
TERRAIN_KEYWORDS = {"woods": "blocks sight", "lake": "impassable", "ruins": "cover", "hill": "high ground"}
PX = 240
_FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """A level cut through a thing: a picture over a square of this side at this height."""

    height_mm: float
    side_mm: float
    picture: Array


@dataclass(frozen=True, slots=True, eq=False)
class Thing:
    """One thing: its slices from the lowest up, where it lies and how it is turned."""

    kind: str
    slices: tuple[Slice, ...]
    x: float
    y: float
    turn_deg: float
    outline_mm: Array  # (N, 2) about its centre, unturned

    @property
    def side_mm(self) -> float:
        """Of the square it fills."""
        return self.slices[-1].side_mm

    @property
    def height_mm(self) -> float:
        """Of its upper side."""
        return self.slices[-1].height_mm


def token_picture(kind: str) -> Array:
    """A token of the printed kit, filling the square."""
    ground, ink, letter = {
        "activation": ((31, 209, 247), (20, 20, 20), "A"),
        "damage": ((26, 20, 204), (255, 255, 255), "1"),
        "empowerment": ((204, 84, 33), (20, 20, 20), "E"),
        "wound": ((20, 20, 20), (255, 255, 255), "W"),
    }[kind]
    picture = np.full((PX, PX, 3), ground, np.uint8)
    if kind in ("damage", "wound"):
        edge, wide = round(0.055 * PX), round(0.03 * PX)
        cv2.rectangle(picture, (edge, edge), (PX - edge, PX - edge), (255, 255, 255), wide)
    (width, height), _ = cv2.getTextSize(letter, _FONT, 4.6, 20)
    cv2.putText(picture, letter, ((PX - width) // 2, (PX + height) // 2), _FONT, 4.6, ink, 20, cv2.LINE_AA)
    corners = {"activation": 90, "empowerment": 8}.get(kind, 4)
    return cut(picture / 255, regular(corners, 0.5 if corners > 4 else 0.5 * np.sqrt(2)))


def make_thing(rng: np.random.Generator, kind: str, x: float, y: float) -> Thing:
    """A thing of a kind in a colour, size and turn of its own."""
    turn = float(rng.uniform(0, 360))
    colour = rng.uniform(0.1, 0.85, 3)
    shades = 0.75 + 0.5 * cv2.resize(rng.random((24, 24)), (PX, PX), interpolation=cv2.INTER_CUBIC)[..., None]
    plain = np.clip(np.ones((PX, PX, 3)) * colour * shades, 0, 1)
    if kind in TERRAIN_KINDS:
        return _terrain(rng, kind, np.array(_TINTS[kind]) * rng.uniform(0.7, 1.3, 3), x, y, turn)
    if kind == "coaster":
        cv2.circle(plain, (PX // 2, PX // 2), round(0.38 * PX), tuple(rng.uniform(0.1, 0.9, 3)), 6, cv2.LINE_AA)
        return _thing(kind, plain, regular(90, 0.5), float(rng.uniform(80, 105)), 4.0, x, y, turn)
    if kind == "die":
        for place in (60, 120, 180):
            cv2.circle(plain, (place, place), 20, (0.95, 0.95, 0.95), -1, cv2.LINE_AA)
        side = float(rng.uniform(12, 16))
        return _thing(kind, plain, regular(4, 0.5 * np.sqrt(2)), side, side, x, y, turn)
    if kind == "mug":
        cv2.circle(plain, (PX // 2, PX // 2), round(0.44 * PX), (0.05, 0.1, 0.18), -1, cv2.LINE_AA)
        return _thing(kind, plain, regular(90, 0.5), float(rng.uniform(78, 90)), 90.0, x, y, turn)
    if kind == "card":
        cv2.rectangle(plain, (50, 30), (190, 210), (0.95, 0.95, 0.95), 6)
        return _thing(kind, plain, upright(0.72), 88.0, 0.5, x, y, turn)
    white = np.full((PX, PX, 3), 0.9)
    for row in range(30, 220, 16):
        cv2.line(white, (50, row), (int(rng.integers(120, 190)), row), (0.3, 0.3, 0.3), 2)
    return _thing("paper", white, upright(0.7), 148.0, 0.2, x, y, turn)


def outline_of(thing: Thing) -> Array:
    """The thing's outline (N, 2) on the table."""
    turn = np.radians(thing.turn_deg)
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return np.asarray(thing.outline_mm @ matrix.T + [thing.x, thing.y])


def _terrain(rng: np.random.Generator, kind: str, tint: Array, x: float, y: float, turn: float) -> Thing:
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    radius = np.ones(len(angles))
    for waves in (2, 3, 4, 5):
        radius += rng.uniform(0.03, 0.13) * np.cos(waves * angles + rng.uniform(0, 6))
    unit = 0.5 * (radius / np.max(radius))[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    texture = sum(cv2.resize(rng.random((n, n)), (PX, PX), interpolation=cv2.INTER_CUBIC) / 3 for n in (8, 25, 80))
    picture = np.clip(tint * (0.55 + 0.9 * np.asarray(texture)[..., None]), 0, 1)
    return _thing(kind, picture, unit, float(rng.uniform(110, 240)), 1.8, x, y, turn)


def _thing(
    kind: str, picture: Array, unit: Array, side_mm: float, height_mm: float, x: float, y: float, turn: float
) -> Thing:
    return Thing(kind, solid(picture, unit, side_mm, height_mm), x, y, turn, unit * side_mm)


def solid(picture: Array, unit: Array, side_mm: float, height_mm: float) -> tuple[Slice, ...]:
    """The slices of a thing with straight, dark sides; its outline is given in parts of the side."""
    upper = cut(picture, unit)
    wall = np.dstack([upper[..., :3] * 0.5, upper[..., 3]])
    steps = np.linspace(0, height_mm, max(2, round(height_mm / 1.5)), endpoint=False)
    return (*(Slice(float(height), side_mm, wall) for height in steps), Slice(height_mm, side_mm, upper))


def regular(corners: int, reach: float) -> Array:
    """A regular outline about the middle of the unit square, a side to the south where there is one."""
    angles = (np.arange(corners) + 0.5) * 2 * np.pi / corners
    return np.column_stack([reach * np.cos(angles), reach * np.sin(angles)])


def upright(width: float) -> Array:
    """A rectangle as high as the unit square."""
    return np.array([[-width / 2, -0.5], [width / 2, -0.5], [width / 2, 0.5], [-width / 2, 0.5]])


def cut(picture: Array, unit: Array) -> Array:
    """The picture with alpha inside an outline given in units of its side about its middle."""
    mask = np.zeros((PX, PX), np.uint8)
    cv2.fillPoly(mask, [np.round((unit + 0.5) * PX * 16).astype(np.int32)], (255,), cv2.LINE_AA, 4)
    return np.dstack([picture, mask / 255.0])
