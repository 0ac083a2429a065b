"""The colours of a top view, in units of what the table's own texture and noise do."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.arrays import ByteImage, FloatArray
from vision.rims.options import RIMS
from vision.types.arrays import FloatImage
from vision.types.top_view import TopView

COLOUR_BINS = 2**RIMS.colour_bits


@dataclass(frozen=True, slots=True, eq=False)
class EdgeField:
    """A smoothed top view, and what its colours come to in the table's own units."""

    top: TopView
    smooth: FloatImage  # BGR
    whiten: FloatImage  # (3, 3): BGR to colours of which the table's texture changes all by about one unit per pixel
    common: FloatImage  # how common the colours of each bin are: 0 the most common, -3.3 foreign to the table

    def signal(self, colours: FloatImage) -> tuple[FloatImage, FloatImage]:
        """Colours (H, W, 3) of the top view in the table's units, and how common each of them is (H, W)."""
        scaled = np.asarray(cv2.transform(colours, self.whiten), dtype=np.float32)
        return scaled, self.common[_colour_bins(colours.astype(np.uint8))]


def edge_field(top: TopView) -> EdgeField:
    """The colours of a top view in the table's own units."""
    smooth = np.asarray(cv2.GaussianBlur(top.bgr, (0, 0), RIMS.edges_smooth_mm * top.px_per_mm), dtype=np.uint8)
    common = commonness(smooth[:: RIMS.every, :: RIMS.every])
    return EdgeField(top, smooth.astype(np.float32), _whitening(_sampled_changes(smooth)), common)


def _sampled_changes(colours: ByteImage) -> FloatImage:
    """Changes per pixel (N, 3) along x and along y, at places all over the picture."""
    rows = np.arange(1, len(colours) - 1, 2 * RIMS.every)
    threes = colours[np.column_stack([rows - 1, rows, rows + 1]).ravel()]  # each row between its neighbours
    gradients = [cv2.Scharr(threes, cv2.CV_16S, dx, 1 - dx)[1::3, :: RIMS.every] for dx in (1, 0)]
    return np.concatenate([gradient.reshape(-1, 3) for gradient in gradients]).astype(np.float32) / np.float32(32)


def _whitening(gradients: FloatImage) -> FloatImage:
    """The colour transform (3, 3) under which the gradients of the table's texture are alike in every colour direction.

    Wood and cloth vary from dark to bright; a printed border that differs in hue alone then stands out of them.
    """
    size = np.einsum("ij,ij->i", gradients, gradients)
    most = int(RIMS.calm_share * (len(size) - 1))
    calm = gradients[size <= np.partition(size, most)[most]].astype(np.float64)
    covariance = calm.T @ calm / len(calm) + RIMS.noise_floor**2 * np.eye(3)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T, dtype=np.float32)


def commonness(colours: ByteImage) -> FloatImage:
    """For each of the colour bins a third of the log of how frequent it is in a picture, 0 for the most frequent.

    Most of what a battlefield shows is its table, so what is rare here is a piece, and what is common is table.
    """
    counts = np.bincount(_colour_bins(colours).ravel(), minlength=COLOUR_BINS**3).astype(np.float64)
    cube = counts.reshape((COLOUR_BINS,) * 3)
    for _ in range(3):  # along one colour after the other
        cube = np.tensordot(cube, NEIGHBOURING_BINS, axes=(0, 0))
    density = np.log(cube.ravel() / cube.sum() + 1e-6)
    return np.asarray(np.clip(density - density.max(), -10, 0) / 3, dtype=np.float32)


def _colour_bins(colours: ByteImage) -> NDArray[np.uint16]:
    """The number of the bin that each pixel's colour falls into."""
    blue, green, red = cv2.split(colours >> 8 - RIMS.colour_bits)
    blue, green = (channel.astype(np.uint16) for channel in (blue, green))
    return np.asarray((blue << 2 * RIMS.colour_bits) + (green << RIMS.colour_bits) + red, dtype=np.uint16)


def _neighbouring_bins() -> FloatArray:
    """How much of what is counted in each bin of a colour (row) belongs to each other (column)."""
    bins = np.arange(COLOUR_BINS)
    # What would be carried over the ends of the scale comes back.
    sources = (bins, -1 - bins, 2 * COLOUR_BINS - 1 - bins)
    share = sum(np.exp(-0.5 * ((source[:, None] - bins) / RIMS.bin_sigma) ** 2) for source in sources)
    return np.asarray(share / np.sum(share, axis=1, keepdims=True), dtype=np.float64)


NEIGHBOURING_BINS = _neighbouring_bins()
