"""What a camera sees of cards and things on a table: every sight line is cut with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.settled_cards import Card
from benchmarks.table_things import Thing, token_picture
from benchmarks.table_tops import Array
from calibration.view import TableView


def sample(texture: Array, u: Array, v: Array) -> Array:
    """Texture colour at u, v in texels."""
    count = len(u)
    padding = -count % 1024  # cv2.remap takes no side over 32767
    across, down = (np.pad(part, (0, padding)).astype(np.float32).reshape(-1, 1024) for part in (u, v))
    found = cv2.remap(texture.astype(np.float32), across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return np.asarray(found.reshape(-1, 3)[:count], dtype=np.float64)


class Painter:
    """Keeps the nearest thing on every sight line."""

    def __init__(self, view: TableView, width: int, height: int) -> None:
        self.view, self.width, self.height = view, width, height
        yy, xx = np.mgrid[0:height, 0:width]
        pixels = np.column_stack([xx.ravel(), yy.ravel()]).astype(np.float64)
        rays = view.lens.directions(pixels)
        self.rays = np.column_stack([rays, np.ones(len(rays))]) @ view.rotation
        self.centre = view.camera_centre
        self.depth = np.full(len(pixels), np.inf)
        self.colour = np.zeros((len(pixels), 3))
        self.points = np.zeros((len(pixels), 3))
        self.owner = np.full(len(pixels), -1)

    def near(self, x: float, y: float, radius: float, height: float) -> NDArray[np.intp]:
        """Pixels that may see something of that radius up to that height."""
        angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ring = np.array([x, y]) + 1.15 * radius * np.column_stack([np.cos(angles), np.sin(angles)])
        pixels = np.concatenate([self.view.board_to_image(ring, h) for h in (0.0, height)])
        low = np.clip(np.floor(pixels.min(axis=0)) - 2, 0, None).astype(int)
        high = np.minimum(np.ceil(pixels.max(axis=0)) + 3, [self.width, self.height]).astype(int)
        yy, xx = np.mgrid[low[1] : max(low[1], high[1]), low[0] : max(low[0], high[0])]
        return np.asarray((yy * self.width + xx).ravel())

    def paint(self, where: NDArray[np.intp], t: Array, inside: NDArray[np.bool_], colour: Array, owner: int) -> None:
        """Puts colour where it is inside and nearer than what was there."""
        hit = inside & (t > 0) & (t < self.depth[where])
        chosen = where[hit]
        self.depth[chosen] = t[hit]
        self.colour[chosen] = colour[hit]
        self.owner[chosen] = owner
        self.points[chosen] = self.centre + self.rays[chosen] * t[hit, None]

    def plane(
        self, where: NDArray[np.intp], x: float, y: float, height: float, slope: tuple[float, float] = (0, 0)
    ) -> tuple[Array, Array]:
        """Where sight lines meet a plane: t and the board points."""
        rays = self.rays[where]
        # z = -(height + slope . (p - c))
        rise = self.centre[2] + height + (self.centre[0] - x) * slope[0] + (self.centre[1] - y) * slope[1]
        fall = rays[:, 2] + rays[:, 0] * slope[0] + rays[:, 1] * slope[1]
        t = -rise / fall
        return t, self.centre[:2] + rays[:, :2] * t[:, None]


def paint_card(painter: Painter, card: Card, art: Array, index: int) -> None:
    """The card's wall in slices, its face, and the tokens on it."""
    where = painter.near(card.x, card.y, card.radius, card.height + 3)
    wall = np.array([0.62, 0.68, 0.72])
    for step in np.linspace(-card.thickness_mm, -0.1, 7):
        t, at = painter.plane(where, card.x, card.y, card.height + step, card.slope)
        inside = np.hypot(at[:, 0] - card.x, at[:, 1] - card.y) <= card.radius
        painter.paint(where, t, inside, np.broadcast_to(wall, (len(where), 3)), index)
    t, at = painter.plane(where, card.x, card.y, card.height, card.slope)
    dx, dy = at[:, 0] - card.x, at[:, 1] - card.y
    turn = np.radians(card.rotation_deg)
    u = (np.cos(turn) * dx + np.sin(turn) * dy) / card.radius * 149 + 149.5
    v = (-np.sin(turn) * dx + np.cos(turn) * dy) / card.radius * 149 + 149.5
    painter.paint(where, t, np.hypot(dx, dy) <= card.radius, sample(art, u, v), index)
    for kind, token_x, token_y, side, turn_deg in card.tokens:
        picture = token_picture(kind)
        for lift in (0.4, 0.8, 1.2):
            t, at = painter.plane(where, card.x, card.y, card.height + lift, card.slope)
            paint_sprite(painter, where, t, at - [card.x + token_x, card.y + token_y], turn_deg, side, picture, index)


