"""Corrections of the memory: no detection pass overrules them while the disk lies still."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from vision.tracking.confirmation import alike
from vision.tracking.memory import Memory, Reading, Track
from vision.types.disc_overlap import TOUCHING_MM2, overlap_area_mm2
from vision.types.sighting import UNSEEN_ORDER, DiskSighting, FaceReading, Order, TableSighting


@dataclass(frozen=True, slots=True)
class Identified:
    """A disk is this one, of this owner, with these tokens on it."""

    piece: str
    face: FaceReading
    owner: str | None
    tokens: Mapping[str, int]
    misread: Reading | None = None
    by_person: bool = True


@dataclass(frozen=True, slots=True)
class Reordered:
    """Of two disks that overlap, this one is the upper."""

    order: Order


@dataclass(frozen=True, slots=True)
class FalsePositive:
    """A detection is no disk; `persistent` ones are detected again by every pass."""

    piece: str
    persistent: bool = True


@dataclass(frozen=True, slots=True)
class Missed:
    """A disk lies there, detected or not."""

    track: Track
    orders: tuple[Order, ...]


MemoryCorrection = Identified | Reordered | FalsePositive | Missed


def missed_disk(memory: Memory, disk: DiskSighting, confirmed: bool = True) -> Missed:
    """The correction that a disk lies where no pass has detected one: it gets a name like any other.

    `confirmed` where a person says so: no later pass drops it. What the machine infers stays open to later passes.
    """
    named = replace(disk, id=f"d{memory.named + 1:02d}")
    over = [track for track in memory.tracks if overlap_area_mm2(track.disk, named) >= TOUCHING_MM2]
    return Missed(Track(named, by_person=confirmed), tuple(Order(track.id, named.id, UNSEEN_ORDER) for track in over))


def corrected(memory: Memory, correction: MemoryCorrection) -> tuple[Memory, MemoryCorrection | None]:
    """The memory after a correction and the correction that undoes it; None where there is nothing to correct."""
    tracks = memory.by_id()
    match correction:
        case Identified(piece) if piece in tracks:
            return _identified(memory, correction, tracks[piece])
        case Reordered(order) if order.top in tracks and order.bottom in tracks:
            return _reordered(memory, order)
        case FalsePositive(piece) if piece in tracks:
            orders = tuple(order for order in memory.orders if piece in (order.top, order.bottom))
            left = tuple(track for track in memory.tracks if track.id != piece)
            kept = tuple(order for order in memory.orders if order not in orders)
            found = (tracks[piece].disk,) if correction.persistent else ()
            without = replace(memory, tracks=left, orders=kept, false_positives=(*memory.false_positives, *found))
            return without, Missed(tracks[piece], orders)
        case Missed(track, orders) if track.id not in tracks:
            known = tuple(order for order in orders if {order.top, order.bottom} <= {*tracks, track.id})
            there = replace(
                memory,
                tracks=(*memory.tracks, replace(track, missed=0)),
                orders=tuple(sorted((*memory.orders, *known), key=lambda order: (order.top, order.bottom))),
                false_positives=tuple(disk for disk in memory.false_positives if disk.id != track.id),
                named=max(memory.named, _number(track.id)),
            )
            return there, FalsePositive(track.id, persistent=False)
        case _:
            return memory, None


def without_false_positives(
    false_positives: tuple[DiskSighting, ...], sighting: TableSighting, fresh: Collection[str]
) -> tuple[TableSighting, tuple[DiskSighting, ...]]:
    """The sighting without known false positives, and those that remain such: a place that changed is judged anew."""
    if not false_positives:
        return sighting, false_positives
    put_there = [disk for disk in sighting.disks if disk.id in fresh]
    still = tuple(known for known in false_positives if not any(alike(known, disk) for disk in put_there))
    disks = tuple(disk for disk in sighting.disks if not any(alike(known, disk) for known in still))
    return replace(sighting, disks=disks), still


def _identified(memory: Memory, correction: Identified, track: Track) -> tuple[Memory, MemoryCorrection]:
    disk = track.disk
    back = Identified(correction.piece, disk.face, disk.owner, disk.tokens, track.misread, track.by_person)
    renamed = replace(
        track,
        disk=replace(disk, face=correction.face, owner=correction.owner, tokens=correction.tokens),
        misread=correction.misread,
        by_person=correction.by_person,
    )
    return replace(memory, tracks=tuple(renamed if other.id == track.id else other for other in memory.tracks)), back


def _reordered(memory: Memory, order: Order) -> tuple[Memory, MemoryCorrection | None]:
    pair = {order.top, order.bottom}
    old = next((known for known in memory.orders if {known.top, known.bottom} == pair), None)
    if old is None:
        return memory, None
    orders = (order if known is old else known for known in memory.orders)
    return replace(memory, orders=tuple(sorted(orders, key=lambda known: (known.top, known.bottom)))), Reordered(old)


def _number(name: str) -> int:
    return int(name[1:]) if name[1:].isdecimal() else 0
