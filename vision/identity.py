"""Tells every disk's face, owner and tokens in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.closeups import take_close_ups
from vision.face_index import FaceIndex
from vision.faces import faces_of
from vision.owners import owners_of
from vision.sighting import DiskSighting, Order
from vision.tokens import counts_of, find_tokens


def identify(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[DiskSighting, ...]:
    """The disks with `face`, `owner` and `tokens` filled in; without a roster, give an index without profiles.

    Faces that were all read while the disks were found are not read again.
    """
    close = take_close_ups(bgr, view, disks, orders)
    known = disks
    if not all(disk.face.read for disk in disks):
        known = [replace(disk, face=face) for disk, face in zip(disks, faces_of(close, disks, index), strict=True)]
    owners = owners_of(close, known, index)
    tokens = counts_of(find_tokens(close, known, index))
    return tuple(
        replace(disk, owner=owner, tokens=counts) for disk, owner, counts in zip(known, owners, tokens, strict=True)
    )
