"""What the kinds of tokens look like, in the colours of print (0 to 1, BGR)."""

from __future__ import annotations

import numpy as np

from vision.arrays import FloatImage

KINDS = ("activation", "damage", "empowerment", "wound")
VIVID = ("activation", "damage", "empowerment")  # yellow, red and blue; a wound is black with a white sign


def grounds_of(printed: FloatImage) -> dict[str, FloatImage]:
    """How much each pixel looks like the ground of each kind of token, 0 to 1."""
    blue, green, red = (printed[:, :, channel] for channel in range(3))
    low, high = printed.min(axis=2), printed.max(axis=2)
    vivid = high - low + np.float32(1e-3)
    return {
        "activation": ramp(np.minimum(red, green) - blue, 0.22, 0.38)
        * ramp(green / (red + 1e-3), 0.6, 0.72)
        * ramp(red / (green + 1e-3), 0.85, 0.95),
        "damage": ramp(red - np.maximum(green, blue), 0.18, 0.34)
        * ramp((np.maximum(green, blue) - low) / vivid, 0.5, 0.3),
        "empowerment": ramp(blue - np.maximum(red, green), 0.15, 0.3)
        * ramp((np.maximum(red, green) - low) / vivid, 0.55, 0.4),
        "wound": black_like(printed),
    }


def white_like(printed: FloatImage) -> FloatImage:
    low, high = printed.min(axis=2), printed.max(axis=2)
    return ramp(low, 0.4, 0.55) * ramp(high - low, 0.3, 0.18)


def black_like(printed: FloatImage) -> FloatImage:
    return ramp(printed.max(axis=2), 0.38, 0.24)


def ramp(values: FloatImage, start: float, end: float) -> FloatImage:
    """0 at start, 1 at end, straight between (downwards when end is the lower)."""
    return np.asarray(np.clip((values - start) / (end - start), 0, 1), dtype=np.float32)