def paint_sprite(
    painter: Painter,
    where: NDArray[np.intp],
    t: Array,
    offsets: Array,
    turn_deg: float,
    side_mm: float,
    picture: Array,
    owner: int,
) -> None:
    """A square BGRA picture on a plane that the sight lines meet at these offsets from its middle."""
    turn = np.radians(turn_deg)
    u = np.cos(turn) * offsets[:, 0] + np.sin(turn) * offsets[:, 1]
    v = -np.sin(turn) * offsets[:, 0] + np.cos(turn) * offsets[:, 1]
    size = len(picture)
    across, down = (u / side_mm + 0.5) * size - 0.5, (v / side_mm + 0.5) * size - 0.5
    inside = (np.abs(u) <= side_mm / 2) & (np.abs(v) <= side_mm / 2)
    inside &= sample(np.repeat(picture[..., 3:], 3, axis=2), across, down)[:, 0] > 0.5
    painter.paint(where, t, inside, sample(picture[..., :3], across, down), owner)


def paint_thing(painter: Painter, thing: Thing) -> None:
    """A thing, slice by slice."""
    where = painter.near(thing.x, thing.y, 0.75 * thing.side_mm, thing.height_mm)
    for cut in thing.slices:
        t, at = painter.plane(where, thing.x, thing.y, cut.height_mm)
        paint_sprite(painter, where, t, at - [thing.x, thing.y], thing.turn_deg, cut.side_mm, cut.picture, -3)


def paint_square(
    painter: Painter, x: float, y: float, theta_deg: float, side: float, texture: Array, height: float = 0.4
) -> None:
    """A printed card of a side length, its texture filling it."""
    where = painter.near(x, y, side * 0.75, height)
    t, at = painter.plane(where, x, y, height)
    turn = np.radians(theta_deg)
    dx, dy = at[:, 0] - x, at[:, 1] - y
    u, v = np.cos(turn) * dx + np.sin(turn) * dy, -np.sin(turn) * dx + np.cos(turn) * dy
    size = texture.shape[0]
    inside = (np.abs(u) <= side / 2) & (np.abs(v) <= side / 2)
    painter.paint(where, t, inside, sample(texture, (u / side + 0.5) * size - 0.5, (v / side + 0.5) * size - 0.5), -2)


class Shading(Protocol):
    """A round plate that casts a shadow."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def radius(self) -> float: ...
    @property
    def height(self) -> float: ...
    @property
    def slope(self) -> tuple[float, float]: ...
    def face_height(self, points: Array) -> Array: ...


@dataclass(frozen=True, slots=True)
class Lid:
    """The level upper side of a round thing."""

    x: float
    y: float
    radius: float
    height: float
    slope: tuple[float, float] = (0.0, 0.0)

    def face_height(self, points: Array) -> Array:
        """Its height over points (N, 2)."""
        return np.full(points.shape[:-1], self.height)


def shade(painter: Painter, plates: Sequence[Shading], lamps: Array, lowest: float = 2.0) -> Array:
    """How much of the lamp every painted point sees, 0 to 1; the plate of a number casts none on what it owns.

    Of a lamp that stands lower than one in `lowest` the far end of a shadow is left out.
    """
    lit = np.ones(len(painter.depth))
    for index, card in enumerate(plates):
        where = painter.near(card.x, card.y, card.radius + max(14.0, lowest * card.height), card.height)
        where = where[(painter.owner[where] != index) & np.isfinite(painter.depth[where])]
        points = painter.points[where]
        below = -points[:, 2] < card.face_height(points) - 0.05
        where, points = where[below], points[below]
        blocked = np.zeros(len(where))
        for lamp in lamps:
            ray = lamp - points
            rise = points[:, 2] + card.face_height(points)
            fall = ray[:, 2] + ray[:, 0] * card.slope[0] + ray[:, 1] * card.slope[1]
            t = -rise / fall
            at = points + ray * t[:, None]
            blocked += np.hypot(at[:, 0] - card.x, at[:, 1] - card.y) <= card.radius
        lit[where] *= 1 - blocked / len(lamps)
    return lit
