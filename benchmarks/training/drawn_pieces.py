"""Pieces of top views, drawn fast: piles of disks and all that is none, with the owner of every pixel.

A camera looks at the table slantingly: what lies higher is displaced away from it (`lean`), and walls show. Cards are
painted from the lowest to the highest, each after the shadow that it casts; a webcam's blur, noise, sharpening, white
balance and JPEG follow at the camera's own resolution, and the result is laid out again as a top view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.table_tops import Array
from benchmarks.training.webcam import Webcam, webcam_picture
from benchmarks.training.world import World
from calibration.arrays import ByteImage
from vision.types.arrays import FloatImage, IntArray

PX_PER_MM = 1.25  # of the top view
SIDE_PX = 416
FINE = 2.0  # pixels of the canvas for each mm
SIDE_MM = SIDE_PX / PX_PER_MM
CANVAS_PX = round(SIDE_MM * FINE)
TABLE, WALL, THING = -1, -2, -3  # owners that are no disk
VIEW_HEIGHT_MM = 2.0
CARD_MM = 2.0
EDGE_STEPS = 240


@dataclass(frozen=True, slots=True, eq=False)
class Disk:
    """A disk as the top view shows it: its rim is centre + matrix @ (cos, sin), in top view pixels."""

    centre: Array
    matrix: Array
    radius: float  # px
    back: bool
    height_mm: float  # of its face's middle


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """A drawn piece of a top view and its truth."""

    bgr: ByteImage
    owner: IntArray  # (SIDE_PX, SIDE_PX): number of the disk whose face shows, or TABLE, WALL, THING
    disks: tuple[Disk, ...]
    lean: Array  # (2,): how far a point seems to move for each mm that it rises


@dataclass(slots=True, eq=False)
class _Canvas:
    light: FloatImage  # linear BGR
    owner: IntArray
    height: FloatImage  # of what shows, mm
    lean: Array
    sun: Array  # towards the lamp: mm aside for each mm of height
    soft: float  # how fast shadows blur, mm for each mm of height
    dark: float  # what a shadow leaves
    wall: Array


def draw_piece(rng: np.random.Generator, world: World) -> Piece:
    """A random piece of a table."""
    tilt = float(np.radians(rng.choice((rng.uniform(0, 20), rng.uniform(0, 40), rng.uniform(30, 58)))))
    azimuth = rng.uniform(0, 2 * np.pi)
    towards = np.array([np.cos(azimuth), np.sin(azimuth)])
    canvas = _table(rng, world, np.tan(tilt) * towards)
    _prints_and_terrain(rng, canvas)
    for _ in range(int(rng.choice((0, 1, 2, 3, 5)))):
        _thing(rng, canvas, world)
    disks = _piles(rng, canvas, world)
    if rng.random() < 0.12:
        _hand(rng, canvas)
    light = _lit(rng, canvas.light)
    scale = rng.uniform(0.62, 1.3)  # px/mm across the direction of view
    camera = Webcam.any(rng)
    turned = _to_camera(azimuth, scale, scale * np.cos(tilt))
    native = _shrunk(light, turned, scale * np.cos(tilt) / FINE)
    bgr = webcam_picture(rng, native, camera)
    to_top = np.diag([PX_PER_MM / FINE, PX_PER_MM / FINE, 1]) @ np.linalg.inv(turned)
    top = cv2.warpAffine(bgr, to_top[:2], (SIDE_PX, SIDE_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    owner = cv2.resize(canvas.owner.astype(np.int16), (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_NEAREST)
    return Piece(np.asarray(top, np.uint8), np.asarray(owner, np.intp), tuple(disks), canvas.lean)


def _table(rng: np.random.Generator, world: World, lean: Array) -> _Canvas:
    top = world.tops[int(rng.integers(len(world.tops)))]
    turn, scale = rng.uniform(0, 360), FINE * rng.uniform(0.6, 1.6)
    matrix: Array = np.asarray(cv2.getRotationMatrix2D((0, 0), turn, scale), np.float64)
    matrix[:, 2] += rng.uniform(-2000, 2000, 2)
    colours = cv2.warpAffine(top, matrix, (CANVAS_PX, CANVAS_PX), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
    light = _linear(colours)
    if rng.random() < 0.3:
        light = light * np.float32(rng.uniform(0.2, 1.0))
    far = rng.uniform(0, 2 * np.pi)
    sun = rng.uniform(0.1, 1.6) * np.array([np.cos(far), np.sin(far)])
    nothing = np.zeros((CANVAS_PX, CANVAS_PX), np.float32)
    owner = np.full((CANVAS_PX, CANVAS_PX), TABLE, np.intp)
    wall = rng.uniform(0.25, 0.9) * np.clip(1 + rng.normal(0, 0.08, 3), 0, 1.2) ** 2.2
    return _Canvas(light, owner, nothing, lean, sun, rng.uniform(0.1, 1.2), rng.uniform(0.15, 0.95), wall)


def _linear(colours: NDArray[Any]) -> FloatImage:
    return np.asarray((colours.astype(np.float32) / 255) ** 2.2, dtype=np.float32)


def _box(low: Array, high: Array) -> tuple[slice, slice] | None:
    left, upper = np.clip(np.floor(low), 0, CANVAS_PX).astype(int)
    right, lower = np.clip(np.ceil(high) + 1, 0, CANVAS_PX).astype(int)
    return (slice(upper, lower), slice(left, right)) if right > left and lower > upper else None


def _fill(outline: Array, box: tuple[slice, slice]) -> FloatImage:
    """How far each pixel of a box is covered by an outline (canvas pixels)."""
    shape = (box[0].stop - box[0].start, box[1].stop - box[1].start)
    mask = np.zeros(shape, np.uint8)
    points = np.round((outline - [box[1].start, box[0].start]) * 16).astype(np.int32)
    cv2.fillPoly(mask, [points], (255,), cv2.LINE_AA, 4)
    return np.asarray(mask.astype(np.float32) / 255, dtype=np.float32)


def _cast_shadow(canvas: _Canvas, outline: Array, height: float, over: float) -> None:
    """Darkens what lies below an outline (its place at its own height) that is `over` mm above its surroundings."""
    shift = (-canvas.sun * over - canvas.lean * over) * FINE
    blur = max(0.5, canvas.soft * over * FINE)
    spread = 3 * blur + 2
    moved = outline + shift
    low, high = np.minimum(moved.min(0), outline.min(0)) - spread, np.maximum(moved.max(0), outline.max(0)) + spread
    box = _box(low, high)
    if box is None:
        return
    mask = cv2.GaussianBlur(_fill(moved, box), (0, 0), blur)
    close = cv2.GaussianBlur(_fill(outline - canvas.lean * over * FINE, box), (0, 0), max(0.6, 0.6 * over * FINE))
    below = (canvas.height[box] < height - 0.3).astype(np.float32)
    keep = (1 - canvas.dark * mask * below) * (1 - 0.45 * close * below)
    canvas.light[box] *= keep[..., None]


def _lay(
    canvas: _Canvas,
    outline: Array,
    colour: Array | FloatImage,
    owner: int,
    height: float,
    box: tuple[slice, slice] | None = None,
) -> None:
    box = box or _box(outline.min(0) - 1, outline.max(0) + 1)
    if box is None:
        return
    alpha = _fill(outline, box)
    paint = np.broadcast_to(np.asarray(colour, np.float32), (*alpha.shape, 3))
    canvas.light[box] = canvas.light[box] * (1 - alpha[..., None]) + paint * alpha[..., None]
    canvas.owner[box][alpha > 0.5] = owner
    canvas.height[box][alpha > 0.5] = height


def _solid(canvas: _Canvas, outline: Array, low: float, high: float, wall: Array, owner: int) -> Array:
    """A wall from one height to another; comes back with the outline at the upper height."""
    shifted = canvas.lean * (high - low) * FINE
    steps = max(1, int(np.ceil(np.hypot(*shifted) / 0.6)))
    for k in range(steps):
        _lay(
            canvas,
            outline + shifted * k / steps,
            wall * (0.75 + 0.25 * (k + 1) / steps),
            owner,
            low + (high - low) * (k + 0.5) / steps,
        )
    return np.asarray(outline + shifted)


def _ring(count: int = 96) -> Array:
    angles = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _piles(rng: np.random.Generator, canvas: _Canvas, world: World) -> list[Disk]:
    """Disks laid singly and in piles."""
    usual = (38.1, 50.8, 76.2) if rng.random() < 0.6 else tuple(rng.uniform(36, 90, 3))
    faces = rng.integers(len(world.faces), size=int(rng.choice((2, 5, 12))))
    backs = rng.integers(len(world.backs), size=3)
    cards: list[tuple[Array, float, float, Array]] = []  # centre mm, radius mm, height mm, slope
    disks: list[Disk] = []
    count = int(rng.choice((0, 2, 5, 9, 14), p=(0.04, 0.16, 0.3, 0.3, 0.2)))
    gathered = rng.uniform(0.3, 0.95)
    for _ in range(count):
        radius = float(rng.choice(usual)) / 2
        if cards and rng.random() < gathered:
            under = cards[int(rng.integers(len(cards)))]
            low, high = (0.15, 1.03) if rng.random() < 0.8 else (0.0, 0.25)
            reach, angle = rng.uniform(low, high) * (radius + under[1]), rng.uniform(0, 2 * np.pi)
            middle = under[0] + reach * np.array([np.cos(angle), np.sin(angle)])
        else:
            middle = rng.uniform(-20, SIDE_MM + 20, 2)
        height, slope = _rest(rng, middle, radius, cards)
        if height > 14:
            continue
        cards.append((middle, radius, height, slope))
        back = rng.random() < 0.27
        prints = world.backs[int(rng.choice(backs))] if back else world.faces[int(rng.choice(faces))]
        disks.append(_paint_disk(rng, canvas, middle, radius, height, slope, prints, len(disks), back))
    return disks


def _rest(
    rng: np.random.Generator, middle: Array, radius: float, cards: list[tuple[Array, float, float, Array]]
) -> tuple[float, Array]:
    """Roughly where a card comes to rest on those below: the height of its face and its slope."""
    height, slope = 0.0, np.zeros(2)
    for centre, other, top, _ in cards:
        apart = centre - middle
        distance = float(np.hypot(*apart)) + 1e-6
        depth = radius + other - distance
        if depth <= 0:
            continue
        share = min(1.0, depth / (1.15 * radius))
        lifted = top * (share if share < 1 else 1.0)
        if lifted > height:
            height = lifted
            slope = (top - lifted) / radius * apart / distance * rng.uniform(0.4, 1.0)
    if rng.random() < 0.1:
        slope = slope + rng.normal(0, 0.02, 2)
    return height + CARD_MM * rng.uniform(0.9, 1.1), np.clip(slope, -0.15, 0.15)


def _paint_disk(
    rng: np.random.Generator,
    canvas: _Canvas,
    middle: Array,
    radius: float,
    height: float,
    slope: Array,
    prints: ByteImage,
    number: int,
    back: bool,
) -> Disk:
    """Shadow, wall and face of one disk."""
    matrix = radius * (np.eye(2) + np.outer(canvas.lean, slope))
    centre = middle + canvas.lean * (height - VIEW_HEIGHT_MM)
    rim = (centre + _ring() @ matrix.T) * FINE
    foot = rim - canvas.lean * CARD_MM * FINE
    _cast_shadow(canvas, rim, height, max(height - rng.uniform(0, 1) * max(height - 4, 0), 1.0))
    wall = canvas.wall * (rng.uniform(0.75, 1.1))
    _solid(canvas, foot, height - CARD_MM, height, wall, WALL)
    box = _box(rim.min(0) - 1, rim.max(0) + 1)
    if box is not None:
        turn = rng.uniform(0, 2 * np.pi)
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        half = len(prints) / 2
        onto = FINE * matrix @ spin / half  # canvas pixels for each texel from the middle
        shift = rng.normal(0, 0.012, 2) * half  # prints are a little beside the card's middle
        to_box = np.column_stack(
            [onto, centre * FINE - onto @ (np.array([half, half]) + shift) - [box[1].start, box[0].start]]
        )
        shape = (box[1].stop - box[1].start, box[0].stop - box[0].start)
        colours = cv2.warpAffine(prints, to_box, shape, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        lit = _linear(colours) * np.float32(rng.uniform(0.85, 1.1) * (1 + float(slope @ canvas.sun)))
        if rng.random() < 0.08:
            lit = lit + np.float32(rng.uniform(0.1, 0.6))  # glare on the print
        _lay(canvas, rim, lit, number, height, box)
        if rng.random() < 0.3:  # worn: a bright line along the edge
            line = np.zeros(lit.shape[:2], np.uint8)
            points = np.round((rim - [box[1].start, box[0].start]) * 16).astype(np.int32)
            cv2.polylines(line, [points], True, (255,), 1, cv2.LINE_AA, 4)
            share = line[..., None].astype(np.float32) / 255 * np.float32(rng.uniform(0.1, 0.8))
            share *= (canvas.owner[box] == number)[..., None]
            canvas.light[box] = canvas.light[box] * (1 - share) + share * canvas.wall.astype(np.float32)
        for _ in range(int(rng.choice((0, 0, 0, 1, 2)))):
            _token(rng, canvas, centre, radius, height, number)
    return Disk(centre * PX_PER_MM, matrix * PX_PER_MM, radius * PX_PER_MM, back, height)


def _token(rng: np.random.Generator, canvas: _Canvas, centre: Array, radius: float, height: float, owner: int) -> None:
    """A token of the kit that lies on a disk: it belongs to the disk."""
    side = rng.uniform(7, 20)
    reach, angle = rng.uniform(0, max(radius - 0.6 * side, 1)), rng.uniform(0, 2 * np.pi)
    middle = centre + reach * np.array([np.cos(angle), np.sin(angle)])
    corners = int(rng.choice((4, 6, 8, 64)))
    outline = (middle + side / 2 * _ring(corners) @ _spin(rng)) * FINE
    mean = [int(np.clip(v, 0, CANVAS_PX - 1)) for v in middle * FINE]
    if canvas.owner[mean[1], mean[0]] != owner:
        return
    _cast_shadow(canvas, outline, height + 1, 1.0)
    _lay(canvas, outline, rng.uniform(0.01, 0.9, 3) ** 2.2, owner, height + 1)
    _lay(canvas, middle * FINE + (outline - middle * FINE) * 0.5, rng.uniform(0.01, 0.9, 3) ** 2.2, owner, height + 1)


def _spin(rng: np.random.Generator) -> Array:
    turn = rng.uniform(0, 2 * np.pi)
    return np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])


def _prints_and_terrain(rng: np.random.Generator, canvas: _Canvas) -> None:
    """Round prints on the cloth, and flat terrain."""
    for _ in range(int(rng.choice((0, 0, 1, 3)))):
        middle, radius = rng.uniform(0, SIDE_MM, 2), rng.uniform(15, 60)
        outline = (middle + radius * _ring()) * FINE
        before = canvas.light.copy()
        _lay(canvas, outline, rng.uniform(0.01, 0.9, 3) ** 2.2, TABLE, 0.0)
        if rng.random() < 0.7:  # a ring: what was there shows inside it
            inner = (middle + radius * rng.uniform(0.75, 0.97) * _ring()) * FINE
            box = _box(inner.min(0) - 1, inner.max(0) + 1)
            if box:
                alpha = _fill(inner, box)[..., None]
                canvas.light[box] = canvas.light[box] * (1 - alpha) + before[box] * alpha
    if rng.random() < 0.2:
        angles = np.linspace(0, 2 * np.pi, 96, endpoint=False)
        waves = [rng.uniform(0.03, 0.13) * np.cos(k * angles + rng.uniform(0, 6)) for k in (2, 3, 4, 5)]
        reach = rng.uniform(50, 120) * (1 + np.sum(waves, axis=0))
        outline = (rng.uniform(0, SIDE_MM, 2) + reach[:, None] * _ring()) * FINE
        height = rng.uniform(0.3, 4)
        _cast_shadow(canvas, outline, height, height)
        upper = _solid(canvas, outline, 0, height, rng.uniform(0.02, 0.5, 3), THING)
        _lay(canvas, upper, rng.uniform(0.02, 0.7, 3), THING, height)


def _thing(rng: np.random.Generator, canvas: _Canvas, world: World) -> None:
    """Something that is no disk: cards with art, coins, caps, coasters, dice, pencils, notes, glasses, markers."""
    kind = str(
        rng.choice(
            (
                "card",
                "card",
                "chip",
                "chip",
                "coin",
                "cap",
                "cap",
                "coaster",
                "die",
                "pencil",
                "note",
                "ring",
                "marker",
                "jar",
            )
        )
    )
    middle, spin = rng.uniform(0, SIDE_MM, 2), _spin(rng)
    colour = rng.uniform(0.02, 0.9, 3) ** 2.2
    if kind == "card":
        _playing_card(rng, canvas, world, middle, spin)
        return
    if kind in ("chip", "coin", "cap", "coaster", "jar"):
        low, high, tall = {
            "chip": (11, 16.7, rng.uniform(1, 4)),
            "coin": (8, 14, 2),
            "cap": (12, 17, 6),
            "coaster": (38, 55, 4),
            "jar": (25, 50, rng.uniform(15, 60)),
        }[kind]
        radius = rng.uniform(low, high)
        shape = _ring()
        if kind == "cap":
            shape = shape * (1 + 0.04 * np.cos(21 * np.linspace(0, 2 * np.pi, len(shape), endpoint=False)))[:, None]
        outline = (middle + radius * shape) * FINE
        _cast_shadow(canvas, outline + canvas.lean * tall * FINE, tall, tall)
        upper = _solid(canvas, outline, 0, tall, colour * rng.uniform(0.4, 0.9), THING)
        _lay(canvas, upper, colour, THING, tall)
        centre = upper.mean(axis=0)
        for share in sorted(rng.uniform(0.3, 0.95, int(rng.integers(0, 4))), reverse=True):
            _lay(canvas, centre + (upper - centre) * share, np.clip(colour * rng.uniform(0.3, 2.5), 0, 1), THING, tall)
        if kind == "chip" and rng.random() < 0.6:
            _round_print(canvas, world.faces[int(rng.integers(len(world.faces)))], upper, radius, spin, tall)
        elif rng.random() < (0.9 if kind == "chip" else 0.4):
            art = world.emblems[int(rng.integers(len(world.emblems)))]
            _mask(canvas, art, centre, 1.3 * radius * FINE, spin, np.clip(colour * rng.uniform(0.2, 3), 0, 1), THING)
        return
    if kind == "ring":  # of a glass: nearly nothing but its wall
        radius, wide = rng.uniform(20, 45) * FINE, int(rng.integers(1, 5))
        cv2.circle(
            canvas.light,
            tuple(int(v) for v in middle * FINE),
            int(radius),
            tuple(float(v) for v in colour),
            wide,
            cv2.LINE_AA,
        )
        return
    length, width, tall = {
        "die": (14, 14, 14),
        "pencil": (150, 7, 7),
        "note": (rng.uniform(60, 180), rng.uniform(40, 130), 0.3),
        "marker": (60, 60, 0.4),
    }[kind]
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * [length, width]
    outline = (middle + corners @ spin.T) * FINE
    _cast_shadow(canvas, outline + canvas.lean * tall * FINE, tall + 0.31, max(tall, 0.5))
    upper = _solid(canvas, outline, 0, tall, colour * 0.6, THING)
    plain = np.array([0.8, 0.8, 0.8]) if kind in ("note", "marker") else colour
    _lay(canvas, upper, plain * rng.uniform(0.6, 1), THING, tall)
    centre = upper.mean(axis=0)
    if kind == "marker":
        cell = rng.random((6, 6)) < 0.5
        cell[[0, -1]] = cell[:, [0, -1]] = False
        for row, column in np.argwhere(~cell):
            square = (np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) + np.array([column, row])) / 6 * 40 - 20
            _lay(canvas, centre + square @ spin.T * FINE, np.full(3, 0.02), THING, tall)
    elif kind == "die":
        for at in rng.uniform(-4, 4, (int(rng.integers(1, 6)), 2)):
            _lay(canvas, centre + (at + 1.3 * _ring(16)) @ spin.T * FINE, np.full(3, 0.9), THING, tall)
    elif kind == "note":
        for row in np.arange(-width / 2 + 8, width / 2 - 6, rng.uniform(6, 12)):
            line = np.array(
                [
                    [-length * 0.42, row],
                    [length * rng.uniform(0, 0.4), row],
                    [length * 0.1, row + 1.5],
                    [-length * 0.42, row + 1.5],
                ]
            )
            _lay(canvas, centre + line @ spin.T * FINE, np.full(3, 0.05), THING, tall)


def _round_print(canvas: _Canvas, art: ByteImage, outline: Array, radius: float, spin: Array, height: float) -> None:
    """A disk's art on something smaller than any disk."""
    box = _box(outline.min(0) - 1, outline.max(0) + 1)
    if box is None:
        return
    half = len(art) / 2
    onto = FINE * radius * spin / half
    to_box = np.column_stack([onto, outline.mean(axis=0) - onto @ [half, half] - [box[1].start, box[0].start]])
    shape = (box[1].stop - box[1].start, box[0].stop - box[0].start)
    _lay(
        canvas,
        outline,
        _linear(cv2.warpAffine(art, to_box, shape, borderMode=cv2.BORDER_REPLICATE)),
        THING,
        height,
        box,
    )


