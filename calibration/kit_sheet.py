"""What every page of the kit has: a title, how-to lines, a 100 mm bar to check the print; markers as vector squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from calibration.pdf import BLACK, Colour, Page, Point

PAPERS_MM = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
GRAY: Colour = (0.45, 0.45, 0.45)
PALE: Colour = (0.72, 0.72, 0.72)
MARGIN_MM = 12.0
TOP_MM = 36.0  # where a page's own content begins
FOOT_MM = 12.0  # from the paper's lower edge to where it ends: the check bar is below
CHECK_BAR_MM = 100.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where something drawn in its own axes lies on the page: its origin, turned clockwise."""

    x: float
    y: float
    turn_deg: float = 0.0

    def at(self, u: float, v: float) -> Point:
        cos, sin = math.cos(math.radians(self.turn_deg)), math.sin(math.radians(self.turn_deg))
        return (self.x + u * cos - v * sin, self.y + u * sin + v * cos)


def new_page(paper: str, title: str, lines: Sequence[str], landscape: bool = False) -> Page:
    """An empty sheet with its title, what to do with it, and the check bar at its foot."""
    width, height = reversed(PAPERS_MM[paper]) if landscape else PAPERS_MM[paper]
    page = Page(width, height)
    if landscape:
        page.text(MARGIN_MM, 9.0, title, 4.6, bold=True)
        for index, line in enumerate(lines):
            page.text(MARGIN_MM + 36.0, 6.5 + 3.6 * index, line, 2.8, GRAY)
    else:
        page.text(MARGIN_MM, 15.0, title, 6.0, bold=True)
        for index, line in enumerate(lines):
            page.text(MARGIN_MM, 21.0 + 4.4 * index, line, 3.2, GRAY)
    check_bar(page, width - MARGIN_MM - CHECK_BAR_MM, height - 8.0)
    return page


def check_bar(page: Page, x: float, y: float) -> None:
    """A bar of exactly 100 mm, ticked every 10."""
    page.line((x, y), (x + CHECK_BAR_MM, y), BLACK, 0.3)
    for tick in range(11):
        page.line((x + 10 * tick, y), (x + 10 * tick, y - (2.2 if tick % 5 == 0 else 1.3)), BLACK, 0.25)
    page.text(
        x + CHECK_BAR_MM,
        y + 3.4,
        "this bar is 100 mm: print at 100 %, not fitted to the page",
        2.6,
        GRAY,
        align="right",
    )


def marker_squares(page: Page, cells: FloatArray, side_mm: float, place: Place) -> None:
    """A marker centred on a place: each row's runs of black cells as one filled square shape, no pixels."""
    count = len(cells)
    cell = side_mm / count
    black = np.asarray(cells) < 0.5
    done = np.zeros_like(black)
    for row in range(count):
        for column in range(count):
            if not black[row, column] or done[row, column]:
                continue
            across = _run(black[row, column:] & ~done[row, column:])
            free = black[row:, column : column + across] & ~done[row:, column : column + across]
            down = _run(np.asarray(free.all(axis=1)))
            done[row : row + down, column : column + across] = True
            left, top = column * cell - side_mm / 2, row * cell - side_mm / 2
            right, bottom = left + across * cell, top + down * cell
            corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
            page.polygon([place.at(u, v) for u, v in corners])


def _run(flags: NDArray[np.bool_]) -> int:
    """How many are set from the start on."""
    stops = np.flatnonzero(~flags)
    return int(stops[0]) if len(stops) else len(flags)


def outline(page: Page, place: Place, width: float, height: float, colour: Colour = PALE, dash_mm: float = 1.5) -> None:
    """The line to cut along: a rectangle about a place."""
    u, v = width / 2, height / 2
    corners = [place.at(-u, -v), place.at(u, -v), place.at(u, v), place.at(-u, v)]
    page.polygon(corners, None, colour, 0.15, dash_mm)
