"""What has happened between two settled tables, from how they differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from vision.tracking.memory import (
    Appeared,
    Bumped,
    Change,
    Memory,
    Moved,
    Noticed,
    Pinned,
    Removed,
    TokenChanged,
    Track,
    Unpinned,
)
from vision.tracking.options import TRACKING
from vision.tracking.orders import changed_pairs
from vision.types.disc_overlap import TOUCHING_MM2, covered_share, overlap_area_mm2


@dataclass(frozen=True, slots=True)
class Step:
    """What the tracker did with its disks: shifted, added, took off, or corrected itself about."""

    shifts: tuple[Moved, ...] = ()
    newcomers: tuple[Track, ...] = ()
    uncovered: frozenset[str] = frozenset()  # of the newcomers: hardly anything of them was in sight before
    noticed: tuple[Track, ...] = ()
    gone: frozenset[str] = frozenset()
    never_there: frozenset[str] = frozenset()

    @property
    def lifted(self) -> frozenset[str]:
        """The disks that were in a hand."""
        far = {shift.piece for shift in self.shifts if _length_mm(shift) > TRACKING.slight_mm[1]}
        return frozenset(far | {track.id for track in self.newcomers})

    @property
    def touched(self) -> frozenset[str]:
        """The disks that do not lie as they did."""
        late = {track.id for track in self.noticed}
        return self.lifted | {shift.piece for shift in self.shifts} | late

    @property
    def jolted(self) -> frozenset[str]:
        """The disks of a bump that shifted several at once: no hand was at them."""
        _, bumps = moves_and_bumps(self.shifts)
        return frozenset(shift.piece for bump in bumps for shift in bump.shifts if len(bump.shifts) > 1)

    def ending(self, tracks: Iterable[Track]) -> Step:
        """The same step, its shifts ending where the tracks lie now."""
        places = {track.id: track.place for track in tracks}
        return replace(self, shifts=tuple(replace(s, end=places.get(s.piece, s.end)) for s in self.shifts))


def changes_of(before: Memory, after: Memory, step: Step) -> tuple[Change, ...]:
    """Moves and bumps, then what came and went, then pins, then tokens."""
    moved, bumped = moves_and_bumps(step.shifts)
    old = before.by_id()
    left = [old[identity] for identity in sorted(step.gone)] + [old[shift.piece] for shift in moved]
    covers = {track.id: _cover_of(track, left, track.id in step.uncovered) for track in step.newcomers}
    appeared = [Appeared(track.id, track.place, covers[track.id]) for track in step.newcomers]
    removed = [Removed(identity, old[identity].place) for identity in sorted(step.gone)]
    noticed = [Noticed(track.id, track.place, True) for track in step.noticed]
    noticed += [Noticed(identity, old[identity].place, False) for identity in sorted(step.never_there)]
    _, ceased = changed_pairs(before.orders, after.orders)
    read_anew = {bottom for _, bottom in ceased} | before.hidden() | step.lifted
    judged = [track for track in after.tracks if track.id in old and track.id not in read_anew]
    tokens = [change for track in judged for change in _token_changes(old[track.id], track)]
    return (*moved, *bumped, *appeared, *removed, *noticed, *_pin_changes(before, after, step, covers), *tokens)


def _pin_changes(
    before: Memory, after: Memory, step: Step, covers: Mapping[str, str | None]
) -> list[Pinned | Unpinned]:
    """Pairs that began or ceased to overlap; a disk that only came to light has been lying so before."""
    began, ceased = changed_pairs(before.orders, after.orders)
    found_late = {track.id for track in step.noticed} | {piece for piece, cover in covers.items() if cover}
    active = {shift.piece for shift in step.shifts} | {track.id for track in step.newcomers} - found_late
    changes: list[Pinned | Unpinned] = [
        Pinned(*pair) for pair in began if not found_late & set(pair) or active & set(pair)
    ]
    changes += [Unpinned(*pair) for pair in ceased if not step.never_there & set(pair)]
    new = after.by_id()
    changes += [Unpinned(cover, piece) for piece, cover in covers.items() if cover and not _overlap(new, cover, piece)]
    return changes


def moves_and_bumps(shifts: Iterable[Moved]) -> tuple[list[Moved], list[Bumped]]:
    """Moves and bumps: several slight shifts at once, or a single very slight one, are an accident."""
    noticed = [shift for shift in shifts if _length_mm(shift) >= TRACKING.slight_mm[0]]
    slight = [shift for shift in noticed if _length_mm(shift) <= TRACKING.slight_mm[1]]
    moved = [shift for shift in noticed if shift not in slight]
    if len(slight) == 1 and _length_mm(slight[0]) >= TRACKING.single_mm[1]:
        return [*moved, *slight], []
    if len(slight) == 1 and _length_mm(slight[0]) < TRACKING.single_mm[0]:
        return moved, []
    return moved, [Bumped(tuple(slight))] if slight else []


def _cover_of(track: Track, left: Iterable[Track], uncovered: bool) -> str | None:
    """The disk that lay over most of a newcomer until now, if it hid it or could have hidden it wholly."""
    shares = {cover.id: covered_share(track.disk, [cover.disk]) for cover in left}
    most = max(shares, key=lambda name: shares[name], default=None)
    return most if most and (uncovered or shares[most] >= TRACKING.revealed_share) else None


def _overlap(tracks: Mapping[str, Track], first: str, second: str) -> bool:
    if first not in tracks or second not in tracks:
        return False
    return overlap_area_mm2(tracks[first].disk, tracks[second].disk) >= TOUCHING_MM2


def _token_changes(before: Track, after: Track) -> list[TokenChanged]:
    old, new = before.disk.tokens, after.disk.tokens
    kinds = sorted(old.keys() | new.keys())
    changes = [TokenChanged(after.id, kind, new.get(kind, 0) - old.get(kind, 0)) for kind in kinds]
    return [change for change in changes if change.change]


def _length_mm(shift: Moved) -> float:
    return math.dist(shift.start, shift.end)
