"""What the network is shown of a stored piece of a top view, and what it should say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks.table_tops import Array
from benchmarks.training.drawn_pieces import THING, WALL
from calibration.arrays import ByteImage
from vision.rims.card_edges import contrast
from vision.types.arrays import FloatImage, IntArray

LESSON_PX = 320
HALF, CELL = 2, 4  # px
UNIT_PX = 32.0  # of offsets and radii
FACE, BACK, WALL_KIND, THING_KIND = 1, 2, 3, 4
EDGE_STEPS = 200
ON_EDGE, BESIDE_EDGE, REACH = 0.8, 1.8, 2  # squares: up to there it is the edge, and up to there nobody asks
EDGES_COUNT, EDGES_ON_CARDS_COUNT = 6.0, 20.0  # as much as so many squares without an edge
INSIDE_PX = 2.2
MIXED_COUNTS = 0.3
FEW_CELLS = 60.0  # disks that show fewer cells count as if they showed more


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A piece of a top view as it was stored."""

    bgr: ByteImage
    owners: IntArray  # of squares of two pixels
    disks: Array  # (K, 8)
    lean: Array


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """What is shown, what should be said of squares (edges) and of cells, and how much each counts."""

    shown: FloatImage  # (5, rows, columns)
    facing: FloatImage
    edge: FloatImage
    edge_counts: FloatImage
    kind: IntArray
    kind_counts: FloatImage
    votes: FloatImage  # (3, rows, columns): middle right, down, log radius; in units
    vote_counts: FloatImage


