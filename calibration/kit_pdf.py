"""The kit on paper at exact scale: a list of pages, each a function of the paper's name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from calibration import kit_pages, kit_pieces, kit_trays
from calibration.kit_pieces import OWNER_COLOURS
from calibration.kit_sheet import PAPERS_MM
from calibration.pdf import Page, pdf_bytes

PAPERS = tuple(PAPERS_MM)

PAGES: tuple[Callable[[str], Page], ...] = (
    kit_pages.tokens_page,
    kit_pages.ruler_page,
    kit_pages.board_page,
    *(partial(kit_pieces.disks_page, owner) for owner in OWNER_COLOURS),
    kit_pieces.tokens_page,
    kit_pieces.terrain_page,
    *(partial(kit_trays.rings_page, sizes) for sizes in kit_trays.RING_PAGES_MM),
    *(partial(kit_trays.stands_page, names) for names in kit_trays.STAND_COLOURS),
)


def kit_pdf(paper: str) -> bytes:
    """The whole kit for one paper size, as a PDF file."""
    return pdf_bytes([page(paper) for page in PAGES], "Pinpoint kit")
