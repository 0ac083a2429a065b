"""Aids for games with figures: coloured rings for round bases, and cards for rectangular stands with their front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.kit_sheet import FOOT_MM, GRAY, MARGIN_MM, PALE, TOP_MM, new_page
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
_GAP_MM = 3.0
_RING_LINES = (
    "For games with figures on round bases. Glue a ring onto the base's upper edge (or paint the edge in this",
    "colour, 3 mm wide). One colour for each unit: its models are known by it.",
)
_CARD_LINES = (
    "For regiments on rectangular stands. Glue a card onto each stand before its figures; the side with two",
    "bands and full corners is the front. One colour for each regiment.",
)
_NAME_LETTERS = 14  # of a unit's name that fit into the smallest ring


@dataclass(frozen=True, slots=True)
class Aids:
    """Rings or cards that are alike: a ring's diameter or a card's width and depth, colour, how many, and for whom."""

    size_mm: tuple[float, ...]
    colour: str
    count: int
    unit: str = ""

    @property
    def is_ring(self) -> bool:
        """Whether these are rings."""
        return len(self.size_mm) == 1


def one_of_each(rings_mm: Sequence[float], cards_mm: Sequence[tuple[float, float]]) -> tuple[Aids, ...]:
    """A ring and a card of each size in each colour."""
    sizes = [*((size,) for size in rings_mm), *cards_mm]
    return tuple(Aids(size, colour, 1) for size in sizes for colour in RIM_COLOURS)


def aid_pages(aids: Sequence[Aids], paper: str) -> list[Page]:
    """All rings, then all cards, those of one size together, on as many pages as they need."""
    rings, cards = ([each for each in aids if each.is_ring is wanted] for wanted in (True, False))
    return [*_filled(rings, paper, "Base rings", _RING_LINES), *_filled(cards, paper, "Stand cards", _CARD_LINES)]


def _filled(aids: Sequence[Aids], paper: str, title: str, lines: Sequence[str]) -> list[Page]:
    """Pages filled row by row; a size begins a row of its own."""
    pages: list[Page] = []
    x = y = 0.0
    size: tuple[float, ...] = ()
    for each in sorted(aids, key=lambda each: each.size_mm):
        width, depth = each.size_mm[0], each.size_mm[-1]
        for _ in range(each.count):
            if pages and (each.size_mm != size or x + width > pages[-1].width_mm - MARGIN_MM):
                x, y = MARGIN_MM, y + size[-1] + _GAP_MM
            if not pages or y + depth > pages[-1].height_mm - FOOT_MM:
                pages.append(new_page(paper, title, lines))
                x, y = MARGIN_MM, TOP_MM
            size = each.size_mm
            _ring(pages[-1], x, y, each) if each.is_ring else _card(pages[-1], x, y, each)
            x += width + _GAP_MM
    return pages


def _ring(page: Page, x: float, y: float, ring: Aids) -> None:
    (diameter,) = ring.size_mm
    middle = (x + diameter / 2, y + diameter / 2)
    page.circle(*middle, diameter, RIM_COLOURS[ring.colour])
    page.circle(*middle, diameter - 2 * RING_MM, WHITE)
    page.text(middle[0], middle[1], f"{diameter:g} mm", 2.4, PALE, align="middle")
    page.text(middle[0], middle[1] + 3.2, (ring.unit or ring.colour)[:_NAME_LETTERS], 2.2, GRAY, align="middle")


def _card(page: Page, x: float, y: float, card: Aids) -> None:
    width, depth = card.size_mm
    stand_card(page, x, y, width, depth, RIM_COLOURS[card.colour])
    page.text(x + width / 2, y + depth / 2 + 4.0, (card.unit or card.colour)[:30], 2.4, GRAY, align="middle")


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
