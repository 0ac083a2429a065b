"""A detection pass over a changed region, merged with what is known outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from shapely import MultiPolygon, Point, Polygon
from shapely.ops import unary_union

from calibration.view import TableView
from vision.look.identify import identify
from vision.look.options import LOOK
from vision.look.pieces import Pieces
from vision.look.pipeline import look_for_disks
from vision.roster.kit import KIT
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting, TableSighting

Region = Polygon | MultiPolygon


def look_again(
    frame: Frame, view: TableView, pieces: Pieces, previous: TableSighting, region_mm: Region
) -> TableSighting:
    """Looks only at the changed part of the table and keeps what was seen outside it, terrain included."""
    if region_mm.is_empty:
        return previous
    touched = unary_union([region_mm, *(_outline(d) for d in previous.disks if region_mm.intersects(_outline(d)))])
    largest = max((disk.diameter_mm for disk in previous.disks), default=0.0)
    margin = max(largest, max(pieces.sizes_mm or KIT.disks_mm)) / 2 + LOOK.margin_mm
    west, north, east, south = touched.bounds
    box = (west - margin, north - margin, east + margin, south + margin)
    fresh = look_for_disks(frame, view, pieces, box)
    kept = tuple(disk for disk in previous.disks if not touched.intersects(_outline(disk)))
    news = [disk for disk in fresh.disks if touched.intersects(_outline(disk)) and not _known(disk, kept)]
    taken = {disk.id for disk in kept}
    names = {disk.id: _free_name(disk.id, taken) for disk in news}
    names |= {
        disk.id: known.id for disk in fresh.disks for known in kept if disk.id not in names and _same(disk, known)
    }
    orders = [order for order in previous.orders if {order.top, order.bottom} <= {disk.id for disk in kept}]
    orders += [
        replace(order, top=names[order.top], bottom=names[order.bottom])
        for order in fresh.orders
        if order.top in names and order.bottom in names and {order.top, order.bottom} & {disk.id for disk in news}
    ]
    disks = (*kept, *(replace(disk, id=names[disk.id]) for disk in news))
    seen = TableSighting(disks, tuple(orders), previous.terrain)
    return identify(frame.bgr, view, seen, pieces.faces, {disk.id for disk in kept})


def _outline(disk: DiskSighting) -> Polygon:
    return Point(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)


def _known(disk: DiskSighting, kept: Sequence[DiskSighting]) -> bool:
    return any(_same(disk, other) for other in kept)


def _same(disk: DiskSighting, other: DiskSighting) -> bool:
    apart = float(np.hypot(disk.x_mm - other.x_mm, disk.y_mm - other.y_mm))
    return apart < other.diameter_mm / 8 and abs(disk.diameter_mm - other.diameter_mm) < other.diameter_mm / 8


def _free_name(name: str, taken: set[str]) -> str:
    number = 1
    while name in taken:
        name = f"n{number:02}"
        number += 1
    taken.add(name)
    return name
