"""The pages that measure: corner tokens, the range ruler, the camera board."""

from __future__ import annotations

import math

import numpy as np

from calibration.kit import (
    BOARD_MARKER_MM,
    BOARD_SQUARE_MM,
    BOARD_SQUARES,
    RULER_BASELINE_MM,
    RULER_IDS,
    RULER_LENGTH_MM,
    RULER_MARKER_MM,
    RULER_WIDTH_MM,
    TOKEN_CARD_MM,
    TOKEN_IDS,
    TOKEN_MARKER_MM,
    TOKEN_NAMES,
    camera_board,
    inner_corner_mm,
    marker_cells,
)
from calibration.kit_sheet import GRAY, PAPERS_MM, TOP_MM, Place, marker_squares, new_page, outline
from calibration.pdf import BLACK, Page

_INCH_MM = 25.4
_NAME_MM = 2.3
_BANDS = ((3, "short"), (6, "medium"), (12, "long"))


def tokens_page(paper: str) -> Page:
    """The four corner tokens, arranged as they lie around the field."""
    page = new_page(
        paper,
        "Corner tokens",
        (
            "Print on card at 100 %, cut along the dashed lines. Each card is 60 mm, its black square 40 mm.",
            "Lay them outside the battlefield: the corner with the small black angle touches the field's corner.",
            "All four with their arrow to the north: away from the south player. Keep them flat.",
        ),
    )
    middle_x, middle_y = page.width_mm / 2, TOP_MM + 112.0
    for token in TOKEN_IDS:
        inwards = inner_corner_mm(token)
        place = Place(middle_x - math.copysign(50.0, inwards[0]), middle_y - math.copysign(58.0, inwards[1]))
        _token(page, token, place)
    page.rect(middle_x - 20, middle_y - 28, 40, 56, None, GRAY, 0.3)
    page.text(middle_x, middle_y - 1, "battlefield", 3.6, GRAY, align="middle")
    _north(page, middle_x, middle_y - 21)
    return page


def _token(page: Page, token: int, place: Place) -> None:
    outline(page, place, TOKEN_CARD_MM, TOKEN_CARD_MM)
    marker_squares(page, marker_cells(token), TOKEN_MARKER_MM, place)
    u, v = inner_corner_mm(token)
    arm_u, arm_v = math.copysign(4.0, -u), math.copysign(4.0, -v)
    page.polygon([place.at(u, v), place.at(u + arm_u, v), place.at(u, v + arm_v)], BLACK)
    # At the card's rim, as far from the black square as can be: what is printed there must not be taken for the marker.
    half = TOKEN_CARD_MM / 2
    page.text(place.x, place.y + half - 0.7, f"{token}  {TOKEN_NAMES[token]}", _NAME_MM, GRAY, align="middle")
    tip = (place.x, place.y - half + 0.5)
    page.polygon([tip, (tip[0] - 1.3, tip[1] + 2.0), (tip[0] + 1.3, tip[1] + 2.0)], GRAY)
    page.text(place.x + 2.2, place.y - half + 2.5, "north", _NAME_MM, GRAY)


def _north(page: Page, x: float, y: float) -> None:
    page.polygon([(x, y), (x - 3, y + 8), (x, y + 6.4), (x + 3, y + 8)], GRAY)
    page.text(x, y + 12.5, "N", 3.6, GRAY, bold=True, align="middle")


def ruler_page(paper: str) -> Page:
    """The range ruler in one piece, from corner to corner, since it is longer than the paper."""
    page = new_page(
        paper,
        "Range ruler",
        (
            "Print on card at 100 % and cut out in one piece: 30 x 304.8 mm (12 inches).",
            "Laid flat in view of the camera it gives the table its true scale.",
        ),
    )
    width, height = PAPERS_MM[paper]
    place = Place(width / 2, (height + 12.0) / 2, -_ruler_turn_deg(paper))
    outline(page, place, RULER_LENGTH_MM, RULER_WIDTH_MM)
    for end, side in zip(RULER_IDS, (-1, 1), strict=True):
        x, y = place.at(side * RULER_BASELINE_MM / 2, 0.0)
        marker_squares(page, marker_cells(end), RULER_MARKER_MM, Place(x, y, place.turn_deg))
    free = RULER_BASELINE_MM / 2 - RULER_MARKER_MM / 2
    edge = RULER_WIDTH_MM / 2
    for inch in range(13):
        u = inch * _INCH_MM - RULER_LENGTH_MM / 2
        if abs(u) > free - 4:
            continue
        band_end = inch in (inches for inches, _ in _BANDS)
        page.line(place.at(u, edge), place.at(u, -edge if band_end else edge - 4), BLACK, 0.4 if band_end else 0.25)
        page.text(*place.at(u + 1.2, edge - 2.2), str(inch), 3.4, turn_deg=place.turn_deg)
    start = 0
    for inches, name in _BANDS:
        u = (max(start, 1.2) + min(inches, 10.8)) / 2 * _INCH_MM - RULER_LENGTH_MM / 2
        page.text(*place.at(u, 1.5), name, 4.6, bold=True, align="middle", turn_deg=place.turn_deg)
        start = inches
    return page


def _ruler_turn_deg(paper: str) -> float:
    """The turn that leaves the most paper around the ruler."""
    width, height = PAPERS_MM[paper]

    def room(degrees: float) -> float:
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        across = RULER_LENGTH_MM * cos + RULER_WIDTH_MM * sin
        down = RULER_LENGTH_MM * sin + RULER_WIDTH_MM * cos
        return min(width - across, height - 12.0 - down)

    return max((step / 4 for step in range(160, 300)), key=room)


def board_page(paper: str) -> Page:
    """The camera board on a sheet of its own, lengthwise."""
    page = new_page(
        paper,
        "Camera board",
        (
            "Print at 100 % and glue to something stiff and flat. Take 10 to 20 sharp pictures of it with your camera,",
            "tilted differently, in all parts of the picture. Then: pinpoint calibrate camera PICTURES -o camera.json",
        ),
        landscape=True,
    )
    columns, rows = BOARD_SQUARES
    width, depth = columns * BOARD_SQUARE_MM, rows * BOARD_SQUARE_MM
    corner = Place((page.width_mm - width) / 2, (page.height_mm - depth) / 2 - 0.5)
    board = camera_board()
    codes = board.getDictionary()
    coded = set()
    for marker, points in zip(np.asarray(board.getIds()).reshape(-1), board.getObjPoints(), strict=True):
        u, v = (float(part) for part in np.asarray(points)[:, :2].mean(axis=0))
        coded.add((int(u // BOARD_SQUARE_MM), int(v // BOARD_SQUARE_MM)))
        cells = np.asarray(codes.generateImageMarker(int(marker), codes.markerSize + 2), dtype=np.float64) / 255
        marker_squares(page, cells, BOARD_MARKER_MM, Place(*corner.at(u, v)))
    for column in range(columns):
        for row in range(rows):
            if (column, row) not in coded:
                x, y = corner.at(column * BOARD_SQUARE_MM, row * BOARD_SQUARE_MM)
                page.rect(x, y, BOARD_SQUARE_MM, BOARD_SQUARE_MM)
    page.rect(corner.x, corner.y, width, depth, None, BLACK, 0.1)
    return page
