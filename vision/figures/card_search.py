"""Where stands with the kit's cards may be: patches of ink are turned upright, and cards are sought in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

import cv2
import numpy as np

from calibration.kit_trays import BAND_MM, FRONT_MM, INSET_MM
from vision.figures.card_fit import CardGuess
from vision.figures.kit_colours import Colours, card_ink
from vision.figures.options import FIGURES
from vision.types.arrays import FloatImage
from vision.types.top_view import TopView

LEAST_EXTENT = 0.7  # of a card's side that a patch of ink of it has


def card_guesses(top: TopView, colours: Colours, sizes_mm: Sequence[tuple[float, float]]) -> Iterator[CardGuess]:
    """Where stands of a colour may be: each patch of ink is turned upright, and cards are looked for in it."""
    card = card_ink(top.bgr, round(FIGURES.card_white_mm * top.px_per_mm))
    for name in colours.names:
        ink = card.of(name, colours.of(name))
        for box, patch in _patches(ink, top.px_per_mm, min(min(size) for size in sizes_mm)):
            sizes = [size for size in dict.fromkeys(sizes_mm) if _enough(patch, size, top.px_per_mm)]
            turn = _skew_deg(patch) if sizes else 0.0
            for size in sizes:
                yield from _best(list(_cards(patch, turn, size, name, top, box)))


def _enough(patch: FloatImage, size: tuple[float, float], px_per_mm: float) -> bool:
    """Whether a patch is as large as a card and has as much ink as must be seen of its band."""
    rows, columns = np.nonzero(patch > FIGURES.least_ink)
    if not len(rows) or math.hypot(np.ptp(rows), np.ptp(columns)) < LEAST_EXTENT * max(size) * px_per_mm:
        return False
    band = BAND_MM * 2 * sum(size) * px_per_mm**2
    return float(patch.sum()) >= FIGURES.least_agreeing * FIGURES.least_ink * band


def _best(guesses: list[CardGuess]) -> Iterator[CardGuess]:
    """Of guesses about the same place the two best."""
    kept: list[CardGuess] = []
    for guess in sorted(guesses, key=lambda guess: -guess.score):
        apart = min(guess.width_mm, guess.depth_mm) / 3
        near = [other for other in kept if math.hypot(other.x_mm - guess.x_mm, other.y_mm - guess.y_mm) < apart]
        if len(near) < 2 and all(guess.score > 0.6 * other.score for other in near):
            kept.append(guess)
    yield from kept[: FIGURES.most_guesses]


def _patches(ink: FloatImage, px_per_mm: float, least_mm: float) -> Iterator[tuple[tuple[int, int], FloatImage]]:
    """The joined areas of ink large enough for a stand: their corner in the picture, and the ink of each alone."""
    near = np.ones((round(FIGURES.joined_mm * px_per_mm) | 1,) * 2, np.uint8)
    wide = np.ones((round(FIGURES.broken_mm * px_per_mm) | 1,) * 2, np.uint8)
    joined = cv2.morphologyEx((ink > FIGURES.least_ink).astype(np.uint8), cv2.MORPH_CLOSE, wide)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined)
    margin = round(15 * px_per_mm)
    for label in range(1, count):
        left, upper, width, height = (int(value) for value in stats[label, :4])
        if max(width, height) < LEAST_EXTENT * least_mm * px_per_mm:
            continue
        x0, y0 = max(0, left - margin), max(0, upper - margin)
        x1, y1 = min(ink.shape[1], left + width + margin), min(ink.shape[0], upper + height + margin)
        around = cv2.dilate((labels[y0:y1, x0:x1] == label).astype(np.uint8), near)
        yield (x0, y0), np.asarray(ink[y0:y1, x0:x1] * around, dtype=np.float32)


def _skew_deg(patch: FloatImage) -> float:
    """The turn, 0 to 90 degrees, in which the ink lies in the fewest rows and columns: along the bands."""
    rows, columns = np.nonzero(patch > FIGURES.least_ink)
    if len(rows) < 20:
        return 0.0
    few = slice(None, None, 1 + len(rows) // FIGURES.skew_points)
    points = np.stack([columns[few], rows[few]], axis=1).astype(np.float64)
    weights = patch[rows[few], columns[few]]

    def sharpness(turn_deg: float) -> float:
        angle = math.radians(turn_deg)
        along = points @ np.array([math.cos(angle), math.sin(angle)])
        across = points @ np.array([-math.sin(angle), math.cos(angle)])
        total = 0.0
        for line in (along, across):
            filled = np.bincount(np.round(line - line.min()).astype(int), weights)
            total += float((filled**2).sum())
        return total

    best = max(np.arange(0.0, 90.0, 2.0), key=sharpness)
    for step in (0.5, 0.1):
        best = max(np.arange(best - 4 * step, best + 4.01 * step, step), key=sharpness)
    return float(best) % 90.0


def _cards(
    patch: FloatImage, turn_deg: float, size: tuple[float, float], name: str, top: TopView, box: tuple[int, int]
) -> Iterator[CardGuess]:
    """Peaks of a card's pattern in a patch, in the four ways it may face."""
    height, width = patch.shape
    reach = math.ceil(math.hypot(width, height)) + 4
    matrix = np.asarray(cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, 1.0), dtype=np.float64)
    matrix[:, 2] += (reach - width) / 2, (reach - height) / 2
    upright = cv2.warpAffine(patch, matrix, (reach, reach))
    left, upper, wide, high = cv2.boundingRect((upright > 0.0).astype(np.uint8))  # a card's middle is inside
    upright = upright[upper : upper + high, left : left + wide]
    back = cv2.invertAffineTransform(matrix)
    for quarter in range(4):
        kernel = np.rot90(_card_kernel(size[0] * top.px_per_mm, size[1] * top.px_per_mm, top.px_per_mm), -quarter)
        score = cv2.filter2D(upright, cv2.CV_32F, np.ascontiguousarray(kernel), borderType=cv2.BORDER_CONSTANT)
        peaks = (score > FIGURES.least_card) & (score >= cv2.dilate(score, np.ones((15, 15), np.uint8)))
        rows, columns = np.nonzero(peaks)
        spots = np.column_stack([columns + left, rows + upper, np.ones(len(rows))]) @ back.T + np.array(box)
        for (x, y), value in zip(top.to_board(spots).tolist(), score[rows, columns].tolist(), strict=True):
            yield CardGuess(float(x), float(y), (90.0 * quarter + turn_deg) % 360, *size, name, float(value))


@cache
def _card_kernel(width_px: float, depth_px: float, px_per_mm: float) -> FloatImage:
    """A card facing up: ink on its bands, none between them and inside."""
    half_w, half_d = math.ceil(width_px / 2), math.ceil(depth_px / 2)
    y, x = np.mgrid[-half_d : half_d + 1, -half_w : half_w + 1].astype(np.float64)
    front = (depth_px / 2 + y) / px_per_mm
    edge = np.minimum.reduce([(width_px / 2 - np.abs(x)) / px_per_mm, front, (depth_px / 2 - y) / px_per_mm])
    inner = INSET_MM + BAND_MM
    band = (edge >= INSET_MM) & (edge <= inner)
    second = (front >= FRONT_MM) & (front <= FRONT_MM + BAND_MM) & (edge > inner)
    blank = (edge > inner + 1.0) & (edge <= inner + 1.0 + BAND_MM) & ~second & (front > FRONT_MM + BAND_MM + 1.0)
    kernel = 0.7 * band / band.sum() + 0.3 * second / second.sum() - 0.6 * blank / blank.sum()
    return np.asarray(kernel, dtype=np.float32)
