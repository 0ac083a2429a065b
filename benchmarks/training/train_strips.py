"""Trains the network that measures disks on strips around their rims, and writes it.

    .venv/bin/python -m benchmarks.training.train_strips FOLDER [FOLDER …] --out strips.onnx --steps 3000

FOLDER holds shards of `benchmarks.training.traced_pieces` or `draw`. A stopped run goes on from its checkpoint, beside
the network. The network written is the running mean of the weights.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from benchmarks.table_tops import Array
from benchmarks.training.examples import Shards, Stored, relit
from vision.rims.cell_network import contrast
from vision.rims.strip_network import (
    BESIDE,
    CHANNELS,
    FINE_BESIDE,
    FREEDOM,
    INSIDE_PX,
    PREDICTED,
    PRIOR_PX,
    ROWS,
    STRETCH,
    TURNS,
    UNIT_MM,
    VISIBLE,
    Circles,
    cut_strips,
)
from vision.types.arrays import BoolArray, FloatImage
from vision.types.poses import ANGLES

STEPS, RATE = 6000, 1.5e-3
WARM, FALLING = 0.03, 0.5  # of all steps
MEAN_OVER = 200  # steps
PIECES, AGAIN = 6, 1  # of a batch, with all their disks, and how often each with other given centres
REPORT_EVERY, KEEP_EVERY = 100, 500
LEAST_SHOWN = 0.05  # of a face: a disk that shows less is left out
MARGIN_PX = 24.0  # from the centre of a disk to the border of its piece
OFF_PX, FAR_PX, FAR_SHARE = 1.5, 4.0, 0.1  # how far off the centre given is
UNKNOWN_SHARE = 0.12  # of the disks: not known to others
# Circles that are no disk's, for each disk; how many of them others take for one; how far they are from any disk.
DECOYS, LIKELY_DECOYS, NONE_PX = 1.0, 0.3, 7.0
DECOY_KINDS = (0.45, 0.15, 0.3, 0.1)
EDGE_SHARE, HEIGHT_SHARE, VISIBLE_SHARE = 2.0, 1.0, 2.0  # of the loss, beside the centres' 1


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution over rows and round the rim."""

    channels: int
    rows: int  # of its kernel
    places: int
    stride: int = 1  # over rows
    dilation: int = 1  # round the rim
    full: bool = False  # takes all rows at once
    relu: bool = True


LAYERS = (
    Layer(16, 5, 3, stride=2),
    Layer(24, 3, 3),
    Layer(32, 3, 3, stride=2),
    Layer(32, 3, 3),
    Layer(48, 3, 3, stride=3),
    Layer(64, 3, 3, full=True),
    Layer(64, 1, 5, dilation=2),
    Layer(64, 1, 5, dilation=4),
    Layer(64, 1, 5, dilation=4),
    Layer(PREDICTED + ROWS, 1, 1, relu=False),
)
# Beside these, a few layers that keep all rows: each row says how much it looks like the card's edge.
FINE = (
    Layer(12, 3, 3),
    Layer(12, 3, 3, dilation=2),
    Layer(12, 3, 3),
    Layer(1, 1, 1, relu=False),
)


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """Strips of disks, and the truth of each."""

    strips: FloatImage  # (N, CHANNELS, ROWS, ANGLES)
    outward: FloatImage  # (N, ANGLES, 2)
    shifts: FloatImage  # (N, 2) px
    edges: FloatImage  # (N, ANGLES) px: how far outside of the circle given the edge is
    shown: FloatImage  # (N, ANGLES): whether it is visible
    inside: FloatImage  # (N, ANGLES): whether it lies in the piece
    heights: FloatImage  # (N,) in units
    real: FloatImage  # (N,): whether it is a disk


def examples_of(stored: Stored, rng: np.random.Generator, count: int) -> list[Example]:
    """The disks of a piece, lit at random, `count` times from other given centres."""
    light = contrast(np.ascontiguousarray(relit(stored.bgr, rng))) + np.float32(rng.normal(0, 0.3))
    found = (_example_of(stored, light, rng) for _ in range(count))
    return [example for example in found if example is not None]


