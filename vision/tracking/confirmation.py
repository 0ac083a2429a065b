"""Disks the memory is not sure of: seen where nothing changed, or not seen where one is remembered."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from vision.tracking.memory import Doubt, Track
from vision.types.disc_overlap import covered_share
from vision.types.sighting import DiskSighting, Order

SEEN_OFTEN = 3  # looks that show a disk where none was known until it is believed
_SURE_FROM = 0.9  # confidence from which a disk is believed without having been seen to be put there
_NAMED_FROM = (0.6, 0.95)  # the same for one whose face is known, and how surely that must be
_MISSED_OFTEN = 4  # looks that do not show a known disk, with nothing over it, until it is given up
_SAME_PLACE_MM = 5.0
_DUPLICATE_MM = 10.0


def sure(disk: DiskSighting) -> bool:
    """Whether one look is enough to believe in a disk: its rim speaks clearly, or its face does."""
    least, named = _NAMED_FROM
    return disk.confidence >= _SURE_FROM or (
        disk.face.profile is not None and disk.face.confidence >= named and disk.confidence >= least
    )


def weighed(
    doubts: Iterable[Doubt], ghosts: Iterable[DiskSighting], tracks: Iterable[Track]
) -> tuple[tuple[Doubt, ...], tuple[DiskSighting, ...]]:
    """The doubts after one more look, and the ghosts that were seen so often that they are disks."""
    tracks, doubts = tuple(tracks), tuple(doubts)
    kept, believed = [], []
    for ghost in ghosts:
        if any(_apart_mm(ghost, track.disk) < _DUPLICATE_MM for track in tracks):
            continue
        times = 1 + max((doubt.times for doubt in doubts if alike(doubt.disk, ghost)), default=0)
        if times >= SEEN_OFTEN and sure(ghost):
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
    return not track.vouched and track.missed >= _MISSED_OFTEN and track.missed > 2 * track.seen


def alike(first: DiskSighting, second: DiskSighting) -> bool:
    """Whether two looks show one disk that lies still."""
    same_size = abs(first.diameter_mm - second.diameter_mm) < 0.1 * second.diameter_mm
    return same_size and _apart_mm(first, second) < _SAME_PLACE_MM


def _apart_mm(first: DiskSighting, second: DiskSighting) -> float:
    return math.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm)
