"""Table tops that tables are drawn on: cloths, boards and paper, each a BGR picture in 0..1."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SURFACES = ("stripes", "check-blue", "marble", "felt-green", "planks", "newsprint")
BUSY_SURFACES = ("mat", "foliage")  # printed ones, as full of edges as the faces of disks


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
    if kind == "mat":
        return _mat(rng, size)
    if kind == "foliage":
        return _foliage(rng, size)
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


def _mat(rng: np.random.Generator, size: int) -> Array:
    """A printed battlefield: patches of earth, moss and rock, some soft, some with hard edges, stained all over."""
    ground = np.ones((size, size, 1)) * rng.uniform(0.15, 0.6, 3)
    for _ in range(int(rng.integers(2, 5))):
        height = noise_texture(rng, size, 6, int(rng.integers(6, 30)))[..., None]
        edge = 10 ** rng.uniform(-2.5, -0.5)
        share = 1 / (1 + np.exp(-np.clip((height - rng.uniform(0.45, 0.65)) / edge, -30, 30)))
        tint = rng.uniform(0.1, 0.75, 3) * (0.6 + 0.8 * noise_texture(rng, size, 4, 100)[..., None])
        ground = ground * (1 - share) + tint * share
    stains = noise_texture(rng, size, 5, int(rng.integers(60, 200)))[..., None]
    return np.asarray(np.clip(ground * (0.55 + 0.9 * stains), 0.02, 0.98))


def _foliage(rng: np.random.Generator, size: int) -> Array:
    """Crowns of trees from above: round, lit from one side, one on another."""
    canvas = np.zeros((size, size, 3), dtype=np.float32)
    canvas[:] = rng.uniform(0.02, 0.2, 3)
    tint, across = rng.uniform(0.1, 0.6, 3), rng.uniform(20, 70)
    for x, y in rng.uniform(0, size, (int(6 * (size / across) ** 2), 2)):
        colour = tint * rng.uniform(0.5, 1.4)
        radius = across * rng.uniform(0.3, 0.7)
        for step in (1.0, 0.75, 0.5):
            middle = (int(x - 0.3 * (1 - step) * radius), int(y - 0.3 * (1 - step) * radius))
            shade = tuple(float(v) for v in np.clip(colour * (1.5 - 0.6 * step), 0, 1))
            cv2.circle(canvas, middle, max(2, int(step * radius)), shade, -1, cv2.LINE_AA)
    return np.asarray(np.clip(canvas * (0.6 + 0.8 * noise_texture(rng, size, 5, 100)[..., None]), 0.02, 0.98))
