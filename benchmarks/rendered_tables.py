"""Draws tables of its own, with exact truth, so that detection is measured on pictures nobody tuned it to.

    .venv/bin/python -m benchmarks.rendered_tables OUT_FOLDER --pictures 12 --seed 1

Every pixel's sight line is cut with the faces and walls of settled cards, lit by a soft lamp, blurred, made noisy and
written as JPEG. Other art, other table tops and other sizes than in sample_images/; `pinpoint evaluate` scores it.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from shapely.geometry import Point, Polygon

from benchmarks.table_things import (
    DISTRACTORS,
    TERRAIN_KINDS,
    TOKEN_KINDS,
    Thing,
    make_thing,
    outline_of,
    token_picture,
)
from calibration.lens import Lens, lens_to_json
from calibration.view import Calibration, TableView

Array = NDArray[np.float64]
TABLE_MM = 914.4
CARD_MM = 60.0
MARKER_MM = 40.0
SURFACES = ("stripes", "check-blue", "marble", "felt-green", "planks", "newsprint")
LIGHTS = ("ceiling", "window", "lamp")


@dataclass(frozen=True, slots=True)
class Card:
    """A settled disk: its face is the plane height + slope · (p - centre)."""

    id: str
    profile: str
    owner: str
    diameter_mm: float
    thickness_mm: float
    x: float
    y: float
    height: float
    slope: tuple[float, float]
    rotation_deg: float
    face: str
    tokens: tuple[tuple[str, float, float, float, float], ...] = ()  # kind, x and y from the centre, side, turn

    @property
    def radius(self) -> float:
        return self.diameter_mm / 2

    def face_height(self, points: Array) -> Array:
        return np.asarray(
            self.height + (points[..., 0] - self.x) * self.slope[0] + (points[..., 1] - self.y) * self.slope[1]
        )


def noise_texture(rng: np.random.Generator, size: int, octaves: int, first: int = 4) -> Array:
    """Smooth noise in 0..1, from coarse to fine."""
    total = np.zeros((size, size))
    for octave in range(octaves):
        cells = min(size, first * 2**octave)
        layer = cv2.resize(rng.random((cells, cells)), (size, size), interpolation=cv2.INTER_CUBIC)
        total += layer / 2**octave
    return np.asarray((total - total.min()) / np.ptp(total))


def surface_texture(kind: str, rng: np.random.Generator, size: int = 2200) -> Array:
    """A BGR table top in 0..1."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float64)
    fine = noise_texture(rng, size, 8, 8)[..., None]
    colour = rng.uniform(0.15, 0.75, 3)
    if kind == "check-blue":
        period = rng.uniform(25, 60)
        a, b = (np.floor(x / period) % 2)[..., None], (np.floor(y / period) % 2)[..., None]
        texture = 0.85 - (a + b) * 0.33 * np.array([0.1, 0.9, 1.0])
    elif kind == "stripes":
        texture = 0.3 + 0.4 * (np.sin(x / rng.uniform(12, 30))[..., None] > 0) * colour + 0.2 * colour
    elif kind == "marble":
        veins = np.abs(noise_texture(rng, size, 6)[..., None] - 0.5) * 4
        texture = np.clip(0.35 + 0.5 * veins, 0, 1) * np.array([0.9, 0.95, 1.0])
    elif kind == "planks":
        grain = noise_texture(rng, size, 3, 200)
        long_grain = cv2.resize(grain[:, : size // 16], (size, size))[..., None]
        texture = (0.25 + 0.35 * long_grain) * np.array([0.45, 0.7, 1.0])
        texture = texture * np.where((y % 140 < 3)[..., None], 0.3, 1.0)
    elif kind == "newsprint":
        texture = np.where(((y % 14 < 7) & (noise_texture(rng, size, 2, 300) > 0.5))[..., None], 0.3, 0.8) * np.ones(3)
    else:
        texture = colour * np.array([0.4, 1.0, 0.6]) * np.ones((size, size, 1))
    return np.asarray(np.clip(texture * (0.75 + 0.4 * fine), 0.02, 0.98))


def make_art(rng: np.random.Generator, rim: Array, size: int = 300) -> Array:
    """A face: painted strokes, a printed border in the owner's colour, badges, a caption."""
    base = rng.uniform(0.05, 0.9, 3)
    picture = np.ones((size, size, 3)) * base * (0.5 + noise_texture(rng, size, 4)[..., None])
    canvas = (np.clip(picture, 0, 1) * 255).astype(np.uint8)
    for _ in range(int(rng.integers(15, 60))):
        colour = tuple(int(v) for v in rng.integers(0, 255, 3))
        points = rng.normal(rng.uniform(40, 260, 2), rng.uniform(10, 50), (int(rng.integers(3, 7)), 2)).astype(np.int32)
        cv2.fillPoly(canvas, [cv2.convexHull(points)], colour, cv2.LINE_AA)
    if rng.random() < 0.5:
        cv2.circle(
            canvas,
            (150, 150),
            int(rng.integers(50, 120)),
            tuple(int(v) for v in rng.integers(0, 255, 3)),
            4,
            cv2.LINE_AA,
        )
    cv2.rectangle(canvas, (30, 225), (270, 275), (190, 205, 215), -1)
    for row in (240, 255):
        cv2.line(canvas, (70, row), (int(rng.integers(150, 235)), row), (30, 30, 30), 4)
    for index in range(4):
        angle = np.radians(-60 + 40 * index)
        where = (int(150 + 118 * np.sin(angle)), int(150 - 118 * np.cos(angle)))
        cv2.circle(canvas, where, 15, tuple(int(v) for v in rng.integers(20, 230, 3)), -1, cv2.LINE_AA)
    art = canvas.astype(np.float64) / 255
    yy, xx = np.mgrid[0:size, 0:size] - (size - 1) / 2
    radius = np.hypot(xx, yy) / (size / 2)
    ring = rim * (0.8 + 0.35 * noise_texture(rng, size, 4)[..., None])
    art = np.where((radius > 0.88)[..., None], ring, art)
    return np.asarray(np.clip(np.where((np.abs(radius - 0.88) < 0.01)[..., None], 0.05, art), 0, 1))


def make_back(rng: np.random.Generator, rim: Array, size: int = 300) -> Array:
    """The back of an owner's disks: a star on a plain ground."""
    yy, xx = np.mgrid[0:size, 0:size] - (size - 1) / 2
    radius, angle = np.hypot(xx, yy) / (size / 2), np.arctan2(yy, xx)
    star = radius < 0.35 + 0.25 * np.cos(6 * angle)
    ground = rim * 0.35 * (0.9 + 0.2 * noise_texture(rng, size, 4)[..., None])
    return np.asarray(np.where((radius > 0.9)[..., None], rim, np.where(star[..., None], rim * 0.8 + 0.2, ground)))


def settle(
    card_xy: tuple[float, float], radius: float, thickness: float, below: list[Card], ground_mm: float = 0.0
) -> tuple[float, tuple[float, float]]:
    """The lowest position of the centre that the cards below and the table allow: (height, slope) of the upper face."""
    centre = np.array(card_xy)
    angles = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    points, floors = [centre + radius * ring], [np.full(72, ground_mm)]
    disk = Point(*card_xy).buffer(radius, 64)
    for other in below:
        shared = disk.intersection(Point(other.x, other.y).buffer(other.radius, 64))
        if shared.area > 0.01 and isinstance(shared, Polygon):
            outline = np.asarray(shared.exterior.coords)
            points.append(outline)
            floors.append(other.face_height(outline))
    where, floor = np.concatenate(points) - centre, np.concatenate(floors)
    # height + slope . p >= floor for every p, height as low as can be
    left = -np.column_stack([np.ones(len(where)), where])
    found = linprog([1, 0, 0], A_ub=left, b_ub=-floor, bounds=[(0, 60), (-0.3, 0.3), (-0.3, 0.3)])
    height, *slope = np.asarray(found.x, dtype=np.float64)
    return float(height + thickness), (float(slope[0]), float(slope[1]))


def ground_of(card_xy: tuple[float, float], radius: float, terrain: list[Thing]) -> float:
    """How high terrain lets a card lie; one that lies half on an edge is drawn as if it lay on it wholly."""
    disk = Point(*card_xy).buffer(radius)
    return max((thing.height_mm for thing in terrain if disk.intersects(Polygon(outline_of(thing)))), default=0.0)


def scatter_cards(
    rng: np.random.Generator,
    profiles: list[dict[str, Any]],
    count: int,
    terrain: list[Thing],
    distractors: list[Thing],
) -> tuple[list[Card], list[tuple[str, str]]]:
    """Cards laid singly and in piles, in order; and every overlapping pair, upper first."""
    cards: list[Card] = []
    while len(cards) < count:
        profile = profiles[int(rng.integers(len(profiles)))]
        radius = profile["circle_mm"] / 2
        if cards and rng.random() < 0.45:
            under = cards[int(rng.integers(len(cards)))]
            reach = rng.uniform(0.25, 1.02) * (radius + under.radius)
            angle = rng.uniform(0, 2 * np.pi)
            x, y = under.x + reach * np.cos(angle), under.y + reach * np.sin(angle)
        else:
            x, y = rng.uniform(20, TABLE_MM - 20, 2)
        if not (radius < x < TABLE_MM - radius and radius < y < TABLE_MM - radius):
            continue
        if any(np.hypot(thing.x - x, thing.y - y) < 0.72 * thing.side_mm + radius for thing in distractors):
            continue
        below = [c for c in cards if np.hypot(c.x - x, c.y - y) < c.radius + radius]
        if len(below) > 3:
            continue
        thickness = float(rng.normal(2.0, 0.05))
        height, slope = settle((x, y), radius, thickness, below, ground_of((x, y), radius, terrain))
        if np.hypot(*slope) > 0.12:
            continue
        face = "up" if rng.random() < 0.8 else "down"
        cards.append(
            Card(
                f"d{len(cards) + 1:02d}",
                profile["id"],
                profile["owner"],
                profile["circle_mm"],
                thickness,
                x,
                y,
                height,
                slope,
                float(rng.uniform(0, 360)),
                face,
            )
        )
    above = [
        (upper.id, lower.id)
        for i, upper in enumerate(cards)
        for lower in cards[:i]
        if Point(upper.x, upper.y)
        .buffer(upper.radius, 64)
        .intersection(Point(lower.x, lower.y).buffer(lower.radius, 64))
        .area
        > 3
    ]
    return cards, above


def with_tokens(rng: np.random.Generator, cards: list[Card]) -> list[Card]:
    """Up to three tokens of the kit on some cards, where nothing lies on them."""
    result = []
    for index, card in enumerate(cards):
        tokens: list[tuple[str, float, float, float, float]] = []
        for _ in range(int(rng.integers(1, 4)) if rng.random() < 0.4 else 0):
            side = float(rng.uniform(12, 19))
            reach, angle = rng.uniform(0, max(card.radius - 0.75 * side, 0)), rng.uniform(0, 2 * np.pi)
            x, y = float(reach * np.cos(angle)), float(reach * np.sin(angle))
            apart = all(np.hypot(x - other[1], y - other[2]) > 0.75 * (side + other[3]) for other in tokens)
            open_to_sky = all(
                np.hypot(card.x + x - upper.x, card.y + y - upper.y) > upper.radius + 0.75 * side
                for upper in cards[index + 1 :]
            )
            if apart and open_to_sky:
                tokens.append((str(rng.choice(TOKEN_KINDS)), x, y, side, float(rng.uniform(0, 360))))
        result.append(replace(card, tokens=tuple(tokens)))
    return result


def scatter_things(rng: np.random.Generator) -> tuple[list[Thing], list[Thing]]:
    """Terrain, and things that are no pieces; none on another."""
    laid: list[Thing] = []
    kinds = [str(kind) for kind in rng.choice(TERRAIN_KINDS, int(rng.integers(0, 4)))]
    kinds += [str(kind) for kind in rng.choice(DISTRACTORS, int(rng.integers(1, 5)))]
    for kind in kinds:
        for _ in range(40):
            x, y = rng.uniform(110, TABLE_MM - 110, 2)
            thing = make_thing(rng, kind, float(x), float(y))
            if all(np.hypot(thing.x - o.x, thing.y - o.y) > 0.72 * (thing.side_mm + o.side_mm) for o in laid):
                laid.append(thing)
                break
    terrain = [thing for thing in laid if thing.kind in TERRAIN_KINDS]
    return terrain, [thing for thing in laid if thing.kind in DISTRACTORS]


def make_view(rng: np.random.Generator, width: int, height: int, tilt_deg: float) -> TableView:
    """A camera that sees the whole table from a tilt."""
    focal = rng.uniform(0.75, 1.0) * width
    k1 = rng.uniform(-0.1, 0.02)
    lens = Lens(
        width,
        height,
        np.array([[focal, 0, width / 2 + rng.normal(0, 8)], [0, focal, height / 2 + rng.normal(0, 8)], [0, 0, 1]]),
        np.array([k1, -k1 / 8, rng.normal(0, 3e-4), rng.normal(0, 3e-4), 0]),
    )
    azimuth = rng.uniform(0, 2 * np.pi)
    tilt = np.radians(tilt_deg)
    forward = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    turn = rng.uniform(-0.5, 0.5)
    right = np.cross(np.array([-np.sin(turn), np.cos(turn), 0.0]), forward)
    if tilt_deg > 20:  # a stand at the side looks across the table, its horizon level
        right = np.cross(np.array([0.0, 0.0, 1.0]), forward)
    right /= np.linalg.norm(right)
    rotation = np.vstack([right, np.cross(forward, right), forward])
    middle = np.array([TABLE_MM / 2, TABLE_MM / 2, 0.0])
    corners = np.array([[x, y] for x in (-80, TABLE_MM + 80) for y in (-80, TABLE_MM + 80)])
    for distance in np.arange(900.0, 4000.0, 20.0):
        translation = -rotation @ (middle - distance * forward)
        view = TableView(lens, rotation, translation, TABLE_MM, TABLE_MM, Calibration((0, 1, 2, 3), 0, "markers", 0))
        pixels = view.board_to_image(corners)
        if (pixels > 15).all() and (pixels[:, 0] < width - 15).all() and (pixels[:, 1] < height - 15).all():
            return view
    raise ValueError("no distance shows the whole table")


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
    """A thing's side in slices, darker, and its upper side."""
    where = painter.near(thing.x, thing.y, 0.75 * thing.side_mm, thing.height_mm)
    wall = np.dstack([thing.picture[..., :3] * 0.5, thing.picture[..., 3]])
    steps = max(2, round(thing.height_mm / 1.5))
    for height in np.linspace(0, thing.height_mm, steps, endpoint=False):
        t, at = painter.plane(where, thing.x, thing.y, float(height))
        paint_sprite(painter, where, t, at - [thing.x, thing.y], thing.turn_deg, thing.side_mm, wall, -3)
    t, at = painter.plane(where, thing.x, thing.y, thing.height_mm)
    paint_sprite(painter, where, t, at - [thing.x, thing.y], thing.turn_deg, thing.side_mm, thing.picture, -3)


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


def corner_card(marker: int) -> Array:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    code = cv2.aruco.generateImageMarker(dictionary, marker, 240)
    card = np.full((360, 360), 255, np.uint8)
    card[60:300, 60:300] = code
    return np.asarray(np.repeat(card[..., None], 3, axis=2) / 255 * 0.85 + 0.05)


def shade(painter: Painter, cards: list[Card], lamps: Array) -> Array:
    """How much of the lamp every painted point sees, 0 to 1."""
    lit = np.ones(len(painter.depth))
    for index, card in enumerate(cards):
        where = painter.near(card.x, card.y, card.radius + 14, card.height)
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


def inner_corners(rng: np.random.Generator) -> list[tuple[int, float, float, float, tuple[float, float]]]:
    """Hand-placed cards: id, centre, turn, and the true inner corner."""
    places = []
    for marker, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        corner = np.array([TABLE_MM * (sx > 0), TABLE_MM * (sy > 0)]) + rng.normal(0, 3, 2)
        theta = rng.normal(0, 2)
        turn = np.radians(theta)
        matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        centre = corner - matrix @ np.array([-sx, -sy]) * CARD_MM / 2
        places.append((marker, float(centre[0]), float(centre[1]), float(theta), (float(corner[0]), float(corner[1]))))
    return places


def to_board_frame(places: list[tuple[int, float, float, float, tuple[float, float]]]) -> tuple[Array, Array]:
    """The rigid fit of the nominal square to the inner corners: board = R (world - shift)."""
    nominal = np.array([[0, 0], [TABLE_MM, 0], [TABLE_MM, TABLE_MM], [0, TABLE_MM]])
    corners = np.array([place[4] for place in places])
    a, b = corners - corners.mean(axis=0), nominal - nominal.mean(axis=0)
    u, _, vt = np.linalg.svd(a.T @ b)
    rotation = vt.T @ np.diag([1, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    return rotation, corners.mean(axis=0) - rotation.T @ nominal.mean(axis=0)


def render(seed: int, folder: Path, name: str) -> None:
    """One picture with its camera, truth and roster."""
    rng = np.random.default_rng(seed)
    tilt = float(rng.uniform(*((0, 15), (15, 35), (35, 53))[seed % 3]))
    view = make_view(rng, 1920, 1080, tilt)
    sizes = (38.1, 50.8, 76.2) if seed % 4 else (42.0, 55.0, 80.0)
    rims = {"amber": np.array([0.15, 0.65, 0.85]), "teal": np.array([0.6, 0.55, 0.1])}
    profiles: list[dict[str, Any]] = []
    arts: dict[str, Array] = {}
    (folder / "art").mkdir(parents=True, exist_ok=True)
    for number in range(14):
        owner = "amber" if number % 2 else "teal"
        identity = f"{name}-{number:02d}"
        arts[identity] = make_art(rng, rims[owner])
        cv2.imwrite(str(folder / "art" / f"{identity}.png"), (arts[identity] * 255).astype(np.uint8))
        profiles.append(
            {
                "id": identity,
                "name": identity,
                "owner": owner,
                "circle_mm": sizes[number % 3],
                "art": f"art/{identity}.png",
            }
        )
    backs = {owner: make_back(rng, rim) for owner, rim in rims.items()}
    (folder / f"{name}.roster.json").write_text(json.dumps({"schema": "pinpoint.roster/1", "profiles": profiles}))
    terrain, distractors = scatter_things(rng)
    cards, above = scatter_cards(rng, profiles, int(rng.integers(8, 34)), terrain, distractors)
    cards = with_tokens(rng, cards)
    places = inner_corners(rng)
    surface, light = str(rng.choice(SURFACES)), str(rng.choice(LIGHTS))

    painter = Painter(view, view.lens.width, view.lens.height)
    everywhere = np.arange(len(painter.depth))
    t, at = painter.plane(everywhere, 0, 0, 0.0)
    texture = surface_texture(surface, rng)
    turn = rng.uniform(0, np.pi)
    scale = rng.uniform(0.8, 1.4)
    u = (np.cos(turn) * at[:, 0] - np.sin(turn) * at[:, 1]) * scale + 900
    v = (np.sin(turn) * at[:, 0] + np.cos(turn) * at[:, 1]) * scale + 900
    painter.paint(everywhere, t, np.ones(len(t), bool), sample(texture, u % 2199, v % 2199), -1)
    for marker, x, y, theta, _ in places:
        paint_square(painter, x, y, theta, CARD_MM, corner_card(marker))
    for thing in (*terrain, *distractors):
        paint_thing(painter, thing)
    for index, card in enumerate(cards):
        paint_card(painter, card, arts[card.profile] if card.face == "up" else backs[card.owner], index)

    lamp = np.array([rng.uniform(-600, 1500), rng.uniform(-600, 1500), -rng.uniform(900, 2200)])
    spread = {"ceiling": 350, "window": 500, "lamp": 60}[light]
    lamps = lamp + rng.normal(0, spread, (12, 3)) * np.array([1, 1, 0.2])
    towards = lamp - painter.points
    distance = np.linalg.norm(towards, axis=1)
    falling = np.clip(-towards[:, 2] / distance, 0, 1) * (np.median(distance) / distance) ** 2
    direct = shade(painter, cards, lamps)
    warm = np.array([1, 1, 1]) + rng.normal(0, 0.1, 3)
    glare = np.zeros(len(direct))
    if rng.random() < 0.4:
        mirrored = lamp * np.array([1, 1, -1])
        back = painter.points - painter.centre
        along = np.einsum(
            "ij,ij->i",
            back / np.linalg.norm(back, axis=1)[:, None],
            (mirrored - painter.points) / np.linalg.norm(mirrored - painter.points, axis=1)[:, None],
        )
        glare = 0.35 * np.clip(along, 0, 1) ** 60
    linear = painter.colour**2.2 * (0.25 + 0.75 * direct * falling)[:, None] * warm + glare[:, None]
    picture = linear.reshape(view.lens.height, view.lens.width, 3) * rng.uniform(0.5, 1.2)
    # The painter cuts hard edges; a lens and a sensor do not.
    picture = cv2.GaussianBlur(picture, (0, 0), rng.uniform(0.7, 1.2))
    picture = picture + rng.normal(0, 1, picture.shape) * np.sqrt(
        np.clip(picture, 0, 1) * 2e-4 + rng.uniform(1e-6, 3e-5)
    )
    encoded = (np.clip(picture, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    cv2.imwrite(str(folder / f"{name}.jpg"), encoded, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(80, 95))])
    if seed % 5:
        (folder / f"{name}.camera.json").write_text(json.dumps(lens_to_json(view.lens)))
    rotation, shift = to_board_frame(places)
    write_truth(
        folder / f"{name}.truth.json",
        view,
        cards,
        above,
        painter,
        rotation,
        shift,
        {
            "image": f"{name}.jpg",
            "camera_tilt_deg": tilt,
            "roster": f"{name}.roster.json",
            "surface": surface,
            "light": light,
            "terrain": [
                {
                    "id": f"{thing.kind}-{number}",
                    "kind": thing.kind,
                    "outline": [[float(v) for v in rotation @ (point - shift)] for point in outline_of(thing)],
                }
                for number, thing in enumerate(terrain, start=1)
            ],
            "distractors": [
                {"kind": thing.kind, "size_mm": thing.side_mm, **_place(rotation, shift, thing)}
                for thing in distractors
            ],
        },
    )


def _normal(rotation: Array, slope: tuple[float, float]) -> list[float]:
    """Of a face, x east, y south, z up."""
    normal = np.append(-rotation @ np.array(slope), 1.0)
    return [float(v) for v in normal / np.linalg.norm(normal)]


def _place(rotation: Array, shift: Array, thing: Thing) -> dict[str, float]:
    point = rotation @ (np.array([thing.x, thing.y]) - shift)
    return {"x": float(point[0]), "y": float(point[1])}


def write_truth(
    path: Path,
    view: TableView,
    cards: list[Card],
    above: list[tuple[str, str]],
    painter: Painter,
    rotation: Array,
    shift: Array,
    notes: dict[str, Any],
) -> None:
    """The truth in the board frame, with what the camera sees of each card."""
    pieces = []
    for index, card in enumerate(cards):
        centre = np.array([card.x, card.y])
        board = rotation @ (centre - shift)
        shown = float((painter.owner == index).sum())
        angles = np.linspace(0, 2 * np.pi, 90)
        ring = np.array([card.x, card.y]) + card.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        outline = view.board_to_image(ring, card.face_height(ring)).astype(np.float32)
        pieces.append(
            {
                "id": card.id,
                "owner": card.owner,
                "profile": card.profile,
                "shape": {"circle_mm": card.diameter_mm},
                "x": float(board[0]),
                "y": float(board[1]),
                "face": card.face,
                "face_height_mm": card.height,
                "face_normal": _normal(rotation, card.slope),
                "tokens": {kind: sum(1 for token in card.tokens if token[0] == kind) for kind, *_ in card.tokens},
                "visible_fraction": min(1.0, shown / float(cv2.contourArea(outline))),
            }
        )
    to_world = np.eye(3)
    to_world[:2, :2] = rotation.T
    pose_rotation = view.rotation @ to_world
    truth = {
        "schema": "pinpoint.scene/1",
        "game": "diskwars",
        "table": {"width_mm": TABLE_MM, "depth_mm": TABLE_MM},
        "pieces": pieces,
        "above": above,
        "camera": lens_to_json(view.lens),
        "camera_pose": {
            "R": pose_rotation.tolist(),
            "t": (view.translation + view.rotation @ np.append(shift, 0.0)).tolist(),
        },
        **notes,
    }
    path.write_text(json.dumps(truth, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for index in range(args.pictures):
        seed = args.seed + index
        render(seed, args.folder, f"table-{seed:03d}")
        print(f"table-{seed:03d}", flush=True)


if __name__ == "__main__":
    main()
