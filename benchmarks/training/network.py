"""The network that reads a top view: its layers, what they make of a picture, and the file that cv2 reads.

It tells of squares of two pixels whether a card's edge runs there and which way it faces, and of cells of four pixels
what they show, where the middle of the disk is that owns them, and how large that disk is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from benchmarks.table_tops import Array

FACINGS = 12
KINDS = 5  # table, face, back, wall, thing
VOTES = KINDS + 5  # and: middle right and down, its log spread, log radius, its log spread
SHOWN, EDGES_TOLD, CELLS_TOLD = "top", "edges", "cells"
CHANNELS = 5  # blue, green, red and the lean
OPSET = 13


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of another layer; `onto` names the layer that its result, enlarged by two, is added to."""

    name: str
    of: str
    channels: int
    size: int = 3
    stride: int = 1
    clipped: bool = True  # below zero
    onto: str | None = None


LAYERS = (
    Layer("half", SHOWN, 16, 5, 2),
    Layer("quarter", "half", 24, stride=2),
    Layer("quarter2", "quarter", 24),
    Layer("eighth", "quarter2", 40, stride=2),
    Layer("eighth2", "eighth", 40),
    Layer("eighth3", "eighth2", 40),
    Layer("sixteenth", "eighth3", 56, stride=2),
    Layer("sixteenth2", "sixteenth", 56),
    Layer("sixteenth3", "sixteenth2", 56),
    Layer("deep", "sixteenth3", 88, stride=2),
    Layer("deep2", "deep", 88),
    Layer("deep3", "deep2", 56, 1, clipped=False, onto="sixteenth3"),
    Layer("eighth4", "deep3", 40, 1, clipped=False, onto="eighth3"),
    Layer("eighth5", "eighth4", 40),
    Layer("quarter3", "eighth5", 24, 1, clipped=False, onto="quarter2"),
    Layer("quarter4", "quarter3", 24),
    Layer("half2", "quarter4", 16, 1, clipped=False, onto="half"),
    Layer("half3", "half2", 16),
    Layer("facings", "half3", FACINGS + 1, 1, clipped=False),  # the first is no edge at all
    Layer("sixteenth4", "deep3", 72),
    Layer("wide", "eighth5", 64),
    Layer("wide2", "sixteenth4", 64, 1, clipped=False, onto="wide"),
    Layer("wide3", "wide2", 64),
    Layer("fine", "quarter4", 40),
    Layer("fine2", "wide3", 40, 1, clipped=False, onto="fine"),
    Layer("fine3", "fine2", 40),
    Layer("cells", "fine3", VOTES, 1, clipped=False),
)
EDGES_ALONE = ("half2", "half3", "facings")  # layers that only edges need
STARTS_AT_NOTHING = ("deep3", "cells")  # so that weights of a shallower network are a fair start
WHOLE = 32  # pictures are so many pixels wide, or a multiple


def fresh_weights(seed: int, start: Mapping[str, torch.Tensor] | None = None) -> dict[str, torch.Tensor]:
    """Random weights and biases of every layer, or those of a network whose layers have the same names."""
    dice = torch.Generator().manual_seed(seed)
    channels = {SHOWN: CHANNELS} | {layer.name: layer.channels for layer in LAYERS}
    weights: dict[str, torch.Tensor] = {}
    for layer in LAYERS:
        shape = (layer.channels, channels[layer.of], layer.size, layer.size)
        spread = 0.0 if layer.name in STARTS_AT_NOTHING else (2 / np.prod(shape[1:])) ** 0.5
        weights[layer.name] = torch.randn(shape, generator=dice) * spread
        weights[layer.name + "_bias"] = torch.zeros(layer.channels)
        if start and layer.name in start:
            known = start[layer.name].detach()
            weights[layer.name][:, : known.shape[1]] = known
            weights[layer.name][:, known.shape[1] :] = 0
            weights[layer.name + "_bias"] = start[layer.name + "_bias"].detach().clone()
    return {name: part.requires_grad_() for name, part in weights.items()}


