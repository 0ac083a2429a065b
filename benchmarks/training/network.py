"""The network that reads a top view: its layers, what they make of a picture, and the file that cv2 reads.

It predicts for every cell of four pixels what the cell shows, and for a cell that shows a disk where the centre of that
disk is, how large it is and how high its face lies, each with a spread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from benchmarks.table_tops import Array

KINDS = 5  # table, face, back, wall, thing
# After the kinds: centre right and down, its log spread, log radius, its log spread, height, its log spread.
OUTPUTS = KINDS + 7
INPUT, OUTPUT = "top", "cells"
CHANNELS = 5  # blue, green, red and the view's slant
OPSET = 13


@dataclass(frozen=True, slots=True)
class Layer:
    """A convolution of another layer.

    `plus` names a layer of the same shape that is added; `onto` one of twice the size, to which the enlarged result is.
    """

    name: str
    of: str
    channels: int
    size: int = 3
    stride: int = 1
    relu: bool = True
    plus: str | None = None
    onto: str | None = None


LAYERS = (
    Layer("half", INPUT, 16, 5, 2),
    Layer("quarter", "half", 24, stride=2),
    Layer("quarter2", "quarter", 24),
    Layer("eighth", "quarter2", 40, stride=2),
    Layer("eighth2", "eighth", 40),
    Layer("eighth3", "eighth2", 40),
    Layer("eighth3a", "eighth3", 40),
    Layer("eighth3b", "eighth3a", 40, plus="eighth3"),
    Layer("sixteenth", "eighth3b", 56, stride=2),
    Layer("sixteenth2", "sixteenth", 56),
    Layer("sixteenth3", "sixteenth2", 56),
    Layer("sixteenth3a", "sixteenth3", 56),
    Layer("sixteenth3b", "sixteenth3a", 56, plus="sixteenth3"),
    Layer("deep", "sixteenth3b", 88, stride=2),
    Layer("deep2", "deep", 88),
    Layer("deep2a", "deep2", 88),
    Layer("deep2b", "deep2a", 88, plus="deep2"),
    Layer("deep3", "deep2b", 56, 1, relu=False, onto="sixteenth3b"),
    Layer("eighth4", "deep3", 40, 1, relu=False, onto="eighth3b"),
    Layer("eighth5", "eighth4", 40),
    Layer("quarter3", "eighth5", 24, 1, relu=False, onto="quarter2"),
    Layer("quarter4", "quarter3", 24),
    Layer("sixteenth4", "deep3", 72),
    Layer("sixteenth4a", "sixteenth4", 72),
    Layer("sixteenth4b", "sixteenth4a", 72, plus="sixteenth4"),
    Layer("wide", "eighth5", 64),
    Layer("wide2", "sixteenth4b", 64, 1, relu=False, onto="wide"),
    Layer("wide3", "wide2", 64),
    Layer("wide3a", "wide3", 64),
    Layer("wide3b", "wide3a", 64, plus="wide3"),
    Layer("fine", "quarter4", 40),
    Layer("fine2", "wide3b", 40, 1, relu=False, onto="fine"),
    Layer("fine3", "fine2", 40),
    Layer(OUTPUT, "fine3", OUTPUTS, 1, relu=False),
)
STEM = 2  # layers: no later one reads what is finer than a quarter


def fresh_weights(seed: int, start: Mapping[str, torch.Tensor] | None = None) -> dict[str, torch.Tensor]:
    """Random weights and zero biases, or those of a network that has layers of the same names.

    Layers that are added to another (`plus`) start at zero, so that they change nothing of a network begun with.
    """
    dice = torch.Generator().manual_seed(seed)
    channels = {INPUT: CHANNELS} | {layer.name: layer.channels for layer in LAYERS}
    weights: dict[str, torch.Tensor] = {}
    for layer in LAYERS:
        shape = (layer.channels, channels[layer.of], layer.size, layer.size)
        spread = 0.0 if layer.plus or layer.name == OUTPUT else (2 / np.prod(shape[1:])) ** 0.5
        weights[layer.name] = torch.randn(shape, generator=dice) * spread
        weights[layer.name + "_bias"] = torch.zeros(layer.channels)
        if start and layer.name in start:
            known = start[layer.name]
            weights[layer.name][: len(known), : known.shape[1]] = known
            weights[layer.name + "_bias"][: len(known)] = start[layer.name + "_bias"]
    return {name: part.requires_grad_() for name, part in weights.items()}


def predict(weights: Mapping[str, torch.Tensor], pictures: torch.Tensor) -> torch.Tensor:
    """The outputs (N, OUTPUTS, rows / 4, columns / 4) for pictures (N, CHANNELS, rows, columns)."""
    values = {INPUT: pictures}
    for layer in LAYERS:
        bias = weights[layer.name + "_bias"]
        result = torch.nn.functional.conv2d(
            values[layer.of], weights[layer.name], bias, layer.stride, padding=layer.size // 2
        )
        if layer.plus:
            result = values[layer.plus] + result
        if layer.relu:
            result = torch.relu(result)
        if layer.onto:
            result = values[layer.onto] + torch.nn.functional.interpolate(result, scale_factor=2.0, mode="nearest")
        values[layer.name] = result
    return values[OUTPUT]


def write_network(weights: Mapping[str, Array], path: Path) -> None:
    """The network as `vision/rims/cell_network.py` reads it: its stem in a file of its own, which reads one band of a
    picture after another."""
    _write_layers(LAYERS[:STEM], CHANNELS, weights, stem_of(path))
    _write_layers(LAYERS[STEM:], LAYERS[STEM - 1].channels, weights, path)


def stem_of(path: Path) -> Path:
    """Where the stem of the network of this file is."""
    return path.with_name(f"{path.stem}_stem.onnx")


def _write_layers(layers: Sequence[Layer], channels: int, weights: Mapping[str, Array], path: Path) -> None:
    """Layers that follow one another, of which the first reads a picture of so many channels."""
    nodes, stored = [], [numpy_helper.from_array(np.array([1, 1, 2, 2], dtype=np.float32), "twice")]
    for layer in layers:
        names = (layer.name + "_weights", layer.name + "_bias")
        values = (weights[layer.name], weights[layer.name + "_bias"])
        stored += [numpy_helper.from_array(v.astype(np.float32), n) for n, v in zip(names, values, strict=True)]
        sides = {"kernel_shape": [layer.size] * 2, "strides": [layer.stride] * 2, "pads": [layer.size // 2] * 4}
        steps: list[tuple[str, list[str], dict[str, Any]]] = [("Conv", [layer.of, *names], sides)]
        if layer.plus:
            steps.append(("Add", [layer.plus], {}))
        if layer.relu:
            steps.append(("Relu", [], {}))
        if layer.onto:
            ways = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
            steps += [("Resize", ["", "twice"], ways), ("Add", [layer.onto], {})]
        last = ""
        for number, (kind, inputs, attributes) in enumerate(steps):
            result = layer.name if number == len(steps) - 1 else f"{layer.name}_{number}"
            fed = inputs if kind == "Conv" else [last, *inputs]
            nodes.append(helper.make_node(kind, fed, [result], **attributes))
            last = result
    shapes = {
        layers[0].of: [1, channels, "rows", "columns"],
        layers[-1].name: [1, layers[-1].channels, "result_rows", "result_columns"],
    }
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "top_view", ends[:1], ends[1:], stored)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def read_network(path: Path) -> dict[str, torch.Tensor]:
    """The weights and biases of a network file and of its stem's, whichever of the layers it has."""
    parts = [part for file in (stem_of(path), path) if file.exists() for part in onnx.load(file).graph.initializer]
    stored = {part.name: numpy_helper.to_array(part).copy() for part in parts}
    known = [layer.name for layer in LAYERS if layer.name + "_weights" in stored]
    weights = {name: stored[name + "_weights"] for name in known}
    weights |= {name + "_bias": stored[name + "_bias"] for name in known}
    return {name: torch.from_numpy(part) for name, part in weights.items()}
