"""Bases, stands, figures and terrain as meshes with a colour at every corner, for path-traced tables.

World: x east, y south, z down, all in mm: a point h above the cloth has z = -h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.table_tops import Array, noise_texture
from calibration.kit_trays import RIM_COLOURS, RING_MM, inked

IntArray = NDArray[np.int64]
GRIT = 256  # cells of the noise that ground on bases is coloured by
EARTHS = np.array(
    [
        [0.30, 0.21, 0.13],
        [0.42, 0.33, 0.22],
        [0.20, 0.15, 0.10],
        [0.35, 0.34, 0.33],
        [0.55, 0.48, 0.36],
        [0.18, 0.26, 0.09],
        [0.33, 0.38, 0.14],
        [0.62, 0.62, 0.60],
        [0.10, 0.10, 0.11],
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Corners (N, 3), triangles (M, 3) and a linear RGB colour at every corner (N, 3)."""

    corners: Array
    faces: IntArray
    colours: Array

    def placed(self, x: float, y: float, height: float = 0.0, turn_deg: float = 0.0, scale: float = 1.0) -> Mesh:
        """Turned clockwise as seen from above, and moved."""
        turn = np.radians(turn_deg)
        matrix = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
        return Mesh(self.corners * scale @ matrix.T + [x, y, -height], self.faces, self.colours)

    def coloured(self, rgb: Array) -> Mesh:
        """In one colour."""
        return Mesh(self.corners, self.faces, np.broadcast_to(rgb, self.corners.shape).copy())


def merged(meshes: Sequence[Mesh]) -> Mesh:
    """All of them as one."""
    starts = np.cumsum([0, *(len(mesh.corners) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.corners for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts[:-1], strict=True)]),
        np.concatenate([mesh.colours for mesh in meshes]),
    )


def turned_shape(profile: Array, around: int = 24) -> Mesh:
    """A shape of revolution: profile (K, 2) of radius and height, from the foot up."""
    turns = np.arange(around) * (2 * np.pi / around)
    rings = len(profile)
    corners = np.empty((rings, around, 3))
    corners[..., 0] = profile[:, :1] * np.cos(turns)
    corners[..., 1] = profile[:, :1] * np.sin(turns)
    corners[..., 2] = -profile[:, 1:2]
    ring, step = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    a, b = ring * around + step, ring * around + (step + 1) % around
    faces = np.concatenate([np.stack([a, b, a + around], -1), np.stack([b, b + around, a + around], -1)])
    return Mesh(corners.reshape(-1, 3), faces.reshape(-1, 3), np.zeros((rings * around, 3)))


def ball(radii: tuple[float, float, float], rng: np.random.Generator | None = None, rough: float = 0.0) -> Mesh:
    """An ellipsoid about its middle, lumpy if wanted."""
    angles = np.linspace(-np.pi / 2 + 0.01, np.pi / 2 - 0.01, 13)
    mesh = turned_shape(np.stack([np.cos(angles), np.sin(angles)], 1), 20)
    corners = mesh.corners * radii
    if rng is not None and rough:
        lumps = noise_texture(rng, 64, 4, 5)
        rows = np.repeat(np.linspace(4, 60, 13).astype(int), 20)
        columns = np.tile(np.abs(np.linspace(-60, 60, 20)).astype(int), 13)
        corners = corners * (1 + rough * (lumps[rows, columns] - 0.5) * 2)[:, None]
    return Mesh(corners, mesh.faces, mesh.colours)


def rod(start: Array, end: Array, radius: float) -> Mesh:
    """A thin round rod between two points (heights upward)."""
    way = np.asarray(end, float) - start
    way = way / np.linalg.norm(way)
    side = np.cross(way, [1.0, 0.0, 0.0] if abs(way[0]) < 0.9 else [0.0, 1.0, 0.0])
    side = side / np.linalg.norm(side)
    other = np.cross(way, side)
    turns = np.arange(8) * (2 * np.pi / 8)
    ring = radius * (np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * other)
    corners = np.concatenate([start + ring, end + ring]) * [1, 1, -1]
    k = np.arange(8)
    n = (k + 1) % 8
    faces = np.concatenate([np.stack([k, n, k + 8], 1), np.stack([n, n + 8, k + 8], 1)])
    return Mesh(corners, faces, np.zeros((16, 3)))


def ground_colours(rng: np.random.Generator, places_mm: Array) -> Array:
    """Painted and flocked ground: two or three earths mixed in patches some millimetres wide."""
    first = EARTHS[rng.integers(len(EARTHS))]
    colours = np.broadcast_to(first, (len(places_mm), 3)).copy()
    for _ in range(int(rng.integers(1, 4))):
        patches = noise_texture(rng, GRIT, 5, int(rng.integers(4, 24)))
        row, column = ((places_mm[:, k] * 2 + GRIT / 2).astype(int) % GRIT for k in (1, 0))
        share = np.clip((patches[row, column] - rng.uniform(0.4, 0.65)) * rng.uniform(3, 20), 0, 1)[:, None]
        colours = colours * (1 - share) + EARTHS[rng.integers(len(EARTHS))] * share
    return np.asarray(np.clip(colours, 0, 1) ** rng.uniform(1.0, 2.0) * rng.uniform(0.85, 1.15, (len(places_mm), 1)))


