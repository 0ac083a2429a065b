"""What of a table's top view is the bare table, and what lies on it: by colour alone, without any reference."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from vision.terrain.options import TERRAIN
from vision.types.arrays import BoolArray, FloatImage, IntArray


def foreign_by_colour(flat: Sequence[FloatImage], free: BoolArray, by_hue: bool = False) -> FloatImage:
    """0 where a colour occurs all over the table, 1 where it occurs in few places only.

    A plain, grained or chequered table shows its few colours everywhere; a piece of terrain brings colours of its own
    to one place. `flat` is the table's `flat_lab`, `free` is False where disks lie. With `by_hue` lightness counts
    less: clouds of light and dark on a cloth, which a piece may lie on, are then the cloth's own.
    """
    return _rare(flat, TERRAIN.hue_bin if by_hue else TERRAIN.bin, free)


def foreign_by_pattern(flat: Sequence[FloatImage], free: BoolArray) -> FloatImage:
    """The same by mean colours over some millimetres and how much they vary there, where that is less than usual.

    On a patterned table a piece may have only colours that occur everywhere, but it takes the pattern away.
    """
    square = np.asarray(sum(plane * plane for plane in flat), dtype=np.float32)
    *means, squares = means_of_free([*flat, square], free, TERRAIN.pattern_mm)
    spread = np.maximum(squares - sum(mean * mean for mean in means), 0.0)
    contrast = np.asarray(0.5 * np.log(spread + 1.0), dtype=np.float32)
    calm = contrast < float(np.median(contrast[free] if free.any() else contrast)) - TERRAIN.pattern_bin[-1]
    return np.asarray(_rare([*means, contrast], TERRAIN.pattern_bin, free) * calm, dtype=np.float32)


def means_of_free(planes: Sequence[FloatImage], free: BoolArray, sigma_mm: float) -> list[FloatImage]:
    """The weighted means around each point of what lies free."""
    sigma = sigma_mm * TERRAIN.fine_px_per_mm
    mass = np.maximum(cv2.GaussianBlur(free.astype(np.float32), (0, 0), sigma), 0.02)
    return [np.asarray(cv2.GaussianBlur(plane * free, (0, 0), sigma) / mass, dtype=np.float32) for plane in planes]


def flat_lab(top: ByteImage, free: BoolArray) -> list[FloatImage]:
    """L, a and b of a top view without the slow changes of its light."""
    lab = cv2.cvtColor(cv2.GaussianBlur(top, (0, 0), 1.0).astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    return _flattened(np.asarray(lab, dtype=np.float32), free)


def _rare(planes: Sequence[FloatImage], widths: Sequence[float], free: BoolArray) -> FloatImage:
    """1 where the values occur in few of the field's cells only."""
    classes, shape = _classes(planes, widths)
    cells = _cells(free.shape)
    bins = math.prod(shape)
    counts = np.bincount(cells[free] * bins + classes[free], minlength=TERRAIN.cells**2 * bins).astype(np.float32)
    table = counts.reshape(TERRAIN.cells**2, bins)
    seen = table.sum(axis=1)
    asked = seen > TERRAIN.least_cell * free.size / TERRAIN.cells**2
    if not asked.any():
        return np.zeros(free.shape, np.float32)
    shares = _spread_to_neighbours(table[asked] / seen[asked, None], shape)
    present = (shares > 0.25 * shares.mean(axis=0) + 1e-5).mean(axis=0)
    low, high = TERRAIN.widespread
    return np.asarray(1 - np.clip((present[classes] - low) / (high - low), 0, 1), dtype=np.float32)


def foreign_by_difference(top: ByteImage, bare: ByteImage, free: BoolArray) -> FloatImage:
    """0 where the top view is as that of the bare table, 1 where it is another colour, whatever the light does."""
    now, before = (cv2.GaussianBlur(image, (0, 0), 1.2).astype(np.float32) for image in (top, bare))
    ratio = np.median((now[free] + 4) / (before[free] + 4), axis=0) if free.any() else np.ones(3)
    change = np.abs(now - before * ratio).max(axis=2)
    noise = float(np.median(change[free])) if free.any() else 1.0
    return np.asarray(np.clip((change - 12 - 2 * noise) / 12, 0, 1), dtype=np.float32)


def _flattened(lab: FloatImage, free: BoolArray) -> list[FloatImage]:
    """L, a and b less the light's slow changes over the picture: a curved surface laid through most of its pixels."""
    rows, columns = lab.shape[:2]
    x, y = ((np.arange(size) / size - 0.5).astype(np.float32) for size in (columns, rows))
    sample = np.flatnonzero(free.ravel())[::37]
    at_x, at_y = x[sample % columns].astype(np.float64), y[sample // columns].astype(np.float64)
    known = np.column_stack([np.ones(len(sample)), at_x, at_y, at_x * at_x, at_x * at_y, at_y * at_y])
    values = lab.reshape(-1, 3)[sample].astype(np.float64)
    planes = [np.asarray(plane, dtype=np.float32) for plane in cv2.split(lab)]
    for channel, plane in enumerate(planes):
        trust = np.ones(len(sample))
        surface: FloatArray = np.zeros(6)
        for _ in range(5):
            weighted = known * trust[:, None]
            normal = weighted.T @ known + 1e-6 * np.eye(6)
            surface = np.asarray(np.linalg.solve(normal, weighted.T @ values[:, channel]), dtype=np.float64)
            miss = np.abs(values[:, channel] - known @ surface)
            trust = 1 / (1 + (miss / (3 * float(np.median(miss)) + 1e-3)) ** 2)
        level, by_x, by_y, by_xx, by_xy, by_yy = surface.astype(np.float32)
        plane -= (level + by_y * y + by_yy * y * y)[:, None] + (by_x * x + by_xx * x * x)
        plane -= (by_xy * y)[:, None] * x
    return planes


def _classes(planes: Sequence[FloatImage], widths: Sequence[float]) -> tuple[IntArray, tuple[int, ...]]:
    """The number of each pixel's class, and how many classes of each plane there are, with empty ones around."""
    number, shape = np.zeros(planes[0].shape, np.intp), []
    for plane, width in zip(planes, widths, strict=True):
        step = np.clip(np.rint(plane * np.float32(1 / width)), -TERRAIN.most_steps, TERRAIN.most_steps).astype(np.intp)
        least = int(step.min()) - 1
        shape.append(int(step.max()) + 2 - least)
        number = number * shape[-1] + (step - least)
    return number, tuple(shape)


def _cells(shape: tuple[int, ...]) -> IntArray:
    rows, columns = (np.minimum(np.arange(size) * TERRAIN.cells // size, TERRAIN.cells - 1) for size in shape)
    return np.asarray(rows[:, None] * TERRAIN.cells + columns[None, :], dtype=np.intp)


def _spread_to_neighbours(shares: FloatImage, shape: tuple[int, ...]) -> FloatImage:
    """Counts a colour also a little for the classes next to its own, for noise knows no classes."""
    cube: FloatImage = shares.reshape(-1, *shape)
    for axis in range(1, 1 + len(shape)):
        cube = np.asarray((np.roll(cube, 1, axis) + 2 * cube + np.roll(cube, -1, axis)) / 4, dtype=np.float32)
    return cube.reshape(shares.shape)
