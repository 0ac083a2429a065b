"""The picture along an outline, unrolled: one row a place, across it from inside to outside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.figures.outline import Outline, Pose
from vision.types.arrays import FloatImage

STEP_MM = 0.5
REACH_MM = 13.0  # how far to each side of where it is expected an outline is looked for
OFFSETS_MM = np.arange(-REACH_MM, REACH_MM + STEP_MM / 2, STEP_MM)
WRAP = 8  # rows of an outline's other end that are shown before its first and after its last place
CHANNELS = 6
DARK = 16.0  # grey levels: noise makes what is darker as good as black


def strip(bgr: ByteImage, view: TableView, outline: Outline, pose: Pose) -> FloatImage:
    """(CHANNELS, N + 2 WRAP, across): colour against that of the whole strip, lean, scale and how far out."""
    places = outline.places_mm(pose)
    spots = places[:, None, :] + OFFSETS_MM[None, :, None] * outline.outward[:, None, :]
    pixels = view.board_to_image(spots.reshape(-1, 2)).astype(np.float32).reshape(*spots.shape)
    x0, y0 = np.floor(pixels.min(axis=(0, 1))).astype(int) - 2
    x1, y1 = np.ceil(pixels.max(axis=(0, 1))).astype(int) + 3
    x0, y0 = int(np.clip(x0, 0, bgr.shape[1] - 2)), int(np.clip(y0, 0, bgr.shape[0] - 2))
    x1, y1 = int(np.clip(x1, x0 + 2, bgr.shape[1])), int(np.clip(y1, y0 + 2, bgr.shape[0]))
    patch = np.log(bgr[y0:y1, x0:x1].astype(np.float32) + np.float32(DARK))
    colour = cv2.remap(
        patch, pixels[..., 0] - x0, pixels[..., 1] - y0, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    colour = colour - np.median(colour, axis=(0, 1))
    # Light and dark, and two differences of colours.
    light = colour.mean(axis=2)
    scale = float(view.px_per_mm(np.array([[pose.x_mm, pose.y_mm]]))[0])
    planes = np.empty((CHANNELS, *light.shape), np.float32)
    planes[0] = 2 * light
    planes[1] = 3 * (colour[..., 2] - colour[..., 1])
    planes[2] = 3 * ((colour[..., 2] + colour[..., 1]) / 2 - colour[..., 0])
    planes[3] = outline.lean[:, None]
    planes[4] = np.log(scale)
    planes[5] = (OFFSETS_MM / REACH_MM)[None, :]
    rows = np.arange(-WRAP, len(places) + WRAP) % len(places)
    return planes[:, rows]


def joined(strips: Sequence[FloatImage]) -> tuple[FloatImage, list[slice]]:
    """Strips one under the other, to be shown at once, and which rows are whose."""
    starts = np.cumsum([0, *(each.shape[1] for each in strips)])
    parts = [slice(int(a) + WRAP, int(b) - WRAP) for a, b in pairwise(starts)]
    return np.concatenate(strips, axis=1), parts