def wall_colour(rng: np.random.Generator, ground: Array) -> Array:
    """What bases' sides are painted in: mostly dark, at times as the ground on them."""
    kind = rng.random()
    if kind < 0.45:
        return np.full(3, rng.uniform(0.01, 0.06))
    if kind < 0.75:
        return np.asarray(EARTHS[rng.integers(3)] * rng.uniform(0.2, 0.8))
    if kind < 0.9:
        return np.asarray(ground.mean(axis=0) * rng.uniform(0.5, 1.0))
    return rng.uniform(0.05, 0.6, 3)


def round_base(
    rng: np.random.Generator, diameter: float, height: float, bevel: float, wall: Array | None, ring: str | None
) -> Mesh:
    """A round base with its ground, and the kit's ring where it has one."""
    radius, top = diameter / 2, diameter / 2 - bevel
    inner = np.arange(top - (RING_MM if ring else 0.0), 0.3, -0.7)
    edge = [[radius, 0.0], [radius, height * 0.35], [top, height]]
    if ring:
        edge += [[top - 0.01, height], [top - RING_MM, height], [top - RING_MM - 0.01, height]]
    profile = np.array([*edge, *([r, height] for r in inner), [0.01, height]])
    around = max(40, round(diameter * 2.2))
    mesh = turned_shape(profile, around)
    colours = ground_colours(rng, mesh.corners[:, :2])
    painted = wall_colour(rng, colours) if wall is None else wall
    colours[: 3 * around] = painted
    if ring:
        colours[3 * around : 5 * around] = np.array(RIM_COLOURS[ring]) ** 2.2
    corners = mesh.corners.copy()
    rough = slice((6 if ring else 3) * around, None)
    corners[rough, 2] -= rng.uniform(0, rng.uniform(0, 0.9), len(corners[rough]))
    return Mesh(corners, mesh.faces, colours)


def oblong_stand(
    rng: np.random.Generator, width: float, depth: float, height: float, wall: Array | None, card: str | None
) -> Mesh:
    """A stand whose front is at -y, with its ground or the kit's card."""
    step = 0.5 if card else 1.0
    across, along = int(width / step) + 1, int(depth / step) + 1
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, across), np.linspace(-depth / 2, depth / 2, along))
    top = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, -height)])
    if card:
        colours = _card_colours(card, width, depth, top[:, :2])
    else:
        colours = ground_colours(rng, top[:, :2])
        inside = (np.abs(x) < width / 2 - 0.6) & (np.abs(y) < depth / 2 - 0.6)
        top[:, 2] -= rng.uniform(0, 0.6, len(top)) * inside.ravel()
    row, column = np.meshgrid(np.arange(along - 1), np.arange(across - 1), indexing="ij")
    a = (row * across + column).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + across], 1), np.stack([a + 1, a + across + 1, a + across], 1)])
    lid = Mesh(top, faces, colours)
    painted = wall_colour(rng, colours) if wall is None else wall
    return merged([lid, _box_walls(width, depth, height).coloured(painted)])


def _box_walls(width: float, depth: float, height: float) -> Mesh:
    u, v = width / 2, depth / 2
    ring = np.array([[-u, -v], [u, -v], [u, v], [-u, v]])
    corners = np.concatenate([np.column_stack([ring, np.zeros(4)]), np.column_stack([ring, np.full(4, -height)])])
    k = np.arange(4)
    n = (k + 1) % 4
    faces = np.concatenate([np.stack([k, n, k + 4], 1), np.stack([n, n + 4, k + 4], 1)])
    return Mesh(corners, faces, np.zeros((8, 3)))


def box(width: float, depth: float, height: float, rgb: Array) -> Mesh:
    """A closed box with its foot at height 0."""
    walls = _box_walls(width, depth, height)
    lid = np.array([[4, 5, 6], [4, 6, 7]])
    return Mesh(walls.corners, np.concatenate([walls.faces, lid]), np.broadcast_to(rgb, (8, 3)).copy())


def _card_colours(name: str, width: float, depth: float, places: Array) -> Array:
    """The kit's stand card, its front at -y."""
    printed = inked(places[:, 0], -places[:, 1], width, depth)
    return np.where(printed[:, None], np.array(RIM_COLOURS[name]) ** 2.2, 0.78)


