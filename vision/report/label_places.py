"""Where texts may stand in a picture: beside what they tell of, over no other text and over as few pieces as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.arrays import FloatArray

Box = tuple[float, float, float, float]  # left, top, right, bottom
_DIRECTIONS = 16
_RINGS = 14
_TEXT_COST, _PIECE_COST = 100.0, 8.0  # of covering a whole text, of covering as much of pieces as the text is large


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a text tells of: a spot of this radius, in pixels, and the text's size."""

    x: float
    y: float
    radius: float
    width: float
    height: float


def label_boxes(anchors: Sequence[Anchor], width: int, height: int, taken: Sequence[Box] = ()) -> list[Box]:
    """A box for each text inside the picture, in the anchors' order; those in the thickest crowds choose first."""
    spots = np.array([[a.x - a.radius, a.y - a.radius, a.x + a.radius, a.y + a.radius] for a in anchors]).reshape(-1, 4)
    crowd = [float(_shared(_box_at(a, a.x, a.y), spots).sum()) for a in anchors]
    placed: dict[int, Box] = {}
    for number in sorted(range(len(anchors)), key=lambda i: -crowd[i]):
        others = np.array([*taken, *placed.values()]).reshape(-1, 4)
        placed[number] = _best(anchors[number], spots, others, width, height)
    return [placed[number] for number in range(len(anchors))]


def _best(anchor: Anchor, spots: FloatArray, texts: FloatArray, width: int, height: int) -> Box:
    best, least = _box_at(anchor, anchor.x, anchor.y), np.inf
    area = anchor.width * anchor.height
    for ring in range(_RINGS):
        gap = anchor.height * (0.9 + 0.9 * ring)
        if ring * 0.15 >= least:
            break
        for step in range(_DIRECTIONS):
            angle = 2 * np.pi * (step + 0.5 * (ring % 2)) / _DIRECTIONS - np.pi / 2
            x = anchor.x + np.cos(angle) * (anchor.radius + gap + anchor.width / 2)
            y = anchor.y + np.sin(angle) * (anchor.radius + gap)
            x = float(np.clip(x, anchor.width / 2, width - anchor.width / 2))
            y = float(np.clip(y, anchor.height / 2, height - anchor.height / 2))
            box = _box_at(anchor, x, y)
            cost = _TEXT_COST * float(_shared(box, texts).sum()) / area
            cost += _PIECE_COST * float(_shared(box, spots).sum()) / area + 0.15 * ring
            if cost < least:
                best, least = box, cost
    return best


def _box_at(anchor: Anchor, x: float, y: float) -> Box:
    half_width, half_height = anchor.width / 2, anchor.height / 2
    return (x - half_width, y - half_height, x + half_width, y + half_height)


def _shared(box: Box, others: FloatArray) -> FloatArray:
    """The area that a box shares with each of the others (N, 4)."""
    wide = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    high = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    return np.asarray(np.maximum(wide, 0) * np.maximum(high, 0), dtype=np.float64)
