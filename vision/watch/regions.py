"""Which parts of the table a detection pass goes over, in millimetres."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from shapely import MultiPoint, MultiPolygon, Point, Polygon, unary_union
from shapely.geometry.base import BaseGeometry

from calibration.view import TableView
from vision.camera.motion import Mask
from vision.tracking.memory import Track
from vision.tracking.options import TRACKING
from vision.types.sighting import DiskSighting, TableSighting
from vision.watch.options import WATCH


def changed_regions(changed: Mask, tracks: Iterable[Track], view: TableView) -> list[Polygon]:
    """Convex regions around what has changed: places of the small picture, and disks that look other than before."""
    px_per_cell = view.lens.width / changed.shape[1]
    contours, _ = cv2.findContours(changed.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    parts: list[BaseGeometry] = []
    for contour in contours:
        pixels = (contour.reshape(-1, 2) + 0.5) * px_per_cell - 0.5
        parts.append(
            MultiPoint(view.image_to_board(pixels.astype(np.float64))).convex_hull.buffer(TRACKING.slight_mm[1])
        )
    parts += [Point(*track.place).buffer(track.disk.diameter_mm / 2 + TRACKING.slight_mm[1]) for track in tracks]
    joined = unary_union([part.buffer(WATCH.joined_mm / 2) for part in parts])
    groups = getattr(joined, "geoms", [joined])
    hulls = [unary_union([part for part in parts if group.intersects(part)]).convex_hull for group in groups]
    return [hull for hull in hulls if isinstance(hull, Polygon) and not hull.is_empty]


def with_whole_piles(region: Polygon, sighting: TableSighting) -> tuple[Polygon | MultiPolygon, TableSighting]:
    """The region grown over every disk it touches, and those that touch them; and the sighting of what lies outside."""
    outlines = {disk.id: outline_mm(disk) for disk in sighting.disks}
    grown: BaseGeometry = region
    while reached := [identity for identity, outline in outlines.items() if grown.intersects(outline)]:
        grown = unary_union([grown, *(outlines.pop(identity) for identity in reached)])
    kept = tuple(disk for disk in sighting.disks if disk.id in outlines)
    orders = tuple(order for order in sighting.orders if order.top in outlines and order.bottom in outlines)
    if not isinstance(grown, Polygon | MultiPolygon):
        raise TypeError(f"expected an area, got {grown.geom_type}")
    return grown, TableSighting(kept, orders, sighting.terrain)


def outline_mm(disk: DiskSighting) -> Polygon:
    """A disk as it lies on the table."""
    return Point(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)
