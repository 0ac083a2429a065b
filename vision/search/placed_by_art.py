"""How known faces lie, by their art: print shows its place where a border and the table look alike."""

from __future__ import annotations

from collections.abc import Sequence

from vision.faces.art_pose import ArtPose, art_poses
from vision.faces.index import FaceIndex, is_known
from vision.faces.patch import CloseUps
from vision.search.options import SEARCH
from vision.types.sighting import DiskSighting


def poses_by_art(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> dict[str, ArtPose]:
    """How the art of those of the fresh disks whose faces are known lies, where that can be believed."""
    known = [i for i in fresh if is_known(disks[i], index)]
    pictures = [index.picture_of(disks[i].face.profile) for i in known]
    own = [picture for picture in pictures if picture is not None]
    found = art_poses(close.bgr, close.view, [disks[i] for i in known], [close.patches[i].covers for i in known], own)
    poses = zip(known, found, strict=True)
    return {disks[i].id: pose for i, pose in poses if pose is not None and pose.explained >= SEARCH.least_explained}
