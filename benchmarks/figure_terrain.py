"""What stands and lies between figures and is no base: woods, hills, ruins, round things, and bases that are raised."""

from __future__ import annotations

import numpy as np

from benchmarks.figure_meshes import Mesh, ball, box, ground_colours, merged, rock, tree, turned_shape
from benchmarks.table_tops import Array
from benchmarks.traced_figures import ROUND_MM, FigureTable, Stood, stand_base

KINDS = ("grove", "grove", "trees", "trees", "bush", "hill", "hill", "ruin", "house", "rock", "drum", "token", "slab")


def scatter_things(rng: np.random.Generator, table: FigureTable, count: int) -> None:
    """Things beside the pieces; crowns of trees may hang over them."""
    for _ in range(count):
        kind = str(rng.choice(KINDS))
        reach = {"grove": 62.0, "hill": 65.0, "ruin": 50.0, "house": 45.0, "rock": 30.0, "slab": 45.0}.get(kind, 18.0)
        for _ in range(8):
            x, y = (float(v) for v in rng.uniform(20, [table.width_mm - 20, table.depth_mm - 20]))
            if all(np.hypot(p.x - x, p.y - y) >= p.reach_mm + 0.8 * reach for p in table.pieces):
                table.meshes.append(_thing(rng, kind, reach).placed(x, y, 0.0, rng.uniform(0, 360)))
                break


def _thing(rng: np.random.Generator, kind: str, reach: float) -> Mesh:
    """One of them, about the origin."""
    if kind == "grove":
        pad = _mound(rng, reach * rng.uniform(0.6, 1), rng.uniform(0.5, 4), 0.9)
        spots = rng.normal(0, 0.35 * reach, (int(rng.integers(1, 5)), 2))
        return merged([pad, *(tree(rng).placed(float(x), float(y), 1.0) for x, y in spots)])
    if kind == "trees":
        return merged([tree(rng).placed(*rng.normal(0, 14, 2)) for _ in range(int(rng.integers(1, 4)))])
    if kind == "bush":
        return _bush(rng)
    if kind == "hill":
        return _hill(rng, reach * rng.uniform(0.6, 1))
    if kind == "ruin":
        return _ruin(rng)
    if kind == "house":
        return _house(rng)
    if kind == "rock":
        return merged([rock(rng, rng.uniform(6, 26)).placed(*rng.normal(0, 10, 2)) for _ in range(rng.integers(1, 4))])
    if kind == "drum":  # barrels, wells and towers: round, but their lids are high
        return _disc(rng, rng.uniform(7, 24), rng.uniform(9, 60))
    if kind == "token":
        return _disc(rng, rng.uniform(8, 22), rng.uniform(0.3, 1.8))
    return box(rng.uniform(10, 80), rng.uniform(10, 80), rng.choice((0.4, 2.0, 8.0, 14.0)), rng.uniform(0.02, 0.8, 3))


def _painted(rng: np.random.Generator, mesh: Mesh) -> Mesh:
    return Mesh(mesh.corners, mesh.faces, ground_colours(rng, mesh.corners[:, :2]))


def _mound(rng: np.random.Generator, radius: float, high: float, flat: float) -> Mesh:
    """Ground that rises from an uneven outline to a level part, `flat` of its radius wide."""
    levels = np.linspace(0, 1, 6)
    profile = np.column_stack([radius * (1 - (1 - flat) * levels), high * np.sin(levels * np.pi / 2)])
    mesh = turned_shape(np.vstack([profile, [[radius * flat * 0.5, high], [0.01, high]]]), 48)
    angles = np.arctan2(mesh.corners[:, 1], mesh.corners[:, 0])
    waves = sum(rng.uniform(0, 0.12) * np.cos(k * angles + rng.uniform(0, 6)) for k in (2, 3, 4))
    corners = mesh.corners * np.column_stack([1 + waves, 1 + waves, np.ones(len(angles))])
    return _painted(rng, Mesh(corners, mesh.faces, mesh.colours))


