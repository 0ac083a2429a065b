"""Trains the network that reads a top view, and writes it.

    .venv/bin/python -m benchmarks.training.train FOLDER [FOLDER …] --out cells.onnx --steps 9000

A stopped run goes on from its checkpoint, beside the network. The network written is the running mean of the weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch

from benchmarks.training.examples import UNIT_MM, UNIT_PX, Example, Shards, example_of
from benchmarks.training.network import KINDS, fresh_weights, predict, read_network, write_network

STEPS = 11000
BATCH = 8
RATE = 1e-3
WARM, FALLING = 0.02, 0.6  # of all steps
MEAN_OVER = 300  # steps
REPORT_EVERY, KEEP_EVERY = 50, 250
KIND_WEIGHTS = torch.tensor([0.6, 1.0, 1.5, 2.0, 1.0])
VOTE_SHARE, HEIGHT_SHARE = 0.5, 0.4  # of the loss, beside the kinds' 1


def losses(predicted: torch.Tensor, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
    """Mean losses of kinds, votes and heights; and the errors of votes in px, of log radii and of heights in mm."""
    cells = predicted.float()
    truth = {
        name: torch.from_numpy(np.stack([getattr(example, name) for example in examples]))
        for name in ("kind", "kind_counts", "votes", "vote_counts")
    }
    log_chances = torch.log_softmax(cells[:, :KINDS], dim=1)
    kind = -log_chances.gather(1, truth["kind"][:, None])[:, 0]
    off = torch.sqrt(((cells[:, KINDS : KINDS + 2] - truth["votes"][:, :2]) ** 2).sum(dim=1) + 1e-6)
    spread = cells[:, KINDS + 2].clamp(-5, 2)
    radius_off = (cells[:, KINDS + 3] - truth["votes"][:, 2]).abs()
    radius_spread = cells[:, KINDS + 4].clamp(-5, 1)
    height_off = (cells[:, KINDS + 5] - truth["votes"][:, 3]).abs()
    height_spread = cells[:, KINDS + 6].clamp(-4, 2)
    vote = off * torch.exp(-spread) + 2 * spread + radius_off * torch.exp(-radius_spread) + radius_spread
    height = height_off * torch.exp(-height_spread) + height_spread

    def mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return (values * weights).sum() / weights.sum().clamp(min=1)

    counts = truth["vote_counts"]
    return {
        "kind": mean(kind, truth["kind_counts"] * KIND_WEIGHTS[truth["kind"]]),
        "vote": mean(vote, counts),
        "height": mean(height, counts),
        "off_px": UNIT_PX * mean(off.detach(), counts),
        "radius": mean(radius_off.detach(), counts),
        "height_mm": UNIT_MM * mean(height_off.detach(), counts),
    }


def _inputs(examples: Sequence[Example]) -> torch.Tensor:
    stacked = torch.from_numpy(np.stack([example.shown for example in examples]))
    return stacked.contiguous(memory_format=torch.channels_last)


def _pace(step: int, steps: int) -> float:
    """The share of the rate: it rises, stays, and falls to nothing."""
    return min(step / (WARM * steps), 1.0, max((steps - step) / (FALLING * steps), 0.003))


def measure(weights: dict[str, torch.Tensor], folder: Path, count: int = 96) -> dict[str, float]:
    """The losses on pieces of worlds that were held out."""
    paths = sorted(folder.glob("held-out-*.npz"))
    if not paths:
        return {}
    shards = Shards(paths)
    sums: dict[str, float] = {}
    with torch.no_grad():
        for first in range(0, count, BATCH):
            examples = [
                example_of(shards.piece(paths[i % len(paths)], i // len(paths)), None)
                for i in range(first, first + BATCH)
            ]
            for name, value in losses(predict(weights, _inputs(examples)), examples).items():
                sums[name] = sums.get(name, 0.0) + float(value) * BATCH / count
    return sums


class _Sampler:
    """Draws batches from several folders, each with a share of its own, one batch ahead."""

    def __init__(self, folders: Sequence[Path], shares: Sequence[float], seed: Sequence[int]) -> None:
        self._folders, self._shares = folders, np.array(shares) / np.sum(shares)
        self._rng = np.random.default_rng(list(seed))
        self._sources = [Shards([]) for _ in folders]
        self.refresh()

    def refresh(self) -> None:
        """More may have been drawn meanwhile."""
        for source, folder in zip(self._sources, self._folders, strict=True):
            source.paths = sorted(folder.glob("train-*.npz"))

    def batch(self) -> list[Example]:
        """BATCH random examples."""
        return [example_of(self._source().any(self._rng), self._rng) for _ in range(BATCH)]

    def _source(self) -> Shards:
        shares = self._shares * np.array([bool(source.paths) for source in self._sources])
        return self._sources[int(self._rng.choice(len(shares), p=shares / shares.sum()))]


def train(
    folders: Sequence[Path], shares: Sequence[float], out: Path, steps: int, start: Path | None, seed: int
) -> None:
    """Trains up to a number of steps in all."""
    weights = fresh_weights(seed, read_network(start) if start else None)
    descent = torch.optim.AdamW(weights.values(), lr=RATE, weight_decay=1e-3)
    mean = {name: part.detach().clone() for name, part in weights.items()}
    checkpoint, done = out.with_suffix(".checkpoint"), 0
    if checkpoint.exists():
        kept = torch.load(checkpoint)
        done, mean = kept["step"], kept["mean"]
        with torch.no_grad():
            for name, part in weights.items():
                part.copy_(kept["weights"][name])
        descent.load_state_dict(kept["descent"])
    sampler = _Sampler(folders, shares, (seed, done))
    history: dict[str, list[float]] = {}
    began = time.monotonic()
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(sampler.batch)
        for step in range(done + 1, steps + 1):
            examples = coming.result()
            if step % KEEP_EVERY == 0:
                sampler.refresh()
            coming = ahead.submit(sampler.batch)
            for group in descent.param_groups:
                group["lr"] = RATE * _pace(step, steps)
            with torch.autocast("cpu", torch.bfloat16):
                predicted = predict(weights, _inputs(examples))
            lost = losses(predicted, examples)
            descent.zero_grad()
            (lost["kind"] + VOTE_SHARE * lost["vote"] + HEIGHT_SHARE * lost["height"]).backward()
            torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
            descent.step()
            share = 1 / min(step, MEAN_OVER)
            with torch.no_grad():
                for name, part in weights.items():
                    mean[name].lerp_(part, share)
            for name, value in lost.items():
                history.setdefault(name, []).append(value.item())
            if step % REPORT_EVERY == 0:
                figures = "  ".join(f"{name} {np.mean(values[-REPORT_EVERY:]):.3f}" for name, values in history.items())
                print(f"step {step}  {(time.monotonic() - began) / (step - done):.2f} s/step  {figures}", flush=True)
            if step % KEEP_EVERY == 0 or step == steps:
                kept = {"step": step, "weights": weights, "mean": mean, "descent": descent.state_dict()}
                torch.save(kept, checkpoint)
                write_network({name: part.numpy() for name, part in mean.items()}, out)
                for folder in folders:
                    held = measure(mean, folder)
                    figures = "  ".join(f"{name} {value:.3f}" for name, value in held.items())
                    print(f"   held out of {folder.name}: {figures}", flush=True)


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--shares", type=float, nargs="+", help="how often each folder is drawn from; default: equally")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--start", type=Path, help="a network whose layers to begin with")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train(args.folders, args.shares or [1.0] * len(args.folders), args.out, args.steps, args.start, args.seed)


if __name__ == "__main__":
    main()
