"""A world of prints: faces, backs, emblems and table tops, all made from a seed.

Worlds are split, not pictures: `train` and `held-out` share no icon, no face, no back and no table top.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks.disk_art import make_art, make_border
from benchmarks.table_tops import BUSY_SURFACES, SURFACES, Array, noise_texture, surface_texture
from calibration.arrays import ByteImage
from vision.types.arrays import FloatImage

SPLITS = ("train", "held-out")
FACE_PX = 192
EMBLEM_PX = 128
TOP_PX = 900
FACES, BACKS, TOPS = 260, 90, 48
HELD_OUT_ONE_IN = 5


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """Square BGR pictures, gamma-coded bytes; emblems are masks."""

    faces: Sequence[ByteImage]
    backs: Sequence[ByteImage]
    tops: Sequence[ByteImage]
    emblems: Sequence[ByteImage]


def make_world(split: str, seed: int, icons: Path | None) -> World:
    """The world of a split and a seed; `icons` is an Iconify collection (icons.json)."""
    rng = np.random.default_rng([zlib.crc32(split.encode()), seed])
    emblems = _emblems(rng, split, icons)
    faces = [_bytes(_muted(rng, _face(rng, emblems))) for _ in range(FACES)]
    backs = [_bytes(_muted(rng, _back(rng, emblems))) for _ in range(BACKS)]
    tops = [_bytes(_muted(rng, _top(rng))) for _ in range(TOPS)]
    return World(faces, backs, tops, emblems)


def _bytes(picture: Array) -> ByteImage:
    return np.asarray(np.clip(picture * 255, 0, 255), dtype=np.uint8)


def _muted(rng: np.random.Generator, picture: Array) -> Array:
    """The picture with less colour, as most prints have it."""
    share = rng.uniform(0.3, 1.0)
    return np.asarray(picture * share + picture.mean(axis=2, keepdims=True) * (1 - share))


def _emblems(rng: np.random.Generator, split: str, icons: Path | None, count: int = 400) -> list[ByteImage]:
    """Masks of icons that belong to the split; drawn glyphs where there are no icons."""
    if icons is None:
        return [_glyph(rng) for _ in range(count)]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtCore import QByteArray
    from PyQt6.QtGui import QImage, QPainter
    from PyQt6.QtSvg import QSvgRenderer

    collection = json.loads(icons.read_text(encoding="utf-8"))
    names = [
        n for n in sorted(collection["icons"]) if (zlib.crc32(n.encode()) % HELD_OUT_ONE_IN == 0) == (split != "train")
    ]
    chosen = rng.choice(names, min(count, len(names)), replace=False)
    masks = []
    for name in chosen:
        body = collection["icons"][str(name)]["body"].replace("currentColor", "#fff")
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">{body}</svg>'
        image = QImage(EMBLEM_PX, EMBLEM_PX, QImage.Format.Format_Grayscale8)
        image.fill(0)
        painter = QPainter(image)
        QSvgRenderer(QByteArray(svg.encode())).render(painter)
        painter.end()
        bits = image.constBits()
        assert bits is not None
        bits.setsize(image.sizeInBytes())
        masks.append(np.frombuffer(bits.asstring(), np.uint8).reshape(EMBLEM_PX, -1)[:, :EMBLEM_PX].copy())
    return masks


def _glyph(rng: np.random.Generator) -> ByteImage:
    mask = np.zeros((EMBLEM_PX, EMBLEM_PX), np.uint8)
    for _ in range(int(rng.integers(2, 7))):
        points = rng.normal(rng.uniform(35, 93, 2), rng.uniform(8, 30), (int(rng.integers(3, 7)), 2)).astype(np.int32)
        cv2.fillPoly(mask, [cv2.convexHull(points)], (255 if rng.random() < 0.75 else 0,), cv2.LINE_AA)
    return mask


def _radius(size: int) -> Array:
    yy, xx = np.mgrid[0:size, 0:size] - (size - 1) / 2
    return np.asarray(np.hypot(xx, yy) / (size / 2))


def stamp(
    picture: Array, mask: ByteImage, middle: tuple[float, float], side: float, turn_deg: float, ink: Array
) -> None:
    """Prints an emblem into a picture, in place; middle and side in its pixels."""
    scale = side / len(mask)
    matrix: Array = np.asarray(cv2.getRotationMatrix2D((len(mask) / 2, len(mask) / 2), turn_deg, scale), np.float64)
    matrix[:, 2] += np.array(middle) - len(mask) / 2
    alpha = cv2.warpAffine(mask, matrix, picture.shape[1::-1], flags=cv2.INTER_AREA)[..., None] / 255
    picture[:] = picture * (1 - alpha) + ink * alpha


def _painted(rng: np.random.Generator, size: int) -> Array:
    """A painted ground: two or three colours that run into each other, with strokes and light."""
    first, second, third = rng.uniform(0.02, 0.95, (3, 3)) ** rng.uniform(0.8, 2.0)
    a, b = (noise_texture(rng, size, int(rng.integers(2, 7)), int(rng.integers(2, 6)))[..., None] for _ in range(2))
    picture = first * (1 - a) + second * a
    picture = picture * (1 - b**2) + third * b**2
    if rng.random() < 0.4:  # a light in the middle, as painters like it
        picture = picture + 0.5 * np.exp(-((_radius(size) / rng.uniform(0.3, 0.8)) ** 2))[..., None] * rng.uniform(
            0, 1, 3
        )
    if rng.random() < 0.4:
        picture = picture * (1.15 - rng.uniform(0.2, 0.9) * _radius(size)[..., None] ** 2)
    return np.asarray(np.clip(picture, 0, 1))


def _face(rng: np.random.Generator, emblems: Sequence[ByteImage], size: int = FACE_PX) -> Array:
    """A face: with a printed border or without one, painted, with emblems, badges and a caption."""
    if rng.random() < 0.25:
        art = make_art(rng, rng.uniform(0.03, 0.95, 3), make_border(rng))
        return np.asarray(cv2.resize(art, (size, size), interpolation=cv2.INTER_AREA))
    if rng.random() < 0.35:
        return _dark_face(rng, emblems, size)
    art = _painted(rng, size)
    for _ in range(int(rng.integers(0, 14))):
        points = rng.normal(rng.uniform(0.1, 0.9, 2) * size, rng.uniform(4, 30), (int(rng.integers(3, 7)), 2))
        cv2.fillPoly(art, [cv2.convexHull(points.astype(np.int32))], tuple(rng.uniform(0, 1, 3)), cv2.LINE_AA)
    for _ in range(int(rng.integers(1, 4))):
        middle = (float(rng.normal(0.5, 0.12) * size), float(rng.normal(0.45, 0.12) * size))
        emblem = emblems[int(rng.integers(len(emblems)))]
        stamp(
            art, emblem, middle, float(rng.uniform(0.3, 0.9) * size), float(rng.uniform(-30, 30)), rng.uniform(0, 1, 3)
        )
    if rng.random() < 0.3:  # a ring in the art: not the card's edge
        width = int(rng.integers(1, 7))
        reach = int(rng.uniform(0.5, 0.93) * size / 2)
        cv2.circle(art, (size // 2, size // 2), reach, tuple(rng.uniform(0, 1, 3)), width, cv2.LINE_AA)
    if rng.random() < 0.6:
        low, high, half = rng.uniform(0.7, 0.78), rng.uniform(0.84, 0.93), rng.uniform(0.2, 0.4)
        paper = np.clip(rng.uniform(0.1, 1, 3) * 0.4 + 0.5 * float(rng.random() < 0.8), 0, 1)
        cv2.rectangle(
            art,
            (int((0.5 - half) * size), int(low * size)),
            (int((0.5 + half) * size), int(high * size)),
            tuple(paper),
            -1,
        )
        for row in np.linspace(low + 0.03, high - 0.03, int(rng.integers(1, 4))):
            end = (int((0.5 + half * rng.uniform(0.3, 0.9)) * size), int(row * size))
            cv2.line(art, (int((0.5 - half * 0.8) * size), int(row * size)), end, (0.1, 0.1, 0.1), 2, cv2.LINE_AA)
    if rng.random() < 0.6:
        count, out, large = int(rng.integers(2, 7)), rng.uniform(0.6, 0.85), rng.uniform(0.05, 0.11) * size
        first, step = rng.uniform(0, 6.28), rng.uniform(0.4, 0.9)
        for k in range(count):
            angle = first + k * step
            where = (int((0.5 + out / 2 * np.cos(angle)) * size), int((0.5 + out / 2 * np.sin(angle)) * size))
            cv2.circle(art, where, int(large), tuple(rng.uniform(0, 1, 3)), -1, cv2.LINE_AA)
            if rng.random() < 0.5:
                cv2.circle(art, where, int(large), (0.95, 0.95, 0.95), 2, cv2.LINE_AA)
    radius = _radius(size)
    if rng.random() < 0.45:
        inner = rng.uniform(0.82, 0.97)
        colour = rng.uniform(0.02, 0.95, 3)
        ring = colour * (1 - 0.2 + 0.4 * noise_texture(rng, size, 3)[..., None] * rng.random())
        art = np.where((radius > inner)[..., None], ring, art)
        if rng.random() < 0.5:
            art = np.where((np.abs(radius - inner) < 0.012)[..., None], rng.choice((0.05, 0.9)), art)
    return np.asarray(np.clip(art, 0, 1))


def _dark_face(rng: np.random.Generator, emblems: Sequence[ByteImage], size: int) -> Array:
    """A painting that darkens to its edge, without a border, with small badges all round."""
    art = _painted(rng, size) * rng.uniform(0.4, 1.0)
    emblem = emblems[int(rng.integers(len(emblems)))]
    side, turn = float(rng.uniform(0.6, 1.0) * size), float(rng.uniform(-20, 20))
    middle = (float(rng.normal(0.5, 0.06) * size), float(rng.normal(0.5, 0.06) * size))
    shaded = _painted(rng, size) * 0.5 + rng.uniform(0.1, 0.8, 3) * 0.5
    printed = art.copy()
    stamp(printed, emblem, (middle[0] + 3, middle[1] + 3), side, turn, np.full(3, 0.03))
    inked = np.zeros_like(art)
    stamp(inked, emblem, middle, side, turn, np.ones(3))
    art = printed * (1 - inked) + shaded * inked
    art = art * np.clip(1.2 - rng.uniform(0.4, 1.1) * _radius(size)[..., None] ** 2, 0.05, 1)
    count, out = int(rng.integers(4, 13)), rng.uniform(0.74, 0.9)
    large, colour = rng.uniform(0.025, 0.06) * size, rng.uniform(0.2, 0.9, 3)
    first, covered = rng.uniform(0, 2 * np.pi), rng.choice((1.0, rng.uniform(0.4, 0.9)))
    for k in range(count):
        angle = first + 2 * np.pi * covered * k / count
        where = (int((0.5 + out / 2 * np.cos(angle)) * size), int((0.5 + out / 2 * np.sin(angle)) * size))
        tone = np.clip(colour + rng.normal(0, 0.08, 3), 0, 1)
        cv2.circle(art, where, int(large), tuple(tone), -1, cv2.LINE_AA)
    return np.asarray(np.clip(art, 0, 1))


def _back(rng: np.random.Generator, emblems: Sequence[ByteImage], size: int = FACE_PX) -> Array:
    """A back: dark or plain, an emblem or a star in the middle, printed rings near the edge or none."""
    radius = _radius(size)
    colour = rng.uniform(0.02, 0.9, 3) * rng.choice((0.15, 0.35, 0.6, 1.0))
    picture = colour * (0.85 + 0.3 * noise_texture(rng, size, int(rng.integers(1, 6)))[..., None])
    ink = np.clip(colour * rng.uniform(0.3, 3.0) + rng.uniform(-0.05, 0.4), 0, 1)
    if rng.random() < 0.3:
        yy, xx = np.mgrid[0:size, 0:size] - (size - 1) / 2
        pointed = np.cos(int(rng.integers(4, 10)) * np.arctan2(yy, xx))
        picture = np.where((radius < 0.35 + 0.25 * pointed)[..., None], ink, picture)
    elif rng.random() < 0.75:
        emblem = emblems[int(rng.integers(len(emblems)))]
        stamp(
            picture, emblem, (size / 2, size / 2), float(rng.uniform(0.35, 1.2) * size), float(rng.uniform(0, 360)), ink
        )
    for _ in range(int(rng.choice((0, 1, 1, 2, 3)))):
        at, half = rng.uniform(0.45, 0.95), rng.uniform(0.006, 0.03)
        picture = np.where((np.abs(radius - at) < half)[..., None], np.clip(ink * rng.uniform(0.5, 1.3), 0, 1), picture)
    if rng.random() < 0.4:
        picture = np.where((radius > rng.uniform(0.84, 0.97))[..., None], rng.uniform(0.02, 0.9, 3), picture)
    return np.asarray(np.clip(picture, 0, 1))


def _top(rng: np.random.Generator, size: int = TOP_PX) -> Array:
    """A table top, printed mats with circles among them; one texel is about a millimetre."""
    if rng.random() < 0.35:
        return surface_texture(str(rng.choice((*SURFACES, *BUSY_SURFACES))), rng, size)
    kind = str(rng.choice(("plain", "wood", "wood", "cloth", "mat", "mat", "grid", "cracks")))
    colour = rng.uniform(0.03, 0.85, 3) * rng.choice((0.3, 0.7, 1.0))
    fine = noise_texture(rng, size, 8, int(rng.choice((4, 16, 64))))[..., None]
    picture = colour * (1 - rng.uniform(0.02, 0.5) * fine) * np.ones(3)
    if kind == "wood":
        picture = _wood(rng, size)
    elif kind == "cloth":
        y, x = np.mgrid[0:size, 0:size]
        weave = 0.5 + 0.25 * (np.sin(x * rng.uniform(1, 2.5)) + np.sin(y * rng.uniform(1, 2.5)))
        picture = picture * (0.8 + 0.3 * weave[..., None])
        if rng.random() < 0.5:
            period = int(rng.integers(20, 90))
            band = ((x // period) % 2 + (y // period) % 2 * (rng.random() < 0.6))[..., None]
            picture = picture * (1 - 0.4 * rng.random() * band) + 0.3 * rng.random() * band * rng.uniform(0, 1, 3)
    elif kind == "grid":
        period = int(rng.integers(20, 60))
        line = np.zeros((size, size))
        line[::period] = line[:, ::period] = 1
        picture = picture * (1 - line[..., None]) + line[..., None] * rng.uniform(0, 1, 3)
    if kind in ("mat", "cracks"):
        picture = _painted(rng, size) * rng.uniform(0.3, 0.9) + 0.05
        level = noise_texture(rng, size, 5, int(rng.integers(5, 14)))
        lines = np.abs(level - 0.5) < rng.uniform(0.004, 0.02)
        picture = np.where(lines[..., None], picture * rng.uniform(0.2, 1.6), picture)
    if kind in ("mat", "grid") or rng.random() < 0.15:
        picture = _with_circles(rng, np.asarray(picture))
    return np.asarray(np.clip(picture, 0.01, 0.98))


def _wood(rng: np.random.Generator, size: int) -> Array:
    """Planks, each with a shade and a grain of its own."""
    colour = np.array([rng.uniform(0.05, 0.5), rng.uniform(0.15, 0.65), rng.uniform(0.25, 0.85)])
    picture = np.zeros((size, size, 3))
    at, wide = 0, int(rng.integers(40, 160))
    rings = noise_texture(rng, size, 7, 3)
    while at < size:
        width = min(wide, size - at)
        long = cv2.resize(rng.random((width, max(2, size // int(rng.integers(20, 90))))), (size, width))
        veins = 0.5 + 0.5 * np.sin(60 * rings[at : at + width] + rng.uniform(0, 6))
        shade = rng.uniform(0.6, 1.2) * (0.7 + 0.35 * long + 0.2 * veins * rng.random())
        picture[at : at + width] = colour * shade[..., None]
        picture[at : at + 2] *= 0.35
        at += width
    return np.asarray(picture * (0.85 + 0.3 * noise_texture(rng, size, 8, 60)[..., None]))


def _with_circles(rng: np.random.Generator, picture: Array) -> Array:
    """Circles, rings and craters printed on a mat."""
    picture = np.ascontiguousarray(np.clip(picture, 0, 1))
    size = len(picture)
    for _ in range(int(rng.integers(8, 40))):
        middle = tuple(int(v) for v in rng.uniform(0, size, 2))
        radius = int(rng.uniform(8, 60))
        colour = np.clip(picture[middle[1], middle[0]] * rng.uniform(0.3, 1.7) + rng.uniform(-0.1, 0.1), 0, 1)
        if rng.random() < 0.35:
            colour = rng.uniform(0, 1, 3)
        width = -1 if rng.random() < 0.35 else int(rng.integers(1, 5))
        layer: FloatImage = np.asarray(picture, dtype=np.float32)
        cv2.circle(layer, middle, radius, tuple(float(v) for v in colour), width, cv2.LINE_AA)
        share = rng.uniform(0.25, 1.0)
        picture = picture * (1 - share) + layer * share
        if rng.random() < 0.3:
            cv2.ellipse(
                picture,
                middle,
                (radius, radius),
                float(rng.uniform(0, 360)),
                0,
                180,
                tuple(float(v) for v in colour * 0.5),
                2,
                cv2.LINE_AA,
            )
    return picture
