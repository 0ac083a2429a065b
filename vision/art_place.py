"""Where a known face lies, by its art: print shows its place where a border and the table look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.art_pose import ArtPose, art_poses
from vision.closeups import CloseUps
from vision.face_index import FaceIndex
from vision.known_face import is_known
from vision.sighting import DiskSighting

SHARE = 0.9  # of the way to where the art says: it scatters far less than a rim, but cards are cut off their centre
LEAST_EXPLAINED = 0.5  # of what is seen: art that fits worse than that is not where it seems
FARTHEST_MM = 5.0


def placed_by_art(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> tuple[list[DiskSighting], dict[str, ArtPose]]:
    """The disks, of which the fresh ones whose faces are known are moved towards where their art lies.

    Also tells how the art of each of these lies.
    """
    known = [i for i in fresh if is_known(disks[i], index)]
    pictures = [index.picture_of(disks[i].face.profile) for i in known]
    own = [picture for picture in pictures if picture is not None]
    found = art_poses(close.bgr, close.view, [disks[i] for i in known], [close.patches[i].covers for i in known], own)
    placed, by_art = list(disks), {}
    for i, pose in zip(known, found, strict=True):
        disk = disks[i]
        if pose is None or pose.explained < LEAST_EXPLAINED:
            continue
        shift_mm = np.array([pose.disk.x_mm - disk.x_mm, pose.disk.y_mm - disk.y_mm])
        if np.hypot(*shift_mm) < FARTHEST_MM:
            x_mm, y_mm = np.array([disk.x_mm, disk.y_mm]) + SHARE * shift_mm
            placed[i] = replace(disk, x_mm=float(x_mm), y_mm=float(y_mm))
            by_art[disk.id] = pose
    return placed, by_art
