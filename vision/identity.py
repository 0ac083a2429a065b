"""Tells every disk's face, owner and tokens in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.face_index import FaceIndex
from vision.faces import read_faces
from vision.owners import read_owners
from vision.sighting import DiskSighting, Order
from vision.tokens import count_tokens


def identify(
    bgr: ByteImage, view: TableView, disks: Sequence[DiskSighting], orders: Sequence[Order], index: FaceIndex
) -> tuple[DiskSighting, ...]:
    """The disks with `face`, `owner` and `tokens` filled in; without a roster, give an index without profiles."""
    readings = read_faces(bgr, view, disks, orders, index)
    known = [replace(disk, face=face) for disk, face in zip(disks, readings, strict=True)]
    owners = read_owners(bgr, view, known, orders, index)
    tokens = count_tokens(bgr, view, known, orders, index)
    return tuple(
        replace(disk, owner=owner, tokens=counts) for disk, owner, counts in zip(known, owners, tokens, strict=True)
    )
