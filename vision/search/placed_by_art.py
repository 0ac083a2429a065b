"""Where faces and backs lie, by their art or star: print shows its place where a border and the table look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.faces.art_pose import ArtPose, art_poses
from vision.faces.back import star_picture
from vision.faces.index import FaceIndex, is_known
from vision.faces.options import FACES
from vision.faces.patch import CloseUps
from vision.search.options import SEARCH
from vision.types.sighting import DiskSighting


def placed_by_art(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> tuple[list[DiskSighting], dict[str, ArtPose]]:
    """The disks, of which the fresh ones are moved towards where the star of their backs lies.

    Also tells how the art of those whose faces are known lies.
    """
    known = [i for i in fresh if is_known(disks[i], index)]
    pictures = [index.picture_of(disks[i].face.profile) for i in known]
    own = [picture for picture in pictures if picture is not None]
    found = art_poses(close.bgr, close.view, [disks[i] for i in known], [close.patches[i].covers for i in known], own)
    placed, by_art = list(disks), {}
    for i, pose in zip(known, found, strict=True):
        if pose is not None and pose.explained >= SEARCH.least_explained:
            by_art[disks[i].id] = pose
    backs = [i for i in fresh if disks[i].face.side == "down"]
    covers, stars = [close.patches[i].covers for i in backs], [star_picture()] * len(backs)
    found = art_poses(
        close.bgr, close.view, [disks[i] for i in backs], covers, stars, FACES.field_radius, leaning=False
    )
    for i, pose in zip(backs, found, strict=True):
        placed[i] = _moved(disks[i], pose, SEARCH.star_share) or disks[i]
    return placed, by_art


def _moved(disk: DiskSighting, pose: ArtPose | None, share: float) -> DiskSighting | None:
    """A disk moved a share of the way to where its print lies, where that can be believed."""
    if pose is None or pose.explained < SEARCH.least_explained:
        return None
    shift_mm = np.array([pose.disk.x_mm - disk.x_mm, pose.disk.y_mm - disk.y_mm])
    x_mm, y_mm = np.array([disk.x_mm, disk.y_mm]) + share * shift_mm
    return replace(disk, x_mm=float(x_mm), y_mm=float(y_mm))
