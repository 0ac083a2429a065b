"""Which colour an ink is. Owners, and free from blocked from too close, stay apart for eyes that lack red or green."""

from __future__ import annotations

from typing import Final

from PyQt6.QtGui import QColor

from assistant.ui.overlays.model import Ink

CASING: Final = QColor(8, 12, 18, 170)  # under every line, so that it stands out on a light mat too
PLATE: Final = QColor(12, 16, 22, 225)  # behind every text
PLATE_TEXT: Final = QColor(250, 250, 250)

_HEX: Final = {
    Ink.OWNER_1: "#5ab8ff",
    Ink.OWNER_2: "#ffa62b",
    Ink.OWNER_3: "#ff3d94",
    Ink.OWNER_4: "#a6fff4",
    Ink.NEUTRAL: "#d7dde4",
    Ink.MEASURE: "#ffffff",
    Ink.FREE: "#35e0a1",
    Ink.BLOCKED: "#ff5e45",
    Ink.CLOSE: "#ffe45c",
    Ink.PIN: "#ffffff",
    Ink.ENGAGEMENT: "#ff7ab8",
    Ink.REACH: "#7fe3ff",
    Ink.CONTROL: "#b9a3ff",
    Ink.VIOLATION: "#ffe45c",
    Ink.NOTE: "#d7dde4",
    Ink.TERRAIN: "#c9f27b",
    Ink.ZONE: "#b9c7d6",
    Ink.BAND: "#cfe8ff",
    Ink.SELECTED: "#ffffff",
    Ink.GHOST: "#ffffff",
}


def colour(ink: Ink, alpha: float = 1.0) -> QColor:
    """The colour of an ink, with an opacity of 0 to 1."""
    chosen = QColor(_HEX[ink])
    chosen.setAlphaF(alpha)
    return chosen
