"""Draws pieces of top views for training and measuring, in shards that a stopped run goes on with.

.venv/bin/python -m benchmarks.training.draw FOLDER --split train --shards 60 --icons icons.json
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from benchmarks.training.drawn_pieces import Piece, draw_piece
from benchmarks.training.world import SPLITS, World, make_world

SHARD = 64
WORLD_EVERY = 8  # shards that share a world
MOST_DISKS = 24


def write_shard(pieces: Sequence[Piece], path: Path) -> None:
    """Stores pieces: pictures, owners of squares of two pixels, disks (x, y, matrix, radius, back, height), leans."""
    disks = np.zeros((len(pieces), MOST_DISKS, 9), np.float32)
    for row, piece in zip(disks, pieces, strict=True):
        for k, disk in enumerate(piece.disks[:MOST_DISKS]):
            row[k] = (*disk.centre, *disk.matrix.ravel(), disk.radius, disk.back, disk.height_mm)
    owners = np.stack([piece.owner[1::2, 1::2] for piece in pieces]).astype(np.int8)
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez(
            file,
            bgr=np.stack([piece.bgr for piece in pieces]),
            owners=owners,
            disks=disks,
            leans=np.stack([piece.lean for piece in pieces]).astype(np.float32),
        )
    partial.rename(path)


def draw(folder: Path, split: str, shards: int, icons: Path | None) -> None:
    """Writes the shards of a split that are not there yet."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    worlds: dict[int, World] = {}
    for number in range(shards):
        path = folder / f"{split}-{number:03d}.npz"
        if path.exists():
            continue
        if number // WORLD_EVERY not in worlds:
            worlds = {number // WORLD_EVERY: make_world(split, number // WORLD_EVERY, icons)}
        rng = np.random.default_rng([SPLITS.index(split), number])
        write_shard([draw_piece(rng, worlds[number // WORLD_EVERY]) for _ in range(SHARD)], path)
        print(path.name, flush=True)


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--shards", type=int, default=60)
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection; drawn glyphs without")
    args = parser.parse_args()
    draw(args.folder, args.split, args.shards, args.icons)


if __name__ == "__main__":
    main()
