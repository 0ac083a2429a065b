"""Stacks: heights of disks on hidden ones, and lower disks that were moved with their cover.

A detection pass knows neither, and the same pixels are another place when the face is higher.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from calibration.view import TableView
from vision.tracking.memory import Change, Memory, Moved, Removed, Track
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, Order

AtHeight = Callable[[DiskSighting, float], DiskSighting]
LiesThere = Callable[[DiskSighting, Sequence[DiskSighting]], bool]


def at_height_from(view: TableView) -> AtHeight:
    """Gives a disk as its pixels show it when its face is at another height."""

    def at_height(disk: DiskSighting, height_mm: float) -> DiskSighting:
        pixel = view.board_to_image(np.array([[disk.x_mm, disk.y_mm]]), disk.face_height_mm)
        x_mm, y_mm = view.image_to_board(pixel, height_mm)[0]
        return replace(disk, x_mm=float(x_mm), y_mm=float(y_mm), face_height_mm=height_mm)

    return at_height


def at_height_overhead(disk: DiskSighting, height_mm: float) -> DiskSighting:
    """For a camera that looks straight down everywhere: height changes no place."""
    return replace(disk, face_height_mm=height_mm)


def on_hidden(tracks: Iterable[Track], orders: Iterable[Order]) -> dict[str, float]:
    """How high the faces of the disks are that lie on hidden ones."""
    hidden = {track.id: track.disk.face_height_mm for track in tracks if not track.visible}
    heights: dict[str, float] = {}
    for order in orders:
        if order.bottom in hidden and order.top not in hidden:
            heights[order.top] = max(heights.get(order.top, 0.0), hidden[order.bottom] + CARD_THICKNESS_MM)
    return heights


def with_heights(
    tracks: Iterable[Track], orders: Iterable[Order], touched: Collection[str], at_height: AtHeight
) -> list[Track]:
    """The tracks, with those that were just laid on hidden disks placed for their height."""
    tracks = list(tracks)
    heights = on_hidden(tracks, orders)
    return [
        replace(track, disk=at_height(track.disk, heights[track.id]))
        if track.id in touched and track.disk.face_height_mm < heights.get(track.id, 0.0) - CARD_THICKNESS_MM / 2
        else track
        for track in tracks
    ]


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
