"""Training examples: what the network is given of a stored piece of a top view, and what it should predict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from benchmarks.table_tops import Array
from benchmarks.training.drawn_pieces import THING, WALL
from calibration.arrays import ByteImage
from vision.rims.cell_network import contrast
from vision.types.arrays import FloatImage, IntArray

EXAMPLE_PX = 320
HALF, CELL = 2, 4  # px
UNIT_PX = 32.0  # of offsets and radii
UNIT_MM = 4.0  # of heights
FACE, BACK, WALL_KIND, THING_KIND = 1, 2, 3, 4
MIXED_COUNTS = 0.3
FEW_CELLS = 60.0  # disks that show fewer cells count as if they showed more


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A piece of a top view as it was stored."""

    bgr: ByteImage
    owners: IntArray  # of squares of two pixels
    disks: Array  # (K, 9): centre, matrix, radius, back, height
    lean: Array


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """What the network is given, what it should predict of each cell, and how much each cell counts."""

    shown: FloatImage  # (5, rows, columns)
    kind: IntArray
    kind_counts: FloatImage
    votes: FloatImage  # (4, rows, columns): middle right, down, log radius, height; in units
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


def example_of(stored: Stored, rng: np.random.Generator | None) -> Example:
    """A random part of a piece, turned and lit at random; the middle of it as it is without a generator."""
    bgr, owners, disks, lean = stored.bgr, stored.owners, stored.disks.copy(), stored.lean.astype(np.float64)
    spare = (np.array(bgr.shape[1::-1]) - EXAMPLE_PX) // CELL
    left, upper = (spare // 2 if rng is None else rng.integers(0, spare + 1)) * CELL
    bgr = bgr[upper : upper + EXAMPLE_PX, left : left + EXAMPLE_PX]
    owners = owners[upper // HALF : (upper + EXAMPLE_PX) // HALF, left // HALF : (left + EXAMPLE_PX) // HALF]
    disks[:, :2] -= (left, upper)
    if rng is not None:
        bgr, owners, disks, lean = _turned(bgr, owners, disks, lean, rng)
        bgr = relit(bgr, rng)
    light = contrast(np.ascontiguousarray(bgr))
    if rng is not None:
        light = light + np.float32(rng.normal(0, 0.3))
    leaning = np.broadcast_to(lean.astype(np.float32)[:, None, None], (2, EXAMPLE_PX, EXAMPLE_PX))
    shown = np.concatenate([light.transpose(2, 0, 1), leaning])
    kind, kind_counts, votes, vote_counts = _cells(owners, disks)
    return Example(shown, kind, kind_counts, votes, vote_counts)


def _turned(
    bgr: ByteImage, owners: IntArray, disks: Array, lean: Array, rng: np.random.Generator
) -> tuple[ByteImage, IntArray, Array, Array]:
    """One of the eight ways to lay down a square."""
    if rng.random() < 0.5:  # mirrored along the diagonal
        bgr, owners, lean = bgr.transpose(1, 0, 2), owners.T, lean[::-1]
        disks = disks[:, [1, 0, 4, 5, 2, 3, 6, 7, 8]]
    for axis in (0, 1):
        if rng.random() < 0.5:
            bgr, owners = np.flip(bgr, 1 - axis), np.flip(owners, 1 - axis)
            lean = lean * np.where(np.arange(2) == axis, -1, 1)
            disks[:, axis] = EXAMPLE_PX - 1 - disks[:, axis]
            disks[:, 2 + 2 * axis : 4 + 2 * axis] *= -1
    return bgr, owners, disks, lean


def relit(bgr: ByteImage, rng: np.random.Generator) -> ByteImage:
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
    owned = np.vstack([disks[:, [0, 1, 6, 8]], [[0, 0, UNIT_PX, 0]]])[np.where(known, own, -1)]
    votes = np.stack(
        [
            (owned[..., 0] - (columns * CELL + 1.5)) / UNIT_PX,
            (owned[..., 1] - (rows * CELL + 1.5)) / UNIT_PX,
            np.log(owned[..., 2] / UNIT_PX),
            owned[..., 3] / UNIT_MM,
        ]
    ).astype(np.float32)
    return kind.astype(np.intp), certain * weight, votes, certain * weight * known
