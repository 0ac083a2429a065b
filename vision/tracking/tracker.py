"""Tracking: detections of the settled table update the memory, and give what has happened since.

Three things decide, strongest first: pixels that did not change (their disk did not), the detections, and what is
physically possible (a covered disk stays where it is until its cover goes).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from vision.tracking.assignment import anchored, assigned, could_be
from vision.tracking.changes import Step, changes_of
from vision.tracking.confirmation import alike, counted, dropped, replaced, sure, terrain_after, update_tentative
from vision.tracking.corrections import without_false_positives
from vision.tracking.memory import Change, Evidence, Memory, Moved, Tentative, Track
from vision.tracking.options import TRACKING
from vision.tracking.orders import changed_pairs, orders_after, with_visibility
from vision.tracking.stacks import AtHeight, at_height_overhead, on_hidden, with_heights
from vision.types.disc_overlap import apart_mm, covered_share
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, FaceReading, Order, TableSighting


def follow(
    memory: Memory, sighting: TableSighting, evidence: Evidence, at_height: AtHeight = at_height_overhead
) -> tuple[Memory, tuple[Change, ...]]:
    """What is on the table now and what has happened since; `at_height` gives a disk as seen with its face higher."""
    if not memory.looked:
        return _first(sighting), ()
    sighting, false_positives = without_false_positives(memory.false_positives, sighting, evidence.fresh)
    sighting = _without_occluded(sighting, memory, evidence)
    matches = _matches(memory, sighting, evidence)
    heights = on_hidden(memory.tracks, memory.orders)
    known = {
        track.id: _updated(track, _at_height(matches[track.id], track, heights, at_height), evidence)
        if track.id in matches
        else track
        for track in memory.tracks
    }
    newcomers, unmatched = _unmatched(memory, sighting, matches, evidence)
    detected = [known[name] for name in matches]
    tentative, confirmed = update_tentative(memory.tentative, unmatched, detected, evidence.kept)
    added = _named_tracks([*newcomers, *confirmed], memory.named)
    gone = _gone(memory, {**known, **added}, matches, evidence)
    names = {seen.id: identity for identity, seen in matches.items()} | {
        seen: track.id for seen, track in added.items()
    }
    tracks = [track for track in (*known.values(), *added.values()) if track.id not in gone]
    if evidence.whole:
        tracks = counted(
            tracks, memory.orders, names.values(), evidence.under_object | evidence.occluded | evidence.skipped
        )
    unseen = [track for track in tracks if track.visible and track.id not in {*names.values(), *evidence.skipped}]
    never_there = {track.id for track in tracks if dropped(track)} | replaced(unseen, confirmed)
    tracks = [track for track in tracks if track.id not in never_there]
    step = Step(
        shifts=tuple(_shifts(memory, known)),
        newcomers=tuple(added[seen.id] for seen in newcomers),
        uncovered=frozenset(added[seen.id].id for seen in newcomers if seen.id in evidence.uncovered),
        noticed=tuple(added[seen.id] for seen in confirmed),
        gone=frozenset(gone),
        never_there=frozenset(never_there),
    )
    orders = orders_after(
        memory.orders, tracks, step.touched, step.lifted, _named(sighting.orders, names, gone | never_there)
    )
    began, _ = changed_pairs(memory.orders, orders)
    kept = step.jolted | {bottom for _, bottom in began}
    if not evidence.whole:  # a hand throws shadows: what they hide of a face says nothing
        kept |= memory.by_id().keys()
    tracks = _with_tokens_kept(tracks, memory, kept)
    still_hidden = memory.hidden() & evidence.occluded
    unchanged = {track.id for track in memory.tracks if track.visible and _untouched(track, evidence)}
    tracks = [
        replace(track, visible=False) if track.id in evidence.under_object or track.id in still_hidden else track
        for track in with_visibility(tracks, orders, unchanged | set(names.values()))
    ]
    tracks = with_heights(tracks, orders, step.touched, at_height)
    step = step.ending(tracks)
    after = Memory(
        tuple(tracks),
        orders,
        terrain_after(memory.terrain, memory.terrain_seen, sighting.terrain),
        memory.named + len(added),
        tentative,
        sighting.terrain,
        false_positives,
        looked=True,
    )
    return after, changes_of(memory, after, step)


def _first(sighting: TableSighting) -> Memory:
    tentative = tuple(Tentative(disk, 1) for disk in sighting.disks if not sure(disk))
    added = _named_tracks([disk for disk in sighting.disks if sure(disk)], 0)
    orders = _named(sighting.orders, {seen: track.id for seen, track in added.items()}, ())
    return Memory(tuple(added.values()), orders, sighting.terrain, len(added), tentative, sighting.terrain, looked=True)


def _named(orders: Iterable[Order], names: Mapping[str, str], without: Collection[str]) -> tuple[Order, ...]:
    """A sighting's orders in the names that are kept."""
    named = (
        replace(order, top=names[order.top], bottom=names[order.bottom])
        for order in orders
        if order.top in names and order.bottom in names
    )
    return tuple(order for order in named if order.top not in without and order.bottom not in without)