def figure(rng: np.random.Generator, tall: float, wide: float) -> Mesh:
    """A figure on foot facing -y, about the origin: legs, coat, head, arms, weapon, at times a cloak and a shield."""
    coat, trousers, steel = rng.uniform(0.02, 0.6, 3), rng.uniform(0.02, 0.4, 3), np.full(3, rng.uniform(0.25, 0.6))
    skin = np.array([0.5, 0.3, 0.2]) * rng.uniform(0.5, 1.2)
    parts = [
        rod(np.array([s * 0.25 * wide, 0, 0]), np.array([s * 0.18 * wide, 0, 0.45 * tall]), 0.16 * wide).coloured(
            trousers
        )
        for s in (-1, 1)
    ]
    parts.append(ball((0.42 * wide, 0.32 * wide, 0.22 * tall)).coloured(coat).placed(0, 0, 0.6 * tall))
    head = steel if rng.random() < 0.6 else skin
    parts.append(ball((0.2 * wide, 0.2 * wide, 0.09 * tall)).coloured(head).placed(0, -0.05 * wide, 0.9 * tall))
    for s in (-1, 1):
        hand = np.array([s * wide * rng.uniform(0.5, 0.8), -wide * rng.uniform(0.0, 0.6), tall * rng.uniform(0.4, 0.8)])
        parts.append(rod(np.array([s * 0.4 * wide, 0, 0.72 * tall]), hand, 0.11 * wide).coloured(coat * 0.8))
        if s == 1:
            tip = hand + np.array([rng.normal(0, 0.4), rng.normal(-0.5, 0.4), rng.uniform(0.2, 1.0)]) * tall * 0.7
            parts.append(rod(hand - (tip - hand) * rng.uniform(0, 0.6), tip, 0.05 * wide).coloured(steel))
        elif rng.random() < 0.5:
            shield = ball((0.45 * wide, 0.08 * wide, 0.2 * tall)).coloured(rng.uniform(0.02, 0.7, 3))
            parts.append(shield.placed(hand[0], hand[1] - 0.1 * wide, hand[2]))
    if rng.random() < 0.35:
        cloak = turned_shape(np.array([[0.55 * wide, 0.08 * tall], [0.3 * wide, 0.75 * tall]]), 16)
        parts.append(cloak.coloured(rng.uniform(0.02, 0.5, 3)))
    return merged(parts)


def beast(rng: np.random.Generator, tall: float, wide: float) -> Mesh:
    """Something on four legs, at times with a rider, facing -y."""
    hide = rng.uniform(0.03, 0.5, 3)
    parts = [ball((0.3 * wide, 0.75 * wide, 0.22 * tall)).coloured(hide).placed(0, 0, 0.5 * tall)]
    parts += [
        rod(np.array([u, v, 0]) * wide, np.array([u, v, 0.45 * tall / wide]) * wide, 0.08 * wide).coloured(hide * 0.7)
        for u in (-0.2, 0.2)
        for v in (-0.5, 0.5)
    ]
    parts.append(ball((0.15 * wide, 0.3 * wide, 0.12 * tall)).coloured(hide * 0.8).placed(0, -0.8 * wide, 0.75 * tall))
    if rng.random() < 0.7:
        parts.append(figure(rng, 0.7 * tall, 0.45 * wide).placed(0, 0, 0.55 * tall))
    return merged(parts)


def tuft(rng: np.random.Generator) -> Mesh:
    """Grass of some millimetres."""
    rgb = np.array([0.25, 0.35, 0.08]) * rng.uniform(0.5, 1.6) * rng.uniform(0.7, 1.3, 3)
    blades = [
        rod(np.append(rng.normal(0, 1.0, 2), 0.0), np.append(rng.normal(0, 2.0, 2), rng.uniform(2, 6)), 0.35).coloured(
            rgb
        )
        for _ in range(12)
    ]
    return merged(blades)


def tree(rng: np.random.Generator) -> Mesh:
    """A tree six to twelve centimetres tall."""
    tall = rng.uniform(50, 110)
    crown = np.array([[0.10, 0.25, 0.05], [0.45, 0.25, 0.04], [0.15, 0.32, 0.06], [0.4, 0.08, 0.05]])[rng.integers(4)]
    parts = [
        rod(np.zeros(3), np.array([rng.normal(0, 3), rng.normal(0, 3), tall * 0.6]), 3.0).coloured(
            np.array([0.15, 0.1, 0.06])
        )
    ]
    for _ in range(int(rng.integers(1, 5))):
        size = rng.uniform(11, 24)
        lump = ball((size, size, size * rng.uniform(0.7, 1.2)), rng, 0.35)
        shade = lump.coloured(crown)
        shade = Mesh(shade.corners, shade.faces, shade.colours * rng.uniform(0.5, 1.5, (len(shade.colours), 1)))
        parts.append(shade.placed(rng.normal(0, 8), rng.normal(0, 8), tall * rng.uniform(0.6, 1.0)))
    return merged(parts)


def rock(rng: np.random.Generator, size: float) -> Mesh:
    """A boulder."""
    mesh = ball((size, size * rng.uniform(0.5, 1), size * rng.uniform(0.4, 0.8)), rng, 0.4)
    grey = np.full(3, rng.uniform(0.15, 0.5)) * rng.uniform(0.9, 1.1, 3)
    return Mesh(mesh.corners, mesh.faces, grey * rng.uniform(0.6, 1.4, (len(mesh.corners), 1)))
