"""The first page of the kit: how to begin, in four drawings."""

from __future__ import annotations

from calibration.kit import TOKEN_IDS, marker_cells
from calibration.kit_sheet import GRAY, MARGIN_MM, PALE, TOP_MM, Place, marker_squares, new_page
from calibration.pdf import BLACK, WHITE, Colour, Page

_BOX_MM = (90.0, 104.0)
_CLOTH: Colour = (0.80, 0.86, 0.80)
_BLUE: Colour = (0.10, 0.42, 0.72)
_ORANGE: Colour = (0.93, 0.55, 0.10)


def quick_start_page(paper: str) -> Page:
    """Four steps from paper to play."""
    page = new_page(
        paper,
        "Quick start",
        (
            "Ten minutes from this paper to the first call. You need this kit, a webcam or a phone, and something to",
            "hold it above the table.",
        ),
    )
    across = (page.width_mm - 2 * MARGIN_MM - 2 * _BOX_MM[0]) + _BOX_MM[0]
    steps = (
        ("1  Print and cut", ("Print at 100 %, cut out the four", "tokens and the range ruler."), _cut),
        ("2  Lay the tokens", ("One at each corner of the field,", "names upright, the black corner inwards."), _lay),
        ("3  Put the camera up", ("It must see all four tokens.", "The steeper, the better."), _camera),
        ("4  Play", ("Start pinpoint, choose your game,", "press Play and follow the checklist."), _play),
    )
    for index, (title, lines, draw) in enumerate(steps):
        x = MARGIN_MM + (index % 2) * across
        y = TOP_MM + 4.0 + (index // 2) * (_BOX_MM[1] + 6.0)
        page.rect(x, y, *_BOX_MM, None, PALE, 0.3)
        page.text(x + 4.0, y + 8.0, title, 5.0, bold=True)
        for row, line in enumerate(lines):
            page.text(x + 4.0, y + 14.5 + 4.6 * row, line, 3.4, GRAY)
        draw(page, x + _BOX_MM[0] / 2, y + 62.0)
    return page


def _token(page: Page, token: int, x: float, y: float, side: float) -> None:
    page.rect(x - side / 2, y - side / 2, side, side, WHITE, GRAY, 0.15)
    marker_squares(page, marker_cells(token), side * 2 / 3, Place(x, y))


def _cut(page: Page, x: float, y: float) -> None:
    page.rect(x - 26, y - 33, 52, 68, WHITE, BLACK, 0.3)
    for index, token in enumerate(TOKEN_IDS):
        dx, dy = ((-11, -17), (11, -17), (11, 9), (-11, 9))[index]
        page.rect(x + dx - 9, y + dy - 9, 18, 18, None, GRAY, 0.2)
        _token(page, token, x + dx, y + dy, 15.0)
    page.line((x + 24, y + 34), (x + 8, y + 22), BLACK, 0.6)  # scissors
    page.line((x + 28, y + 24), (x + 8, y + 22), BLACK, 0.6)
    page.circle(x + 27, y + 36, 7, BLACK)
    page.circle(x + 27, y + 36, 4.4, WHITE)
    page.circle(x + 31, y + 23, 7, BLACK)
    page.circle(x + 31, y + 23, 4.4, WHITE)


def _lay(page: Page, x: float, y: float) -> None:
    page.rect(x - 24, y - 24, 48, 48, _CLOTH, BLACK, 0.3)
    for token, (dx, dy) in zip(TOKEN_IDS, ((-1, -1), (1, -1), (1, 1), (-1, 1)), strict=True):
        _token(page, token, x + dx * 29, y + dy * 29, 10.0)
    page.rect(x - 16, y + 28, 32, 3.6, WHITE, BLACK, 0.2)  # the ruler
    for tick in range(1, 12):
        page.line((x - 16 + tick * 32 / 12, y + 28), (x - 16 + tick * 32 / 12, y + 29.4), BLACK, 0.15)
    page.polygon([(x, y - 20), (x - 3, y - 12), (x, y - 13.6), (x + 3, y - 12)], GRAY)
    page.text(x, y - 7.5, "N", 4.0, GRAY, bold=True, align="middle")
    _disks(page, x, y)


def _disks(page: Page, x: float, y: float) -> None:
    for dx, dy, size, colour in ((-12, 10, 8, _BLUE), (2, 14, 6, _BLUE), (12, -4, 8, _ORANGE), (-6, -2, 6, _ORANGE)):
        page.circle(x + dx, y + dy, size, colour)
        page.circle(x + dx, y + dy, size - 2, WHITE)


def _camera(page: Page, x: float, y: float) -> None:
    page.polygon([(x - 34, y + 28), (x + 34, y + 28), (x + 24, y + 12), (x - 24, y + 12)], _CLOTH, BLACK, 0.3)
    page.line((x - 34, y + 28), (x - 34, y + 36), BLACK, 0.5)
    page.line((x + 34, y + 28), (x + 34, y + 36), BLACK, 0.5)
    page.polygon([(x, y - 22), (x - 29, y + 20), (x + 29, y + 20)], None, _BLUE, 0.3, 2.0)
    page.rect(x - 7, y - 32, 14, 9, BLACK)
    page.circle(x, y - 23, 5, GRAY)
    page.line((x + 7, y - 28), (x + 40, y - 28), BLACK, 0.8)
    page.line((x + 40, y - 28), (x + 40, y + 36), BLACK, 0.8)


def _play(page: Page, x: float, y: float) -> None:
    page.rect(x - 38, y - 28, 76, 48, BLACK)
    page.rect(x - 36, y - 26, 52, 36, _CLOTH)
    page.rect(x + 18, y - 26, 18, 36, WHITE)
    _disks(page, x - 10, y - 10)
    page.line((x - 20, y - 1), (x + 1, y - 13), (0.10, 0.55, 0.35), 0.8)
    page.rect(x - 36, y + 11, 72, 7.5, (0.21, 0.88, 0.63))
    page.text(x - 33, y + 16.6, "IN RANGE 5.7 in", 5.0, bold=True)
    for row in range(5):
        page.line((x + 20, y - 21 + 5 * row), (x + 33, y - 21 + 5 * row), GRAY, 0.5)
    page.rect(x - 10, y + 20, 20, 5, BLACK)
    page.rect(x - 22, y + 25, 44, 3, BLACK)
