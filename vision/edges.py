"""Colours and colour edges of a top view, in units of what the table's own texture and noise do."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from scipy.ndimage import gaussian_filter

from calibration.arrays import ByteImage
from vision.arrays import FloatImage
from vision.topview import TopView

SMOOTH_MM = 0.7  # hides pixel noise and the weave of cloth, keeps a printed border apart from the card's edge
COLOUR_BITS = 4
COLOUR_BINS = 2**COLOUR_BITS
NOISE_FLOOR = 0.4  # grey levels per pixel: changes below are JPEG and quantisation
SAMPLED = 3  # every third row and column tells enough of the texture
CALM_SHARE = 0.85  # of the picture is taken for table


@dataclass(frozen=True, slots=True, eq=False)
class EdgeField:
    """A smoothed top view in the table's own units.

    `signal[..., 0:3]` are the colours, scaled so that the table's texture changes by about one unit per pixel in every
    colour direction; `signal[..., 3]` tells how common a pixel's colour is: 0 the most common, -3.3 foreign to the
    table.
    """

    top: TopView
    signal: FloatImage
    whiten: FloatImage  # (3, 3): BGR to the scaled colours


def edge_field(top: TopView) -> EdgeField:
    """The colours and colour edges of a top view."""
    smooth = np.asarray(cv2.GaussianBlur(top.bgr, (0, 0), SMOOTH_MM * top.px_per_mm), dtype=np.uint8)
    whiten = _whitening(_sampled_changes(smooth))
    signal = np.empty((*smooth.shape[:2], 4), dtype=np.float32)
    colours = cv2.transform(smooth.astype(np.float32), whiten)
    cv2.mixChannels([colours, commonness(smooth)], [signal], [0, 0, 1, 1, 2, 2, 3, 3])
    return EdgeField(top, signal, whiten)


def _sampled_changes(colours: ByteImage) -> FloatImage:
    """Changes per pixel (N, 3) along x and along y, at places all over the picture."""
    gradients = [cv2.Scharr(colours, cv2.CV_16S, dx, 1 - dx)[::SAMPLED, ::SAMPLED] for dx in (1, 0)]
    return np.concatenate([gradient.reshape(-1, 3) for gradient in gradients]).astype(np.float32) / np.float32(32)


def _whitening(gradients: FloatImage) -> FloatImage:
    """The colour transform (3, 3) under which the gradients of the table's texture are alike in every colour direction.

    Wood and cloth vary from dark to bright; a printed border that differs in hue alone then stands out of them.
    """
    size = np.einsum("ij,ij->i", gradients, gradients)
    most = int(CALM_SHARE * (len(size) - 1))
    calm = gradients[size <= np.partition(size, most)[most]].astype(np.float64)
    covariance = calm.T @ calm / len(calm) + NOISE_FLOOR**2 * np.eye(3)
    values, vectors = np.linalg.eigh(covariance)
    return np.asarray((vectors / np.sqrt(values)) @ vectors.T, dtype=np.float32)


def commonness(colours: ByteImage) -> FloatImage:
    """For each pixel a third of the log of how frequent its colour is in the picture, 0 for the most frequent.

    Most of what a battlefield shows is its table, so what is rare here is a piece, and what is common is table.
    """
    bins = colours.astype(np.uint16) >> 8 - COLOUR_BITS
    index = (bins[..., 0] << 2 * COLOUR_BITS) + (bins[..., 1] << COLOUR_BITS) + bins[..., 2]
    counts = np.bincount(index[::2, ::2].ravel(), minlength=COLOUR_BINS**3).astype(np.float64)
    smooth = gaussian_filter(counts.reshape((COLOUR_BINS,) * 3), 0.8).ravel()
    density = np.log(smooth / smooth.sum() + 1e-6)
    table = (np.clip(density - density.max(), -10, 0) / 3).astype(np.float32)
    return np.asarray(table[index], dtype=np.float32)