def _playing_card(rng: np.random.Generator, canvas: _Canvas, world: World, middle: Array, spin: Array) -> None:
    """A card with the art of a disk, with a round picture, or with text."""
    size = np.array((63.0, 88.0)) * rng.uniform(0.7, 1.1)
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2 * size
    outline = (middle + corners @ spin.T) * FINE
    _cast_shadow(canvas, outline, 0.6, 0.5)
    ground = rng.uniform(0.01, 0.9, 3) ** 2.2 * rng.choice((0.1, 1.0))
    _lay(canvas, outline, ground, THING, 0.4)
    art = world.faces[int(rng.integers(len(world.faces)))]
    side = size[0] * rng.uniform(0.6, 0.95)
    at = middle + spin @ np.array([0, rng.uniform(-0.2, 0.1) * size[1]])
    if rng.random() < 0.4:  # a round picture
        inner = (at + side / 2 * _ring()) * FINE
    else:
        inner = (at + np.array([[-1, -1], [1, -1], [1, 0.9], [-1, 0.9]]) / 2 * side @ spin.T) * FINE
    box = _box(inner.min(0) - 1, inner.max(0) + 1)
    if box is None:
        return
    half = len(art) / 2
    onto = FINE * side / 2 * spin / half
    to_box = np.column_stack([onto, at * FINE - onto @ np.array([half, half]) - [box[1].start, box[0].start]])
    colours = cv2.warpAffine(
        art, to_box, (box[1].stop - box[1].start, box[0].stop - box[0].start), borderMode=cv2.BORDER_REPLICATE
    )
    _lay(canvas, inner, _linear(colours), THING, 0.4, box)
    if rng.random() < 0.7:
        text = np.array([[-0.45, 0.2], [0.45, 0.2], [0.45, 0.46], [-0.45, 0.46]]) * size
        _lay(canvas, (middle + text @ spin.T) * FINE, np.full(3, rng.uniform(0.4, 0.9)), THING, 0.4)
        for row in np.linspace(0.24, 0.42, 5):
            line = np.array([[-0.4, row], [rng.uniform(0, 0.4), row], [0.1, row + 0.012], [-0.4, row + 0.012]]) * size
            _lay(canvas, (middle + line @ spin.T) * FINE, np.full(3, 0.03), THING, 0.4)


