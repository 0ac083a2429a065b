"""Stacks that were moved as one: a lower disk that no detection shows lies where its cover went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from vision.tracking.memory import Change, Memory, Moved, Removed
from vision.types.sighting import DiskSighting

LiesThere = Callable[[DiskSighting, Sequence[DiskSighting]], bool]


def carried_along(
    before: Memory, after: Memory, changes: Iterable[Change], lies_there: LiesThere
) -> dict[str, DiskSighting]:
    """Where the disks lie that seem removed, by name, if a disk that lay on them was moved and they may be under it.

    `lies_there` tells whether a disk can lie at a place under these others.
    """
    changes = tuple(changes)
    moved = {change.piece: change for change in changes if isinstance(change, Moved)}
    lost = {change.piece for change in changes if isinstance(change, Removed)}
    old, new = before.by_id(), after.by_id()
    found: dict[str, DiskSighting] = {}
    for order in before.orders:
        if order.bottom not in lost or order.top not in moved or order.bottom in found:
            continue
        move, disk = moved[order.top], old[order.bottom].disk
        across, down = (end - start for start, end in zip(move.start, move.end, strict=True))
        place = replace(disk, id=f"carried-{disk.id}", x_mm=disk.x_mm + across, y_mm=disk.y_mm + down)
        if lies_there(place, [new[order.top].disk]):
            found[order.bottom] = place
    return found
