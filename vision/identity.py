"""Tells every disk's face, owner and tokens in one go."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.art_place import placed_by_art
from vision.closeups import take_close_ups
from vision.face_index import FaceIndex
from vision.faces import faces_of
from vision.owners import owners_of
from vision.sighting import DiskSighting, Order
from vision.tokens import counts_of, find_tokens


def identify(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    index: FaceIndex,
    known: Collection[str] = (),
) -> tuple[DiskSighting, ...]:
    """The disks with `face`, `owner` and `tokens` filled in, and moved to where their art is.

    Without a roster, give an index without profiles.
    Faces that were read while the disks were found are not read again, and the `known` disks stay as they are.
    """
    close = take_close_ups(bgr, view, disks, orders)
    named = [replace(disk, face=face) for disk, face in zip(disks, faces_of(close, disks, index), strict=True)]
    fresh = [i for i, disk in enumerate(disks) if disk.id not in known]
    read = placed_by_art(close, named, fresh, index)
    owners = owners_of(close, read, index)
    patches = tuple(close.patches[i] for i in fresh)
    tokens = counts_of(find_tokens(replace(close, patches=patches), [read[i] for i in fresh], index))
    told = list(disks)
    for i, counts in zip(fresh, tokens, strict=True):
        told[i] = replace(read[i], owner=owners[i], tokens=counts)
    return tuple(told)