def _mask(canvas: _Canvas, mask: ByteImage, centre: Array, side: float, spin: Array, colour: Array, owner: int) -> None:
    half = len(mask) / 2
    box = _box(centre - side, centre + side)
    if box is None:
        return
    onto = side / 2 * spin / half
    to_box = np.column_stack([onto, centre - onto @ np.array([half, half]) - [box[1].start, box[0].start]])
    alpha = (
        cv2.warpAffine(mask, to_box, (box[1].stop - box[1].start, box[0].stop - box[0].start)).astype(np.float32)[
            ..., None
        ]
        / 255
    )
    alpha = alpha * (canvas.owner[box] == owner)[..., None]
    canvas.light[box] = canvas.light[box] * (1 - alpha) + colour.astype(np.float32) * alpha


def _hand(rng: np.random.Generator, canvas: _Canvas) -> None:
    """An arm, a palm and fingers, all skin."""
    skin = np.array([0.25, 0.38, 0.62]) * rng.uniform(0.25, 1.1)
    start = rng.choice((-1, 1)) * np.array([SIDE_MM, 0.0])
    spin = _spin(rng)
    palm = rng.uniform(0.2, 0.8, 2) * SIDE_MM
    parts = [
        np.vstack(
            [
                palm + spin @ start + spin @ [0, 30],
                palm + spin @ start - spin @ [0, 30],
                palm - spin @ [0, 25],
                palm + spin @ [0, 25],
            ]
        ),
        palm + 42 * _ring(),
    ]
    for k in range(5):
        angle = -0.6 + 0.3 * k + np.pi * float(start[0] > 0)
        away = spin @ np.array([np.cos(angle), np.sin(angle)])
        aside = np.array([-away[1], away[0]]) * 8
        tip = palm + away * rng.uniform(70, 105)
        parts += [np.vstack([palm + aside, tip + aside, tip - aside, palm - aside]), tip + 8 * _ring()]
    for part in parts:
        _cast_shadow(canvas, part * FINE, 30, 25)
    for part in parts:
        _lay(canvas, part * FINE, skin * rng.uniform(0.85, 1.1), THING, 30)


