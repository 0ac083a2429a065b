"""What is known of the pieces before a picture is taken."""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.faces.index import FaceIndex
from vision.look.options import LOOK
from vision.roster.kit import KIT
from vision.roster.profiles import Roster
from vision.terrain.detect import KnownGround


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What is known of the pieces beforehand: the diameters there are (None: any, to be measured) and the roster.

    `thickness_mm` is that of pieces that are not cards; None: cards, or not known.
    """

    sizes_mm: tuple[float, ...] | None = KIT.disks_mm
    roster: Roster | None = None
    thickness_mm: float | None = None
    faces: FaceIndex = field(init=False)  # the roster's art, prepared once for all frames
    ground: KnownGround = field(init=False)  # and its terrain

    @property
    def are_cards(self) -> bool:
        """Whether the pieces are cards: of a roster, or of the sizes that cards have, and no other thickness given."""
        if self.sizes_mm is None or self.thickness_mm is not None:
            return False
        if self.roster is not None and self.roster.profiles:
            return True
        return all(any(abs(size - known) <= LOOK.card_size_mm for known in KIT.disks_mm) for size in self.sizes_mm)

    def __post_init__(self) -> None:
        object.__setattr__(self, "faces", FaceIndex.of(self.roster or Roster(())))
        object.__setattr__(self, "ground", KnownGround.of(self.roster or Roster(())))
