"""Fits the network that sees edges of cards, and writes it.

    .venv/bin/python -m pip install --constraint constraints.txt --editable '.[fit]'
    .venv/bin/python -m benchmarks.rendered_tables FOLDER --pictures 180 --seed 400001
    .venv/bin/python -m benchmarks.fit_card_edges FOLDER --seldom OTHER_FOLDER --out vision/card_edges.onnx

Half of what is learnt from comes from each of the two kinds of folders, however many pictures they hold. It takes half
an hour to an hour on two cores; `--onward NETWORK` goes on where another fit ended, and the more steps in all, the
better pictures are told that were not learnt from. What follows the network is fitted to it: run `benchmarks.fit_rims`
afterwards.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import torch

from benchmarks.edge_crops import Crop, EdgeTable, crop_of, edge_table_of
from benchmarks.edge_network import facings, fresh_weights, read_network, write_network
from vision.rims.card_edges import FACINGS
from vision.types.workers import meanwhile

STEPS = 4000
BATCH = 8
RATE = 1.5e-3
WARM = 0.1  # of all steps
TELL_EVERY = 50


def main() -> None:
    """Prints the loss as it falls, and writes the network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--seldom", type=Path, nargs="*", default=[], help="folders of few pictures that count as much")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--onward", type=Path, help="a network to begin with")
    parser.add_argument("--seed", type=int, default=0, help="another one for each go: it deals other crops")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    kinds = [tables for tables in (_tables(args.folders), _tables(args.seldom)) if tables]
    start = read_network(args.onward) if args.onward else fresh_weights(args.seed)
    write_network(fit_edges(kinds, args.steps, start, args.seed), args.out)


def _tables(folders: Sequence[Path]) -> list[EdgeTable]:
    truths = [path for folder in folders for path in sorted(folder.glob("*.truth.json"))]
    with ProcessPoolExecutor() as workers:
        return [table for table in workers.map(edge_table_of, truths) if table is not None]


def fit_edges(
    kinds: Sequence[Sequence[EdgeTable]], steps: int, weights: dict[str, torch.Tensor], seed: int
) -> dict[str, np.ndarray]:
    """The weights of a network, changed to fit crops of tables, of each kind as often as of the others."""
    rng = np.random.default_rng(seed)

    def some_crops() -> list[Crop]:
        chosen = [kinds[int(kind)] for kind in rng.integers(len(kinds), size=BATCH)]
        return [crop_of(tables[int(rng.integers(len(tables)))], rng) for tables in chosen]

    descent = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=1e-3)
    pace = torch.optim.lr_scheduler.OneCycleLR(descent, RATE, total_steps=steps, pct_start=WARM)
    losses = []
    waiting = meanwhile(some_crops)
    for step in range(1, steps + 1):
        crops, waiting = waiting(), meanwhile(some_crops)
        shown = torch.from_numpy(np.stack([crop.light.transpose(2, 0, 1) for crop in crops]))
        with torch.autocast("cpu", torch.bfloat16):
            told = facings(weights, shown.contiguous(memory_format=torch.channels_last))
        loss = _loss(told.float(), crops)
        descent.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        descent.step()
        pace.step()
        losses.append(loss.item())
        if step % TELL_EVERY == 0:
            print(f"step {step}: loss {np.mean(losses[-TELL_EVERY:]):.4f}", flush=True)
    return {name: part.detach().numpy() for name, part in weights.items()}


def _loss(told: torch.Tensor, crops: Sequence[Crop]) -> torch.Tensor:
    """The mean log loss; an edge between two of the network's directions is told by halves as both."""
    chances = torch.log_softmax(told, dim=1)
    facing, edge, counts = (
        torch.from_numpy(np.stack(arrays))
        for arrays in zip(*((crop.facing, crop.edge, crop.counts) for crop in crops), strict=True)
    )
    between = facing * (FACINGS / (2 * np.pi)) % FACINGS
    lower = between.floor()
    share = between - lower
    first, second = (chances.gather(1, 1 + ((lower + ahead).long() % FACINGS)[:, None])[:, 0] for ahead in (0, 1))
    missed = -torch.where(edge, first * (1 - share) + second * share, chances[:, 0])
    return (missed * counts).sum() / counts.sum()


if __name__ == "__main__":
    main()
