"""The network that tells what each cell of a top view shows and which disk owns it.

A single place tells little: a print has edges of its own, and a border may have the table's colour. The network looks
at some centimetres around each place and knows what a face, a back, a card's side and its shadow look like.
`benchmarks/training` trains it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.cells import Cells, cells_of
from vision.rims.options import RIMS
from vision.types.arrays import FloatImage
from vision.types.poses import slant
from vision.types.top_view import TopView

WHOLE = 32  # its pictures are so many pixels wide, or a multiple

_ONE_AT_A_TIME = Lock()


def read_cells(light: FloatImage, top: TopView, view: TableView) -> Cells:
    """What the network tells of the cells of a top view of this camera's, whose `contrast` is given."""
    network = _network()
    with _ONE_AT_A_TIME:
        network.setInput(_shown(light, top, view))
        return cells_of(np.array(network.forward(), dtype=np.float32)[0])


def _shown(light: FloatImage, top: TopView, view: TableView) -> FloatImage:
    """What the network is given (1, 5, rows, columns): colours, and how far each place seems to move where it rises.

    Each plane is written where it stays: a stack of whole pictures is 30 MB.
    """
    rows, columns = light.shape[:2]
    below, right = -rows % WHOLE, -columns % WHOLE
    shown = np.empty((1, 5, rows + below, columns + right), dtype=np.float32)
    for channel, plane in enumerate(shown[0, :3]):
        colour = cv2.extractChannel(light, channel)
        cv2.copyMakeBorder(colour, 0, below, 0, right, cv2.BORDER_REFLECT_101, dst=plane)
    across, along = _leaning(top, view, rows, columns)
    across, along = (np.pad(way, ((0, 0), (0, more)), "reflect") for way, more in ((across, right), (along, below)))
    np.add(across[:, None, :], along[:, :, None], out=shown[0, 3:], casting="same_kind")
    return shown


def _leaning(top: TopView, view: TableView, rows: int, columns: int) -> tuple[FloatArray, FloatArray]:
    """How far each pixel's place seems to move for each mm that it rises, as a sum: by column and by row (2, ...)."""
    corners = np.array([[0, 0], [columns - 1, 0], [0, rows - 1]], dtype=np.float64)
    origin, right, down = slant(view, top.to_board(corners))[:, :, None]  # it is linear over the table
    across = np.linspace(0, 1, columns) * (right - origin)
    along = np.linspace(0, 1, rows) * (down - origin)
    return origin + across, along


def contrast(bgr: ByteImage) -> FloatImage:
    """How much brighter each colour is than the picture usually is, whatever the lamp."""
    light = np.arange(256, dtype=np.float32) + np.float32(RIMS.dark)
    usual = np.median(light[bgr[:: RIMS.brightness_step_px, :: RIMS.brightness_step_px]].mean(axis=2))
    brighter = np.float32(RIMS.contrast) * np.log(light / np.float32(usual))
    return np.asarray(cv2.LUT(bgr, brighter), dtype=np.float32)


@cache
def _network() -> cv2.dnn.Net:
    stored = files("vision.rims").joinpath("cells.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
