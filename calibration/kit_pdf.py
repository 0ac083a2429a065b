"""The kit on paper at exact scale: a list of pages, each a function of the paper's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from calibration import kit_pages, kit_pieces, kit_start, kit_trays
from calibration.kit_pieces import OWNER_COLOURS
from calibration.kit_sheet import PAPERS_MM
from calibration.pdf import Page, pdf_bytes

PAPERS = tuple(PAPERS_MM)
_RING_SIZES = 3  # on a page

MEASURING: tuple[Callable[[str], Page], ...] = (
    kit_pages.tokens_page,
    kit_pages.ruler_page,
    kit_pages.board_page,
)
PAGES: tuple[Callable[[str], Page], ...] = (
    *MEASURING,
    *(partial(kit_pieces.disks_page, owner) for owner in OWNER_COLOURS),
    kit_pieces.tokens_page,
    kit_pieces.terrain_page,
    *(partial(kit_trays.rings_page, sizes) for sizes in kit_trays.RING_PAGES_MM),
    *(partial(kit_trays.stands_page, names) for names in kit_trays.STAND_COLOURS),
    kit_start.quick_start_page,
)


@dataclass(frozen=True, slots=True)
class KitPieces:
    """What a game is played with: disks, figures on round bases of these sizes, figures on stands.

    `disks` counts the blank disks of each size that each owner needs; empty prints a page of each owner.
    """

    with_disks: bool = False
    bases_mm: tuple[float, ...] = ()
    with_stands: bool = False
    disks: Mapping[str, Mapping[float, int]] = field(default_factory=dict)


def kit_pdf(paper: str, pieces: KitPieces | None = None) -> bytes:
    """The kit for one paper size, as a PDF file: all of it, or only what a game is played with."""
    pages = [page(paper) for page in PAGES] if pieces is None else _pages_of(paper, pieces)
    return pdf_bytes(pages, "Pinpoint kit")


def _pages_of(paper: str, pieces: KitPieces) -> list[Page]:
    pages = [kit_start.quick_start_page(paper), *(page(paper) for page in MEASURING)]
    if pieces.with_disks:
        if pieces.disks:
            for owner, counts in pieces.disks.items():
                pages += kit_pieces.disk_pages(owner, counts, paper)
        else:
            pages += [kit_pieces.disks_page(owner, paper) for owner in OWNER_COLOURS]
        pages.append(kit_pieces.tokens_page(paper))
    for start in range(0, len(pieces.bases_mm), _RING_SIZES):
        pages.append(kit_trays.rings_page(pieces.bases_mm[start : start + _RING_SIZES], paper))
    if pieces.with_stands:
        pages += [kit_trays.stands_page(names, paper) for names in kit_trays.STAND_COLOURS]
    pages.append(kit_pieces.terrain_page(paper))
    return pages
