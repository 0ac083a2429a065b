"""A settled frame and its table view in, all that lies on the table out. Composition only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from shapely import MultiPolygon, Point, Polygon
from shapely.ops import unary_union

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.confidence.appearance import looks_of
from vision.confidence.back_stars import borrowed_stars
from vision.confidence.by_appearance import hidden_by_none, with_testimony, without_traces
from vision.confidence.by_rim import credence
from vision.faces.close_ups import CloseUps, take_close_ups
from vision.faces.index import FaceIndex
from vision.faces.reading import faces_of, read_closely, still_read
from vision.look.identify import identify, recognise
from vision.look.options import LOOK
from vision.look.scale import scaled_sighting, scaled_view, working_scale
from vision.piles.art_order import art_leads
from vision.piles.placing import disk_sightings, overlapping, place, probability
from vision.piles.settle import lie_down
from vision.piles.shallow_order import shallow_leads
from vision.rims.any_size import find_any
from vision.rims.candidates import Rims, circles, find_candidates, judge, on_field, rims_of
from vision.rims.card_edges import card_edges
from vision.rims.edges import EdgeField, edge_field
from vision.rims.fit import softened
from vision.rims.options import RIMS
from vision.rims.refine import leans, still_explaining
from vision.rims.residual import with_overlooked
from vision.rims.rim_fitter import RimFitter
from vision.rims.select import explain
from vision.rims.stacking import Stack, stack
from vision.rims.true_size import remeasured
from vision.rims.votes import edge_points
from vision.roster.profiles import Roster
from vision.search.art_search import FoundFace, find_art
from vision.search.candidates import searches_for
from vision.search.nearby import found_beside
from vision.shadows.hidden_support import raised_disks
from vision.shadows.table_shade import TableColours
from vision.terrain.detect import KnownGround, see_terrain
from vision.types.arrays import IntArray
from vision.types.frame import Frame
from vision.types.poses import Poses, poses_of
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, FaceReading, TableSighting, TerrainSighting
from vision.types.top_view import TopView, top_view_of
from vision.types.workers import meanwhile

NO_FACES = FaceIndex.build((), ())

Region = Polygon | MultiPolygon
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """What is known of the pieces beforehand: the diameters there are (None: any, to be measured) and the roster."""

    sizes_mm: tuple[float, ...] | None = LOOK.default_sizes_mm
    roster: Roster | None = None
    faces: FaceIndex = field(init=False)  # the roster's art, prepared once for all frames
    ground: KnownGround = field(init=False)  # and its terrain

    def __post_init__(self) -> None:
        object.__setattr__(self, "faces", FaceIndex.of(self.roster or Roster(())))
        object.__setattr__(self, "ground", KnownGround.of(self.roster or Roster(())))


def look(frame: Frame, view: TableView, pieces: Pieces, by_shadows: bool = True) -> TableSighting:
    """Finds everything in one settled frame, knowing nothing of the frames before.

    What lies unseen below a disk is told by its shadow, unless somebody knows that better who has followed the game:
    a height that comes and goes with each look would seem a move.
    """
    seen = look_for_disks(frame, view, pieces)
    of_cards = by_shadows and pieces.sizes_mm is not None
    seeing = meanwhile(lambda: _see_ground(frame, view, pieces, seen, of_cards))
    told, by_art = recognise(frame.bgr, view, seen, pieces.faces)
    terrain, colours = seeing()
    told = replace(told, terrain=terrain)
    lying = lie_down(view, told, by_art)
    raised = raised_disks(colours, view, lying) if colours else {}
    return lie_down(view, told, by_art, raised=raised) if raised else lying


def _see_ground(
    frame: Frame, view: TableView, pieces: Pieces, seen: TableSighting, of_cards: bool
) -> tuple[tuple[TerrainSighting, ...], TableColours | None]:
    """Terrain, and the table's own colours if shadows of cards are to be seen on them."""
    terrain = see_terrain(frame.bgr, view, seen.disks, pieces.ground)
    return terrain, TableColours.of(frame.bgr, view, poses_of(seen.disks), terrain) if of_cards else None