def told_by(weights: Mapping[str, torch.Tensor], pictures: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """What the network says of pictures (N, CHANNELS, rows, columns), unscaled: facings at half, cells at a quarter."""
    told = {SHOWN: pictures}
    for layer in LAYERS:
        bias = weights[layer.name + "_bias"]
        result = torch.nn.functional.conv2d(
            told[layer.of], weights[layer.name], bias, layer.stride, padding=layer.size // 2
        )
        if layer.clipped:
            result = torch.relu(result)
        if layer.onto:
            result = told[layer.onto] + torch.nn.functional.interpolate(result, scale_factor=2.0, mode="nearest")
        told[layer.name] = result
    return told["facings"], told["cells"]


def write_network(weights: Mapping[str, Array], path: Path) -> None:
    """The network as cv2 reads it: edges are told as chances of each facing and, last, of any."""
    _write(weights, path, LAYERS, (EDGES_TOLD, CELLS_TOLD))


def write_cells(network: Path, path: Path) -> None:
    """The part of a network that tells of cells, as `vision/rims/cell_network.py` reads it."""
    weights = {name: part.numpy() for name, part in read_network(network).items()}
    _write(weights, path, tuple(layer for layer in LAYERS if layer.name not in EDGES_ALONE), (CELLS_TOLD,))


def _write(weights: Mapping[str, Array], path: Path, layers: Sequence[Layer], told: Sequence[str]) -> None:
    nodes, stored = [], [numpy_helper.from_array(np.array([1, 1, 2, 2], dtype=np.float32), "twice")]
    for layer in layers:
        names = (layer.name + "_weights", layer.name + "_bias")
        values = (weights[layer.name], weights[layer.name + "_bias"])
        stored += [numpy_helper.from_array(v.astype(np.float32), n) for n, v in zip(names, values, strict=True)]
        ends = [layer.name + "_raw"] if layer.clipped or layer.onto else [layer.name]
        sides = {"kernel_shape": [layer.size] * 2, "strides": [layer.stride] * 2, "pads": [layer.size // 2] * 4}
        nodes.append(helper.make_node("Conv", [layer.of, *names], ends, **sides))
        if layer.clipped:
            nodes.append(helper.make_node("Relu", ends, [layer.name]))
        if layer.onto:
            large = layer.name + "_large"
            ways = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            nodes.append(helper.make_node("Resize", [*ends, "", "twice"], [large], **ways))
            nodes.append(helper.make_node("Add", [layer.onto, large], [layer.name]))
    if EDGES_TOLD in told:
        stored.append(numpy_helper.from_array(_gathered().astype(np.float32), "gathered"))
        nodes.append(helper.make_node("Softmax", ["facings"], ["chances"], axis=1))
        nodes.append(helper.make_node("Conv", ["chances", "gathered"], [EDGES_TOLD], kernel_shape=[1, 1]))
    shapes = {
        SHOWN: [1, CHANNELS, "rows", "columns"],
        EDGES_TOLD: [1, FACINGS + 1, "half_rows", "half_columns"],
        CELLS_TOLD: [1, VOTES, "quarter_rows", "quarter_columns"],
    }
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in (SHOWN, *told)]
    graph = helper.make_graph(nodes, "top_view", ends[:1], ends[1:], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def read_network(path: Path) -> dict[str, torch.Tensor]:
    """The weights and biases of a network file, whichever of the layers it has."""
    stored = {part.name: numpy_helper.to_array(part).copy() for part in onnx.load(path).graph.initializer}
    known = [layer.name for layer in LAYERS if layer.name + "_weights" in stored]
    weights = {name: stored[name + "_weights"] for name in known}
    weights |= {name + "_bias": stored[name + "_bias"] for name in known}
    return {name: torch.from_numpy(part) for name, part in weights.items()}


def _gathered() -> Array:
    """Chances of no edge and of each facing to those of each facing, its neighbours' halves with it, and of any."""
    gathered = np.zeros((FACINGS + 1, FACINGS + 1, 1, 1))
    for facing in range(FACINGS):
        for beside, share in ((-1, 0.5), (0, 1.0), (1, 0.5)):
            gathered[facing, 1 + (facing + beside) % FACINGS] = share
    gathered[FACINGS, 1:] = 1
    return gathered