def _hill(rng: np.random.Generator, radius: float) -> Mesh:
    """A hill, at times with figures on its top."""
    high = float(rng.uniform(8, 45))
    parts = [_mound(rng, radius, high, rng.uniform(0.5, 0.9))]
    raised = FigureTable(1000, 1000)
    for _ in range(int(rng.choice((0, 1, 2)))):
        x, y = (float(v) for v in rng.normal(0, 0.25 * radius, 2))
        size = float(rng.choice(ROUND_MM[:5]))
        if all(np.hypot(p.x - x, p.y - y) > p.reach_mm + size / 2 for p in raised.pieces):
            stand_base(rng, raised, Stood("", "", "", x, y, (size, 0.0), float(rng.uniform(2.6, 5))), None)
    return merged([*parts, *(mesh.placed(0, 0, high) for mesh in raised.meshes)])


def _ruin(rng: np.random.Generator) -> Mesh:
    """Broken walls round a floor."""
    wide, deep, grey = rng.uniform(40, 75), rng.uniform(40, 75), np.full(3, rng.uniform(0.1, 0.5))
    parts = [box(wide, deep, rng.uniform(0.5, 3), grey * rng.uniform(0.5, 1.2, 3))]
    for x, y, along in ((0, deep / 2, True), (0, -deep / 2, True), (wide / 2, 0, False), (-wide / 2, 0, False)):
        if rng.random() < 0.7:
            length, thick, high = (
                (wide if along else deep) * rng.uniform(0.4, 1),
                rng.uniform(3, 8),
                rng.uniform(15, 70),
            )
            wall = box(length if along else thick, thick if along else length, high, grey * rng.uniform(0.8, 1.2))
            parts.append(wall.placed(x, y))
    return merged(parts)


def _house(rng: np.random.Generator) -> Mesh:
    """A box with a pitched roof or a flat one."""
    wide, deep, high = rng.uniform(30, 60), rng.uniform(30, 60), rng.uniform(15, 60)
    parts = [box(wide, deep, high, rng.uniform(0.1, 0.6, 3))]
    if rng.random() < 0.6:
        u, v = wide / 2 + 3, deep / 2 + 3
        corners = np.array([[-u, -v, -high], [u, -v, -high], [u, v, -high], [-u, v, -high]])
        ridge = np.array([[-u, 0, -high - 0.7 * v], [u, 0, -high - 0.7 * v]])
        faces = np.array([[0, 1, 5], [0, 5, 4], [3, 2, 5], [3, 5, 4], [0, 3, 4], [1, 2, 5]])
        parts.append(Mesh(np.vstack([corners, ridge]), faces, np.zeros((6, 3))).coloured(rng.uniform(0.05, 0.5, 3)))
    return merged(parts)


def _bush(rng: np.random.Generator) -> Mesh:
    """Low foliage that stands on the ground."""
    green = np.array([0.15, 0.25, 0.06]) * rng.uniform(0.5, 1.8, 3)
    lumps = []
    for _ in range(int(rng.integers(1, 5))):
        size = rng.uniform(5, 16)
        lump = ball((size, size, size * rng.uniform(0.5, 1.0)), rng, 0.35).coloured(green)
        shaded = Mesh(lump.corners, lump.faces, lump.colours * rng.uniform(0.5, 1.5, (len(lump.colours), 1)))
        x, y = rng.normal(0, 9, 2)
        lumps.append(shaded.placed(float(x), float(y), size * 0.3))
    return merged(lumps)


def _disc(rng: np.random.Generator, radius: float, high: float) -> Mesh:
    """A round thing with a plain, ringed or patchy lid."""
    rings = np.array([[radius, 0.0], [radius, high], [radius - 0.01, high]])
    inner = np.column_stack(
        [np.arange(radius - 0.8, 0.3, -0.8), np.full(len(np.arange(radius - 0.8, 0.3, -0.8)), high)]
    )
    mesh = turned_shape(np.vstack([rings, inner, [[0.01, high]]]), 36)
    lid: Array = ground_colours(rng, mesh.corners[:, :2])
    if rng.random() < 0.6:
        lid = np.broadcast_to(rng.uniform(0.02, 0.8, 3), lid.shape).copy()
        away = np.hypot(*mesh.corners[:, :2].T) / radius
        lid[(away > rng.uniform(0.5, 0.9)) & (away < 1)] = rng.uniform(0.02, 0.8, 3)
    lid[:72] = rng.uniform(0.02, 0.6, 3)
    return Mesh(mesh.corners, mesh.faces, lid)
