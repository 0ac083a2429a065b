"""Printed patterns: equal circles with equal print at equal distances are no pieces."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.round_pieces.circles import Circles
from vision.round_pieces.options import ROUND
from vision.types.arrays import BoolArray

_STEPS = 12  # shortest steps between circles that may span a lattice
_ORIGINS = 6
_PATCH = 24  # px: side of the patch by which prints are compared


def printed(bgr: ByteImage, view: TableView, circles: Circles, height_mm: float) -> BoolArray:
    """Which circles (N,) belong to a printed pattern."""
    count = len(circles.radii)
    marked = np.zeros(count, dtype=bool)
    if count < ROUND.pattern_least:
        return marked
    alike = _alike(_patches(bgr, view, circles, height_mm))
    ratio = np.abs(np.log(circles.radii[:, None] / circles.radii[None]))
    same = (ratio < ROUND.pattern_off) & (alike > ROUND.pattern_alike)
    step = circles.centres[:, None] - circles.centres[None]
    for index in np.flatnonzero(same.sum(axis=1) >= ROUND.pattern_least).tolist():
        group = np.flatnonzero(same[index])
        near = group[np.argsort(np.hypot(*step[group, index].T), kind="stable")[1:5]]
        tolerance = ROUND.pattern_off * circles.radii[index]
        # A pattern repeats: from a circle the steps to its nearest likes lead on to further ones.
        repeats = 0
        for other in near.tolist():
            ahead = circles.centres[other] + step[other, index]
            back = circles.centres[index] - step[other, index]
            for place in (ahead, back):
                repeats += bool((np.hypot(*(circles.centres[group] - place).T) < tolerance).any())
        marked[index] = repeats >= 3
    for index in range(count):
        group = np.flatnonzero((ratio[index] < ROUND.pattern_off) & ~marked)
        if len(group) >= ROUND.pattern_least:
            marked[group] |= _on_lattice(circles.centres[group], ROUND.pattern_off * circles.radii[index])
    if marked.sum() < ROUND.pattern_least:
        return np.zeros(count, dtype=bool)
    return _completed(circles, marked, step, ratio)


def _on_lattice(centres: FloatArray, tolerance: float) -> BoolArray:
    """Which centres (N, 2) lie on one lattice; none where fewer than a share of them do, as by chance."""
    step = centres[:, None] - centres[None]
    half_plane = (step[..., 0] > 0) | ((step[..., 0] == 0) & (step[..., 1] > 0))
    steps = step[half_plane]
    steps = steps[np.argsort(np.hypot(steps[:, 0], steps[:, 1]), kind="stable")[:_STEPS]]
    best = np.zeros(len(centres), dtype=bool)
    for first in range(len(steps)):
        for second in range(first):
            basis = steps[[first, second]]
            if abs(np.linalg.det(basis)) < 0.5 * np.prod(np.linalg.norm(basis, axis=1)):
                continue
            for origin in centres[:: max(1, len(centres) // _ORIGINS)]:
                on = _sites(centres - origin, basis, tolerance)
                best = on if on.sum() > best.sum() else best
    enough = max(ROUND.pattern_least, ROUND.pattern_share * len(centres))
    return best if best.sum() >= enough else np.zeros(len(centres), dtype=bool)


def _sites(away: FloatArray, basis: FloatArray, tolerance: float) -> BoolArray:
    """Which points are whole steps of a basis away, which is fitted to ever farther ones."""
    on = np.zeros(len(away), dtype=bool)
    for reach in (2.5, 5.0, np.inf):
        whole = np.rint(away @ np.linalg.inv(basis))
        gap = away - whole @ basis
        on = (np.hypot(gap[:, 0], gap[:, 1]) < tolerance) & (np.abs(whole).max(axis=1) <= reach)
        if on.sum() < 4 or np.linalg.matrix_rank(whole[on]) < 2:
            break
        basis = np.asarray(np.linalg.lstsq(whole[on], away[on], rcond=None)[0], dtype=np.float64)
        if abs(np.linalg.det(basis)) < 1e-6:
            break
    return on


def _completed(circles: Circles, marked: BoolArray, step: FloatArray, ratio: FloatArray) -> BoolArray:
    """With the circles that continue a pattern by one step, whatever covers a part of them."""
    members = np.flatnonzero(marked)
    away = np.hypot(step[..., 0], step[..., 1])
    apart = away[np.ix_(members, members)] + np.where(np.eye(len(members), dtype=bool), np.inf, 0)
    shortest = float(np.median(apart.min(axis=1)))
    rows, columns = np.nonzero(apart < 1.5 * shortest)
    steps = step[members[rows], members[columns]]
    found = marked.copy()
    for index in np.flatnonzero(~marked).tolist():
        near = members[(away[index, members] < 2 * shortest) & (ratio[index, members] < ROUND.pattern_reach)]
        gap = step[index, near][:, None] - steps[None]
        found[index] = bool((np.hypot(gap[..., 0], gap[..., 1]) < ROUND.pattern_reach * circles.radii[index]).any())
    return found


def _patches(bgr: ByteImage, view: TableView, circles: Circles, height_mm: float) -> FloatArray:
    """Grey patches (N, _PATCH²) of the circles and a little around, each with mean 0 and length 1."""
    line = (np.arange(_PATCH) + 0.5) / _PATCH * 2.2 - 1.1
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    board = circles.centres[:, None] + circles.radii[:, None, None] * grid
    pixels = view.board_to_image(board.reshape(-1, 2), height_mm).astype(np.float32)
    pixels = pixels.reshape(len(circles.radii), -1, 2)
    gray = cv2.GaussianBlur(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    seen = cv2.remap(gray, pixels[..., 0], pixels[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    patches = np.asarray(seen, dtype=np.float64)
    patches -= patches.mean(axis=1, keepdims=True)
    return np.asarray(patches / np.maximum(np.linalg.norm(patches, axis=1, keepdims=True), 1e-6), dtype=np.float64)


def _alike(patches: FloatArray) -> FloatArray:
    """Correlation (N, N) of the patches."""
    return np.asarray(patches @ patches.T, dtype=np.float64)
