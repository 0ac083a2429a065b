"""The network that tells what each cell of a top view shows and which disk owns it.

A single place tells little: a print has edges of its own, and a border may have the table's colour. The network looks
at some centimetres around each place and knows what a face, a back, a card's side and its shadow look like.
`benchmarks/training` trains it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.rims.cells import Cells, cells_of
from vision.rims.options import RIMS
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import slant
from vision.types.top_view import TopView

WHOLE = 32  # its pictures are so many pixels wide, or a multiple
QUARTER = 4  # pixels of the picture to one of what the network's stem makes of it
BAND = 128  # rows that the stem reads together: for a whole table at once it takes 100 MB
BESIDE = 4  # rows above and below that the stem looks at
# Values of a top view: a network keeps room for the largest that it was given, 90 MB for a whole table, and is let go
# after that. To read it again takes less than a tenth of reading such a table.
MOST_KEPT = 1 << 20

_ONE_AT_A_TIME = Lock()


def read_cells(light: FloatImage, top: TopView, view: TableView) -> Cells:
    """What the network tells of the cells of a top view of this camera's, whose `contrast` is given."""
    shown = _Shown.of(light, top, view)
    stem, network = _network("cells_stem.onnx"), _network("cells.onnx")
    with _ONE_AT_A_TIME:
        bands = []
        for start in range(0, shown.rows, BAND):
            above, end = min(start, BESIDE), min(start + BAND, shown.rows)
            stem.setInput(shown.band(start - above, min(end + BESIDE, shown.rows)))
            first, count = above // QUARTER, (end - start) // QUARTER
            bands.append(np.array(stem.forward()[:, :, first : first + count]))
        network.setInput(np.concatenate(bands, axis=2))
        outputs = np.array(network.forward(), dtype=np.float32)[0]
    if light.size > MOST_KEPT:
        _network.cache_clear()
    return cells_of(outputs)


@dataclass(frozen=True, slots=True, eq=False)
class _Shown:
    """What the network is given of a top view: colours, and how far each place seems to move where it rises.

    Rows and columns go on, mirrored, to a multiple of WHOLE.
    """

    light: FloatImage
    row_of: IntArray  # of `light`
    column_of: IntArray
    across: FloatArray  # (2, columns): how far a place seems to move for each mm that it rises, as a sum
    along: FloatArray  # (2, rows)

    @staticmethod
    def of(light: FloatImage, top: TopView, view: TableView) -> _Shown:
        """The whole top view, whose `contrast` is given."""
        rows, columns = light.shape[:2]
        row_of, column_of = (np.pad(np.arange(size), (0, -size % WHOLE), "reflect") for size in (rows, columns))
        across, along = _leaning(top, view, rows, columns)
        return _Shown(light, row_of, column_of, across[:, column_of], along[:, row_of])

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.row_of)

    def band(self, start: int, end: int) -> FloatImage:
        """Some of its rows (1, 5, rows, columns)."""
        band = np.empty((1, 5, end - start, len(self.column_of)), dtype=np.float32)
        right = band.shape[3] - self.light.shape[1]
        colours = cv2.copyMakeBorder(self.light[self.row_of[start:end]], 0, 0, 0, right, cv2.BORDER_REFLECT_101)
        for plane, colour in zip(band[0, :3], cv2.split(colours), strict=True):
            plane[:] = colour
        np.add(self.across[:, None, :], self.along[:, start:end, None], out=band[0, 3:], casting="same_kind")
        return band


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
def _network(name: str) -> cv2.dnn.Net:
    stored = files("vision.rims").joinpath(name).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(stored, dtype=np.uint8))