def look_for_terrain(frame: Frame, view: TableView, disks: Sequence[DiskSighting]) -> tuple[TerrainSighting, ...]:
    """Whatever lies flat on the table beside the disks, kinds unknown."""
    return see_terrain(frame.bgr, view, disks, KnownGround.of(Roster(())))


def look_again(
    frame: Frame, view: TableView, pieces: Pieces, previous: TableSighting, region_mm: Region
) -> TableSighting:
    """Looks only at the changed part of the table and keeps what was seen outside it, terrain included."""
    if region_mm.is_empty:
        return previous
    touched = unary_union([region_mm, *(_outline(d) for d in previous.disks if region_mm.intersects(_outline(d)))])
    largest = max((disk.diameter_mm for disk in previous.disks), default=0.0)
    margin = max(largest, max(pieces.sizes_mm or LOOK.default_sizes_mm)) / 2 + LOOK.margin_mm
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


def look_for_disks(frame: Frame, view: TableView, pieces: Pieces, box_mm: Box | None = None) -> TableSighting:
    """Where disks lie and who lies on whom, in the whole field or in a box (west, north, east, south) of it."""
    sizes_mm = pieces.sizes_mm
    scale = working_scale(view, sizes_mm, LOOK.top_view_px_per_mm)
    if scale == 1.0 and sizes_mm is not None:
        return _look_at_box(frame, view, sizes_mm, box_mm, CARD_THICKNESS_MM, pieces.faces)
    box = None if box_mm is None else (box_mm[0] * scale, box_mm[1] * scale, box_mm[2] * scale, box_mm[3] * scale)
    sizes = None if sizes_mm is None else [size * scale for size in sizes_mm]
    seen = _look_at_box(frame, scaled_view(view, scale), sizes, box, CARD_THICKNESS_MM * scale, NO_FACES)
    found = scaled_sighting(seen, 1 / scale)
    return found if sizes_mm else remeasured(frame.bgr, view, found, CARD_THICKNESS_MM)


def _look_at_box(
    frame: Frame,
    view: TableView,
    sizes_mm: Sequence[float] | None,
    box_mm: Box | None,
    thickness: float,
    faces: FaceIndex,
) -> TableSighting:
    margin = max(sizes_mm) / 2 + LOOK.margin_mm if sizes_mm else LOOK.margin_mm
    whole = (-margin, -margin, view.width_mm + margin, view.depth_mm + margin)
    box = whole if box_mm is None else _common_box(whole, box_mm)
    top = top_view_of(frame.bgr, view, LOOK.top_view_px_per_mm, thickness, box)
    edges = edge_field(top)
    points = edge_points(edges)
    seeing_cards = meanwhile(lambda: card_edges(top.bgr)) if sizes_mm else None
    rims = on_field(find_candidates(edges, points, sizes_mm) if sizes_mm else find_any(edges), view, top)
    if sizes_mm:
        rims = rims.pick(explain(rims, top.px_per_mm, leans(rims, view, top)).chosen)
    radial = RIMS.radial_sigma_mm if sizes_mm else LOOK.any_radius_sigma_mm
    searching = meanwhile(lambda: searches_for(edges, points, view, faces))
    fitter = RimFitter(softened(frame.bgr), view, edges.whiten, thickness, radial)
    rims, told = still_explaining(fitter, edges, rims)
    if sizes_mm and seeing_cards:
        rims, told = with_overlooked(edges, seeing_cards(), view, rims, sizes_mm)
    odds = credence(rims, told)
    possible = np.asarray(odds > (LOOK.possible_from if faces.profiles else LOOK.believed_from))
    rims, odds = rims.pick(possible), odds[possible]
    seen = _settled(fitter, edges, rims, odds)
    if not faces.profiles:
        leads = shallow_leads(frame.bgr, view, seen.disks, seen.orders)
        order = stack(rims, top.px_per_mm, leads)
        return _settled(fitter, edges, rims, odds, leads) if _turned(seen, order) else _ordered(seen, order, view)
    close = take_close_ups(frame.bgr, view, seen.disks, seen.orders)
    readings, strange = read_closely(close, seen.disks, faces)
    borrowed = borrowed_stars(rims, odds, readings)
    if borrowed.any():
        rims, odds = rims.pick(~borrowed), odds[~borrowed]
        seen = _settled(fitter, edges, rims, odds)
        close = take_close_ups(frame.bgr, view, seen.disks, seen.orders)
        readings, strange = read_closely(close, seen.disks, faces)
    named, doubtful = _with_faces(seen.disks, readings), np.flatnonzero(odds < LOOK.doubtful).tolist()
    looking_beside = meanwhile(lambda: found_beside(close, named, doubtful, faces))
    found = find_art(edges, searching(), close, named, strange, faces)
    seen = replace(seen, disks=tuple(looking_beside()))
    joined = _with_art(edges, view, rims, odds, found)
    if (joined.was < 0).any():
        again = _settled(fitter, edges, joined.rims, joined.odds)
        seen = _measured_again(seen, again, joined.was)
        close = take_close_ups(frame.bgr, view, seen.disks, seen.orders)
        seen = replace(seen, disks=_with_faces(seen.disks, faces_of(close, seen.disks, faces)))
    seen = replace(seen, disks=_found_faces(seen.disks, joined.art))
    return without_traces(_without_strangers(fitter, edges, joined, seen, close, faces))


