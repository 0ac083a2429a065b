"""Rebuilds both networks from nothing: draws and traces worlds, trains, writes what the detector reads.

    .venv/bin/python -m benchmarks.training.rebuild WORK --icons icons.json --rooms HDRI --out vision/rims

Each step goes on where a stopped run ended.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from benchmarks.training import draw, traced_pieces, train_strips
from benchmarks.training.network import stem_of
from benchmarks.training.train import STEPS, train

DRAWN_SHARDS, TRACED_SHARDS, HELD_OUT_SHARDS = 40, 120, 3
SHARES = (1.0, 1.6)  # how often drawn and path-traced pieces are drawn from


def main() -> None:
    """Draws, traces, trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("work", type=Path, help="a folder outside the project, 4 GB")
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection; drawn glyphs without")
    parser.add_argument("--rooms", type=Path, help="a folder of panoramas; procedural rooms without")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the networks")
    parser.add_argument("--steps", type=int, default=STEPS, help="of the network of cells")
    args = parser.parse_args()
    drawn, traced = args.work / "drawn", args.work / "traced"
    rooms = traced_pieces.panoramas(args.rooms)
    for split, shards in (("held-out", HELD_OUT_SHARDS), ("train", DRAWN_SHARDS)):
        draw.draw(drawn, split, shards, args.icons)
    for split, shards in (("held-out", HELD_OUT_SHARDS), ("train", TRACED_SHARDS)):
        traced_pieces.draw(traced, split, shards, args.icons, rooms)
    cells, strips = args.work / "cells.onnx", args.work / "strips.onnx"
    train([drawn, traced], SHARES, cells, args.steps, None, seed=0)
    train_strips.train([drawn, traced, traced], strips, train_strips.STEPS, seed=0)
    for network in (cells, stem_of(cells), strips):
        shutil.copyfile(network, args.out / network.name)


if __name__ == "__main__":
    main()
