"""What the kinds of tokens look like, in the colours of print (0 to 1, BGR)."""

from __future__ import annotations

import cv2
import numpy as np

from vision.types.arrays import FloatImage

VIVID = ("activation", "damage", "empowerment")  # yellow, red and blue; a wound is black with a white glyph


def grounds_of(printed: FloatImage) -> dict[str, FloatImage]:
    """How much each pixel looks like the ground of each kind of token, 0 to 1."""
    blue, green, red = planes(printed)
    low, high = np.minimum(np.minimum(blue, green), red), np.maximum(np.maximum(blue, green), red)
    warm, mild, cold = np.minimum(red, green), np.maximum(green, blue), np.maximum(red, green)
    vivid = high - low + np.float32(1e-3)
    paleness_red = np.asarray((mild - low) / vivid, dtype=np.float32)
    paleness_blue = np.asarray((cold - low) / vivid, dtype=np.float32)
    return {
        "activation": ramp(warm - blue, 0.22, 0.38)
        * ramp(green / (red + np.float32(1e-3)), 0.6, 0.72)
        * ramp(red / (green + np.float32(1e-3)), 0.85, 0.95),
        "damage": ramp(red - mild, 0.18, 0.34) * ramp(paleness_red, 0.5, 0.3),
        "empowerment": ramp(blue - cold, 0.15, 0.3) * ramp(paleness_blue, 0.55, 0.4),
        "wound": ramp(high, 0.38, 0.24),
    }


def white_like(printed: FloatImage) -> FloatImage:
    """How much each pixel looks like the white of a glyph, 0 to 1."""
    blue, green, red = planes(printed)
    low, high = np.minimum(np.minimum(blue, green), red), np.maximum(np.maximum(blue, green), red)
    return ramp(low, 0.4, 0.55) * ramp(high - low, 0.3, 0.18)


def ramp(values: FloatImage, start: float, end: float) -> FloatImage:
    """0 at start, 1 at end, straight between (downwards when end is the lower)."""
    scale = np.float32(1 / (end - start))
    risen = (values - np.float32(start)) * scale
    return np.asarray(np.minimum(np.maximum(risen, np.float32(0)), np.float32(1)), dtype=np.float32)


def planes(image: FloatImage) -> tuple[FloatImage, FloatImage, FloatImage]:
    """The three channels as pictures of their own, which numpy reckons with several times faster."""
    blue, green, red = (np.asarray(channel, dtype=np.float32) for channel in cv2.split(image))
    return blue, green, red
