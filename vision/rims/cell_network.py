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

from calibration.arrays import ByteImage
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
    rows, columns = light.shape[:2]
    shown = np.concatenate([light, _leaning(top, view, rows, columns)], axis=2)
    whole = cv2.copyMakeBorder(shown, 0, -rows % WHOLE, 0, -columns % WHOLE, cv2.BORDER_REFLECT_101)
    network = _network()
    with _ONE_AT_A_TIME:
        network.setInput(np.ascontiguousarray(whole.transpose(2, 0, 1)[None]))
        return cells_of(np.array(network.forward(), dtype=np.float32)[0])


def _leaning(top: TopView, view: TableView, rows: int, columns: int) -> FloatImage:
    """How far each pixel's place seems to move for each mm that it rises (rows, columns, 2)."""
    corners = np.array([[0, 0], [columns - 1, 0], [0, rows - 1]], dtype=np.float64)
    origin, right, down = slant(view, top.to_board(corners))  # it is linear over the table
    across = np.linspace(0, 1, columns)[None, :, None] * (right - origin)
    along = np.linspace(0, 1, rows)[:, None, None] * (down - origin)
    return np.asarray(origin + across + along, dtype=np.float32)


def contrast(bgr: ByteImage) -> FloatImage:
    """How much brighter each colour is than the picture usually is, whatever the lamp."""
    light = bgr.astype(np.float32) + np.float32(RIMS.dark)
    usual = np.median(light[:: RIMS.brightness_step_px, :: RIMS.brightness_step_px].mean(axis=2))
    return np.asarray(np.float32(RIMS.contrast) * np.log(light / np.float32(usual)), dtype=np.float32)


@cache
def _network() -> cv2.dnn.Net:
    stored = files("vision.rims").joinpath("cells.onnx").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
