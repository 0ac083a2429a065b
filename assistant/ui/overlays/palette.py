"""Which colour an ink is. Owners, and free from blocked from too close, stay apart for eyes that lack red or green."""

from __future__ import annotations

from typing import Final

from PyQt6.QtGui import QColor

from assistant.ui.design import HALO, INKS, PLATE_GROUND, PLATE_INK
from assistant.ui.overlays.model import Ink

CASING: Final = QColor(*HALO)
PLATE: Final = QColor(*PLATE_GROUND)
PLATE_TEXT: Final = QColor(PLATE_INK)


def colour(ink: Ink, alpha: float = 1.0) -> QColor:
    """The colour of an ink, with an opacity of 0 to 1."""
    chosen = QColor(INKS[ink])
    chosen.setAlphaF(alpha)
    return chosen
