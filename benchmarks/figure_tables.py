"""Draws figures on round bases and on stands, with exact truth, as the detection of bases and stands is measured on.

A base is a short cylinder whose upper face carries the kit's ring (or plain paint, to measure without aids); a figure
is a stack of slices up to four centimetres high in its own colours, so it hides part of the base as the camera slants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.drawn_camera import make_view
from benchmarks.laid_tokens import corner_card
from benchmarks.painter import Painter, paint_square, sample
from benchmarks.table_tops import SURFACES, Array, noise_texture, surface_texture
from calibration.arrays import ByteImage
from calibration.kit_trays import RIM_COLOURS, RING_MM, inked
from calibration.lens import Lens
from calibration.view import Calibration, TableView

TABLE_MM = 914.4
BASE_HEIGHT_MM = 3.0
STAND_HEIGHT_MM = 3.0
GRIT = 128  # grains a side of the ground on bases


@dataclass(frozen=True, slots=True)
class Base:
    """A round base with a figure on it."""

    x: float
    y: float
    diameter_mm: float
    colour: str
    figure_mm: float  # how tall the figure is


@dataclass(frozen=True, slots=True)
class Stand:
    """A rectangular stand with four figures on it."""

    x: float
    y: float
    width_mm: float
    depth_mm: float
    facing_deg: float
    colour: str
    figure_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A drawn table: the picture, the camera that took it, and what stands there."""

    bgr: ByteImage
    view: TableView
    bases: tuple[Base, ...]
    stands: tuple[Stand, ...]


def rim_bgr(name: str) -> Array:
    """A kit colour as BGR in 0 to 1."""
    red, green, blue = RIM_COLOURS[name]
    return np.array([blue, green, red])


def scatter_bases(rng: np.random.Generator, count: int, touching: int) -> tuple[Base, ...]:
    """Bases of the usual sizes, some pairs in contact, none overlapping."""
    found: list[Base] = []
    names = list(RIM_COLOURS)
    while len(found) < count:
        size = float(rng.choice([30.0, 30.0, 40.0, 50.0]))
        if found and len(found) < 2 * touching and len(found) % 2:
            partner = found[-1]
            angle = rng.uniform(0, 2 * np.pi)
            apart = (partner.diameter_mm + size) / 2
            spot = np.array([partner.x, partner.y]) + apart * np.array([np.cos(angle), np.sin(angle)])
        else:
            spot = rng.uniform(50, TABLE_MM - 50, 2)
        base = Base(float(spot[0]), float(spot[1]), size, str(rng.choice(names)), float(rng.uniform(18, 38)))
        inside = (spot > 40).all() and (spot < TABLE_MM - 40).all()
        if inside and all(_apart(base, other) >= -1e-6 for other in found):
            found.append(base)
    return tuple(found)


def _apart(a: Base, b: Base) -> float:
    return float(np.hypot(a.x - b.x, a.y - b.y) - (a.diameter_mm + b.diameter_mm) / 2)


def regiment(
    rng: np.random.Generator, x: float, y: float, facing_deg: float, files: int, count: int, colour: str
) -> list[Stand]:
    """Stands of 60 x 60 mm in ranks, edge to edge but for a hand's half millimetre."""
    turn = np.radians(facing_deg)
    right, forward = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
    found = []
    for number in range(count):
        rank, file = divmod(number, files)
        spot = np.array([x, y]) + right * 60.2 * (file - (files - 1) / 2) - forward * 60.2 * rank
        spot = spot + rng.normal(0, 0.15, 2)
        found.append(Stand(float(spot[0]), float(spot[1]), 60.0, 60.0, facing_deg, colour, float(rng.uniform(20, 35))))
    return found


def scatter_regiments(rng: np.random.Generator, count: int) -> tuple[Stand, ...]:
    """Regiments of three to eight stands, each in a colour of its own, well apart."""
    names = list(rng.permutation(list(RIM_COLOURS)))
    placed: list[tuple[float, float]] = []
    tries = 0
    while len(placed) < count:
        x, y = rng.uniform(170, TABLE_MM - 170, 2)
        tries += 1
        if tries % 200 == 0:
            placed = []  # the first ones left no room
        if all(np.hypot(x - a, y - b) >= 330 for a, b in placed):
            placed.append((x, y))
    found: list[Stand] = []
    for (x, y), name in zip(placed, names, strict=False):
        files = int(rng.integers(2, 4))
        stands = int(rng.integers(files, 3 * files))
        found += regiment(rng, x, y, float(rng.uniform(0, 360)), files, stands, str(name))
    return tuple(found)


def draw(
    seed: int,
    tilt_deg: float,
    bases: tuple[Base, ...] = (),
    stands: tuple[Stand, ...] = (),
    aided: bool = True,
    size: tuple[int, int] = (1920, 1080),
    ground: str | None = None,
) -> Picture:
    """One picture of a table from that tilt; without aids bases and stands are earth-coloured."""
    rng = np.random.default_rng(seed)
    view = make_view(rng, *size, tilt_deg)
    return Picture(shot(rng, view, seed, bases, stands, aided, ground), view, bases, stands)


