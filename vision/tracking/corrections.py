"""What a person says of the disks: taken into the memory, where no look overrules it while the disk lies still."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from vision.tracking.confirmation import alike
from vision.tracking.memory import Memory, Reading, Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import overlap_area_mm2
from vision.types.sighting import DiskSighting, FaceReading, Order, TableSighting


@dataclass(frozen=True, slots=True)
class Called:
    """A disk is this one, of this owner, with these tokens on it."""

    piece: str
    face: FaceReading
    owner: str | None
    tokens: Mapping[str, int]
    misread: Reading | None = None
    vouched: bool = True


@dataclass(frozen=True, slots=True)
class LiesOn:
    """Of two disks that overlap, this one is the upper."""

    order: Order


@dataclass(frozen=True, slots=True)
class NoDisk:
    """What was taken for a disk is none; `looks_like_one` and will be seen again."""

    piece: str
    looks_like_one: bool = True


@dataclass(frozen=True, slots=True)
class IsDisk:
    """A disk lies there, seen or not."""

    track: Track
    orders: tuple[Order, ...]


Word = Called | LiesOn | NoDisk | IsDisk


def missed_disk(memory: Memory, disk: DiskSighting, confirmed: bool = True) -> IsDisk:
    """The word that a disk lies where no look found one: it gets a name like any other.

    `confirmed` where a person says so: no later pass drops it. What the machine infers stays open to later passes.
    """
    named = replace(disk, id=f"d{memory.named + 1:02d}")
    over = [track for track in memory.tracks if overlap_area_mm2(track.disk, named) >= TRACKING.overlap_mm2]
    return IsDisk(
        Track(named, vouched=confirmed), tuple(Order(track.id, named.id, TRACKING.missed_below) for track in over)
    )


def heard(memory: Memory, word: Word) -> tuple[Memory, Word | None]:
    """The memory after a word, and the word that takes it back; None where it speaks of what is not there."""
    tracks = memory.by_id()
    match word:
        case Called(piece) if piece in tracks:
            return _called(memory, word, tracks[piece])
        case LiesOn(order) if order.top in tracks and order.bottom in tracks:
            return _turned(memory, order)
        case NoDisk(piece) if piece in tracks:
            orders = tuple(order for order in memory.orders if piece in (order.top, order.bottom))
            left = tuple(track for track in memory.tracks if track.id != piece)
            kept = tuple(order for order in memory.orders if order not in orders)
            denied = (*memory.denied, tracks[piece].disk) if word.looks_like_one else memory.denied
            return replace(memory, tracks=left, orders=kept, denied=denied), IsDisk(tracks[piece], orders)
        case IsDisk(track, orders) if track.id not in tracks:
            known = tuple(order for order in orders if {order.top, order.bottom} <= {*tracks, track.id})
            there = replace(
                memory,
                tracks=(*memory.tracks, replace(track, missed=0)),
                orders=tuple(sorted((*memory.orders, *known), key=lambda order: (order.top, order.bottom))),
                denied=tuple(disk for disk in memory.denied if disk.id != track.id),
                named=max(memory.named, _number(track.id)),
            )
            return there, NoDisk(track.id, looks_like_one=False)
        case _:
            return memory, None


def undenied(
    denied: tuple[DiskSighting, ...], sighting: TableSighting, fresh: Collection[str]
) -> tuple[TableSighting, tuple[DiskSighting, ...]]:
    """The sighting without what is no disk, and what goes on being none: a place that changed is judged anew."""
    if not denied:
        return sighting, denied
    put_there = [disk for disk in sighting.disks if disk.id in fresh]
    still = tuple(known for known in denied if not any(alike(known, disk) for disk in put_there))
    disks = tuple(disk for disk in sighting.disks if not any(alike(known, disk) for known in still))
    return replace(sighting, disks=disks), still


def _called(memory: Memory, word: Called, track: Track) -> tuple[Memory, Word]:
    disk = track.disk
    back = Called(word.piece, disk.face, disk.owner, disk.tokens, track.misread, track.vouched)
    told = replace(
        track,
        disk=replace(disk, face=word.face, owner=word.owner, tokens=word.tokens),
        misread=word.misread,
        vouched=word.vouched,
    )
    return replace(memory, tracks=tuple(told if other.id == track.id else other for other in memory.tracks)), back


def _turned(memory: Memory, order: Order) -> tuple[Memory, Word | None]:
    pair = {order.top, order.bottom}
    old = next((known for known in memory.orders if {known.top, known.bottom} == pair), None)
    if old is None:
        return memory, None
    orders = (order if known is old else known for known in memory.orders)
    return replace(memory, orders=tuple(sorted(orders, key=lambda known: (known.top, known.bottom)))), LiesOn(old)


def _number(name: str) -> int:
    return int(name[1:]) if name[1:].isdecimal() else 0
