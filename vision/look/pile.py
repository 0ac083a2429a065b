"""Rims become cards in space: ordered, at rest on each other, measured on the picture itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibration.arrays import FloatArray
from vision.faces.reading import still_read
from vision.look.measure import measure_rims
from vision.look.picture import Picture
from vision.piles.placing import disk_sightings, overlapping, place, rim_variances
from vision.rims.candidates import Rims, rims_of
from vision.rims.cells import ownership_leads
from vision.rims.stacking import Stack, stack
from vision.search.art_search import FoundFace
from vision.types.arrays import IntArray
from vision.types.poses import Poses
from vision.types.sighting import DiskSighting, FaceReading, TableSighting


def settle(picture: Picture, rims: Rims, odds: FloatArray, leads: FloatArray | None = None) -> TableSighting:
    """Orders the rims, lets the cards come to rest and measures them; `leads` (kinds, N, N) tell who covers whom."""
    if not len(rims.radii):
        return TableSighting((), ())
    order = order_of(picture, rims, leads)
    fit = picture.fitter.fit(_placed(picture, rims, order), order.covered)
    fitted = rims_of(fit.poses, picture.view, picture.top)
    found = measure_rims(picture, fitted)
    if picture.finer:
        own = rim_variances(fitted, order)[:, None, None] * np.eye(2)
        found = replace(found, rims=fitted, covariances_mm2=fit.covariances + own)
    placed = _placed(picture, found.rims, order)
    apparent = found.heights_mm, found.height_sigmas_mm
    thickness_mm = picture.fitter.thickness_mm
    disks = disk_sightings(placed, found.covariances_mm2, order, picture.view, found.rims, thickness_mm, odds, apparent)
    by_rims = zip(disks, found.sigmas_mm.tolist(), found.excesses_mm.tolist(), strict=True)
    disks = tuple(replace(disk, rim_sigma_mm=sigma, rim_excess_mm=excess) for disk, sigma, excess in by_rims)
    return ordered(picture, TableSighting(disks, ()), order)


def order_of(picture: Picture, rims: Rims, leads: FloatArray | None = None) -> Stack:
    """Who lies on whom, by rims, by the cells of overlaps, and by `leads` (kinds, N, N), what else is known."""
    by_cells = ownership_leads(picture.cells, rims)[None]
    return stack(rims, picture.top.px_per_mm, by_cells if leads is None else np.concatenate([leads, by_cells]))


def ordered(picture: Picture, seen: TableSighting, order: Stack) -> TableSighting:
    """The same disks with this order."""
    return replace(seen, orders=overlapping(seen.disks, order.above, order.probability, order.agreement, picture.view))


def order_changed(seen: TableSighting, order: Stack) -> bool:
    """Whether the new order turns a reported one over."""
    place_of = {disk.id: i for i, disk in enumerate(seen.disks)}
    return any(order.above[place_of[known.bottom], place_of[known.top]] for known in seen.orders)


def with_faces(seen: TableSighting, faces: Sequence[FaceReading]) -> TableSighting:
    """The disks with what was read on them."""
    disks = tuple(replace(disk, face=face) for disk, face in zip(seen.disks, faces, strict=True))
    return replace(seen, disks=disks)


def with_found_faces(seen: TableSighting, art: Sequence[FoundFace | None]) -> TableSighting:
    """The disks, with the faces by which some were found where no other is read on them."""
    disks = tuple(
        disk if found is None or disk.face.profile is not None else replace(disk, face=found.face)
        for disk, found in zip(seen.disks, art, strict=True)
    )
    return replace(seen, disks=disks)


def faces_kept(before: TableSighting, now: TableSighting, was: IntArray) -> TableSighting:
    """What is measured now, with the faces read before; `was` is the earlier index of each disk, -1 of a new one."""
    disks: tuple[DiskSighting, ...] = tuple(
        still_read(disk, before.disks[i]) if i >= 0 else disk for disk, i in zip(now.disks, was.tolist(), strict=True)
    )
    return replace(now, disks=disks)


def _placed(picture: Picture, rims: Rims, order: Stack) -> Poses:
    top = picture.top
    return place(
        top.to_board(rims.centres),
        rims.radii / top.px_per_mm,
        order,
        top.height_mm,
        picture.view,
        picture.fitter.thickness_mm,
    )
