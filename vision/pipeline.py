"""A settled frame and its table view in, all that lies on the table out. Composition only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from shapely import MultiPolygon, Point, Polygon

from calibration.view import TableView
from vision.credence import credence
from vision.edges import EdgeField, edge_field
from vision.explain import explain
from vision.face_index import FaceIndex
from vision.fit import Fit, fit_rims
from vision.frame import Frame
from vision.identity import identify
from vision.outlines import find_terrain
from vision.placing import disk_sightings, pair_orders, place, rims_of
from vision.rims import find_candidates, judge
from vision.roster import Roster
from vision.sighting import DiskSighting, TableSighting
from vision.stacking import Stack, stack
from vision.topview import TopView, top_view

DEFAULT_SIZES_MM = (38.1, 50.8, 76.2)
THICKNESS_MM = 2.0
TOP_VIEW_PX_PER_MM = 1.25
BELIEVED_FROM = -0.3  # log-odds that a rim is a disk's
EDGE_MM = 3.0  # hand-placed tokens let the field's edge be so far from where it is drawn

Region = Polygon | MultiPolygon


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What is known of the pieces beforehand: the diameters there are (None: any, to be measured) and the roster."""

    sizes_mm: tuple[float, ...] | None = DEFAULT_SIZES_MM
    roster: Roster | None = None
    faces: FaceIndex = field(init=False)  # the roster's art, prepared once for all frames

    def __post_init__(self) -> None:
        object.__setattr__(self, "faces", FaceIndex.of(self.roster or Roster(())))


def look(frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
    """Finds everything in one settled frame, knowing nothing of the frames before."""
    seen = _look_for_disks(frame, view, pieces)
    disks = identify(frame.bgr, view, seen.disks, seen.orders, pieces.faces)
    return TableSighting(disks, seen.orders, find_terrain(frame.bgr, view, disks))


def _look_for_disks(frame: Frame, view: TableView, pieces: Pieces) -> TableSighting:
    """Where disks lie and who lies on whom."""
    sizes = pieces.sizes_mm or DEFAULT_SIZES_MM
    top = top_view(frame.bgr, view, TOP_VIEW_PX_PER_MM, THICKNESS_MM, margin_mm=max(sizes) / 2 + 10)
    edges = edge_field(top)
    candidates = find_candidates(edges, sizes)
    on_table = top.to_board(candidates.centres)
    reach = np.array([view.width_mm, view.depth_mm]) + EDGE_MM
    candidates = candidates.pick(np.asarray(((on_table > -EDGE_MM) & (on_table < reach)).all(axis=1)))
    rims = candidates.pick(explain(candidates, top.px_per_mm).chosen)
    order = stack(rims, top.px_per_mm)
    poses = place(top.to_board(rims.centres), rims.radii / top.px_per_mm, order, top.height_mm, view, THICKNESS_MM)
    fit = fit_rims(frame.bgr, view, edges.whiten, poses, order.covered, THICKNESS_MM)
    return _settled(frame, view, edges, fit)


def _settled(frame: Frame, view: TableView, edges: EdgeField, fit: Fit) -> TableSighting:
    """Judges the fitted rims anew, orders them, lets them come to rest and measures them a last time."""
    top = edges.top
    rims = judge(edges, rims_of(fit.poses, view, top))
    told = explain(rims, top.px_per_mm)
    rims = rims.pick(told.chosen)
    odds = credence(rims, told)
    believed = odds > BELIEVED_FROM
    rims, odds = rims.pick(believed), odds[believed]
    order = stack(rims, top.px_per_mm)
    poses = place(top.to_board(rims.centres), rims.radii / top.px_per_mm, order, top.height_mm, view, THICKNESS_MM)
    fit = fit_rims(frame.bgr, view, edges.whiten, poses, order.covered, THICKNESS_MM)
    order, fit = _lowered(view, top, order, fit)
    disks = disk_sightings(fit, order, view, rims_of(fit.poses, view, top), THICKNESS_MM, odds)
    return TableSighting(disks, pair_orders(disks, order))


def _lowered(view: TableView, top: TopView, order: Stack, fit: Fit) -> tuple[Stack, Fit]:
    """The fitted faces at the heights their measured places give them."""
    apparent = view.image_to_board(view.board_to_image(fit.poses.centres_mm, fit.poses.heights_mm), top.height_mm)
    poses = place(apparent, fit.poses.radii_mm, order, top.height_mm, view, THICKNESS_MM)
    return order, Fit(poses, fit.covariances, fit.scatter_mm)


def look_again(
    frame: Frame,
    view: TableView,
    pieces: Pieces,
    previous: TableSighting,
    region_mm: Region,
) -> TableSighting:
    """Looks only at the changed part of the table and keeps what was seen outside it."""
    fresh = look(frame, view, pieces)
    kept = tuple(disk for disk in previous.disks if not region_mm.intersects(_outline(disk)))
    news = tuple(disk for disk in fresh.disks if region_mm.intersects(_outline(disk)))
    ids = {disk.id for disk in kept}
    renamed = {disk.id: _free_name(disk.id, ids) for disk in news}
    orders = [order for order in previous.orders if {order.top, order.bottom} <= ids]
    orders += [
        replace(order, top=renamed[order.top], bottom=renamed[order.bottom])
        for order in fresh.orders
        if order.top in renamed and order.bottom in renamed
    ]
    named = tuple(replace(disk, id=renamed[disk.id]) for disk in news)
    return TableSighting(kept + named, tuple(orders), fresh.terrain)


def _outline(disk: DiskSighting) -> Polygon:
    return Point(disk.x_mm, disk.y_mm).buffer(disk.diameter_mm / 2)


def _free_name(name: str, taken: set[str]) -> str:
    number = 1
    while name in taken:
        name = f"n{number}"
        number += 1
    taken.add(name)
    return name
