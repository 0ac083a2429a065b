"""Heights of disks on hidden ones: a detection pass cannot know them, and the same pixels are another place then."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

import numpy as np

from calibration.view import TableView
from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, Order

AtHeight = Callable[[DiskSighting, float], DiskSighting]


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
        if track.id in touched and track.disk.face_height_mm < heights.get(track.id, 0.0) - TRACKING.noticed_mm
        else track
        for track in tracks
    ]
