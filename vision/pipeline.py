"""A settled frame and its table view in, all that lies on the table out. Composition only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import MultiPolygon, Point, Polygon

from calibration.view import TableView
from vision.edges import edge_field
from vision.explain import explain
from vision.frame import Frame
from vision.rims import find_candidates
from vision.roster import Roster
from vision.sighting import DiskSighting, TableSighting
from vision.stacking import stack
from vision.topview import top_view

DEFAULT_SIZES_MM = (38.1, 50.8, 76.2)
THICKNESS_MM = 2.0
TOP_VIEW_PX_PER_MM = 1.25
EDGE_MM = 3.0  # hand-placed tokens let the field's edge be so far from where it is drawn

Region = Polygon | MultiPolygon


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What is known of the pieces beforehand: the diameters there are (None: any, to be measured) and the roster."""

    sizes_mm: tuple[float, ...] | None = DEFAULT_SIZES_MM
    roster: Roster | None = None


def look(frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
    """Finds everything in one settled frame, knowing nothing of the frames before."""
    sizes = pieces.sizes_mm or DEFAULT_SIZES_MM
    top = top_view(frame.bgr, view, TOP_VIEW_PX_PER_MM, THICKNESS_MM, margin_mm=max(sizes) / 2 + 10)
    field = edge_field(top)
    candidates = find_candidates(field, sizes)
    on_table = top.to_board(candidates.centres)
    reach = np.array([view.width_mm, view.depth_mm]) + EDGE_MM
    candidates = candidates.pick(np.asarray(((on_table > -EDGE_MM) & (on_table < reach)).all(axis=1)))
    chosen = candidates.pick(explain(candidates, top.px_per_mm).chosen)
    return stack(chosen, top, view, THICKNESS_MM)


def look_again(
    frame: Frame, view: TableView, pieces: Pieces, previous: TableSighting, region_mm: Region
) -> TableSighting:
    """Looks only at the changed part of the table and keeps what was seen outside it."""
    fresh = look(frame, view, pieces)
    kept = tuple(disk for disk in previous.disks if not region_mm.intersects(_outline(disk)))
    news = tuple(disk for disk in fresh.disks if region_mm.intersects(_outline(disk)))
    ids = {disk.id for disk in kept}
    renamed = {disk.id: _free_name(disk.id, ids) for disk in news}
    orders = [order for order in previous.orders if {order.top, order.bottom} <= ids]
    orders += [
        type(order)(renamed[order.top], renamed[order.bottom], order.probability)
        for order in fresh.orders
        if order.top in renamed and order.bottom in renamed
    ]
    return TableSighting(kept + tuple(_named(disk, renamed[disk.id]) for disk in news), tuple(orders), fresh.terrain)


def _outline(disk: DiskSighting) -> Polygon:
    return Point(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)


def _free_name(name: str, taken: set[str]) -> str:
    number = 1
    while name in taken:
        name = f"n{number}"
        number += 1
    taken.add(name)
    return name


def _named(disk: DiskSighting, name: str) -> DiskSighting:
    return DiskSighting(
        name,
        disk.x_mm,
        disk.y_mm,
        disk.covariance,
        disk.diameter_mm,
        disk.face_height_mm,
        disk.face_normal,
        disk.visible_fraction,
        disk.owner,
        disk.face,
        disk.tokens,
        disk.confidence,
    )
