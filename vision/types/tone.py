"""How a picture renders printed colours, measured on the white and black of the corner cards."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.kit import nominal_token_centres_mm
from calibration.view import TableView

_INSIDE_MM = 26.0  # half the side that is sampled: hand-placed cards are some millimetres off
_GRID = np.stack(np.meshgrid(*[np.linspace(-_INSIDE_MM, _INSIDE_MM, 27)] * 2), axis=-1).reshape(-1, 2)
PAPER, _INK = 0.9, 0.06  # how bright the print's white and black are, of full white
_LEAST_CONTRAST = 0.15


@dataclass(frozen=True, slots=True, eq=False)
class Tone:
    """How the picture renders printed colours: seen = gain * printed + offset, per channel (BGR).

    A single disk may stray from it: shade darkens it, glare lifts it and takes its contrast, all channels alike.
    """

    gain: FloatArray
    offset: FloatArray
    gain_range: tuple[float, float]  # of the logarithm of a disk's own brightness against the picture's
    offset_range: tuple[float, float]
    gain_slack: float  # how far a single channel may stray from what the others say
    offset_slack: float


# The tone of a picture that already has the colours of print, such as art.
PRINT = Tone(np.ones(3), np.zeros(3), (-1.0, 0.6), (-0.12, 0.5), 0.3, 0.12)


def picture_tone(bgr: ByteImage, view: TableView) -> Tone:
    """The tone from the corner cards or, without them, from the lightest and darkest of the picture."""
    tone = card_tone(bgr, view)
    if tone is not None:
        return tone
    sample = bgr[::8, ::8].reshape(-1, 3)
    white, black = np.percentile(sample, 98, axis=0) / 255, np.percentile(sample, 1, axis=0) / 255
    gain = np.clip((white - black) / (PAPER - _INK), 0.3, 1.2)
    return Tone(gain, np.clip(black, 0, 0.3), (-1.2, 0.8), (-0.2, 0.6), 0.4, 0.15)


def card_tone(bgr: ByteImage, view: TableView) -> Tone | None:
    """The tone from the corner cards in sight; None when there is no such card."""
    centres = nominal_token_centres_mm(view.width_mm, view.depth_mm)
    pairs = []
    for token in view.calibration.tokens:
        samples = _samples(bgr, view, centres[token]) if token < len(centres) else None
        if samples is not None:
            white, black = np.percentile(samples, 90, axis=0), np.percentile(samples, 6, axis=0)
            if float((white - black).min()) > _LEAST_CONTRAST:
                pairs.append((white, black))
    if not pairs:
        return None
    white, black = np.median(np.array(pairs), axis=0)
    gain = (white - black) / (PAPER - _INK)
    return Tone(gain, black - _INK * gain, (-1.0, 0.6), (-0.12, 0.5), 0.3, 0.12)


def _samples(bgr: ByteImage, view: TableView, centre: FloatArray) -> FloatArray | None:
    """Colours (N, 3) on a card, 0 to 1; None when it is not wholly in the picture."""
    pixels = view.board_to_image(_GRID + centre).astype(np.float32)
    height, width = bgr.shape[:2]
    if (pixels < 0).any() or (pixels[:, 0] > width - 1).any() or (pixels[:, 1] > height - 1).any():
        return None
    colours = cv2.remap(bgr, pixels[:, None, 0], pixels[:, None, 1], cv2.INTER_LINEAR)
    return np.asarray(colours.reshape(-1, 3), dtype=np.float64) / 255