def _without_strangers(
    fitter: RimFitter, edges: EdgeField, joined: _Joined, seen: TableSighting, close: CloseUps, faces: FaceIndex
) -> TableSighting:
    """The disks without what their looks tell to be none. What these seemed to cover is then looked at once more."""
    leads = art_leads(close, seen.disks, seen.orders, faces)
    leads += shallow_leads(close.bgr, close.view, seen.disks, seen.orders)
    known = np.array([-np.inf if face is None else face.odds for face in joined.art])
    for left in reversed(range(LOOK.passes)):
        looks = looks_of(close, fitter.soft, seen, joined.rims.colours, edges.whiten, fitter.thickness_mm)
        odds = np.maximum(with_testimony(joined.odds, looks), known)
        believed = np.flatnonzero((odds > 0) | (hidden_by_none(close, seen.disks, odds, joined.odds) & (left > 0)))
        # What once had a name keeps it: seen where its rim is, a face that was found beside it may have none.
        known = np.where([look.face.profile is not None for look in looks], odds, known)[believed]
        joined, leads = joined.pick(believed), leads[np.ix_(believed, believed)]
        order = stack(joined.rims, edges.top.px_per_mm, leads)
        if (odds > 0).all() and not _turned(seen, order):
            disks = zip(seen.disks, probability(odds), strict=True)
            seen = replace(seen, disks=tuple(replace(disk, confidence=float(share)) for disk, share in disks))
            return _ordered(seen, order, close.view)
        again = _settled(fitter, edges, joined.rims, odds[believed], leads)
        again = _measured_again(seen, again, believed)
        seen = replace(again, disks=_found_faces(again.disks, joined.art))
        if all(disk.face.read for disk in seen.disks) and (odds[believed] > 0).all():
            break
        close = take_close_ups(close.bgr, close.view, seen.disks, seen.orders)
        seen = replace(seen, disks=_with_faces(seen.disks, faces_of(close, seen.disks, faces)))
    return seen


def _turned(seen: TableSighting, order: Stack) -> bool:
    """Whether another order is told now than was told."""
    place = {disk.id: i for i, disk in enumerate(seen.disks)}
    return any(order.above[place[told.bottom], place[told.top]] for told in seen.orders)


def _ordered(seen: TableSighting, order: Stack, view: TableView) -> TableSighting:
    return replace(seen, orders=overlapping(seen.disks, order.above, order.probability, view))


def _with_faces(disks: Sequence[DiskSighting], faces: Sequence[FaceReading]) -> tuple[DiskSighting, ...]:
    return tuple(replace(disk, face=face) for disk, face in zip(disks, faces, strict=True))