def _without_occluded(sighting: TableSighting, memory: Memory, evidence: Evidence) -> TableSighting:
    """The sighting without what shows where a disk lies under a hand: it is that disk, and no other came there."""
    covered = [track.disk for track in memory.tracks if track.visible and track.id in evidence.occluded]
    disks = tuple(seen for seen in sighting.disks if not any(alike(disk, seen) for disk in covered))
    return replace(sighting, disks=disks)


def _untouched(track: Track, evidence: Evidence) -> bool:
    return evidence.same.get(track.id, 0.0) >= TRACKING.still_same and track.id not in evidence.marked


def _matches(memory: Memory, sighting: TableSighting, evidence: Evidence) -> dict[str, DiskSighting]:
    """The sighting of each known disk that was seen; while a hand is there, of none that something lies over."""
    fixed = [track for track in memory.tracks if track.visible and _untouched(track, evidence)]
    matches = anchored(fixed, sighting.disks)
    taken = {seen.id for seen in matches.values()}
    waiting = evidence.occluded if evidence.whole else evidence.occluded | evidence.under_object
    rest = [
        track
        for track in memory.tracks
        if track.id not in waiting and not (track.visible and _untouched(track, evidence))
    ]
    unsure = {
        track.id for track in rest if evidence.same.get(track.id, 0.0) >= TRACKING.most_of_face
    } | evidence.under_object
    free = [seen for seen in sighting.disks if seen.id not in taken and not _tentative(seen, memory, evidence)]
    disks = {track.id: track.disk for track in memory.tracks}
    below: dict[str, list[DiskSighting]] = {}
    for order in memory.orders:
        below.setdefault(order.top, []).append(disks[order.bottom])
    others = assigned(rest, free, fixed, unsure, evidence.fresh, below)
    return {**evidence.carried, **matches, **others}


def _tentative(seen: DiskSighting, memory: Memory, evidence: Evidence) -> bool:
    """Whether a detection is where nothing has changed and no disk is known: it can be none that has moved."""
    if seen.id in evidence.fresh:
        return False
    return all(covered_share(seen, [track.disk]) < TRACKING.most_of_face for track in memory.tracks)


def _at_height(seen: DiskSighting, track: Track, heights: Mapping[str, float], at_height: AtHeight) -> DiskSighting:
    """A disk that still lies on hidden ones is where it is though the look takes it to lie on the cloth."""
    height_mm = heights.get(track.id, 0.0)
    near = apart_mm(seen, track.disk) < TRACKING.slight_mm[1]
    return at_height(seen, height_mm) if near and seen.face_height_mm < height_mm - CARD_THICKNESS_MM / 2 else seen


def _updated(track: Track, seen: DiskSighting, evidence: Evidence) -> Track:
    if track.visible and _untouched(track, evidence):
        return _recognised(track, track.disk, seen)
    old = track.disk
    disk = replace(
        seen,
        id=track.id,
        diameter_mm=old.diameter_mm,
        tokens=_tokens(track, seen, evidence),
    )
    jitter_mm = float(np.clip(TRACKING.jitter_sigmas * math.hypot(seen.sigma_mm, old.sigma_mm), *TRACKING.jitter_mm))
    if track.id in evidence.stayed:
        jitter_mm = TRACKING.slight_mm[1]
    if apart_mm(seen, old) < jitter_mm:
        disk = replace(disk, x_mm=old.x_mm, y_mm=old.y_mm, covariance=old.covariance)
    return replace(_recognised(track, disk, seen), visible=True)


