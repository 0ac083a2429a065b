"""The tracks of a table, in sight or hidden, the evidence that updates them, and the changes that come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vision.types.sighting import DiskSighting, Order, TableSighting, TerrainSighting

Place = tuple[float, float]
Reading = tuple[str | None, str | None]  # profile and owner


@dataclass(frozen=True, slots=True)
class Track:
    """One disk through the game. `disk.id` is its name for good; an unseen one is where it was when it was covered."""

    disk: DiskSighting
    visible: bool = True
    seen: int = 1  # passes that detected it
    missed: int = 0  # passes since then that should have detected it and did not
    by_person: bool = False  # a person confirmed it
    misread: Reading | None = None  # what passes read though a person has named it

    @property
    def id(self) -> str:
        """The name it keeps."""
        return self.disk.id

    @property
    def place(self) -> Place:
        """Where it lies."""
        return (self.disk.x_mm, self.disk.y_mm)


@dataclass(frozen=True, slots=True)
class Tentative:
    """A track that is not confirmed yet: detected in so many passes where nothing has changed."""

    disk: DiskSighting
    passes: int


@dataclass(frozen=True, slots=True)
class Memory:
    """All disks on the table and how they lie on one another."""

    tracks: tuple[Track, ...] = ()
    orders: tuple[Order, ...] = ()
    terrain: tuple[TerrainSighting, ...] = ()
    named: int = 0  # how many names were given so far: none is given twice
    tentative: tuple[Tentative, ...] = ()
    terrain_seen: tuple[TerrainSighting, ...] = ()  # by the last look alone
    false_positives: tuple[DiskSighting, ...] = ()  # detections that a person has corrected
    looked: bool = False  # whether the table was ever looked at: until then nothing can have happened

    def sighting(self) -> TableSighting:
        """As if everything had been seen at once, hidden disks included."""
        return TableSighting(tuple(track.disk for track in self.tracks), self.orders, self.terrain)

    def hidden(self) -> frozenset[str]:
        """The disks that lie wholly under others."""
        return frozenset(track.id for track in self.tracks if not track.visible)

    def by_id(self) -> dict[str, Track]:
        """Tracks by name."""
        return {track.id: track for track in self.tracks}


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence beside the detections, mostly of pixels: which places look as they did, and which are out of sight.

    same: share of a known disk's visible pixels that look as before. marked: known disks with a changed spot the
    size of a token. fresh: detections whose place looks other than before. occluded: known disks under a hand, or
    still under what has been hiding them. under_object: those under something that is no disk. stayed: those whose
    picture is where it was rather than where the nearest detection is. skipped: those where the detection pass did
    not go. kept: detections of earlier passes there. uncovered: detections of which hardly anything was in sight
    before, because a disk lay there that has gone. carried: where disks lie that were moved together with what lay
    on them. tokens: what came onto disks that lie still and was taken from them. whole: whether all of the table
    was seen at rest.
    """

    same: Mapping[str, float] = field(default_factory=dict)
    marked: frozenset[str] = frozenset()
    fresh: frozenset[str] = frozenset()
    occluded: frozenset[str] = frozenset()
    under_object: frozenset[str] = frozenset()
    stayed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    uncovered: frozenset[str] = frozenset()
    carried: Mapping[str, DiskSighting] = field(default_factory=dict)
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Moved:
    """A disk lies elsewhere now."""

    piece: str
    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Bumped:
    """Disks were shifted slightly: an accident, not a move."""

    shifts: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Appeared:
    """A disk was put on the table, or came to light under the disk `was_under`."""

    piece: str
    place: Place
    was_under: str | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """A disk was taken off the table."""

    piece: str
    place: Place


@dataclass(frozen=True, slots=True)
class Pinned:
    """`top` lies on `bottom` now."""

    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class Unpinned:
    """`top` lies on `bottom` no longer."""

    top: str
    bottom: str


@dataclass(frozen=True, slots=True)
class TokenChanged:
    """Tokens of a kind were put on a disk (positive) or taken from it."""

    piece: str
    token: str
    change: int


@dataclass(frozen=True, slots=True)
class Noticed:
    """The memory was wrong about a disk: it lay there all along unseen, or what was taken for one never was."""

    piece: str
    place: Place
    there: bool


Change = Moved | Bumped | Appeared | Removed | Noticed | Pinned | Unpinned | TokenChanged