def _found_faces(disks: Sequence[DiskSighting], art: Sequence[FoundFace | None]) -> tuple[DiskSighting, ...]:
    """The disks, with the faces by which some were found where no other is read on them."""
    return tuple(
        disk if found is None or disk.face.profile is not None else replace(disk, face=found.face)
        for disk, found in zip(disks, art, strict=True)
    )


def _measured_again(before: TableSighting, now: TableSighting, was: IntArray) -> TableSighting:
    """What is seen now, with the faces read before; `was` tells which disk each one was, -1 of a new one."""
    disks = tuple(
        still_read(disk, before.disks[i]) if i >= 0 else disk for disk, i in zip(now.disks, was.tolist(), strict=True)
    )
    return replace(now, disks=disks)


@dataclass(frozen=True, slots=True, eq=False)
class _Joined:
    """Rims, the log-odds by what each rim says that it is a disk's, the face found there, and which it was before."""

    rims: Rims
    odds: FloatArray
    art: Sequence[FoundFace | None]
    was: IntArray  # -1 of a new one

    def pick(self, which: IntArray) -> _Joined:
        """Some of them."""
        return _Joined(self.rims.pick(which), self.odds[which], [self.art[i] for i in which], self.was[which])


def _with_art(edges: EdgeField, view: TableView, rims: Rims, odds: FloatArray, found: Sequence[FoundFace]) -> _Joined:
    """The rims and those of the faces found.

    A face found at a known rim speaks for it. One found elsewhere is a disk, and what speaks for the others then is
    what it leaves unexplained.
    """
    top = edges.top
    known: list[FoundFace | None] = [None] * len(odds)
    fresh: list[FoundFace] = []
    for face in found:
        apart_mm = np.linalg.norm(rims.centres - top.to_pixels(face.centre_mm[None]), axis=1) / top.px_per_mm
        wider_mm = 2 * rims.radii / top.px_per_mm - face.diameter_mm
        near = (apart_mm < LOOK.same_place * face.diameter_mm) & (np.abs(wider_mm) < LOOK.same_size * face.diameter_mm)
        if near.any():
            known[int(np.where(near, apart_mm, np.inf).argmin())] = face
        else:
            fresh.append(face)
    if not fresh:
        return _Joined(rims, odds, known, np.arange(len(odds)))
    middles = top.to_pixels(np.array([face.centre_mm for face in fresh]))
    radii = np.array([face.diameter_mm for face in fresh]) / 2 * top.px_per_mm
    every = judge(edges, circles(middles, radii)).joined(rims)
    told = explain(every, top.px_per_mm, leans(every, view, top), len(fresh))
    chosen = every.pick(told.chosen)
    art = [(*fresh, *known)[i] for i in told.chosen]
    return _Joined(chosen, credence(chosen, told), art, np.maximum(told.chosen - len(fresh), -1))


def _settled(
    fitter: RimFitter, edges: EdgeField, rims: Rims, odds: FloatArray, by_art: FloatArray | None = None
) -> TableSighting:
    """Orders the rims, lets the cards come to rest and measures them."""
    if not len(rims.radii):
        return TableSighting((), ())
    top, view, thickness = edges.top, fitter.view, fitter.thickness_mm
    order = stack(rims, top.px_per_mm, by_art)
    poses = _placed(rims, order, view, top, thickness)
    fit = fitter.fit(poses, order.covered)
    rims = rims_of(fit.poses, view, top)
    fit = replace(fit, poses=_placed(rims, order, view, top, thickness))
    return _ordered(TableSighting(disk_sightings(fit, order, view, rims, thickness, odds), ()), order, view)


def _placed(rims: Rims, order: Stack, view: TableView, top: TopView, thickness: float) -> Poses:
    return place(top.to_board(rims.centres), rims.radii / top.px_per_mm, order, top.height_mm, view, thickness)


def _common_box(whole: Box, part: Box) -> Box:
    return max(whole[0], part[0]), max(whole[1], part[1]), min(whole[2], part[2]), min(whole[3], part[3])


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