def shot(
    rng: np.random.Generator,
    view: TableView,
    seed: int,
    bases: tuple[Base, ...],
    stands: tuple[Stand, ...],
    aided: bool = True,
    ground: str | None = None,
) -> ByteImage:
    """What a camera sees of a table; `seed` paints the pieces."""
    painter = Painter(view, view.lens.width, view.lens.height)
    everywhere = np.arange(len(painter.depth))
    t, at = painter.plane(everywhere, 0, 0, 0.0)
    cloth = surface_texture(ground or str(rng.choice(SURFACES)), rng)
    painter.paint(everywhere, t, np.ones(len(t), bool), sample(cloth, at[:, 0] + 900, at[:, 1] + 900), -1)
    for marker, (sx, sy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        corner = np.array([TABLE_MM * (sx > 0), TABLE_MM * (sy > 0)])
        centre = corner + np.array([sx, sy]) * 30.0
        paint_square(painter, float(centre[0]), float(centre[1]), 0.0, 60.0, corner_card(marker))
    for base in bases:
        _paint_base(painter, _own_dice(seed, base), base, aided)
    for stand in stands:
        _paint_stand(painter, _own_dice(seed, stand), stand, aided)
    return _developed(painter, view, rng)


def _own_dice(seed: int, piece: Base | Stand) -> np.random.Generator:
    """The dice that a piece is painted by: the same wherever it stands."""
    return np.random.default_rng([seed, round(piece.figure_mm * 1e6)])


def _paint_base(painter: Painter, rng: np.random.Generator, base: Base, aided: bool) -> None:
    where = painter.near(base.x, base.y, base.diameter_mm / 2, base.figure_mm + 5)
    radius = base.diameter_mm / 2
    earth, grain = np.array([0.16, 0.24, 0.32]) * rng.uniform(0.6, 1.3), rng.random((GRIT, GRIT))
    for height in np.linspace(0.3, BASE_HEIGHT_MM, 6):
        t, at = painter.plane(where, base.x, base.y, float(height))
        away = np.hypot(at[:, 0] - base.x, at[:, 1] - base.y)
        colour = np.broadcast_to(earth * 0.5, (len(where), 3))
        if height == BASE_HEIGHT_MM:
            grit = earth * (0.7 + 0.6 * _grit(grain, at[:, 0] - base.x, at[:, 1] - base.y))
            colour = np.where((away > radius - RING_MM)[:, None] & aided, rim_bgr(base.colour), grit)
        painter.paint(where, t, away <= radius, colour, 0)
    _paint_figure(painter, rng, where, base.x, base.y, radius * rng.uniform(0.45, 0.75), base.figure_mm)


def _paint_stand(painter: Painter, rng: np.random.Generator, stand: Stand, aided: bool) -> None:
    reach = float(np.hypot(stand.width_mm, stand.depth_mm)) / 2
    where = painter.near(stand.x, stand.y, reach, stand.figure_mm + 5)
    turn = np.radians(stand.facing_deg)
    earth, grain = np.array([0.16, 0.24, 0.32]) * rng.uniform(0.6, 1.3), rng.random((GRIT, GRIT))
    for height in np.linspace(0.3, STAND_HEIGHT_MM, 6):
        t, at = painter.plane(where, stand.x, stand.y, float(height))
        dx, dy = at[:, 0] - stand.x, at[:, 1] - stand.y
        across, ahead = np.cos(turn) * dx + np.sin(turn) * dy, np.sin(turn) * dx - np.cos(turn) * dy
        inside = (np.abs(across) <= stand.width_mm / 2) & (np.abs(ahead) <= stand.depth_mm / 2)
        colour = np.broadcast_to(earth * 0.5, (len(where), 3))
        if height == STAND_HEIGHT_MM:
            card = _card(stand, across, ahead)
            grit = earth * (0.7 + 0.6 * _grit(grain, across, ahead))
            colour = card if aided else np.asarray(grit)
        painter.paint(where, t, inside, colour, 0)
    for side in (-0.23, 0.23):
        for depth in (-0.23, 0.23):
            u, v = side * stand.width_mm + rng.normal(0, 1.5), depth * stand.depth_mm + rng.normal(0, 1.5)
            x = stand.x + np.cos(turn) * u + np.sin(turn) * v
            y = stand.y + np.sin(turn) * u - np.cos(turn) * v
            _paint_figure(painter, rng, where, float(x), float(y), float(rng.uniform(7, 11)), stand.figure_mm)


def _grit(grain: Array, across: Array, ahead: Array) -> Array:
    """Ground (N, 1) that belongs to its piece, one grain a millimetre: it moves and turns with the piece."""
    rows, columns = (np.floor(each).astype(int) % GRIT for each in (ahead, across))
    return np.asarray(grain[rows, columns][:, None])


def _card(stand: Stand, across: Array, ahead: Array) -> Array:
    """The kit's stand card."""
    printed = inked(across, ahead, stand.width_mm, stand.depth_mm)
    return np.where(printed[:, None], rim_bgr(stand.colour), 0.86)


def _paint_figure(
    painter: Painter, rng: np.random.Generator, where: NDArray[np.intp], x: float, y: float, radius: float, tall: float
) -> None:
    """A standing figure: slices from wide feet to a narrow head, arms out at the shoulder, in paints of its own."""
    coat, skin, steel = rng.uniform(0.05, 0.8, 3), np.array([0.45, 0.6, 0.8]), np.array([0.5, 0.5, 0.52])
    lean = rng.normal(0, 0.08, 2)
    for height in np.arange(BASE_HEIGHT_MM, BASE_HEIGHT_MM + tall, 0.8):
        share = (height - BASE_HEIGHT_MM) / tall
        wide = radius * (0.8 - 0.35 * share + 0.45 * np.exp(-(((share - 0.68) / 0.12) ** 2)))
        colour = skin if share > 0.85 else steel if 0.6 < share < 0.72 else coat * (0.6 + 0.6 * share)
        t, at = painter.plane(where, x, y, float(height))
        dx, dy = at[:, 0] - x - lean[0] * height, at[:, 1] - y - lean[1] * height
        inside = np.hypot(dx, dy * 1.4) <= wide
        painter.paint(where, t, inside, np.broadcast_to(colour, (len(where), 3)), 1)


def _developed(painter: Painter, view: TableView, rng: np.random.Generator) -> ByteImage:
    """The painted table in uneven, tinted light, blurred, noisy, and through JPEG."""
    width, height = view.lens.width, view.lens.height
    uneven = 0.75 + 0.5 * cv2.resize(noise_texture(rng, 64, 2, 2), (width, height), interpolation=cv2.INTER_CUBIC)
    tint = 1 + rng.normal(0, 0.07, 3)
    linear = painter.colour.reshape(height, width, 3) ** 2.2 * uneven[..., None] * tint * rng.uniform(0.6, 1.1)
    soft = cv2.GaussianBlur(linear, (0, 0), rng.uniform(0.7, 1.1))
    soft = soft + rng.normal(0, 1, soft.shape) * np.sqrt(np.clip(soft, 0, 1) * 2e-4 + 1e-5)
    encoded = (np.clip(soft, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    data = cv2.imencode(".jpg", encoded, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
    decoded = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if decoded is None:
        raise ValueError("the drawn picture could not be encoded")
    return np.asarray(decoded, dtype=np.uint8)


@dataclass(frozen=True, slots=True)
class State:
    """A table at rest in a film: what stands on it."""

    bases: tuple[Base, ...] = ()
    stands: tuple[Stand, ...] = ()


def overhead_view(width: int = 1090, height: int = 864) -> TableView:
    """A camera straight above the middle of the table, with all four tokens in its picture."""
    lens = Lens.pinhole(width, height, 1.2 * height)
    away_mm = 1.2 * (TABLE_MM + 150)
    translation = np.array([-TABLE_MM / 2, -TABLE_MM / 2, away_mm])
    return TableView(lens, np.eye(3), translation, TABLE_MM, TABLE_MM, Calibration((0, 1, 2, 3), 0.1, "markers", 1e-3))


def film(states: Sequence[State], view: TableView, seed: int, still: int = 20, arm: int = 8) -> Iterator[ByteImage]:
    """Frames of a game: each state at rest, an arm over the table between two."""
    dice = np.random.default_rng(seed)
    pictures = [
        shot(np.random.default_rng(seed), view, seed, state.bases, state.stands, ground="planks") for state in states
    ]
    for number, picture in enumerate(pictures):
        for step in range(arm if number else 0):
            shown = pictures[number - 1] if step < arm / 2 else picture
            yield _grained(_under_an_arm(shown, 1 - abs(2 * step / (arm - 1) - 1)), dice)
        # A piece that is gone is looked for twice, a second apart: the last state must last so long.
        for _ in range(still if number < len(pictures) - 1 else 2 * still):
            yield _grained(picture, dice)


def _grained(picture: ByteImage, rng: np.random.Generator) -> ByteImage:
    """The noise of one frame."""
    return np.asarray(np.clip(picture + rng.normal(0, 1.0, picture.shape), 0, 255), dtype=np.uint8)


def _under_an_arm(picture: ByteImage, reach: float) -> ByteImage:
    """An arm that comes in from below as far as it reaches."""
    height, width = picture.shape[:2]
    tip = int(height * (1 - 0.8 * reach))
    armed = picture.copy()
    left, right = width // 2 - 60, width // 2 + 60
    outline = np.array([[left - 30, height], [left, tip], [right, tip], [right + 30, height]])
    cv2.fillPoly(armed, [outline], (120, 150, 200))
    return armed
