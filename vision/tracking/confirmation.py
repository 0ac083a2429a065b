"""Confirmation: when to add a tentative track, when to drop a missed one, when terrain is another."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from shapely import Polygon

from vision.tracking.memory import Tentative, Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import apart_mm, covered_share, same_size
from vision.types.sighting import DiskSighting, Order, TerrainSighting

Terrains = tuple[TerrainSighting, ...]


def sure(disk: DiskSighting) -> bool:
    """Whether one detection pass is enough to confirm a disk: by its confidence, or by a face that was recognised."""
    least, named = TRACKING.named_from
    return disk.confidence >= TRACKING.sure_from or (
        disk.face.profile is not None and disk.face.confidence >= named and disk.confidence >= least
    )


def update_tentative(
    tentative: Iterable[Tentative], unmatched: Iterable[DiskSighting], detected: Iterable[Track], kept: Collection[str]
) -> tuple[tuple[Tentative, ...], tuple[DiskSighting, ...]]:
    """The tentative tracks after one more detection pass, and the detections that confirm one.

    What lies within a track that was `detected` as well is its duplicate. `kept` are detections of earlier passes at
    places where this one did not go: they count no further.
    """
    detected, tentative = tuple(detected), tuple(tentative)
    waiting, confirmed = [], []
    for seen in unmatched:
        if any(apart_mm(seen, track.disk) < TRACKING.duplicate_mm for track in detected):
            continue
        passes = max((known.passes for known in tentative if alike(known.disk, seen)), default=0)
        passes += seen.id not in kept
        again = sure(seen) or _recognised_again(seen, tentative)
        if passes >= TRACKING.confirm_after and again and not _unreadable(seen):
            confirmed.append(seen)
        else:
            waiting.append(Tentative(seen, passes))
    return tuple(waiting), tuple(confirmed)


def replaced(unseen: Iterable[Track], confirmed: Iterable[DiskSighting]) -> set[str]:
    """The tracks that this pass did not detect and whose place a confirmed one takes: their size was measured wrong."""
    confirmed = tuple(confirmed)
    return {
        track.id
        for track in unseen
        if not track.by_person and any(apart_mm(seen, track.disk) < TRACKING.duplicate_mm for seen in confirmed)
    }


def _recognised_again(disk: DiskSighting, tentative: Iterable[Tentative]) -> bool:
    """Whether an earlier pass read the same face there: two passes that agree on it make up for one that is sure."""
    profile = disk.face.profile
    if profile is None or disk.confidence < TRACKING.named_from[0]:
        return False
    return any(known.disk.face.profile == profile and alike(known.disk, disk) for known in tentative)


def _unreadable(disk: DiskSighting) -> bool:
    """Whether a face well in sight was read and is neither one of the roster nor a back: a distractor, rather."""
    face = disk.face
    return face.read and face.profile is None and face.side == "unknown" and disk.visible_fraction >= 0.5


def counted(
    tracks: Iterable[Track], orders: Iterable[Order], seen: Collection[str], out_of_sight: Collection[str]
) -> list[Track]:
    """The tracks with one more pass counted for or against those that should have been detected."""
    tracks = list(tracks)
    disks = {track.id: track.disk for track in tracks}
    above: dict[str, list[DiskSighting]] = {}
    for order in orders:
        if order.top in disks:
            above.setdefault(order.bottom, []).append(disks[order.top])
    return [
        track
        if track.id in out_of_sight
        else replace(track, seen=track.seen + 1, missed=0)
        if track.id in seen
        else replace(track, missed=track.missed + (covered_share(track.disk, above.get(track.id, [])) < 0.5))
        for track in tracks
    ]


def dropped(track: Track) -> bool:
    """Whether a track was missed so much more often than detected that it never was a disk."""
    limit = TRACKING.confirm_after if track.disk.face.profile is None else 2 * TRACKING.confirm_after
    return not track.by_person and track.missed >= limit * track.seen


def alike(first: DiskSighting, second: DiskSighting) -> bool:
    """Whether two detections show one disk that lies still."""
    return same_size(second, first) and apart_mm(first, second) < TRACKING.same_place_mm


def terrain_after(known: Terrains, last_seen: Terrains, seen: Terrains) -> Terrains:
    """The terrain to go on with: it keeps its outline until two passes in a row agree that it is another."""
    if agree(known, seen):
        return known
    return seen if agree(last_seen, seen) else known


def agree(first: Terrains, second: Terrains) -> bool:
    """Whether both hold the same pieces in the same places."""
    if len(first) != len(second):
        return False
    return all(any(_same_terrain(one, other) for other in second) for one in first)


def _same_terrain(first: TerrainSighting, second: TerrainSighting) -> bool:
    one, other = Polygon(first.outline_mm).buffer(0), Polygon(second.outline_mm).buffer(0)
    whole = one.union(other).area
    return whole > 0 and one.intersection(other).area / whole >= TRACKING.same_share
