"""Faces and backs of disks that nobody has: square BGR pictures in 0..1."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from benchmarks.table_tops import Array, noise_texture


@dataclass(frozen=True, slots=True)
class Border:
    """How the border of disks is printed: from where on in radii, how mottled, and with a dark line inside or not."""

    inner: float = 0.88
    mottled: float = 0.35
    lined: bool = True


def make_border(rng: np.random.Generator) -> Border:
    """A border of its own kind: broad or narrow, mottled or plain."""
    return Border(float(rng.uniform(0.84, 0.97)), float(rng.choice((0.0, 0.15, 0.35))), bool(rng.random() < 0.6))


def make_art(rng: np.random.Generator, rim: Array, border: Border, size: int = 300) -> Array:
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
    ring = rim * (1 - border.mottled / 2 + border.mottled * noise_texture(rng, size, 4)[..., None])
    art = np.where((radius > border.inner)[..., None], ring, art)
    line = border.lined & (np.abs(radius - border.inner) < 0.01)
    return np.asarray(np.clip(np.where(line[..., None], 0.05, art), 0, 1))


def make_back(
    rng: np.random.Generator, rim: Array, inner: float = 0.9, shade: float = 0.35, sharp: bool = False, size: int = 300
) -> Array:
    """The back of an owner's disks: a star of six round or eight sharp points on a shade of the border's colour."""
    yy, xx = np.mgrid[0:size, 0:size] - (size - 1) / 2
    radius, angle = np.hypot(xx, yy) / (size / 2), np.arctan2(yy, xx)
    pointed = 1 - np.abs(2 * (angle * 8 / (2 * np.pi) % 1) - 1)
    star = radius < (0.15 + 0.5 * pointed**1.5 if sharp else 0.35 + 0.25 * np.cos(6 * angle))
    ground = rim * shade * (0.9 + 0.2 * noise_texture(rng, size, 4)[..., None])
    ink = np.array([0.6, 0.85, 0.95]) if sharp else rim * 0.8 + 0.2
    return np.asarray(np.where((radius > inner)[..., None], rim, np.where(star[..., None], ink, ground)))


def recoloured(art: Array, turn_deg: float) -> Array:
    """A picture with all hues turned."""
    hsv = cv2.cvtColor(art.astype(np.float32), cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0] + turn_deg) % 360
    return np.asarray(cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR), dtype=np.float64)


def border_colour(art: Array) -> Array:
    """The usual colour of a face just inside its edge."""
    yy, xx = np.mgrid[0 : len(art), 0 : len(art)] - (len(art) - 1) / 2
    radius = np.hypot(xx, yy) / (len(art) / 2)
    return np.asarray(np.median(art[(radius > 0.93) & (radius < 0.98)], axis=0), dtype=np.float64)
