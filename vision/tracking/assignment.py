"""Which sighting is which known disk."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.disc_overlap import apart_mm, covered_share, same_size
from vision.types.sighting import DiskSighting


def anchored(tracks: Sequence[Track], sightings: Sequence[DiskSighting]) -> dict[str, DiskSighting]:
    """For disks whose pixels did not change: the sighting of the same size at the same place, nearest first."""
    pairs = sorted(
        (apart_mm(track.disk, seen), index, number)
        for index, track in enumerate(tracks)
        for number, seen in enumerate(sightings)
        if same_size(track.disk, seen) and apart_mm(track.disk, seen) < TRACKING.same_place_mm
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
    below: Mapping[str, Sequence[DiskSighting]] = MappingProxyType({}),
) -> dict[str, DiskSighting]:
    """The likeliest match of all others at once; what fits nothing is left out on both sides.

    `fixed` are the disks that lie as before: what is hidden under them cannot have moved. `unsure` are disks that may
    well be there though no sighting shows them; so may those that lie under what is seen now. Only `fresh` sightings
    can be disks that came from elsewhere. A face that is recognised again is strong evidence for its disk, unless that
    is hidden or under other disks: then its twin may have come. `below` are the disks that each one lies on: they do
    not hide it.
    """
    if not tracks or not sightings:
        return {}
    rows, columns = len(tracks), len(sightings)
    costs = np.full((rows + columns, rows + columns), np.inf)
    covers = [track.disk for track in fixed] + [seen for seen in sightings if seen.id not in fresh]
    for row, track in enumerate(tracks):
        stuck = not track.visible and covered_share(track.disk, covers) > TRACKING.revealed_share
        under = _under_others(track, [*sightings, *covers], below.get(track.id, ()))
        gain = TRACKING.recognised_gain if track.visible and not under else 0.0
        if not stuck:
            costs[row, :columns] = [_cost(track, seen, seen.id in fresh, gain) for seen in sightings]
        costs[row, columns + row] = TRACKING.unseen_cost if under or track.id in unsure else TRACKING.new_cost
    for column in range(columns):
        costs[rows + column, column] = TRACKING.new_cost
    costs[rows:, columns:] = 0.0
    from scipy.optimize import linear_sum_assignment  # loaded only where it is needed: that takes a while

    chosen_rows, chosen_columns = linear_sum_assignment(costs)
    return {
        tracks[row].id: sightings[column]
        for row, column in zip(chosen_rows.tolist(), chosen_columns.tolist(), strict=True)
        if row < rows and column < columns and costs[row, column] < np.inf
    }


def could_be(track: Track, seen: DiskSighting) -> bool:
    """Whether size and face allow that these are one disk."""
    return same_size(track.disk, seen) and _identity_cost(track, seen) < 1.0


def _under_others(track: Track, seen: Sequence[DiskSighting], below: Sequence[DiskSighting]) -> bool:
    """Whether disks other than itself and those that it lies on are at most of its place."""
    others = [disk for disk in seen if not any(_same_place(known, disk) for known in (track.disk, *below))]
    return covered_share(track.disk, others) >= TRACKING.most_of_face


def _cost(track: Track, seen: DiskSighting, fresh: bool, gain: float) -> float:
    apart = apart_mm(track.disk, seen)
    if not same_size(track.disk, seen) or (apart > TRACKING.duplicate_mm and not fresh):
        return np.inf
    cost = min(apart / 300.0, 2.0) + _identity_cost(track, seen) - gain * _recognition(track, seen)
    if apart < TRACKING.same_place_mm:
        cost -= TRACKING.same_place_gain
    if not track.visible and apart > TRACKING.duplicate_mm:
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


def _recognition(track: Track, seen: DiskSighting) -> float:
    """The probability that a detection shows the face that the track is known by, 0 where no face was read."""
    if seen.face.profile is None or seen.face.profile not in (track.disk.face.profile, (track.misread or (None,))[0]):
        return 0.0
    return seen.face.confidence if track.misread else min(track.disk.face.confidence, seen.face.confidence)


def _same_place(known: DiskSighting, seen: DiskSighting) -> bool:
    return same_size(known, seen) and apart_mm(known, seen) < TRACKING.duplicate_mm