def _example_of(stored: Stored, light: FloatImage, rng: np.random.Generator) -> Example | None:
    """The disks of a piece, measured from centres that are a little off, and circles that are none; mirrored or not."""
    disks, slant, owners = stored.disks, stored.lean.astype(np.float64), stored.owners
    centres, radii = disks[:, :2], disks[:, 6]
    visible = np.bincount(owners[owners >= 0], minlength=len(disks))[: len(disks)] * 4 / (np.pi * radii**2)
    inside = ((centres > MARGIN_PX) & (centres < len(light) - MARGIN_PX)).all(axis=1)
    chosen = np.flatnonzero((visible > LEAST_SHOWN) & inside)
    if not len(chosen):
        return None
    spread = np.where(rng.random(len(disks)) < FAR_SHARE, FAR_PX, OFF_PX)[:, None]
    given = centres + rng.normal(0, 1, centres.shape) * spread
    decoys, decoy_radii = _decoys(rng, centres, radii, len(light))
    likely = np.append(rng.random(len(disks)) > UNKNOWN_SHARE, rng.random(len(decoys)) < LIKELY_DECOYS)
    circles = Circles(
        np.vstack([given, decoys]),
        np.append(radii, decoy_radii),
        np.broadcast_to(slant, (len(likely), 2)),
        likely,
    )
    count = len(chosen) + len(decoys)
    strips = cut_strips(light, circles, np.append(chosen, len(disks) + np.arange(len(decoys))))
    outward = np.broadcast_to(_outward(slant), (count, ANGLES, 2))
    edges, shown, within = np.zeros((count, ANGLES)), np.zeros((count, ANGLES)), np.ones((count, ANGLES))
    shifts, heights = np.zeros((count, 2)), np.zeros(count)
    mine = slice(len(chosen))
    shifts[mine], heights[mine] = centres[chosen] - given[chosen], disks[chosen, 8] / UNIT_MM
    edges[mine], shown[mine], within[mine] = _edges(
        given[chosen],
        centres[chosen],
        disks[chosen, 2:6].reshape(-1, 2, 2),
        radii[chosen],
        outward[mine],
        owners,
        chosen,
    )
    if rng.random() < 0.5:
        back = -np.arange(ANGLES) % ANGLES
        strips = strips[..., back].copy()
        edges, shown, within, outward = (values[:, back] for values in (edges, shown, within, outward))
        strips[:, 5] *= -1
    real = np.arange(count) < len(chosen)
    return Example(
        *(part.astype(np.float32) for part in (strips, outward, shifts, edges, shown, within, heights, real))
    )


def _decoys(rng: np.random.Generator, centres: Array, radii: Array, side: int) -> tuple[Array, Array]:
    """Circles that are no disk's rim: along the rim of a disk of another size, in its middle, beside it, anywhere."""
    count = int(DECOYS * len(centres)) + 1
    near = rng.integers(len(centres), size=count)
    sizes = radii[rng.integers(len(radii), size=count)]
    kind = rng.choice(4, size=count, p=DECOY_KINDS)
    reach = np.choose(
        kind,
        [
            np.abs(radii[near] - sizes) + rng.normal(0, OFF_PX, count),
            rng.normal(0, FAR_PX, count),
            rng.uniform(0, 1, count) * (radii[near] + 0.5 * sizes),
            np.zeros(count),
        ],
    )
    turns = rng.uniform(0, 2 * np.pi, count)
    middles = centres[near] + reach[:, None] * np.column_stack([np.cos(turns), np.sin(turns)])
    anywhere = kind == 3
    middles[anywhere] = rng.uniform(MARGIN_PX, side - MARGIN_PX, (int(anywhere.sum()), 2))
    apart = np.linalg.norm(middles[:, None] - centres, axis=2) + np.abs(sizes[:, None] - radii)
    none = (apart.min(axis=1) > NONE_PX) & ((middles > MARGIN_PX) & (middles < side - MARGIN_PX)).all(axis=1)
    return middles[none], sizes[none]


def _outward(slant: Array) -> Array:
    turns = np.arctan2(-slant[1], -slant[0]) + TURNS
    return np.column_stack([np.cos(turns), np.sin(turns)])


def _edges(
    given: Array, centres: Array, matrices: Array, radii: Array, outward: Array, owners: Any, numbers: Any
) -> tuple[Array, BoolArray, BoolArray]:
    """How far outside of a circle (about `given`) each edge is, whether it is visible, and whether in the piece."""
    unit = np.linalg.solve(matrices, np.swapaxes(outward, 1, 2))  # the disk's own direction of each place
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    rim = centres[:, None] + np.swapaxes(matrices @ unit, 1, 2)
    edges = ((rim - given[:, None]) * outward).sum(axis=2) - radii[:, None]
    just = np.rint((rim - 2.5 * outward) / 2).astype(np.intp)
    within = ((just >= 0) & (just < owners.shape[0])).all(axis=2)
    just = np.clip(just, 0, owners.shape[0] - 1)
    return edges, within & (owners[just[..., 1], just[..., 0]] == numbers[:, None]), within


