"""Disks through time: a sighting of the settled table and what was remembered become what is there and what happened.

Three things decide, strongest first: pixels that did not change (their disk did not), the sighting, and what can
physically be (a covered disk stays where it is until its cover goes).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from vision.assignment import anchored, assigned, could_be
from vision.disc_overlap import covered_share, overlap_area_mm2
from vision.layers import OVERLAP_MM2, changed_pairs, orders_after, with_visibility
from vision.memory import (
    Appeared,
    Bumped,
    Change,
    Evidence,
    Memory,
    Moved,
    Pinned,
    Removed,
    TokenChanged,
    Track,
    Unpinned,
)
from vision.sighting import DiskSighting, FaceReading, Order, TableSighting

STILL_SAME = 0.93  # share of unchanged pixels from which a disk is taken not to have been touched
STILL_THERE = 0.6  # share from which a disk that no sighting shows is taken to be there: a token or a rim covers it
JITTER_MM = 1.0  # what two fits of a resting disk may differ
SLIGHT_MM = (2.0, 15.0)  # a bump: noticed from, at most
SINGLE_MOVE_MM = 8.0  # one disk alone that shifted this much was moved
_COVERED_SHARE = 0.6  # from here on a disk that is not seen may be under the others
_REVEALED_SHARE = 0.9


def follow(memory: Memory, sighting: TableSighting, evidence: Evidence) -> tuple[Memory, tuple[Change, ...]]:
    """What is on the table now, and what has happened since."""
    if memory.named == 0:
        return _first(sighting), ()
    matches = _matches(memory, sighting, evidence)
    known = {
        track.id: _updated(track, matches[track.id], evidence) if track.id in matches else track
        for track in memory.tracks
    }
    shifts = _shifts(memory, known)
    newcomers = _newcomers(memory, sighting, matches, evidence)
    present = {**known, **{track.id: track for track in newcomers.values()}}
    gone = _gone(memory, present, matches, evidence)
    lifted = {shift.piece for shift in shifts if _length_mm(shift) > SLIGHT_MM[1]}
    lifted |= {track.id for track in newcomers.values()}
    touched = lifted | {shift.piece for shift in shifts}
    names = {seen.id: identity for identity, seen in matches.items()}
    names |= {seen_id: track.id for seen_id, track in newcomers.items()}
    tracks = [track for track in present.values() if track.id not in gone]
    orders = orders_after(memory.orders, tracks, touched, lifted, _named(sighting.orders, names, gone))
    seen_now = set(names.values()) | {
        track.id for track in memory.tracks if track.visible and _untouched(track, evidence)
    }
    tracks = [
        replace(track, visible=False) if track.id in evidence.veiled else track
        for track in with_visibility(tracks, orders, seen_now)
    ]
    after = Memory(tuple(tracks), orders, sighting.terrain or memory.terrain, memory.named + len(newcomers))
    return after, _changes(memory, after, shifts, newcomers.values(), gone)


def _first(sighting: TableSighting) -> Memory:
    names = {disk.id: f"d{number:02d}" for number, disk in enumerate(sighting.disks, 1)}
    tracks = tuple(Track(replace(disk, id=names[disk.id])) for disk in sighting.disks)
    return Memory(tracks, _named(sighting.orders, names, ()), sighting.terrain, len(tracks))


def _named(orders: Iterable[Order], names: Mapping[str, str], without: Collection[str]) -> tuple[Order, ...]:
    """A sighting's orders in the names that are kept."""
    named = (
        Order(names[order.top], names[order.bottom], order.probability)
        for order in orders
        if order.top in names and order.bottom in names
    )
    return tuple(order for order in named if order.top not in without and order.bottom not in without)


def _untouched(track: Track, evidence: Evidence) -> bool:
    return evidence.same.get(track.id, 0.0) >= STILL_SAME and track.id not in evidence.marked


def _matches(memory: Memory, sighting: TableSighting, evidence: Evidence) -> dict[str, DiskSighting]:
    """The sighting of each known disk that was seen."""
    fixed = [track for track in memory.tracks if track.visible and _untouched(track, evidence)]
    matches = anchored(fixed, sighting.disks)
    taken = {seen.id for seen in matches.values()}
    rest = [
        track
        for track in memory.tracks
        if track.id not in evidence.blind and not (track.visible and _untouched(track, evidence))
    ]
    unsure = {track.id for track in rest if evidence.same.get(track.id, 0.0) >= STILL_THERE} | evidence.veiled
    free = [seen for seen in sighting.disks if seen.id not in taken and not _ghost(seen, memory, evidence)]
    return matches | assigned(rest, free, fixed, unsure)


def _ghost(seen: DiskSighting, memory: Memory, evidence: Evidence) -> bool:
    """A disk where nothing has changed and none was: the same picture showed none before."""
    if seen.id in evidence.fresh:
        return False
    return all(covered_share(seen, [track.disk]) < _COVERED_SHARE for track in memory.tracks)


def _updated(track: Track, seen: DiskSighting, evidence: Evidence) -> Track:
    if track.visible and _untouched(track, evidence):
        return replace(track, disk=replace(track.disk, face=_surer_face(track.disk.face, seen.face)))
    old = track.disk
    disk = replace(
        seen,
        id=track.id,
        diameter_mm=old.diameter_mm,
        owner=old.owner or seen.owner,
        face=_surer_face(old.face, seen.face),
    )
    if math.hypot(seen.x_mm - old.x_mm, seen.y_mm - old.y_mm) < JITTER_MM:
        disk = replace(disk, x_mm=old.x_mm, y_mm=old.y_mm, covariance=old.covariance)
    return Track(disk)


