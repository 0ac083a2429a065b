"""The reliability diagram as a picture: stated certainty against the share that was right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage
from vision.camera.stills import write_picture

SIDE, EDGE = 480, 60
INK, GRID, MARK = (40, 40, 40), (205, 205, 205), (180, 110, 20)


def draw_reliability(bins: Sequence[tuple[float, float, float, float, int]], target: Path) -> None:
    """Draws bins of (low, high, mean stated, share right, count); points on the diagonal are calibrated."""
    canvas = np.full((SIDE + 2 * EDGE, SIDE + 2 * EDGE, 3), 255, np.uint8)
    for step in range(6):
        value = 0.5 + step / 10
        x, y = _at(value, value)
        cv2.line(canvas, (x, EDGE), (x, EDGE + SIDE), GRID, 1)
        cv2.line(canvas, (EDGE, y), (EDGE + SIDE, y), GRID, 1)
        cv2.putText(
            canvas, f"{value:.1f}", (x - 12, EDGE + SIDE + 20), cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA
        )
        _text(canvas, f"{value:.1f}", (EDGE - 34, y + 5))
    cv2.line(canvas, _at(0.5, 0.5), _at(1.0, 1.0), INK, 1, cv2.LINE_AA)
    for _, _, stated, right, count in bins:
        radius = 3 + round(2 * np.log10(max(count, 1)))
        place = _at(stated, max(right, 0.5))
        cv2.circle(canvas, place, radius, MARK, -1, cv2.LINE_AA)
        cv2.putText(
            canvas,
            str(count),
            (place[0] + radius + 3, place[1] + 12),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.4,
            INK,
            1,
            cv2.LINE_AA,
        )
    cv2.putText(
        canvas,
        "stated certainty",
        (EDGE + SIDE // 2 - 60, EDGE + SIDE + 45),
        cv2.FONT_HERSHEY_SIMPLEX,
        0.5,
        INK,
        1,
        cv2.LINE_AA,
    )
    cv2.putText(
        canvas, "share right (number of calls)", (EDGE, EDGE - 20), cv2.FONT_HERSHEY_SIMPLEX, 0.5, INK, 1, cv2.LINE_AA
    )
    write_picture(target, canvas)


def _text(canvas: ByteImage, text: str, place: tuple[int, int]) -> None:
    cv2.putText(canvas, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.45, INK, 1, cv2.LINE_AA)


def _at(x: float, y: float) -> tuple[int, int]:
    return EDGE + round((x - 0.5) * 2 * SIDE), EDGE + SIDE - round((y - 0.5) * 2 * SIDE)
