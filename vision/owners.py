"""Whose disk is it: from its profile, or from the colour of its rim beside the others in the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.arrays import IntArray
from vision.face_index import FaceIndex
from vision.face_patch import cut_patches
from vision.rim_colour import rim_chroma
from vision.sighting import DiskSighting, Order

_CLEAR_LEAD = 0.12  # how much nearer the best owner's rim must be than the next, in chroma
_FARTHEST = 0.6  # a rim this far from every owner's belongs to none of them
_GROUP_GAP = 0.35  # rims of two owners are at least this far apart


def read_owners(
    bgr: ByteImage,
    view: TableView,
    disks: Sequence[DiskSighting],
    orders: Sequence[Order],
    index: FaceIndex | None,
) -> tuple[str | None, ...]:
    """The owner of each disk, or None.

    With a roster: that of the profile in `disk.face`; for backs and unknown faces the owner whose rims look alike.
    Without: "group-1", "group-2", ... by rim colour, in the order of the rims' hue.
    """
    rims = [rim_chroma(patch.bgr, patch.visible) for patch in cut_patches(bgr, view, disks, orders)]
    if index is None or not index.profiles:
        return _groups(rims)
    return _from_roster(rims, disks, index)


def _from_roster(
    rims: Sequence[FloatArray | None], disks: Sequence[DiskSighting], index: FaceIndex
) -> tuple[str | None, ...]:
    owner_of = {profile.id: profile.owner for profile in index.profiles}
    printed = {profile.id: rim for profile, rim in zip(index.profiles, index.rims, strict=True)}
    named = [(disk.face.profile, rim) for disk, rim in zip(disks, rims, strict=True) if disk.face.profile in printed]
    shifts = [rim - printed[profile] for profile, rim in named if rim is not None and profile is not None]
    light = np.median(shifts, axis=0) if shifts else np.zeros(2)
    owners = sorted({profile.owner for profile in index.profiles if profile.owner is not None})
    centres: dict[str, FloatArray] = {}
    for owner in owners:
        seen = [rim for profile, rim in named if rim is not None and profile is not None and owner_of[profile] == owner]
        prints = [printed[profile.id] + light for profile in index.profiles if profile.owner == owner]
        centres[owner] = np.median(seen if len(seen) >= 2 else prints, axis=0)
    result: list[str | None] = []
    for disk, rim in zip(disks, rims, strict=True):
        profile = disk.face.profile
        result.append(owner_of[profile] if profile in owner_of else _nearest(rim, centres))
    return tuple(result)


def _nearest(rim: FloatArray | None, centres: dict[str, FloatArray]) -> str | None:
    if rim is None or not centres:
        return None
    ranked = sorted((float(np.hypot(*(rim - centre))), owner) for owner, centre in centres.items())
    if ranked[0][0] > _FARTHEST or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < _CLEAR_LEAD):
        return None
    return ranked[0][1]


def _groups(rims: Sequence[FloatArray | None]) -> tuple[str | None, ...]:
    """Splits rims at clear gaps in colour; numbered by hue, so that groups keep their names from frame to frame."""
    seen = [i for i, rim in enumerate(rims) if rim is not None]
    points = np.array([rims[i] for i in seen], dtype=np.float64).reshape(-1, 2)
    if not len(points):
        return tuple(None for _ in rims)
    clusters = sorted(_split(points, np.arange(len(points))), key=lambda part: float(np.median(points[part, 1])))
    result: list[str | None] = [None] * len(rims)
    centres = [np.median(points[part], axis=0) for part in clusters]
    for number, part in enumerate(clusters, start=1):
        for member in part:
            distances = sorted(float(np.hypot(*(points[member] - centre))) for centre in centres)
            if len(distances) == 1 or distances[1] - distances[0] >= _CLEAR_LEAD:
                result[seen[int(member)]] = f"group-{number}"
    return tuple(result)


def _split(points: FloatArray, members: IntArray) -> list[IntArray]:
    """Parts of the members with a clear gap between their colours."""
    own = points[members]
    if len(own) < 2:
        return [members]
    axis = np.linalg.svd(own - own.mean(axis=0), full_matrices=False)[2][0]
    along = own @ axis
    low = along < (along.min() + along.max()) / 2
    for _ in range(20):
        middle = (along[low].mean() + along[~low].mean()) / 2
        new = along < middle
        if (new == low).all():
            break
        low = new
    apart = abs(float(along[low].mean() - along[~low].mean()))
    width = float(along[low].std() + along[~low].std())
    if apart < max(_GROUP_GAP, 2.2 * width):
        return [members]
    return _split(points, members[low]) + _split(points, members[~low])
