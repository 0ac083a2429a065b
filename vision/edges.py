"""Colours and colour edges of a top view, in units of what the table's own texture and noise do."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from scipy.ndimage import gaussian_filter

from calibration.arrays import FloatArray
from vision.arrays import FloatImage
from vision.topview import TopView

SMOOTH_MM = 0.7  # hides pixel noise and the weave of cloth, keeps a printed border apart from the card's edge
COLOUR_BINS = 16
NOISE_FLOOR = 0.4  # grey levels per pixel: changes below are JPEG and quantisation
CALM_SHARE = 0.85  # of the picture is taken for table


@dataclass(frozen=True, slots=True, eq=False)
class EdgeField:
    """A smoothed top view in the table's own units.

    `signal[..., 0:3]` are the colours, scaled so that the table's texture changes by about one unit per pixel in every
    colour direction; `signal[..., 3]` tells how common a pixel's colour is: 0 the most common, -3.3 foreign to the
    table. `tensor[..., 0:3]` are the sums over the scaled colours of gx², gy² and gx gy.
    """

    top: TopView
    signal: FloatImage
    tensor: FloatImage
    whiten: FloatImage  # (3, 3): BGR to the scaled colours


def edge_field(top: TopView) -> EdgeField:
    """The colours and colour edges of a top view."""
    colours = cv2.GaussianBlur(top.bgr, (0, 0), SMOOTH_MM * top.px_per_mm).astype(np.float32)
    gx = cv2.Scharr(colours, cv2.CV_32F, 1, 0, scale=1 / 32)
    gy = cv2.Scharr(colours, cv2.CV_32F, 0, 1, scale=1 / 32)
    sample = np.vstack([gx[::3, ::3].reshape(-1, 3), gy[::3, ::3].reshape(-1, 3)])
    whiten = _whitening(sample.astype(np.float64))
    gx, gy = cv2.transform(gx, whiten), cv2.transform(gy, whiten)
    ones = np.ones((1, 3), dtype=np.float32)
    tensor = np.dstack(
        [
            cv2.transform(gx * gx, ones),
            cv2.transform(gy * gy, ones),
            cv2.transform(gx * gy, ones),
        ]
    )
    signal = np.dstack([cv2.transform(colours, whiten), commonness(colours)])
    return EdgeField(
        top,
        np.asarray(signal, dtype=np.float32),
        np.asarray(tensor, dtype=np.float32),
        whiten,
    )


def _whitening(gradients: FloatArray) -> FloatImage:
    """The colour transform (3, 3) under which the gradients of the table's texture are alike in every colour direction.

    Wood and cloth vary from dark to bright; a printed border that differs in hue alone then stands out of them.
    """
    size = (gradients**2).sum(axis=1)
    calm = gradients[size <= np.quantile(size, CALM_SHARE)]
    covariance = calm.T @ calm / len(calm) + NOISE_FLOOR**2 * np.eye(3)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T, dtype=np.float32)


def commonness(colours: FloatImage) -> FloatImage:
    """For each pixel a third of the log of how frequent its colour is in the picture, 0 for the most frequent.

    Most of what a battlefield shows is its table, so what is rare here is a piece, and what is common is table.
    """
    bins = (colours * (COLOUR_BINS / 256)).astype(np.intp)
    index = (bins[..., 0] * COLOUR_BINS + bins[..., 1]) * COLOUR_BINS + bins[..., 2]
    counts = np.bincount(index[::2, ::2].ravel(), minlength=COLOUR_BINS**3).astype(np.float64)
    smooth = gaussian_filter(counts.reshape((COLOUR_BINS,) * 3), 0.8).ravel()
    density = np.log(smooth / smooth.sum() + 1e-6)
    table = (np.clip(density - density.max(), -10, 0) / 3).astype(np.float32)
    return np.asarray(table[index], dtype=np.float32)