def _lit(rng: np.random.Generator, light: FloatImage) -> FloatImage:
    """The light of the room: falling off, sun patches, deep shade, glare, exposure."""
    yy, xx = np.mgrid[0:CANVAS_PX, 0:CANVAS_PX].astype(np.float32) / CANVAS_PX - 0.5
    slope = rng.normal(0, 0.35, 2)
    gain = np.exp(slope[0] * xx + slope[1] * yy).astype(np.float32)
    if rng.random() < 0.25:  # the edge of a sun patch, or of a shadow from far
        turn, at, soft = rng.uniform(0, 2 * np.pi), rng.uniform(-0.4, 0.4), rng.uniform(0.003, 0.1)
        inside = 1 / (1 + np.exp(-np.clip((xx * np.cos(turn) + yy * np.sin(turn) - at) / soft, -30, 30)))
        if rng.random() < 0.5:
            wide = rng.uniform(0.1, 0.5)
            inside = inside * (xx * np.cos(turn) + yy * np.sin(turn) - at < wide)
        gain = gain * (1 + (rng.uniform(1.5, 6.0) - 1) * inside).astype(np.float32)
    lit = light * gain[..., None] * np.exp(rng.normal(0, 0.08, 3)).astype(np.float32)
    if rng.random() < 0.25:
        middle, wide = rng.uniform(-0.6, 0.6, 2), rng.uniform(0.08, 0.5)
        glare = np.exp(-((xx - middle[0]) ** 2 + (yy - middle[1]) ** 2) / wide**2)
        lit = lit + (rng.uniform(0.05, 0.9) * glare)[..., None].astype(np.float32)
    usual = float(np.median(lit.mean(axis=2)))
    wanted = float(np.exp(rng.uniform(np.log(0.05), np.log(0.35))))
    exposure = min(wanted / max(usual, 1e-3), 6.0) if rng.random() < 0.8 else rng.uniform(0.3, 3.0)
    return np.asarray(lit * np.float32(exposure), dtype=np.float32)


