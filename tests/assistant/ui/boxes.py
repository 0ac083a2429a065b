"""Rectangles of texts on the screen."""

from __future__ import annotations

from assistant.ui.overlays.labels import Box


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes share any area."""
    across = a.left < b.left + b.width and b.left < a.left + a.width
    return across and a.top < b.top + b.height and b.top < a.top + a.height
