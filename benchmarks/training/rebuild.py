"""Rebuilds the network of cells from nothing: draws worlds, trains, writes what `vision/rims/cell_network.py` reads.

    .venv/bin/python -m benchmarks.training.rebuild WORK --icons icons.json --out vision/rims/cells.onnx

Each step goes on where a stopped run ended.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.training.draw import draw
from benchmarks.training.network import write_cells
from benchmarks.training.train import STEPS, train

TRAIN_SHARDS, HELD_OUT_SHARDS = 58, 3
START = Path("vision/rims/card_edges.onnx")  # the layers that both networks have


def main() -> None:
    """Draws, trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("work", type=Path, help="a folder outside the project, 3 GB")
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection; drawn glyphs without")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    args = parser.parse_args()
    draw(args.work, "train", TRAIN_SHARDS, args.icons)
    draw(args.work, "held-out", HELD_OUT_SHARDS, args.icons)
    network = args.work / "network.onnx"
    train([args.work], network, args.steps, START, seed=0)
    write_cells(network, args.out)


if __name__ == "__main__":
    main()
