"""Which sighting is which known disk."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import covered_share
from vision.types.sighting import DiskSighting

_NEVER = 1e6


def anchored(tracks: Sequence[Track], sightings: Sequence[DiskSighting]) -> dict[str, DiskSighting]:
    """For disks whose pixels did not change: the sighting of the same size at the same place, nearest first."""
    pairs = sorted(
        (_apart_mm(track.disk, seen), index, number)
        for index, track in enumerate(tracks)
        for number, seen in enumerate(sightings)
        if _same_size(track.disk, seen) and _apart_mm(track.disk, seen) < TRACKING.anchor_mm
    )
    found: dict[str, DiskSighting] = {}
    taken: set[int] = set()
    for _, index, number in pairs:
        if tracks[index].id not in found and number not in taken:
            found[tracks[index].id] = sightings[number]
            taken.add(number)
    return found


def assigned(
    tracks: Sequence[Track],
    sightings: Sequence[DiskSighting],
    fixed: Sequence[Track],
    unsure: Collection[str],
    fresh: Collection[str],
) -> dict[str, DiskSighting]:
    """The likeliest match of all others at once; what fits nothing is left out on both sides.

    `fixed` are the disks that lie as before: what is hidden under them cannot have moved. `unsure` are disks that may
    well be there though no sighting shows them; so may those that lie under what is seen now. Only `fresh` sightings
    can be disks that came from elsewhere.
    """
    if not tracks or not sightings:
        return {}
    rows, columns = len(tracks), len(sightings)
    costs = np.full((rows + columns, rows + columns), _NEVER)
    covers = [track.disk for track in fixed] + [seen for seen in sightings if seen.id not in fresh]
    for row, track in enumerate(tracks):
        stuck = not track.visible and covered_share(track.disk, covers) > 0.9
        if not stuck:
            costs[row, :columns] = [_cost(track, seen, seen.id in fresh) for seen in sightings]
        cheap = track.id in unsure or _under_others(track, [*sightings, *covers])
        costs[row, columns + row] = TRACKING.unseen_cost if cheap else TRACKING.new_cost
    for column in range(columns):
        costs[rows + column, column] = TRACKING.new_cost
    costs[rows:, columns:] = 0.0
    from scipy.optimize import linear_sum_assignment  # loaded only where it is needed: that takes a while

    chosen_rows, chosen_columns = linear_sum_assignment(costs)
    return {
        tracks[row].id: sightings[column]
        for row, column in zip(chosen_rows.tolist(), chosen_columns.tolist(), strict=True)
        if row < rows and column < columns and costs[row, column] < _NEVER
    }


def could_be(track: Track, seen: DiskSighting) -> bool:
    """Whether size and face allow that these are one disk."""
    return _same_size(track.disk, seen) and _identity_cost(track, seen) < 1.0


def _under_others(track: Track, seen: Sequence[DiskSighting]) -> bool:
    """Whether disks other than itself lie over most of its place."""
    others = [
        disk
        for disk in seen
        if not (_same_size(track.disk, disk) and _apart_mm(track.disk, disk) < TRACKING.hidden_place_mm)
    ]
    return covered_share(track.disk, others) >= TRACKING.under_share


def _cost(track: Track, seen: DiskSighting, fresh: bool) -> float:
    apart = _apart_mm(track.disk, seen)
    if not _same_size(track.disk, seen) or (apart > TRACKING.hidden_place_mm and not fresh):
        return _NEVER
    cost = min(apart / 300.0, 2.0) + _identity_cost(track, seen)
    if apart < TRACKING.assignment_same_place_mm:
        cost -= TRACKING.same_place_gain
    if not track.visible and apart > TRACKING.hidden_place_mm:
        cost += 1.0
    return cost


def _identity_cost(track: Track, seen: DiskSighting) -> float:
    known = track.disk
    if track.misread == (seen.face.profile, seen.owner):
        return 0.0
    if known.owner and seen.owner and known.owner != seen.owner:
        return 4.0
    if known.face.profile is None or seen.face.profile is None:
        return 0.4
    if known.face.profile == seen.face.profile:
        return 0.0
    return 6.0 * min(known.face.confidence, seen.face.confidence)


def _same_size(known: DiskSighting, seen: DiskSighting) -> bool:
    return abs(known.diameter_mm - seen.diameter_mm) <= TRACKING.size_tolerance * known.diameter_mm


def _apart_mm(first: DiskSighting, second: DiskSighting) -> float:
    return math.hypot(first.x_mm - second.x_mm, first.y_mm - second.y_mm)
