"""One table to be filmed: its top, its disks' art, its lamp and its camera, drawn settled state by settled state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Point

from benchmarks.disk_art import Border, make_art, make_back
from benchmarks.drawn_camera import make_view
from benchmarks.drawn_light import LIGHTS, SPREADS_MM
from benchmarks.laid_tokens import CARD_MM, corner_card, inner_corners, to_board_frame
from benchmarks.painter import Painter, paint_card, paint_square, sample, shade
from benchmarks.settled_cards import TABLE_MM, Card, settle
from benchmarks.table_tops import SURFACES, Array, surface_texture
from calibration.view import TableView

RIMS = {"north": (0.75, 0.35, 0.15), "south": (0.15, 0.25, 0.8)}
OVERLAP_MM2 = 3.0
COVER_MM = 72.0
_SHADOW_MM = 14.0
_LEAST_PX_PER_MM = 0.7

Picture = NDArray[np.float32]
Pixels = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of disk; several disks can be of one kind."""

    id: str
    owner: str
    diameter_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A settled table as the camera gives it (BGR levels), and how much of each card it shows."""

    picture: Picture
    shown: dict[str, float]


class Stage:
    """Everything about a film that its players do not touch."""

    def __init__(self, seed: int, size: tuple[int, int] = (1920, 1080), ringed_backs: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.size = size
        self.tilt_deg = float(rng.uniform(*((0, 12), (12, 30), (30, 45))[seed % 3]))
        self.view = _near_view(rng, self.tilt_deg, size)
        sizes_mm = ((38.1, 50.8, 76.2), (40.0, 52.0, 70.0))[seed % 2]
        owners = tuple(RIMS)
        self.profiles = [Profile(f"kind-{n:02d}", owners[n % 2], sizes_mm[n % 3]) for n in range(12)]
        self.arts = {profile.id: make_art(rng, np.array(RIMS[profile.owner]), Border()) for profile in self.profiles}
        self.backs = {owner: make_back(rng, np.array(rim)) for owner, rim in RIMS.items()}
        if ringed_backs:  # the ring on a large disk is as wide as a middle one, that on a middle one as a small one
            self.backs = {owner: _ringed(back, sizes_mm[0] / sizes_mm[1]) for owner, back in self.backs.items()}
        self.surface, self.light = str(rng.choice(SURFACES)), str(rng.choice(LIGHTS))
        self.noise_levels = float(rng.uniform(0.8, 2.6))
        self._texture = surface_texture(self.surface, rng)
        self._turn, self._scale = float(rng.uniform(0, np.pi)), float(rng.uniform(0.8, 1.4))
        self._places = inner_corners(rng)
        self._cover = _playing_card(rng)
        self._lamp = np.array([*rng.uniform(-600, 1500, 2), -rng.uniform(1100, 2200)])
        self._lamps = self._lamp + rng.normal(0, SPREADS_MM[self.light], (10, 3)) * np.array([1, 1, 0.2])
        self._warm = (np.array([1, 1, 1]) + rng.normal(0, 0.08, 3)) * rng.uniform(0.6, 1.0)
        self._glare = 0.3 * float(rng.random() < 0.4)
        self._blur_px = float(rng.uniform(0.7, 1.1))
        self._rotation, self._shift = to_board_frame(self._places)
        self._dirty: Pixels = np.zeros(0, dtype=np.intp)
        self._set_up()

    def to_board(self, x: float, y: float) -> tuple[float, float]:
        """A drawn place in the board frame that the hand-placed tokens make."""
        east, south = self._rotation @ (np.array([x, y]) - self._shift)
        return float(east), float(south)

    def nudge(self, rng: np.random.Generator) -> TableView:
        """Somebody knocks the camera; gives the view from before."""
        before = self.view
        turn = np.asarray(cv2.Rodrigues(rng.normal(0, 0.005, 3))[0], dtype=np.float64)
        shifted = turn @ before.translation + rng.normal(0, 5, 3)
        self.view = replace(before, rotation=turn @ before.rotation, translation=shifted)
        self._set_up()
        return before

    def shoot(self, cards: Sequence[Card], covers: Sequence[tuple[float, float]] = ()) -> Shot:
        """The table with these cards, and with playing cards over these places."""
        painter = self._painter
        self._clean()
        parts = [painter.near(card.x, card.y, card.radius + _SHADOW_MM, card.height + 3) for card in cards]
        parts += [painter.near(x, y, COVER_MM, 20.0) for x, y in covers]
        for index, card in enumerate(cards):
            paint_card(painter, card, self.arts[card.profile] if card.face == "up" else self.backs[card.owner], index)
        for x, y in covers:
            below = [card for card in cards if np.hypot(card.x - x, card.y - y) < card.radius + COVER_MM / 2]
            height = 1.5 + max((card.height for card in below), default=0.0)
            paint_square(painter, x, y, 20.0, COVER_MM, self._cover, height)
        self._dirty = np.unique(np.concatenate(parts)) if parts else self._dirty[:0]
        direct = shade(painter, list(cards), self._lamps)[self._dirty]
        linear = self._bare.copy()
        linear[self._dirty] = self._lit(self._dirty, direct)
        picture = cv2.GaussianBlur(linear.reshape(self.size[1], self.size[0], 3), (0, 0), self._blur_px)
        shown = {card.id: self._shown(index, card) for index, card in enumerate(cards)}
        return Shot((np.clip(picture, 0, 1) ** np.float32(1 / 2.2) * 255).astype(np.float32), shown)

    def _set_up(self) -> None:
        """Paints what never changes as seen from here."""
        self._painter = painter = Painter(self.view, *self.size)
        everywhere = np.arange(len(painter.depth))
        t, at = painter.plane(everywhere, 0, 0, 0.0)
        turned = np.array([[np.cos(self._turn), -np.sin(self._turn)], [np.sin(self._turn), np.cos(self._turn)]])
        u, v = (turned @ at.T) * self._scale + 900
        painter.paint(everywhere, t, np.ones(len(t), bool), sample(self._texture, u % 2199, v % 2199), -1)
        for marker, x, y, theta, _ in self._places:
            paint_square(painter, x, y, theta, CARD_MM, corner_card(marker))
        self._kept = tuple(part.copy() for part in (painter.depth, painter.colour, painter.points, painter.owner))
        self._bare = self._lit(everywhere, np.ones(len(everywhere)))
        self._dirty = self._dirty[:0]

    def _clean(self) -> None:
        """Takes what was painted last off the bare table."""
        painter = self._painter
        for part, kept in zip((painter.depth, painter.colour, painter.points, painter.owner), self._kept, strict=True):
            part[self._dirty] = kept[self._dirty]

    def _lit(self, where: Pixels, direct: Array) -> Picture:
        """The light that comes from the painted points."""
        points = self._painter.points[where]
        towards = self._lamp - points
        distance = np.linalg.norm(towards, axis=1)
        middle = float(np.linalg.norm(self._lamp - np.array([457.0, 457.0, 0.0])))
        falling = np.clip(-towards[:, 2] / distance, 0, 1) * (middle / distance) ** 2
        linear = self._painter.colour[where] ** 2.2 * (0.3 + 0.7 * direct * falling)[:, None] * self._warm
        if self._glare:
            back = points - self._painter.centre
            mirrored = self._lamp * np.array([1, 1, -1]) - points
            along = np.einsum("ij,ij->i", back, mirrored)
            along /= np.linalg.norm(back, axis=1) * np.linalg.norm(mirrored, axis=1)
            linear += self._glare * np.clip(along, 0, 1)[:, None] ** 60
        return np.asarray(linear, dtype=np.float32)

    def _shown(self, index: int, card: Card) -> float:
        angles = np.linspace(0, 2 * np.pi, 90)
        ring = np.array([card.x, card.y]) + card.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        outline = self.view.board_to_image(ring, card.face_height(ring)).astype(np.float32)
        painted = np.count_nonzero(self._painter.owner[self._dirty] == index)
        return min(1.0, painted / float(cv2.contourArea(outline)))


def _near_view(rng: np.random.Generator, tilt_deg: float, size: tuple[int, int]) -> TableView:
    """A camera that somebody set up with some care: it does not waste the picture on the floor around the table."""
    middle = np.array([[TABLE_MM / 2, TABLE_MM / 2]])
    least = _LEAST_PX_PER_MM * size[0] / 1920
    views = [make_view(rng, *size, tilt_deg) for _ in range(12)]
    fit = (view for view in views if view.px_per_mm(middle)[0] > least)
    return next(fit, max(views, key=lambda view: float(view.px_per_mm(middle)[0])))


def _ringed(back: Array, inner: float) -> Array:
    """A back with a light ring printed on it, its outer edge at this share of the radius."""
    printed = (back * 255).astype(np.uint8)
    middle, radius = (len(back) // 2, len(back) // 2), len(back) / 2
    cv2.circle(printed, middle, round((inner - 0.03) * radius), (200, 215, 220), round(0.06 * radius), cv2.LINE_AA)
    return np.asarray(printed / 255)


def _playing_card(rng: np.random.Generator, size: int = 240) -> Array:
    """A card that somebody lays down: a frame, a picture of blocks, lines of text."""
    card = np.full((size, size, 3), 225, np.uint8)
    cv2.rectangle(card, (14, 14), (size - 14, size - 14), tuple(int(v) for v in rng.integers(20, 120, 3)), 6)
    for _ in range(9):
        x, y = (int(v) for v in rng.integers(26, size - 90, 2))
        wide, high = (int(v) for v in rng.integers(20, 60, 2))
        cv2.rectangle(card, (x, y), (x + wide, min(y + high, 150)), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    for row in range(170, size - 25, 14):
        cv2.line(card, (30, row), (int(rng.integers(140, size - 30)), row), (60, 60, 60), 4)
    return np.asarray(card / 255 * 0.9)


def laid(card: Card, below: Sequence[Card]) -> Card:
    """The card come to rest on those that lie there already."""
    under = [other for other in below if np.hypot(other.x - card.x, other.y - card.y) < other.radius + card.radius]
    height, slope = settle((card.x, card.y), card.radius, card.thickness_mm, under)
    return replace(card, height=height, slope=slope)


def overlaps(cards: Sequence[Card]) -> set[tuple[str, str]]:
    """Every overlapping pair, upper first; later cards lie above earlier ones."""
    outlines = [Point(card.x, card.y).buffer(card.radius, 64) for card in cards]
    return {
        (cards[upper].id, cards[lower].id)
        for upper in range(len(cards))
        for lower in range(upper)
        if outlines[upper].intersection(outlines[lower]).area > OVERLAP_MM2
    }
