"""Tells every disk's face, owner and tokens in one go, and how its art shows it to lie."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.faces.art_pose import ArtPose
from vision.faces.index import FaceIndex
from vision.faces.owners import owners_of
from vision.faces.patch import take_close_ups
from vision.faces.reading import faces_of
from vision.piles.settle import lie_down
from vision.search.nearby import found_beside
from vision.search.placed_by_art import poses_by_art
from vision.tokens.detect import counts_of, find_tokens
from vision.types.sighting import TableSighting
from vision.types.workers import meanwhile


def identify(
    bgr: ByteImage, view: TableView, seen: TableSighting, index: FaceIndex, kept: Collection[str] = ()
) -> TableSighting:
    """What was seen, with each disk's `face`, `owner` and `tokens` filled in, lying as its art and what is below tell.

    Without a roster, give an index without profiles.
    Faces that were read while the disks were found are not read again, and the `kept` disks stay as they are.
    """
    recognised, by_art = recognise(bgr, view, seen, index, kept)
    return lie_down(view, recognised, by_art, kept)


def recognise(
    bgr: ByteImage, view: TableView, seen: TableSighting, index: FaceIndex, kept: Collection[str] = ()
) -> tuple[TableSighting, dict[str, ArtPose]]:
    """The part of `identify` for which nothing need be known of the ground; and how the art of disks shows they lie."""
    disks = seen.disks
    if not disks:
        return seen, {}
    close = take_close_ups(bgr, view, disks, seen.orders)
    named = [replace(disk, face=face) for disk, face in zip(disks, faces_of(close, disks, index), strict=True)]
    fresh = [i for i, disk in enumerate(disks) if disk.id not in kept]
    clear = found_beside(close, named, fresh, index)
    own = replace(close, patches=tuple(close.patches[i] for i in fresh))
    finding = meanwhile(lambda: counts_of(find_tokens(own, [clear[i] for i in fresh], index)))
    by_art = poses_by_art(close, clear, fresh, index)
    owners = owners_of(close, clear, index)
    recognised = list(disks)
    for i, counts in zip(fresh, finding(), strict=True):
        recognised[i] = replace(clear[i], owner=owners[i], tokens=counts)
    return replace(seen, disks=tuple(recognised)), by_art
