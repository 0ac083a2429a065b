"""Every disk's face laid flat, and the picture's tone: what faces, owners and tokens are all read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.faces.patch import FacePatch, cut_patches
from vision.types.sighting import DiskSighting, Order
from vision.types.tone import Tone, picture_tone


@dataclass(frozen=True, slots=True, eq=False)
class CloseUps:
    """One patch for each disk of one picture."""

    bgr: ByteImage
    view: TableView
    tone: Tone
    patches: tuple[FacePatch, ...]


def take_close_ups(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    tone: Tone | None = None,
) -> CloseUps:
    """Lays the faces of all disks flat; the picture's tone is measured where it is not given."""
    return CloseUps(bgr, view, tone or picture_tone(bgr, view), cut_patches(bgr, view, disks, orders))
