"""Printed cloths: edges that repeat at equal steps in two directions belong to the cloth, not to a piece."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import FloatArray
from vision.round_pieces.options import ROUND
from vision.types.arrays import FloatImage

_FARTHEST = 3  # steps of a lattice by which its basis is fitted
_CANDIDATES = 12  # steps with the clearest repetition, of which two span a lattice
_CLEAR = 0.9  # share of places that show less of an edge than clear ones
_SOME, _MOST = 0.3, 0.7  # shares of the neighbours of a place
_NEIGHBOURS = ((1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1))


def lattice_of(edges: FloatImage) -> FloatArray | None:
    """The two shortest steps (2, 2) px, as x and y, by which edges (H, W, 4: xx, xy, yy, mean around) repeat."""
    strength = edges[..., 0] + edges[..., 2]
    likeness = _likeness(strength / (strength + edges[..., 3] + np.float32(1)))
    rows, columns = likeness.shape
    # Local maxima in the half of the steps that are not the negatives of others.
    top = likeness >= np.asarray(cv2.dilate(likeness, np.ones((5, 5), np.uint8)))
    y, x = np.nonzero(top & (likeness > ROUND.lattice_least))
    steps = np.column_stack([x - columns // 2, y - rows // 2]).astype(np.float64)
    length = np.hypot(steps[:, 0], steps[:, 1])
    ahead = (steps[:, 0] > 0) | ((steps[:, 0] == 0) & (steps[:, 1] > 0))
    near = ahead & (length > ROUND.lattice_px) & (2 * length < min(edges.shape[:2]))
    clearest = np.flatnonzero(near)[np.argsort(-likeness[y[near], x[near]], kind="stable")[:_CANDIDATES]]
    found = []
    for first in clearest:
        for second in clearest:
            basis = np.array([steps[first], steps[second]])
            if first < second and abs(np.linalg.det(basis)) > 0.5 * length[first] * length[second]:
                found.append(_fitted(likeness, basis))
    fits = [fit for fit in found if fit is not None and fit[1] > 2 * ROUND.lattice_least]
    if not fits:
        return None
    # A multiple of the steps fits as well as they do.
    best = max(mean for _, mean in fits)
    good = [basis for basis, mean in fits if mean > ROUND.lattice_share * best]
    return min(good, key=lambda basis: abs(float(np.linalg.det(basis))))


def _likeness(values: FloatImage) -> FloatImage:
    """Correlation of a picture with itself at every step; the middle is the step of 0."""
    rows, columns = values.shape
    shape = cv2.getOptimalDFTSize(2 * rows), cv2.getOptimalDFTSize(2 * columns)
    apart = values - values.mean()
    one = np.fft.rfft2(apart, shape)
    ones = np.fft.rfft2(np.ones((rows, columns), np.float32), shape)
    product = np.fft.fftshift(np.fft.irfft2(one * one.conj(), shape))
    places = np.fft.fftshift(np.fft.irfft2(ones * ones.conj(), shape))
    middle = shape[0] // 2, shape[1] // 2
    part = (
        slice(middle[0] - rows // 2, middle[0] + rows // 2 + 1),
        slice(middle[1] - columns // 2, middle[1] + columns // 2 + 1),
    )
    mean = product[part] / np.maximum(places[part], 1)
    return np.asarray(mean / max(float(apart.var()), 1e-9), dtype=np.float32)


def _fitted(likeness: FloatImage, basis: FloatArray) -> tuple[FloatArray, float] | None:
    """A basis moved to the maxima at ever farther steps, with their mean; None where many are no maxima."""
    rows, columns = likeness.shape
    middle = np.array([columns // 2, rows // 2])
    mean = 0.0
    for reach in range(1, _FARTHEST + 1):
        counts = np.array([(i, j) for i in range(reach + 1) for j in range(-reach, reach + 1) if (i, j) > (0, 0)])
        # Steps by which most of the picture leaves itself tell little.
        counts = counts[(np.abs(counts @ basis) < middle).all(axis=1)]
        found = [_maximum(likeness, middle + at) for at in counts @ basis]
        kept = np.array([place is not None for place in found])
        if kept.sum() < max(len(kept) / 2, 2):
            return (basis, mean) if reach == _FARTHEST else None
        places = np.array([place for place in found if place is not None])
        basis = np.asarray(np.linalg.lstsq(counts[kept], places - middle, rcond=None)[0], dtype=np.float64)
        at = np.clip(np.rint(middle + counts @ basis), 0, 2 * middle).astype(np.intp)
        mean = float(likeness[at[:, 1], at[:, 0]].mean())
    return basis, mean


def _maximum(likeness: FloatImage, place: FloatArray) -> FloatArray | None:
    """The maximum near a place (x, y), if there is one."""
    x, y = (round(float(at)) for at in place)
    rows, columns = likeness.shape
    if not (3 <= x < columns - 3 and 3 <= y < rows - 3):
        return None
    part = likeness[y - 3 : y + 4, x - 3 : x + 4]
    row, column = divmod(int(part.argmax()), 7)
    if part.max() < 0.5 * ROUND.lattice_least or not (0 < row < 6 and 0 < column < 6):
        return None
    left, here, right = part[row, column - 1 : column + 2]
    above, _, below = part[row - 1 : row + 2, column]
    shift_x = 0.5 * (left - right) / min(left - 2 * here + right, -1e-6)
    shift_y = 0.5 * (above - below) / min(above - 2 * here + below, -1e-6)
    return np.array([x - 3 + column + shift_x, y - 3 + row + shift_y])


def repeated(edges: FloatImage, basis: FloatArray) -> FloatImage:
    """The share (H, W) of each edge that is the cloth's: such edges are where the cloth repeats."""
    rows, columns = edges.shape[0] // 2, edges.shape[1] // 2
    small = np.asarray(cv2.resize(edges[..., :3], (columns, rows), interpolation=cv2.INTER_AREA), dtype=np.float32)
    weights = np.array([1, 2, 1], np.float32)
    square = (small**2) @ weights
    alike, there = np.zeros((rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    for count in _NEIGHBOURS:
        step = np.array(count) @ basis / 2
        move = np.array([[1, 0, step[0]], [0, 1, step[1]]])
        other = cv2.warpAffine(small, move, (columns, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
        seen = cv2.warpAffine(np.ones((rows, columns), np.float32), move, (columns, rows), flags=cv2.WARP_INVERSE_MAP)
        both = 2 * ((small * other) @ weights) / (square + (np.asarray(other) ** 2) @ weights + np.float32(1e-3))
        there += seen
        alike += (both > ROUND.repeat_alike) * seen
    share = alike / np.maximum(there, 1)
    # Pieces laid in rows by hand repeat too, but not exactly: few of their edges show at most of the places.
    clear = (there > 2) & (square > np.quantile(square, _CLEAR))
    at_most, at_some = (clear & (share > _MOST)).sum(), (clear & (share > _SOME)).sum()
    if at_most < ROUND.repeat_exact * at_some:
        return np.zeros(edges.shape[:2], np.float32)
    enough = ((share >= ROUND.repeat_share) & (alike > 1)).astype(np.float32)
    return np.asarray(cv2.resize(enough, (edges.shape[1], edges.shape[0])), dtype=np.float32)