def _recognised(track: Track, disk: DiskSighting, seen: DiskSighting) -> Track:
    """The track with this disk, who it is known from before or from a surer reading."""
    known = track.disk
    face = _surer_face(known.face, seen.face)
    read_anew = face is seen.face and track.misread is None
    owner = (seen.owner if read_anew else None) or known.owner or seen.owner
    return replace(track, disk=replace(disk, face=face, owner=owner))


def _tokens(track: Track, seen: DiskSighting, evidence: Evidence) -> Mapping[str, int]:
    """The tokens on it: a disk that was moved has lost none in the same grip.

    On a face that is not known and lies still they are as they were unless a spot of it changed, and what has changed
    there tells more than what lies there.
    """
    old = track.disk
    if apart_mm(seen, old) <= TRACKING.jitter_mm[0]:
        if seen.face.profile is not None:
            return seen.tokens
        if track.visible and track.id in evidence.same and track.id not in evidence.marked:
            return old.tokens
        change = evidence.tokens.get(track.id, {})
        if not change:
            return seen.tokens
        counts = {kind: old.tokens.get(kind, 0) + change.get(kind, 0) for kind in {*old.tokens, *change}}
        return {kind: count for kind, count in counts.items() if count > 0}
    return {kind: max(old.tokens.get(kind, 0), seen.tokens.get(kind, 0)) for kind in {*old.tokens, *seen.tokens}}


def _with_tokens_kept(tracks: Iterable[Track], memory: Memory, untouched: Collection[str]) -> list[Track]:
    """Neither a jolt nor a disk that is laid on another brings tokens there or takes them."""
    old = memory.by_id()
    return [
        replace(track, disk=replace(track.disk, tokens=old[track.id].disk.tokens))
        if track.id in untouched and track.id in old
        else track
        for track in tracks
    ]


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


def _unmatched(
    memory: Memory, sighting: TableSighting, matches: Mapping[str, DiskSighting], evidence: Evidence
) -> tuple[list[DiskSighting], list[DiskSighting]]:
    """Disks nobody knew: those that were put there, and those that have to be confirmed.

    These are where nothing has changed, or hardly likely to be disks, and, unless they are sure, where a disk lay until
    now: a ring printed on what is below it may be as wide. While a hand is over the table a new disk may be one that it
    holds; then it has to wait. What seems to have come under a known disk has not: hands lay disks on top.
    """
    taken = {seen.id for seen in matches.values()}
    waiting = [track for track in memory.tracks if track.id not in matches]
    pushed_under = {
        order.bottom for order in sighting.orders if order.top in taken and order.probability >= TRACKING.likely_from
    }
    left = [track.disk for track in memory.tracks if not _lies_still(track, matches)]
    new, unconfirmed = [], []
    for seen in sighting.disks:
        if seen.id in taken:
            continue
        revealed = seen.id in evidence.uncovered or any(
            covered_share(seen, [disk]) >= TRACKING.revealed_share for disk in left
        )
        unlikely = seen.id not in evidence.fresh or seen.confidence < TRACKING.likely_from
        if unlikely or (not sure(seen) if revealed else seen.id in pushed_under):
            unconfirmed.append(seen)
        elif evidence.whole or not any(could_be(track, seen) for track in waiting):
            new.append(seen)
    return new, unconfirmed


def _lies_still(track: Track, matches: Mapping[str, DiskSighting]) -> bool:
    seen = matches.get(track.id)
    return seen is not None and apart_mm(seen, track.disk) < TRACKING.slight_mm[0]


def _named_tracks(seen: Iterable[DiskSighting], named: int) -> dict[str, Track]:
    """New tracks by their sighting's id."""
    return {disk.id: Track(replace(disk, id=f"d{named + number:02d}")) for number, disk in enumerate(seen, 1)}


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
        if track.id in doubtful and covered_share(track.disk, covers) < TRACKING.most_of_face:
            gone.add(track.id)
    return gone


def _held(track: Track, evidence: Evidence) -> bool:
    """Whether a disk that no sighting shows is there all the same: its pixels say so, or it cannot be seen."""
    there = track.visible and evidence.same.get(track.id, 0.0) >= TRACKING.most_of_face
    return there or track.id in evidence.occluded or track.id in evidence.under_object
