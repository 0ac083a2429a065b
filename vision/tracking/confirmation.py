"""Disks the memory is not sure of: seen where nothing changed, or not seen where one is remembered."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from vision.tracking.memory import Doubt, Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import covered_share
from vision.types.sighting import DiskSighting, Order


def sure(disk: DiskSighting) -> bool:
    """Whether one look is enough to believe in a disk: its rim speaks clearly, or its face does."""
    least, named = TRACKING.named_from
    return disk.confidence >= TRACKING.sure_from or (
        disk.face.profile is not None and disk.face.confidence >= named and disk.confidence >= least
    )


def weighed(
    doubts: Iterable[Doubt], ghosts: Iterable[DiskSighting], tracks: Iterable[Track]
) -> tuple[tuple[Doubt, ...], tuple[DiskSighting, ...]]:
    """The doubts after one more look, and the ghosts that were seen so often that they are disks."""
    tracks, doubts = tuple(tracks), tuple(doubts)
    kept, believed = [], []
    for ghost in ghosts:
        if any(_apart_mm(ghost, track.disk) < TRACKING.duplicate_mm for track in tracks):
            continue
        times = 1 + max((doubt.times for doubt in doubts if alike(doubt.disk, ghost)), default=0)
        if times >= TRACKING.seen_often and sure(ghost):
            believed.append(ghost)
        else:
            kept.append(Doubt(ghost, times))
    return tuple(kept), tuple(believed)


def counted(
    tracks: Iterable[Track], orders: Iterable[Order], seen: Collection[str], out_of_sight: Collection[str]
) -> list[Track]:
    """The tracks with one more look counted for or against those that should have shown."""
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


def given_up(track: Track) -> bool:
    """Whether a disk was missed so much more often than seen that it never was one."""
    return not track.vouched and track.missed >= TRACKING.missed_often and track.missed > 2 * track.seen


def alike(first: DiskSighting, second: DiskSighting) -> bool:
    """Whether two looks show one disk that lies still."""
    same_size = abs(first.diameter_mm - second.diameter_mm) < 0.1 * second.diameter_mm
    return same_size and _apart_mm(first, second) < TRACKING.confirmation_same_place_mm


def _apart_mm(first: DiskSighting, second: DiskSighting) -> float:
    return math.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm)
