"""Where edges of cards run and which way they face, told by a network that sees their surroundings too.

A single place of a rim tells little: a print has edges of its own, and a border may have the table's colour. The
network looks at some centimetres around each place and knows what a face, its border and a card's shadow look like.
`benchmarks/fit_card_edges.py` fits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.rims.options import RIMS
from vision.types.arrays import FloatImage, IntArray

FACINGS = 12  # directions into which an edge may face, the first to the east, then clockwise
ANY = FACINGS  # the map of edges that face anywhere
SHRUNK = 2  # the network tells of squares of so many pixels
SPOKES = 2 * FACINGS  # of a circle
WHOLE = 16  # its pictures are so many pixels wide, or a multiple

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True, slots=True, eq=False)
class CardEdges:
    """Chances that a card's edge runs through a place: facing each direction, and in the last of the maps any."""

    maps: FloatImage  # (FACINGS + 1, rows, columns)

    def at(self, x: FloatImage, y: FloatImage, which: IntArray) -> FloatImage:
        """The log-odds at top view pixels in one of the maps for each; all of one shape."""
        half = np.float32(0.5 / SHRUNK - 0.5)
        last_row, last_column = self.maps.shape[1] - 1, self.maps.shape[2] - 1
        row, column = np.clip(y / SHRUNK + half, 0, last_row), np.clip(x / SHRUNK + half, 0, last_column)
        top, left = row.astype(np.intp), column.astype(np.intp)
        bottom, right = np.minimum(top + 1, last_row), np.minimum(left + 1, last_column)
        down, along = row - top, column - left
        above, below = (
            self.maps[which, near, left] * (1 - along) + self.maps[which, near, right] * along for near in (top, bottom)
        )
        chance = np.clip(above * (1 - down) + below * down, RIMS.least, RIMS.most)
        return np.asarray(np.log(chance / (1 - chance)), dtype=np.float32)

    def widened(self) -> CardEdges:
        """The same, each edge a square wider to all sides."""
        around = np.ones((3, 3), dtype=np.uint8)
        return CardEdges(np.stack([np.asarray(cv2.dilate(edges, around), dtype=np.float32) for edges in self.maps]))

    def circled(self, radius_px: float) -> FloatImage:
        """The share of a circle round each square that edges fill which face outward."""
        radius = radius_px / SHRUNK
        frame = int(np.ceil(radius)) + 1
        rows, columns = self.maps.shape[1:]
        share = np.zeros((rows + 2 * frame, columns + 2 * frame), dtype=np.float32)
        for spoke in range(SPOKES):
            turn = 2 * np.pi * spoke / SPOKES
            down, right = (frame - round(radius * f(turn)) for f in (np.sin, np.cos))
            share[down : down + rows, right : right + columns] += self.maps[(spoke + 1) // 2 % FACINGS]
        return np.asarray(share[frame:-frame, frame:-frame] / SPOKES, dtype=np.float32)

    def without(self, points: FloatArray, facing: IntArray) -> CardEdges:
        """The same without the edges that run through some points (N, 2) of the top view and face about so (N,)."""
        maps = self.maps.copy()
        middle = np.rint((points + 0.5) / SHRUNK - 0.5).astype(np.intp)
        near = np.arange(-RIMS.cleared, RIMS.cleared + 1)
        rows = np.clip(middle[:, 1, None] + near, 0, maps.shape[1] - 1)[:, None, :, None]
        columns = np.clip(middle[:, 0, None] + near, 0, maps.shape[2] - 1)[:, None, None, :]
        about = (facing[:, None] + np.arange(-RIMS.alike, RIMS.alike + 1)) % FACINGS
        maps[about[:, :, None, None], rows, columns] = 0
        return CardEdges(maps)


def card_edges(bgr: ByteImage) -> CardEdges:
    """The edges of cards in a top view."""
    rows, columns = bgr.shape[:2]
    whole = cv2.copyMakeBorder(contrast(bgr), 0, -rows % WHOLE, 0, -columns % WHOLE, cv2.BORDER_REFLECT_101)
    network = _network()
    with _ONE_AT_A_TIME:
        network.setInput(np.ascontiguousarray(whole.transpose(2, 0, 1)[None]))
        return CardEdges(np.array(network.forward(), dtype=np.float32)[0])


def contrast(bgr: ByteImage) -> FloatImage:
    """What the network is shown: how much brighter each colour is than the picture usually is, whatever the lamp."""
    light = bgr.astype(np.float32) + np.float32(RIMS.dark)
    usual = np.median(light[:: RIMS.card_edges_sampled, :: RIMS.card_edges_sampled].mean(axis=2))
    return np.asarray(np.float32(RIMS.contrast) * np.log(light / np.float32(usual)), dtype=np.float32)


@cache
def _network() -> cv2.dnn.Net:
    stored = files("vision.rims").joinpath("card_edges.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