class Shards:
    """Stored pieces, read as they are asked for."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self._open: dict[Path, dict[str, Array]] = {}

    def any(self, rng: np.random.Generator) -> Stored:
        """A random piece."""
        path = self.paths[int(rng.integers(len(self.paths)))]
        return self.piece(path, int(rng.integers(1 << 30)))

    def piece(self, path: Path, number: int) -> Stored:
        """One piece of a shard; numbers go round."""
        if path not in self._open:
            with np.load(path) as file:
                self._open[path] = {name: file[name] for name in file.files}
        held = self._open[path]
        number %= len(held["bgr"])
        disks = held["disks"][number]
        owners = held["owners"][number].astype(np.intp)
        return Stored(held["bgr"][number], owners, disks[disks[:, 6] > 0].astype(np.float64), held["leans"][number])


def lesson_of(stored: Stored, rng: np.random.Generator | None) -> Lesson:
    """A random part of a piece, turned and lit at random; the middle of it as it is without a generator."""
    bgr, owners, disks, lean = stored.bgr, stored.owners, stored.disks.copy(), stored.lean.astype(np.float64)
    spare = (np.array(bgr.shape[1::-1]) - LESSON_PX) // CELL
    left, upper = (spare // 2 if rng is None else rng.integers(0, spare + 1)) * CELL
    bgr = bgr[upper : upper + LESSON_PX, left : left + LESSON_PX]
    owners = owners[upper // HALF : (upper + LESSON_PX) // HALF, left // HALF : (left + LESSON_PX) // HALF]
    disks[:, :2] -= (left, upper)
    if rng is not None:
        bgr, owners, disks, lean = _turned(bgr, owners, disks, lean, rng)
        bgr = _relit(bgr, rng)
    light = contrast(np.ascontiguousarray(bgr))
    if rng is not None:
        light = light + np.float32(rng.normal(0, 0.3))
    leaning = np.broadcast_to(lean.astype(np.float32)[:, None, None], (2, LESSON_PX, LESSON_PX))
    shown = np.concatenate([light.transpose(2, 0, 1), leaning])
    facing, edge, edge_counts = _edges(owners, disks)
    kind, kind_counts, votes, vote_counts = _cells(owners, disks)
    return Lesson(shown, facing, edge, edge_counts, kind, kind_counts, votes, vote_counts)


def _turned(
    bgr: ByteImage, owners: IntArray, disks: Array, lean: Array, rng: np.random.Generator
) -> tuple[ByteImage, IntArray, Array, Array]:
    """One of the eight ways to lay down a square."""
    if rng.random() < 0.5:  # mirrored along the diagonal
        bgr, owners, lean = bgr.transpose(1, 0, 2), owners.T, lean[::-1]
        disks = disks[:, [1, 0, 4, 5, 2, 3, 6, 7]]
    for axis in (0, 1):
        if rng.random() < 0.5:
            bgr, owners = np.flip(bgr, 1 - axis), np.flip(owners, 1 - axis)
            lean = lean * np.where(np.arange(2) == axis, -1, 1)
            disks[:, axis] = LESSON_PX - 1 - disks[:, axis]
            disks[:, 2 + 2 * axis : 4 + 2 * axis] *= -1
    return bgr, owners, disks, lean


def _relit(bgr: ByteImage, rng: np.random.Generator) -> ByteImage:
    """The same piece in other colours and with more noise."""
    colours: FloatImage = bgr.astype(np.float32) / np.float32(255)
    if rng.random() < 0.5:
        colours = colours[..., rng.permutation(3)]
    if rng.random() < 0.05:
        colours = 1 - colours
    gains = np.exp(rng.normal(0, 0.1, 3) + rng.normal(0, 0.15)).astype(np.float32)
    colours = (np.clip(colours, 1e-4, None) ** np.float32(np.exp(rng.normal(0, 0.15)))) * gains
    if rng.random() < 0.2:
        veil = np.float32(rng.uniform(0, 0.4))
        colours = colours * (1 - veil) + veil * rng.uniform(0.5, 1.0, 3).astype(np.float32)
    if rng.random() < 0.25:
        colours = np.asarray(cv2.GaussianBlur(colours, (0, 0), float(rng.uniform(0.4, 1.2))), dtype=np.float32)
    if rng.random() < 0.3:
        colours = colours + rng.standard_normal(colours.shape, dtype=np.float32) * np.float32(rng.uniform(0, 0.03))
    return np.asarray(np.clip(colours * 255, 0, 255), dtype=np.uint8)


def _owner_at(owners: IntArray, points: Array) -> IntArray:
    column, row = np.rint((points + 0.5) / HALF - 0.5).astype(np.intp).T
    inside = (row >= 0) & (column >= 0) & (row < owners.shape[0]) & (column < owners.shape[1])
    found = owners[np.clip(row, 0, owners.shape[0] - 1), np.clip(column, 0, owners.shape[1] - 1)]
    return np.where(inside, found, THING - 1)


def _edges(owners: IntArray, disks: Array) -> tuple[FloatImage, FloatImage, FloatImage]:
    """Facing, edge or not, and counts of squares, from the rims whose inner side shows."""
    angles = np.linspace(0, 2 * np.pi, EDGE_STEPS, endpoint=False)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    points, normals, on_cards = [np.zeros((0, 2))], [np.zeros((0, 2))], [np.zeros(0, bool)]
    for number, disk in enumerate(disks):
        matrix = disk[2:6].reshape(2, 2)
        rim = disk[:2] + unit @ matrix.T
        normal = unit @ np.linalg.inv(matrix)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        outer = _owner_at(owners, rim + INSIDE_PX * normal)
        shows = (_owner_at(owners, rim - INSIDE_PX * normal) == number) & (outer != number)
        points.append(rim[shows])
        normals.append(normal[shows])
        on_cards.append(outer[shows] >= 0)
    return _rasterised(
        (np.concatenate(points) + 0.5) / HALF - 0.5, np.concatenate(normals), np.concatenate(on_cards), len(owners)
    )


def _rasterised(points: Array, normals: Array, on_cards: Array, side: int) -> tuple[FloatImage, FloatImage, FloatImage]:
    near, which = np.full((side, side), np.inf, np.float32), np.zeros((side, side), np.intp)
    for right in range(-REACH, REACH + 1):
        for down in range(-REACH, REACH + 1):
            at = np.rint(points + np.array([right, down])).astype(np.intp)
            within = np.flatnonzero(((at >= 0) & (at < side)).all(axis=1))
            away = at[within] - points[within]
            distance = np.maximum(np.abs((away * normals[within]).sum(axis=1)), np.hypot(*away.T) - 1)
            columns, rows = at[within].T
            nearer = distance < near[rows, columns]
            near[rows[nearer], columns[nearer]] = distance[nearer]
            which[rows[nearer], columns[nearer]] = within[nearer]
    edge = near < ON_EDGE
    facing = np.zeros((side, side), np.float32)
    counts = np.ones((side, side), np.float32)
    if len(points):
        facing = np.arctan2(normals[:, 1], normals[:, 0])[which].astype(np.float32)
        counts = np.where(edge, np.where(on_cards[which], EDGES_ON_CARDS_COUNT, EDGES_COUNT), 1.0).astype(np.float32)
    counts[~edge & (near < BESIDE_EDGE)] = 0
    return facing, edge.astype(np.float32), counts


def _cells(owners: IntArray, disks: Array) -> tuple[IntArray, FloatImage, FloatImage, FloatImage]:
    """Kinds and votes of cells; a cell that shows two things counts less."""
    own = owners[1::2, 1::2]
    pure = (owners[::2, ::2] == own) & (owners[::2, 1::2] == own) & (owners[1::2, ::2] == own)
    known = own >= 0
    backs = np.append(disks[:, 7] > 0.5, False)
    kind = np.where(known, np.where(backs[np.where(known, own, -1)], BACK, FACE), 0)
    kind[own == WALL] = WALL_KIND
    kind[own == THING] = THING_KIND
    certain = np.where(pure, 1.0, MIXED_COUNTS).astype(np.float32)
    shown = np.bincount(own[known], minlength=len(disks) + 1)
    each = 1 / np.sqrt(np.maximum(shown, FEW_CELLS) / FEW_CELLS / 4)
    weight = np.where(known, each[np.where(known, own, 0)], 1.0).astype(np.float32)
    rows, columns = np.mgrid[0 : own.shape[0], 0 : own.shape[1]]
    owned = np.vstack([disks[:, [0, 1, 6]], [[0, 0, UNIT_PX]]])[np.where(known, own, -1)]
    votes = np.stack(
        [
            (owned[..., 0] - (columns * CELL + 1.5)) / UNIT_PX,
            (owned[..., 1] - (rows * CELL + 1.5)) / UNIT_PX,
            np.log(owned[..., 2] / UNIT_PX),
        ]
    ).astype(np.float32)
    return kind.astype(np.intp), certain * weight, votes, certain * weight * known
