"""Trains the network that reads a top view, and writes it.

    .venv/bin/python -m benchmarks.training.train FOLDER --out network.onnx --steps 6000

A stopped run goes on from its checkpoint, beside the network; the network written is the running mean of the weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from benchmarks.training.lessons import Lesson, Shards, lesson_of
from benchmarks.training.network import FACINGS, KINDS, fresh_weights, read_network, told_by, write_network

STEPS = 5400
BATCH = 8
RATE = 1.5e-3
WARM, FALLING = 0.03, 0.35  # of all steps
MEAN_OVER = 400  # steps
TELL_EVERY, KEEP_EVERY = 50, 200
KINDS_COUNT = torch.tensor([0.6, 1.0, 1.5, 2.0, 1.0])
EDGE_SHARE, KIND_SHARE, VOTE_SHARE = 1.0, 1.0, 0.5


def losses(told: tuple[torch.Tensor, torch.Tensor], lessons: Sequence[Lesson]) -> dict[str, torch.Tensor]:
    """Mean losses of edges, kinds and votes."""
    facings, cells = (part.float() for part in told)
    stacked = {
        name: torch.from_numpy(np.stack([getattr(lesson, name) for lesson in lessons]))
        for name in ("facing", "edge", "edge_counts", "kind", "kind_counts", "votes", "vote_counts")
    }
    chances = torch.log_softmax(facings, dim=1)
    between = stacked["facing"] * (FACINGS / (2 * np.pi)) % FACINGS
    lower = between.floor()
    share = between - lower
    first, second = (chances.gather(1, 1 + ((lower + ahead).long() % FACINGS)[:, None])[:, 0] for ahead in (0, 1))
    edge = -torch.where(stacked["edge"] > 0.5, first * (1 - share) + second * share, chances[:, 0])
    kind_log = torch.log_softmax(cells[:, :KINDS], dim=1)
    kind = -kind_log.gather(1, stacked["kind"][:, None])[:, 0]
    kind_counts = stacked["kind_counts"] * KINDS_COUNT[stacked["kind"]]
    off = torch.sqrt(((cells[:, KINDS : KINDS + 2] - stacked["votes"][:, :2]) ** 2).sum(dim=1) + 1e-6)
    spread = cells[:, KINDS + 2].clamp(-5, 2)
    radius_off = (cells[:, KINDS + 3] - stacked["votes"][:, 2]).abs()
    radius_spread = cells[:, KINDS + 4].clamp(-5, 1)
    vote = off * torch.exp(-spread) + 2 * spread + radius_off * torch.exp(-radius_spread) + radius_spread
    counts = stacked["vote_counts"]

    def mean(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return (values * weights).sum() / weights.sum().clamp(min=1)

    return {
        "edge": mean(edge, stacked["edge_counts"]),
        "kind": mean(kind, kind_counts),
        "vote": mean(vote, counts),
        "off_px": 32 * mean(off.detach(), counts),
        "radius": mean(radius_off.detach(), counts),
    }


def _shown(lessons: Sequence[Lesson]) -> torch.Tensor:
    return torch.from_numpy(np.stack([lesson.shown for lesson in lessons])).contiguous(
        memory_format=torch.channels_last
    )


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
            lessons = [
                lesson_of(shards.piece(paths[i % len(paths)], i // len(paths)), None)
                for i in range(first, first + BATCH)
            ]
            for name, value in losses(told_by(weights, _shown(lessons)), lessons).items():
                sums[name] = sums.get(name, 0.0) + float(value) * BATCH / count
    return sums


def train(folders: Sequence[Path], out: Path, steps: int, start: Path | None, seed: int) -> None:
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
    rng = np.random.default_rng([seed, done])
    shards = Shards(sorted(path for folder in folders for path in folder.glob("train-*.npz")))
    told: dict[str, list[float]] = {}
    began = time.monotonic()
    for step in range(done + 1, steps + 1):
        if step % KEEP_EVERY == 0:  # more may have been drawn meanwhile
            shards.paths = sorted(path for folder in folders for path in folder.glob("train-*.npz"))
        lessons = [lesson_of(shards.any(rng), rng) for _ in range(BATCH)]
        for group in descent.param_groups:
            group["lr"] = RATE * _pace(step, steps)
        with torch.autocast("cpu", torch.bfloat16):
            said = told_by(weights, _shown(lessons))
        lost = losses(said, lessons)
        loss = EDGE_SHARE * lost["edge"] + KIND_SHARE * lost["kind"] + VOTE_SHARE * lost["vote"]
        descent.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        descent.step()
        share = 1 / min(step, MEAN_OVER)
        with torch.no_grad():
            for name, part in weights.items():
                mean[name].lerp_(part, share)
        for name, value in lost.items():
            told.setdefault(name, []).append(value.item())
        if step % TELL_EVERY == 0:
            figures = "  ".join(f"{name} {np.mean(values[-TELL_EVERY:]):.3f}" for name, values in told.items())
            print(f"step {step}  {(time.monotonic() - began) / (step - done):.2f} s/step  {figures}", flush=True)
        if step % KEEP_EVERY == 0 or step == steps:
            torch.save({"step": step, "weights": weights, "mean": mean, "descent": descent.state_dict()}, checkpoint)
            write_network({name: part.numpy() for name, part in mean.items()}, out)
            held = measure(mean, folders[0])
            print("   held out: " + "  ".join(f"{name} {value:.3f}" for name, value in held.items()), flush=True)


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--start", type=Path, help="a network whose layers to begin with")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train(args.folders, args.out, args.steps, args.start, args.seed)


if __name__ == "__main__":
    main()
