"""Round things that are no disks, as people leave them on a table: vessels, lids, chips, rolls, and prints of circles.

Each is a stack of square BGRA slices, so that a glass is seen into and a bowl has a bottom.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from benchmarks.table_things import PX, Slice, Thing, cut, regular, solid, upright
from benchmarks.table_tops import Array

Maker = Callable[[np.random.Generator, Array], tuple[tuple[Slice, ...], Array]]


def make_round_thing(rng: np.random.Generator, kind: str, x: float, y: float) -> Thing:
    """A thing of a kind in a colour, size and turn of its own."""
    slices, unit = _MAKERS[kind](rng, _plain(rng))
    return Thing(kind, slices, x, y, float(rng.uniform(0, 360)), unit * slices[-1].side_mm)


def _plain(rng: np.random.Generator) -> Array:
    shades = 0.8 + 0.4 * cv2.resize(rng.random((16, 16)), (PX, PX), interpolation=cv2.INTER_CUBIC)[..., None]
    return np.asarray(np.clip(np.ones((PX, PX, 3)) * rng.uniform(0.08, 0.9, 3) * shades, 0, 1))


def _colour(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(float(v) for v in rng.uniform(0.05, 0.95, 3))


def _ring(picture: Array, radius: float, colour: tuple[float, ...], width: float = -1) -> None:
    """A circle about the middle, radius and line width in parts of the side; filled without a width."""
    line = max(1, round(width * PX)) if width > 0 else -1
    cv2.circle(picture, (PX // 2, PX // 2), round(radius * PX), colour, line, cv2.LINE_AA)


def _hollow(picture: Array, hole: float) -> Array:
    """A round picture with a hole of this radius, in parts of its side."""
    whole = cut(picture, regular(90, 0.5))
    inside = cut(picture, regular(90, hole))[..., 3]
    return np.dstack([picture, whole[..., 3] * (1 - inside)])


def _glass(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    side, height = float(rng.uniform(55, 90)), float(rng.uniform(70, 150))
    bright = np.clip(plain * 0.3 + 0.6, 0, 1)
    foot = cut(np.clip(plain * 0.2 + rng.uniform(0.2, 0.6, 3), 0, 1), regular(90, 0.5))
    return (Slice(1.0, side * rng.uniform(0.65, 0.95), foot), Slice(height, side, _hollow(bright, 0.47))), regular(
        90, 0.5
    )


def _bowl(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    side, height = float(rng.uniform(70, 160)), float(rng.uniform(35, 70))
    depths = np.linspace(0.15, 1, 14)
    walls = [
        Slice(float(height * d), float(side * np.sqrt(d)), _hollow(plain * (0.45 + 0.45 * float(d)), 0.40))
        for d in depths[:-1]
    ]
    bottom = Slice(height * 0.1, side * 0.42, cut(plain * 0.5, regular(90, 0.5)))
    return (bottom, *walls, Slice(height, side, _hollow(np.clip(plain * 1.2, 0, 1), 0.465))), regular(90, 0.5)


def _tape(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    side, height = float(rng.uniform(55, 105)), float(rng.uniform(12, 50))
    hole = float(rng.uniform(0.22, 0.4))
    upper = plain.copy()
    _ring(upper, hole + 0.02, (0.35, 0.5, 0.62), 0.03)
    steps = np.linspace(0, height, max(3, round(height / 1.5)), endpoint=False)
    wall = _hollow(plain * 0.55, hole)
    return (*(Slice(float(h), side, wall) for h in steps), Slice(height, side, _hollow(upper, hole))), regular(90, 0.5)


def _cap(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    _ring(plain, 0.3, _colour(rng))
    angles = np.linspace(0, 2 * np.pi, 168, endpoint=False)
    crimped = (0.48 + 0.02 * np.cos(21 * angles))[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])
    return solid(plain, crimped, float(rng.uniform(26, 33)), 6.0), crimped


def _lid(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    _ring(plain, float(rng.uniform(0.36, 0.45)), tuple(plain[PX // 2, PX // 2] * 0.7), 0.012)
    if rng.random() < 0.5:
        _ring(plain, float(rng.uniform(0.15, 0.3)), _colour(rng))
    return solid(plain, regular(90, 0.5), float(rng.uniform(40, 95)), float(rng.uniform(8, 20))), regular(90, 0.5)


def _chip(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    spots = _colour(rng)
    for start in range(0, 360, 60):
        cv2.ellipse(plain, (PX // 2, PX // 2), (PX // 2, PX // 2), 0, start, start + 22, spots, -1, cv2.LINE_AA)
    _ring(plain, 0.36, tuple(plain[2, PX // 2 + 30]))
    _ring(plain, 0.27, _colour(rng))
    return solid(plain, regular(90, 0.5), float(rng.uniform(36, 46)), 3.3), regular(90, 0.5)


def _coin(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    metal = plain * 0.25 + np.array(((0.55, 0.6, 0.65), (0.25, 0.5, 0.7), (0.2, 0.3, 0.5))[int(rng.integers(3))]) * 0.75
    _ring(metal, 0.46, tuple(metal[PX // 2, PX // 2] * 1.25), 0.02)
    if rng.random() < 0.4:
        _ring(metal, 0.34, tuple(metal[PX // 2, PX // 2][::-1] * 0.9))
    return solid(metal, regular(90, 0.5), float(rng.uniform(16, 40)), 2.0), regular(90, 0.5)


def _saucer(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    _ring(plain, 0.47, _colour(rng), 0.015)
    _ring(plain, float(rng.uniform(0.2, 0.33)), tuple(plain[PX // 2, PX // 2] * 0.8), 0.01)
    return solid(plain, regular(90, 0.5), float(rng.uniform(110, 170)), 12.0), regular(90, 0.5)


def _target(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    """A card with circles printed on it."""
    for _ in range(int(rng.integers(1, 4))):
        width = 0 if rng.random() < 0.4 else float(rng.uniform(0.01, 0.05))
        _ring(plain, float(rng.uniform(0.12, 0.32)), _colour(rng), width)
    return (Slice(0.5, float(rng.uniform(88, 125)), cut(plain, upright(0.72))),), upright(0.72)


def _print(rng: np.random.Generator, plain: Array) -> tuple[tuple[Slice, ...], Array]:
    """A round print on the cloth itself: it has no height, and pieces lie on it."""
    hole = float(rng.choice([0.0, 0.0, 0.42, 0.46]))
    if rng.random() < 0.6:
        _ring(plain, float(rng.uniform(0.25, 0.44)), _colour(rng), float(rng.uniform(0.008, 0.04)))
    picture = _hollow(plain, hole) if hole else cut(plain, regular(90, 0.5))
    return (Slice(0.05, float(rng.uniform(36, 130)), picture),), regular(90, 0.5)


_MAKERS: dict[str, Maker] = {
    "bowl": _bowl,
    "cap": _cap,
    "chip": _chip,
    "coin": _coin,
    "glass": _glass,
    "lid": _lid,
    "print": _print,
    "saucer": _saucer,
    "tape": _tape,
    "target": _target,
}
ROUND_KINDS = tuple(_MAKERS)
