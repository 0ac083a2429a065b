"""Which pages of the printed kit a game needs."""

from __future__ import annotations

from collections import Counter

from assistant.rules.game import GameSystem
from calibration.kit_pdf import KitPieces
from vision.roster.profiles import Roster


def kit_of(game: GameSystem, roster: Roster | None = None) -> KitPieces:
    """The pieces of a game; with a roster as many blank disks of each size as it has kinds of each owner."""
    counts: dict[str, Counter[float]] = {}
    for profile in roster.profiles if roster is not None and not game.figures else ():
        copies = profile.values.get("copies")
        counts.setdefault(profile.owner or "", Counter())[profile.circle_mm] += copies if isinstance(copies, int) else 1
    return KitPieces(
        with_disks=not game.figures,
        bases_mm=game.circles_mm if game.figures else (),
        with_stands=bool(game.rects_mm),
        disks=counts,
    )