def _to_camera(azimuth: float, across: float, along: float) -> Array:
    """Canvas pixels to the camera's: turned so that the direction of view runs down, and foreshortened."""
    turn = np.array([[-np.sin(azimuth), np.cos(azimuth)], [np.cos(azimuth), np.sin(azimuth)]])
    linear = np.diag([across, along]) / FINE @ turn
    corners = np.array([[0, 0], [CANVAS_PX, 0], [0, CANVAS_PX], [CANVAS_PX, CANVAS_PX]]) @ linear.T
    matrix = np.eye(3)
    matrix[:2, :2] = linear
    matrix[:2, 2] = -corners.min(axis=0) + 2
    return matrix


def _shrunk(light: FloatImage, matrix: Array, least: float) -> FloatImage:
    """The canvas at the camera's resolution, without aliasing."""
    soft = cv2.GaussianBlur(light, (0, 0), max(0.4, 0.4 / max(least, 0.2)))
    corners = np.array([[0, 0, 1], [CANVAS_PX, 0, 1], [0, CANVAS_PX, 1], [CANVAS_PX, CANVAS_PX, 1]]) @ matrix.T
    width, height = (int(np.ceil(v)) + 2 for v in corners[:, :2].max(axis=0))
    return np.asarray(
        cv2.warpAffine(soft, matrix[:2], (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
        dtype=np.float32,
    )
