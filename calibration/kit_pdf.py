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
# What the whole kit has one of in each colour.
EVERY_AID = kit_trays.one_of_each(
    (25.0, 28.5, 30.0, 32.0, 40.0, 50.0, 80.0), ((60.0, 60.0), (60.0, 120.0), (100.0, 100.0))
)

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
    kit_start.quick_start_page,
)


@dataclass(frozen=True, slots=True)
class KitPieces:
    """What a game is played with: disks, or figures whose bases and stands need rings and cards.

    `disks` counts the blank disks of each size that each owner needs; empty prints a page of each owner.
    """

    with_disks: bool = False
    aids: tuple[kit_trays.Aids, ...] = ()
    disks: Mapping[str, Mapping[float, int]] = field(default_factory=dict)


def kit_pdf(paper: str, pieces: KitPieces | None = None) -> bytes:
    """The kit for one paper size, as a PDF file: all of it, or only what a game is played with."""
    if pieces is None:
        pages = [*(page(paper) for page in PAGES), *kit_trays.aid_pages(EVERY_AID, paper)]
    else:
        pages = _pages_of(paper, pieces)
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
    pages += kit_trays.aid_pages(pieces.aids, paper)
    pages.append(kit_pieces.terrain_page(paper))
    return pages
