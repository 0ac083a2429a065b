"""Aids for games with figures: coloured rings for round bases, and cards for rectangular stands with their front."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.kit_sheet import GRAY, MARGIN_MM, PALE, TOP_MM, new_page
from calibration.pdf import WHITE, Colour, Page

# One colour for each unit: hues as far apart as six can be, all strong enough to be told from a mat.
RIM_COLOURS: dict[str, Colour] = {
    "red": (0.84, 0.10, 0.14),
    "orange": (0.95, 0.55, 0.08),
    "green": (0.16, 0.62, 0.22),
    "teal": (0.05, 0.62, 0.66),
    "blue": (0.12, 0.30, 0.82),
    "magenta": (0.78, 0.16, 0.66),
}
RING_MM = 3.0  # width of a base's ring, its outer edge is the base's
BAND_MM = 3.0  # width of a stand card's band
INSET_MM = 1.5  # white between a stand's edge and its band, so that the bands of touching stands stay apart
FRONT_MM = 6.0  # where the second band begins that marks the front
CORNER_MM = 8.0  # the front's corners are full, the rear's blank: slot bases do not hide them
RING_PAGES_MM = ((30.0, 30.0, 40.0), (25.0, 32.0, 50.0))  # the sizes on a page each
STAND_MM = (60.0, 60.0)
STAND_COLOURS = (("red", "orange", "green"), ("teal", "blue", "magenta"))  # a page each
_GAP_MM = 4.0


def rings_page(sizes_mm: tuple[float, ...], paper: str) -> Page:
    """Rings for round bases of those sizes, each in every colour."""
    page = new_page(
        paper,
        "Base rings",
        (
            "For games with figures on round bases. Glue a ring onto the base's upper edge (or paint the edge in this",
            "colour, 3 mm wide). One colour for each unit: its models are known by it.",
        ),
    )
    x, y = MARGIN_MM, TOP_MM
    for diameter in sizes_mm:
        for name, colour in RIM_COLOURS.items():
            if x + diameter > page.width_mm - MARGIN_MM:
                x, y = MARGIN_MM, y + diameter + _GAP_MM
            middle = (x + diameter / 2, y + diameter / 2)
            page.circle(*middle, diameter, colour)
            page.circle(*middle, diameter - 2 * RING_MM, WHITE)
            page.text(middle[0], middle[1], f"{diameter:g} mm", 2.4, PALE, align="middle")
            page.text(middle[0], middle[1] + 3.2, name, 2.4, GRAY, align="middle")
            x += diameter + _GAP_MM
        x, y = MARGIN_MM, y + diameter + _GAP_MM
    return page


def stands_page(names: tuple[str, ...], paper: str) -> Page:
    """Cards for stands of 60 x 60 mm, a row of each named colour; the double band is the front."""
    page = new_page(
        paper,
        "Stand cards",
        (
            "For regiments on rectangular stands. Glue a card onto each stand before its figures; the side with two",
            "bands and full corners is the front. One colour for each regiment.",
        ),
    )
    for row, name in enumerate(names):
        for column in range(3):
            x, y = MARGIN_MM + column * (STAND_MM[0] + 1.0), TOP_MM + row * (STAND_MM[1] + _GAP_MM)
            stand_card(page, x, y, *STAND_MM, RIM_COLOURS[name])
    return page


def stand_card(page: Page, x: float, y: float, width: float, depth: float, colour: Colour) -> None:
    """One card, its front at the top: a band around it, full front corners and blank rear ones, a second band ahead."""
    page.rect(x, y, width, depth, WHITE, PALE, 0.15)
    page.rect(x + INSET_MM, y + INSET_MM, width - 2 * INSET_MM, depth - 2 * INSET_MM, colour)
    inner = INSET_MM + BAND_MM
    page.rect(x + inner, y + inner, width - 2 * inner, depth - 2 * inner, WHITE)
    page.rect(x + inner, y + FRONT_MM, width - 2 * inner, BAND_MM, colour)
    for left in (x, x + width - CORNER_MM):
        page.rect(left, y, CORNER_MM, CORNER_MM, colour)
        page.rect(left, y + depth - CORNER_MM, CORNER_MM, CORNER_MM, WHITE)
    page.rect(x, y, width, depth, None, PALE, 0.15)
    page.text(x + width / 2, y + depth / 2, f"{width:g} x {depth:g} mm", 3.0, PALE, align="middle")


def inked(across_mm: FloatArray, ahead_mm: FloatArray, width_mm: float, depth_mm: float) -> NDArray[np.bool_]:
    """Where a stand's card is printed, at offsets to the right and forward of its middle."""
    front, rear = depth_mm / 2 - ahead_mm, depth_mm / 2 + ahead_mm
    side = width_mm / 2 - np.abs(across_mm)
    edge = np.minimum(side, np.minimum(front, rear))
    band = (edge >= INSET_MM) & (edge < INSET_MM + BAND_MM)
    second = (front >= FRONT_MM) & (front < FRONT_MM + BAND_MM) & (edge >= INSET_MM + BAND_MM)
    full, blank = (side < CORNER_MM) & (front < CORNER_MM), (side < CORNER_MM) & (rear < CORNER_MM)
    return np.asarray((band | second | full) & ~blank)
