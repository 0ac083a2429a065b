"""Tables of figures on bases and stands, plain and with the kit's aids, to be path-traced, with exact truth."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from benchmarks.figure_meshes import (
    Mesh,
    beast,
    box,
    figure,
    merged,
    oblong_stand,
    rock,
    round_base,
    tree,
    tuft,
    turned_shape,
    wall_colour,
)
from benchmarks.table_tops import Array
from calibration.kit_trays import RIM_COLOURS

ROUND_MM = (25.0, 28.5, 30.0, 32.0, 40.0, 50.0, 60.0)
OBLONG_MM = ((60.0, 60.0), (60.0, 60.0), (60.0, 120.0), (100.0, 100.0), (25.0, 50.0), (50.0, 50.0))


@dataclass(frozen=True, slots=True)
class Stood:
    """A base or stand on a table: (diameter, 0) or (width, depth)."""

    id: str
    unit: str
    owner: str
    x: float
    y: float
    size_mm: tuple[float, float]
    height_mm: float
    facing_deg: float = 0.0
    colour: str = ""  # of its ring or card; empty: plain
    bevel_mm: float = 0.0
    rank: int = 0
    file: int = 0

    @property
    def round(self) -> bool:
        """Whether it is a round base."""
        return self.size_mm[1] == 0.0

    @property
    def reach_mm(self) -> float:
        """From its middle to its farthest point."""
        return self.size_mm[0] / 2 if self.round else float(np.hypot(*self.size_mm)) / 2


@dataclass(slots=True)
class FigureTable:
    """What stands on a table, and its meshes."""

    width_mm: float
    depth_mm: float
    pieces: list[Stood] = field(default_factory=list)
    meshes: list[Mesh] = field(default_factory=list)

    def free(self, x: float, y: float, reach: float, apart: float) -> bool:
        """Whether nothing stands so near."""
        inside = 45 < x < self.width_mm - 45 and 45 < y < self.depth_mm - 45
        return inside and all(np.hypot(p.x - x, p.y - y) >= p.reach_mm + reach + apart for p in self.pieces)


def skirmish(rng: np.random.Generator, table: FigureTable, units: int, aided: bool) -> None:
    """Units of round bases, close together, some in contact."""
    for number in range(units):
        size = float(rng.choice(ROUND_MM, p=[0.22, 0.08, 0.2, 0.2, 0.15, 0.1, 0.05]))
        centre = rng.uniform(70, [table.width_mm - 70, table.depth_mm - 70])
        unit, owner = f"band-{number + 1}", ("north", "south")[number % 2]
        height, bevel = float(rng.uniform(2.6, 5.2)), float(rng.choice([0.0, rng.uniform(0, 1.2)]))
        colour = str(rng.choice(list(RIM_COLOURS))) if aided else ""
        wall = wall_colour(rng, rng.uniform(0.1, 0.4, (1, 3))) if rng.random() < 0.8 else None
        crowd = rng.uniform(6, 40)
        for model in range(int(rng.integers(3, 11))):
            own = size if rng.random() < 0.9 else float(rng.choice(ROUND_MM))
            for _ in range(60):
                x, y = centre + rng.normal(0, 1, 2) * (size + crowd) * 1.1
                if rng.random() < 0.15 and table.pieces and table.pieces[-1].round:  # in contact with the last one
                    angle, last = rng.uniform(0, 2 * np.pi), table.pieces[-1]
                    apart = (last.size_mm[0] + own) / 2 + 0.05
                    x, y = last.x + apart * np.cos(angle), last.y + apart * np.sin(angle)
                if table.free(float(x), float(y), own / 2, 0.0):
                    piece = Stood(
                        f"{unit}-{model + 1}", unit, owner, float(x), float(y), (own, 0.0), height, 0.0, colour, bevel
                    )
                    stand_base(rng, table, piece, wall)
                    break


def stand_base(rng: np.random.Generator, table: FigureTable, piece: Stood, wall: Array | None) -> None:
    """A round base with its figure."""
    size = piece.size_mm[0]
    parts = [round_base(rng, size, piece.height_mm, piece.bevel_mm, wall, piece.colour or None)]
    tall = rng.uniform(24, 34) * (1 + max(0.0, size - 32) / 45)
    if rng.random() < 0.25 and size >= 40:
        model = beast(rng, tall, size * 0.42)
    else:
        model = figure(rng, tall, rng.uniform(9, 14) * (1 + max(0.0, size - 32) / 60))
    off = rng.normal(0, size * 0.05, 2)
    parts.append(model.placed(off[0], off[1], piece.height_mm, rng.uniform(0, 360)))
    for _ in range(int(rng.integers(0, 4))):
        angle, away = rng.uniform(0, 2 * np.pi), size * rng.uniform(0.2, 0.46)
        parts.append(tuft(rng).placed(away * np.cos(angle), away * np.sin(angle), piece.height_mm))
    table.pieces.append(piece)
    table.meshes.append(merged(parts).placed(piece.x, piece.y))


def regiments(rng: np.random.Generator, table: FigureTable, count: int, aided: bool) -> None:
    """Blocks of stands edge to edge, each stand a little off."""
    for number in range(count):
        width, depth = OBLONG_MM[int(rng.integers(len(OBLONG_MM)))]
        files = int(rng.integers(1, 4 if width > 30 else 6))
        stands = int(rng.integers(files, 3 * files + 1)) if width < 100 else files
        facing = float(rng.uniform(0, 360))
        ranks = -(-stands // files)
        reach = float(np.hypot(files * width, ranks * depth)) / 2
        for _ in range(200):
            x, y = rng.uniform(reach * 0.8 + 20, [table.width_mm - reach * 0.8 - 20, table.depth_mm - reach * 0.8 - 20])
            if all(np.hypot(p.x - x, p.y - y) >= p.reach_mm + reach + 2 for p in table.pieces):
                _regiment(
                    rng, table, f"unit-{number + 1}", (float(x), float(y)), facing, (width, depth), files, stands, aided
                )
                break


def _regiment(
    rng: np.random.Generator,
    table: FigureTable,
    unit: str,
    middle: tuple[float, float],
    facing: float,
    size: tuple[float, float],
    files: int,
    stands: int,
    aided: bool,
) -> None:
    turn = np.radians(facing)
    right, forward = np.array([np.cos(turn), np.sin(turn)]), np.array([np.sin(turn), -np.cos(turn)])
    ranks = -(-stands // files)
    height, colour = float(rng.uniform(2.6, 5.0)), str(rng.choice(list(RIM_COLOURS))) if aided else ""
    wall = wall_colour(rng, rng.uniform(0.1, 0.4, (1, 3)))
    slots, gap = rng.random() < 0.4, rng.uniform(0.1, 0.5)
    owner = ("north", "south")[int(rng.integers(2))]
    for number in range(stands):
        rank, file = divmod(number, files)
        u, v = (file - (files - 1) / 2) * (size[0] + gap), ((ranks - 1) / 2 - rank) * (size[1] + gap)
        spot = np.array(middle) + right * u + forward * v + rng.normal(0, 0.2, 2)
        facing_here = float((facing + rng.normal(0, 0.25)) % 360)
        piece = Stood(
            f"{unit}-{number + 1}",
            unit,
            owner,
            float(spot[0]),
            float(spot[1]),
            size,
            height,
            facing_here,
            colour,
            0.0,
            rank,
            file,
        )
        stand_stand(rng, table, piece, wall, slots)


def stand_stand(rng: np.random.Generator, table: FigureTable, piece: Stood, wall: Array | None, slots: bool) -> None:
    """A stand with its figures, on round bases in its slots or straight on it."""
    width, depth = piece.size_mm
    parts = [oblong_stand(rng, width, depth, piece.height_mm, wall, piece.colour or None)]
    if width >= 100 or (depth > width and rng.random() < 0.7):
        model = beast(rng, rng.uniform(40, 60), min(width, depth / 2) * 0.45)
        parts.append(model.placed(0, 0, piece.height_mm, rng.normal(0, 6)))
    else:
        across, along = max(1, round(width / 29)), max(1, round(depth / 29))
        for u in (np.arange(across) + 0.5) / across - 0.5:
            for v in (np.arange(along) + 0.5) / along - 0.5:
                x, y = u * width + rng.normal(0, 0.6), v * depth + rng.normal(0, 0.6)
                lift = piece.height_mm
                if slots and width >= 50:
                    slot = round_base(rng, 25.0, 2.5, 0.5, wall, None)
                    parts.append(slot.placed(x, y, lift))
                    lift += 2.5
                parts.append(figure(rng, rng.uniform(24, 32), rng.uniform(9, 12)).placed(x, y, lift, rng.normal(0, 20)))
    for _ in range(int(rng.integers(0, 5))):
        x, y = rng.uniform(-0.47, 0.47, 2) * [width, depth]
        parts.append(tuft(rng).placed(x, y, piece.height_mm))
    table.pieces.append(piece)
    table.meshes.append(merged(parts).placed(piece.x, piece.y, 0.0, piece.facing_deg))


def scatter_terrain(rng: np.random.Generator, table: FigureTable) -> None:
    """Woods, rocks, a house: some near the pieces."""
    for _ in range(int(rng.integers(3, 7))):
        kind = rng.random()
        x, y = rng.uniform(80, [table.width_mm - 80, table.depth_mm - 80])
        if not table.free(float(x), float(y), 48.0, 0.0):
            continue
        if kind < 0.5:
            ground = turned_shape(np.array([[50.0, 0.0], [44.0, 2.0], [0.1, 2.5]]), 40)
            shade = np.array([0.22, 0.2, 0.1]) * rng.uniform(0.6, 1.4)
            parts = [ground.coloured(shade)]
            parts += [
                tree(rng).placed(rng.normal(0, 18), rng.normal(0, 18), 2.0) for _ in range(int(rng.integers(1, 4)))
            ]
            table.meshes.append(merged(parts).placed(float(x), float(y)))
        elif kind < 0.8:
            table.meshes.append(rock(rng, rng.uniform(12, 35)).placed(float(x), float(y)))
        else:
            house = box(rng.uniform(40, 70), rng.uniform(40, 60), rng.uniform(20, 60), rng.uniform(0.1, 0.5, 3))
            table.meshes.append(house.placed(float(x), float(y), 0.0, rng.uniform(0, 360)))


def figure_table(rng: np.random.Generator, kind: str, aided: bool, side_mm: float = 914.4) -> FigureTable:
    """A table of bases, of stands, or of both."""
    table = FigureTable(side_mm, side_mm)
    if kind in ("stands", "both"):
        regiments(rng, table, int(rng.integers(6, 10)) if kind == "stands" else 4, aided)
    if kind in ("bases", "both"):
        skirmish(rng, table, int(rng.integers(8, 13)) if kind == "bases" else 6, aided)
    scatter_terrain(rng, table)
    return table
