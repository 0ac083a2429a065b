"""The pages to play with: blank disks with owner rims, tokens and terrain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from calibration.kit_sheet import MARGIN_MM, PALE, PAPERS_MM, TOP_MM, new_page
from calibration.pdf import BLACK, WHITE, Colour, Page, Point

OWNER_COLOURS: dict[str, Colour] = {"order": (0.91, 0.72, 0.11), "destruction": (0.36, 0.14, 0.51)}
RIM_MM = 2.0
_TOKENS_EACH = 16
_YELLOW: Colour = (0.97, 0.82, 0.12)
_RED: Colour = (0.80, 0.08, 0.10)
_BLUE: Colour = (0.13, 0.33, 0.80)
_DARK: Colour = (0.08, 0.08, 0.08)
_GAP_MM = 4.0


def disks_page(owner: str, paper: str) -> Page:
    """Blank disks of one owner in the three sizes."""
    return _disks_page(owner, paper, [(76.2, 2), (50.8, 3), (38.1, 8)])


def disk_pages(owner: str, counts: Mapping[float, int], paper: str) -> list[Page]:
    """As many blank disks of each size as an army needs, on as many pages."""
    wide, high = PAPERS_MM[paper]
    pages: list[list[tuple[float, int]]] = [[]]
    left = high - TOP_MM - MARGIN_MM
    for diameter, count in sorted(counts.items(), reverse=True):
        fitting = max(1, int((wide - 2 * MARGIN_MM + _GAP_MM) // (diameter + _GAP_MM)))
        for start in range(0, count, fitting):
            if diameter + _GAP_MM > left and pages[-1]:
                pages.append([])
                left = high - TOP_MM - MARGIN_MM
            pages[-1].append((diameter, min(fitting, count - start)))
            left -= diameter + _GAP_MM
    return [_disks_page(owner, paper, rows) for rows in pages if rows]


def _disks_page(owner: str, paper: str, rows: Sequence[tuple[float, int]]) -> Page:
    page = new_page(
        paper,
        f"Blank disks: {owner}",
        (
            "Print, glue to 2 mm cardboard and cut along the outside of the coloured rim. Your own art goes inside it.",
            "Then photograph each disk from above and enrol it: pinpoint enrol PICTURES -o roster.json",
        ),
    )
    colours = list(OWNER_COLOURS.values())
    rim = OWNER_COLOURS.get(owner) or colours[sum(map(ord, owner)) % len(colours)]
    _rows(page, TOP_MM - 6, rows, rim)
    return page


def _rows(page: Page, top: float, rows: Sequence[tuple[float, int]], rim: Colour) -> float:
    """Rows of ringed disks as wide as the paper allows, a row that does not fit goes on below; where they end."""
    y = top
    for diameter, count in rows:
        fitting = int((page.width_mm - 2 * MARGIN_MM + _GAP_MM) // (diameter + _GAP_MM))
        for start in range(0, count, fitting):
            here = min(fitting, count - start)
            left = (page.width_mm - here * diameter - (here - 1) * _GAP_MM) / 2
            for k in range(here):
                ring(page, left + diameter / 2 + k * (diameter + _GAP_MM), y + diameter / 2, diameter, rim)
            y += diameter + _GAP_MM
    return y


def ring(page: Page, x: float, y: float, diameter: float, rim: Colour) -> None:
    """A disk's rim, its size written faintly inside."""
    page.circle(x, y, diameter, rim)
    page.circle(x, y, diameter - 2 * RIM_MM, WHITE)
    page.text(x, y + 1.0, f"{diameter:g} mm", 2.8, PALE, align="middle")


def tokens_page(paper: str) -> Page:
    """Activation, damage, wound and empowerment tokens, told apart by colour, shape and letter."""
    page = new_page(
        paper,
        "Tokens",
        (
            "Print on card and cut out. Yellow: activation. Red: damage. Black: wound. Blue: empowerment.",
            "Lay them on a disk so that they do not cover its rim.",
        ),
    )
    size, step = 17.0, 22.0
    y = TOP_MM + 12.0
    for name, draw in (("activation", _activation), ("damage", _damage), ("wound", _wound), ("empowerment", _empower)):
        page.text(MARGIN_MM, y - size / 2 - 2.5, name, 3.4, bold=True)
        for index in range(_TOKENS_EACH):
            column, row = index % 8, index // 8
            draw(page, MARGIN_MM + size / 2 + column * step, y + row * step, size)
        y += 2 * step + 9.0
    return page


def _letter(page: Page, x: float, y: float, size: float, letter: str, colour: Colour) -> None:
    page.text(x, y + size * 0.21, letter, size * 0.58, colour, bold=True, align="middle")


def _activation(page: Page, x: float, y: float, size: float) -> None:
    page.circle(x, y, size, _YELLOW)
    _letter(page, x, y, size, "A", _DARK)


def _damage(page: Page, x: float, y: float, size: float) -> None:
    _framed_square(page, x, y, size, _RED)
    _letter(page, x, y, size, "1", WHITE)


def _wound(page: Page, x: float, y: float, size: float) -> None:
    _framed_square(page, x, y, size, _DARK)
    _letter(page, x, y, size, "W", WHITE)


def _framed_square(page: Page, x: float, y: float, size: float, colour: Colour) -> None:
    side = size * 0.94
    page.rect(x - side / 2, y - side / 2, side, side, colour)
    inset = side - 1.8
    page.rect(x - inset / 2, y - inset / 2, inset, inset, None, WHITE, 0.5)


def _empower(page: Page, x: float, y: float, size: float) -> None:
    turns = (math.radians(22.5 + 45 * k) for k in range(8))
    page.polygon([(x + size / 2 * math.cos(turn), y + size / 2 * math.sin(turn)) for turn in turns], _BLUE)
    _letter(page, x, y, size, "E", _DARK)


def terrain_page(paper: str) -> Page:
    """Flat terrain pieces to cut out."""
    page = new_page(
        paper,
        "Terrain",
        (
            "Print, glue to card, cut along the outline and paint over if you like: the shape is what the camera sees.",
            "Enter what a piece does (cover, rough, blocks sight …) when you set up the table.",
        ),
    )
    middle = page.width_mm / 2
    _terrain(page, middle - 46, TOP_MM + 52, 82.0, 88.0, 5, (0.62, 0.58, 0.50), "hill")
    _terrain(page, middle + 46, TOP_MM + 52, 84.0, 80.0, 7, (0.35, 0.55, 0.30), "forest")
    _terrain(page, middle - 46, TOP_MM + 160, 84.0, 92.0, 6, (0.30, 0.52, 0.70), "lake")
    _terrain(page, middle + 46, TOP_MM + 160, 80.0, 94.0, 9, (0.55, 0.50, 0.40), "ruin")
    return page


def _terrain(
    page: Page, x: float, y: float, width: float, height: float, lobes: int, colour: Colour, name: str
) -> None:
    points: list[Point] = []
    for step in range(120):
        angle = 2 * math.pi * step / 120
        radius = 0.46 + 0.035 * math.sin(lobes * angle) + 0.025 * math.sin((lobes - 2) * angle + lobes)
        points.append((x + width * radius * math.cos(angle), y + height * radius * math.sin(angle)))
    page.polygon(points, colour, BLACK, 0.3)
    inner = [(x + (px - x) * 0.9, y + (py - y) * 0.9) for px, py in points]
    page.polygon(inner, None, WHITE, 0.4, 2.0)
    page.text(x, y + 1.5, name, 5.0, WHITE, bold=True, align="middle")