def fresh_weights(seed: int) -> list[torch.Tensor]:
    """Random weights and zero biases, layer by layer."""
    dice = torch.Generator().manual_seed(seed)
    weights, channels, rows = [], CHANNELS, ROWS
    for number, layer in enumerate(LAYERS + FINE):
        if number == len(LAYERS):
            channels, rows = CHANNELS, ROWS
        kernel = (rows if layer.full else layer.rows, layer.places)
        shape = (layer.channels, channels, *kernel)
        spread = (2 / np.prod(shape[1:])) ** 0.5 if layer.relu else 0.01
        weights += [torch.randn(shape, generator=dice) * spread, torch.zeros(layer.channels)]
        channels, rows = layer.channels, 1 if layer.full else -(-rows // layer.stride)
    return [part.requires_grad_() for part in weights]


def predict(weights: list[torch.Tensor], strips: torch.Tensor) -> torch.Tensor:
    """What is predicted of each place (N, 1 + PREDICTED, ANGLES): how far outside its edge is, and the rest."""
    said = _passed(LAYERS, weights, strips)[:, :, 0]
    rows = said[:, PREDICTED:] + _passed(FINE, weights[2 * len(LAYERS) :], strips)[:, 0]
    edges = torch.softmax(rows, dim=1) * (torch.arange(ROWS) - INSIDE_PX)[:, None]
    return torch.cat([edges.sum(dim=1, keepdim=True), said[:, :PREDICTED]], dim=1)


def _passed(layers: tuple[Layer, ...], weights: list[torch.Tensor], strips: torch.Tensor) -> torch.Tensor:
    values = strips
    for k, layer in enumerate(layers):
        weight, bias = weights[2 * k : 2 * k + 2]
        beside = layer.dilation * (layer.places // 2)
        if beside:
            values = torch.nn.functional.pad(values, (beside, beside, 0, 0), mode="circular")
        over = 0 if layer.full else layer.rows // 2
        values = torch.nn.functional.conv2d(values, weight, bias, (layer.stride, 1), (over, 0), (1, layer.dilation))
        if layer.relu:
            values = torch.relu(values)
    return values


def losses(outputs: torch.Tensor, batch: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Losses of centres, edges, heights and visibility; median errors of centres in px and of heights in mm."""
    visible = torch.nn.functional.binary_cross_entropy_with_logits(
        outputs[:, VISIBLE], batch["shown"], batch["inside"], reduction="sum"
    )
    inside, real = batch["inside"].sum(), batch["real"] > 0
    outputs, batch = outputs[real], {name: values[real] for name, values in batch.items()}
    out = batch["outward"]
    stretched = torch.from_numpy(STRETCH.astype(np.float32)).expand(len(out), -1, -1)
    design = torch.cat([out, stretched], dim=2)
    weight = torch.exp(outputs[:, 1].clamp(-8, 5))
    weighted = (design * weight[..., None]).transpose(1, 2)
    normal = weighted @ design + torch.diag(torch.from_numpy(PRIOR_PX.astype(np.float32) ** -2))
    covariance = torch.linalg.inv(normal)
    states = covariance @ (weighted @ outputs[:, 0, :, None])
    error = states[:, :2, 0] - batch["shifts"]
    inverse = torch.linalg.inv(covariance[:, :2, :2])
    square = (error[:, None] @ inverse @ error[..., None])[:, 0, 0]
    centre = (FREEDOM + 2) / 2 * torch.log1p(square / FREEDOM) - 0.5 * torch.logdet(inverse)
    edge = (outputs[:, 0] - batch["edges"]).abs()
    share = torch.softmax(outputs[:, 3], dim=1)
    height = (share * outputs[:, 2]).sum(dim=1)
    spread = (share * outputs[:, 4]).sum(dim=1).clamp(-4, 2)
    high = height - batch["heights"]
    height_loss = (FREEDOM + 1) / 2 * torch.log1p((high * torch.exp(-spread)) ** 2 / FREEDOM) + spread
    return {
        "centre": centre.mean(),
        "edge": (edge * batch["shown"]).sum() / batch["shown"].sum().clamp(min=1),
        "height": height_loss.mean(),
        "visible": visible / inside,
        "off_px": torch.linalg.norm(error.detach(), dim=1).median(),
        "square": square.detach().median(),
        "height_mm": UNIT_MM * high.detach().abs().mean(),
    }


def _batch(examples: list[Example]) -> dict[str, torch.Tensor]:
    names = ("strips", "outward", "shifts", "edges", "shown", "inside", "heights", "real")
    return {name: torch.from_numpy(np.concatenate([getattr(e, name) for e in examples])) for name in names}


def train(folders: list[Path], out: Path, steps: int, seed: int) -> None:
    """Trains on the shards named train-*, reports on those named held-out-*."""
    shards, held_out = (
        [Shards(paths) for folder in folders if (paths := sorted(folder.glob(pattern)))]
        for pattern in ("train-*.npz", "held-out-*.npz")
    )
    torch.set_num_threads(1)  # more wait for each other wherever anything else runs
    weights = fresh_weights(seed)
    optimiser = torch.optim.AdamW(weights, lr=RATE, weight_decay=1e-4)
    means = [part.detach().clone() for part in weights]
    checkpoint, start = out.with_suffix(".pt"), 0
    if checkpoint.exists():
        kept = torch.load(checkpoint)
        for part, mean, old, old_mean in zip(weights, means, kept["weights"], kept["means"], strict=True):
            part.data.copy_(old)
            mean.copy_(old_mean)
        optimiser.load_state_dict(kept["optimiser"])
        start = kept["step"]

    def drawn(step: int) -> dict[str, torch.Tensor]:
        rng = np.random.default_rng([seed, step])
        found: list[Example] = []
        while len(found) < PIECES * AGAIN:
            found += examples_of(shards[int(rng.integers(len(shards)))].any(rng), rng, AGAIN)
        return _batch(found)

    begun = time.monotonic()
    sums: dict[str, float] = {}
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(drawn, start)
        for step in range(start, steps):
            batch = waiting.result()
            waiting = pool.submit(drawn, step + 1)
            done = step / steps
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1.0, done / WARM + 0.01, (1 - done) / (1 - FALLING))
            found = losses(predict(weights, batch["strips"]), batch)
            loss = found["centre"] + EDGE_SHARE * found["edge"] + HEIGHT_SHARE * found["height"]
            loss = loss + VISIBLE_SHARE * found["visible"]
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 2.0)
            optimiser.step()
            for mean, part in zip(means, weights, strict=True):
                mean.lerp_(part.detach(), 1 / min(step + 1, MEAN_OVER))
            sums = {name: sums.get(name, 0.0) + float(value.detach()) for name, value in found.items()}
            if (step + 1) % REPORT_EVERY == 0:
                line = ", ".join(f"{name} {value / REPORT_EVERY:.3f}" for name, value in sums.items())
                print(f"{step + 1}: {line}; {time.monotonic() - begun:.0f} s", flush=True)
                sums = {}
            if (step + 1) % KEEP_EVERY == 0 or step + 1 == steps:
                state = {"weights": weights, "means": means, "optimiser": optimiser.state_dict(), "step": step + 1}
                torch.save(state, checkpoint)
                write_network([mean.numpy() for mean in means], out)
                if held_out:
                    report(means, held_out)


def report(weights: list[torch.Tensor], shards: list[Shards]) -> None:
    """Prints the figures of held-out pieces."""
    rng = np.random.default_rng(5)
    with torch.no_grad():
        pieces = [group.piece(path, k) for group in shards for path in group.paths for k in range(16)]
        batch = _batch([example for piece in pieces for example in examples_of(piece, rng, 1)])
        figures = losses(predict(weights, batch["strips"]), batch)
    print("held out:", ", ".join(f"{name} {float(value):.3f}" for name, value in figures.items()), flush=True)


def write_network(weights: list[Array], path: Path) -> None:
    """The network as `vision/rims/strip_network.py` reads it: strips are given with their ends beyond each other."""
    for layers, beside in ((LAYERS, BESIDE), (FINE, FINE_BESIDE)):
        assert sum(layer.dilation * (layer.places // 2) for layer in layers) == beside
    nodes, stored, last = [], [], "strips"
    for k, layer in enumerate(LAYERS + FINE):
        last = "strips" if k == len(LAYERS) else last
        names = [f"weights{k}", f"bias{k}"]
        stored += [
            numpy_helper.from_array(w.astype(np.float32), n) for n, w in zip(names, weights[2 * k :], strict=False)
        ]
        over = 0 if layer.full else layer.rows // 2
        result = {len(LAYERS) - 1: "places", len(LAYERS + FINE) - 1: "rows"}.get(k, f"layer{k}")
        ways = {
            "kernel_shape": list(weights[2 * k].shape[2:]),
            "strides": [layer.stride, 1],
            "pads": [over, 0, over, 0],
            "dilations": [1, layer.dilation],
        }
        nodes.append(helper.make_node("Conv", [last, *names], [result + "_raw" if layer.relu else result], **ways))
        if layer.relu:
            nodes.append(helper.make_node("Relu", [result + "_raw"], [result]))
        last = result
    wide = ANGLES + 2 * BESIDE
    shapes = {
        "strips": ["disks", CHANNELS, ROWS, wide],
        "places": ["disks", PREDICTED + ROWS, 1, ANGLES],
        "rows": ["disks", 1, ROWS, wide - 2 * FINE_BESIDE],
    }
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "strips", ends[:1], ends[1:], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def main() -> None:
    """Reads the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    train(args.folders, args.out, args.steps, args.seed)


if __name__ == "__main__":
    main()