def _surer_face(known: FaceReading, seen: FaceReading) -> FaceReading:
    """A disk keeps its name when its back comes up; a surer reading of its art corrects an unsure one."""
    if seen.profile is None:
        return replace(known, side=seen.side) if seen.side != "unknown" else known
    if known.profile is None or known.profile == seen.profile or seen.confidence > known.confidence:
        return seen
    return known


def _shifts(memory: Memory, known: Mapping[str, Track]) -> list[Moved]:
    """The disks that lie elsewhere now."""
    shifts = [Moved(track.id, track.place, known[track.id].place) for track in memory.tracks]
    return [shift for shift in shifts if shift.start != shift.end]


def _newcomers(
    memory: Memory, sighting: TableSighting, matches: Mapping[str, DiskSighting], evidence: Evidence
) -> dict[str, Track]:
    """Disks nobody knew, by the sighting's id; while a hand is over the table they may be one that it holds."""
    taken = {seen.id for seen in matches.values()}
    waiting = [track for track in memory.tracks if track.id not in matches]
    found: dict[str, Track] = {}
    for seen in sighting.disks:
        if seen.id in taken or seen.id not in evidence.fresh:
            continue
        if not evidence.whole and any(could_be(track.disk, seen) for track in waiting):
            continue
        name = f"d{memory.named + len(found) + 1:02d}"
        found[seen.id] = Track(replace(seen, id=name))
    return found


def _gone(
    memory: Memory, present: Mapping[str, Track], matches: Mapping[str, DiskSighting], evidence: Evidence
) -> set[str]:
    """The disks that the settled table shows gone: seen nowhere, and neither their pixels nor a cover hold them."""
    if not evidence.whole:
        return set()
    unseen = [track for track in memory.tracks if track.id not in matches]
    doubtful = {track.id for track in unseen if not _held(track, evidence)}
    below = {(order.top, order.bottom) for order in memory.orders}
    gone: set[str] = set()
    for track in unseen:
        covers = [
            other.disk
            for other in present.values()
            if other.id not in doubtful and other.id != track.id and (track.id, other.id) not in below
        ]
        if track.id in doubtful and covered_share(track.disk, covers) < _COVERED_SHARE:
            gone.add(track.id)
    return gone


def _held(track: Track, evidence: Evidence) -> bool:
    """Whether a disk that no sighting shows is there all the same: its pixels say so, or it cannot be seen."""
    there = track.visible and evidence.same.get(track.id, 0.0) >= STILL_THERE
    return there or track.id in evidence.blind or track.id in evidence.veiled


def _changes(
    before: Memory, after: Memory, shifts: Iterable[Moved], newcomers: Iterable[Track], gone: Collection[str]
) -> tuple[Change, ...]:
    moved, bumped = _sorted_out(shifts)
    old, new = before.by_id(), after.by_id()
    left = [old[identity] for identity in gone] + [old[shift.piece] for shift in moved]
    covers = {track.id: _cover_of(track, left) for track in newcomers}
    appeared = [Appeared(track.id, track.place, covers[track.id]) for track in newcomers]
    removed = [Removed(identity, old[identity].place) for identity in sorted(gone)]
    began, ceased = changed_pairs(before.orders, after.orders)
    revealed = {piece for piece, cover in covers.items() if cover is not None}
    active = {shift.piece for shift in moved} | {shift.piece for bump in bumped for shift in bump.shifts}
    active |= {track.id for track in newcomers} - revealed
    pinned = [Pinned(*pair) for pair in began if not revealed & set(pair) or active & set(pair)]
    unpinned = [Unpinned(*pair) for pair in ceased]
    unpinned += [Unpinned(cover, piece) for piece, cover in covers.items() if cover and not _overlap(new, cover, piece)]
    tokens = [change for track in after.tracks if track.id in old for change in _token_changes(old[track.id], track)]
    return (*moved, *bumped, *appeared, *removed, *pinned, *unpinned, *tokens)


def _sorted_out(shifts: Iterable[Moved]) -> tuple[list[Moved], list[Bumped]]:
    """Moves and bumps: several slight shifts at once, or a single very slight one, are an accident."""
    noticed = [shift for shift in shifts if _length_mm(shift) >= SLIGHT_MM[0]]
    slight = [shift for shift in noticed if _length_mm(shift) <= SLIGHT_MM[1]]
    if len(slight) == 1 and _length_mm(slight[0]) >= SINGLE_MOVE_MM:
        slight = []
    moved = [shift for shift in noticed if shift not in slight]
    return moved, [Bumped(tuple(slight))] if slight else []


def _cover_of(track: Track, left: Iterable[Track]) -> str | None:
    """The disk that lay over a newcomer until now, if it could have hidden it wholly."""
    return next((cover.id for cover in left if covered_share(track.disk, [cover.disk]) >= _REVEALED_SHARE), None)


def _overlap(tracks: Mapping[str, Track], first: str, second: str) -> bool:
    if first not in tracks or second not in tracks:
        return False
    return overlap_area_mm2(tracks[first].disk, tracks[second].disk) >= OVERLAP_MM2


def _token_changes(before: Track, after: Track) -> list[TokenChanged]:
    old, new = before.disk.tokens, after.disk.tokens
    kinds = sorted(old.keys() | new.keys())
    changes = [TokenChanged(after.id, kind, new.get(kind, 0) - old.get(kind, 0)) for kind in kinds]
    return [change for change in changes if change.change]


def _length_mm(shift: Moved) -> float:
    return math.dist(shift.start, shift.end)
