"""How likely an outline runs how far out at each of its places, estimated by a network from the picture along it.

`benchmarks/fit_outlines.py` fits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np

from vision.figures.strips import joined
from vision.types.arrays import FloatImage

_ONE_AT_A_TIME = Lock()


def edge_chances(strips: Sequence[FloatImage]) -> list[FloatImage]:
    """For each strip the chances (places, offsets) that the outline runs there.

    What is left to 1 at a place is the chance that nothing stands there.
    """
    if not strips:
        return []
    shown, parts = joined(strips)
    with _ONE_AT_A_TIME:
        network = _network()
        network.setInput(np.ascontiguousarray(shown[None]))
        odds, nothing = np.array(network.forward(), dtype=np.float32)[0]
    odds = np.column_stack([odds, nothing.mean(axis=1)])
    odds = np.exp(odds - odds.max(axis=1, keepdims=True))
    chances = odds[:, :-1] / odds.sum(axis=1, keepdims=True)
    return [chances[part] for part in parts]


@cache
def _network() -> cv2.dnn.Net:
    stored = files("vision.figures").joinpath("outline_edges.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
