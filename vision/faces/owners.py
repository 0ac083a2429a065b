"""Whose disk is it: from its profile, or from the colour of its rim beside the others in the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.arrays import ByteImage, FloatArray
from calibration.view import TableView
from vision.faces.index import FaceIndex
from vision.faces.options import FACES
from vision.faces.patch import CloseUps, rim_chroma, take_close_ups
from vision.types.sighting import DiskSighting, Order


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
    return owners_of(take_close_ups(bgr, view, disks, orders), disks, index)


def owners_of(close: CloseUps, disks: Sequence[DiskSighting], index: FaceIndex | None) -> tuple[str | None, ...]:
    """`read_owners` from close-ups that are there already."""
    gain, offset = close.tone.gain.astype(np.float32), close.tone.offset.astype(np.float32)
    rims = [rim_chroma((patch.bgr - offset) / gain, patch.visible) for patch in close.patches]
    if index is None or not index.profiles:
        return group_by_rim(rims)
    return _from_roster(rims, disks, index)


def _from_roster(
    rims: Sequence[FloatArray | None], disks: Sequence[DiskSighting], index: FaceIndex
) -> tuple[str | None, ...]:
    owner_of = {profile.id: profile.owner for profile in index.profiles}
    printed = {profile.id: rim for profile, rim in zip(index.profiles, index.rims, strict=True)}
    named = [(disk.face.profile, rim) for disk, rim in zip(disks, rims, strict=True) if disk.face.profile in printed]
    owners = sorted({profile.owner for profile in index.profiles if profile.owner is not None})
    centres: dict[str, FloatArray] = {}
    for owner in owners:
        seen = [rim for profile, rim in named if rim is not None and profile is not None and owner_of[profile] == owner]
        prints = [printed[profile.id] for profile in index.profiles if profile.owner == owner]
        centres[owner] = np.median(seen if len(seen) >= 2 else prints, axis=0)
    result: list[str | None] = []
    for disk, rim in zip(disks, rims, strict=True):
        profile = disk.face.profile
        result.append(owner_of[profile] if profile in owner_of else _nearest(rim, centres))
    return tuple(result)


def _nearest(rim: FloatArray | None, centres: dict[str, FloatArray]) -> str | None:
    if rim is None or not centres:
        return None
    ranked = sorted((_distance(rim, centre), owner) for owner, centre in centres.items())
    if ranked[0][0] > FACES.farthest or (len(ranked) > 1 and ranked[1][0] - ranked[0][0] < FACES.least_chroma):
        return None
    return ranked[0][1]


def _distance(rim: FloatArray, centre: FloatArray) -> float:
    """How far a rim is from an owner's, allowing for colour that haze and blur have washed out."""
    strength = float(np.clip(rim @ centre / (centre @ centre + 1e-6), 0.3, 1.2))
    return float(np.hypot(*(rim - strength * centre)))


def group_by_rim(rims: Sequence[FloatArray | None]) -> tuple[str | None, ...]:
    """Groups of rims of clearly different hue; numbered by hue, so that they keep their names."""
    coloured = [(i, rim / np.hypot(*rim)) for i, rim in enumerate(rims) if rim is not None and _has_hue(rim)]
    result: list[str | None] = [None] * len(rims)
    if not coloured:
        return tuple(result)
    hues = np.array([hue for _, hue in coloured])
    centres = [_middle(part) for part in _split(hues)]
    centres.sort(key=lambda centre: float(np.arctan2(centre[1], centre[0])))
    for i, hue in coloured:
        angles = [float(np.degrees(np.arccos(np.clip(hue @ centre, -1, 1)))) for centre in centres]
        nearest = int(np.argmin(angles))
        if len(angles) == 1 or sorted(angles)[1] - angles[nearest] > FACES.clear_hue_deg:
            result[i] = f"group-{nearest + 1}"
    return tuple(result)


def _split(hues: FloatArray) -> list[FloatArray]:
    """Parts of the hues (N, 2), unit vectors, that are clearly apart from each other."""
    if len(hues) < 2:
        return [hues]
    first, second = np.unravel_index(int((hues @ hues.T).argmin()), (len(hues), len(hues)))
    centres = np.stack([hues[first], hues[second]])
    for _ in range(20):
        nearer = (hues @ centres.T).argmax(axis=1)
        if len(set(nearer.tolist())) < 2:
            return [hues]
        centres = np.stack([_middle(hues[nearer == side]) for side in (0, 1)])
    parts = [hues[nearer == side] for side in (0, 1)]
    apart = float(np.degrees(np.arccos(np.clip(centres[0] @ centres[1], -1, 1))))
    widths = [np.degrees(np.arccos(np.clip(part @ centre, -1, 1))) for part, centre in zip(parts, centres, strict=True)]
    if apart < max(FACES.hue_gap_deg, 2.5 * sum(float(np.median(width)) for width in widths)):
        return [hues]
    return _split(parts[0]) + _split(parts[1])


def _middle(hues: FloatArray) -> FloatArray:
    middle = np.median(hues, axis=0)
    return np.asarray(middle / max(float(np.hypot(*middle)), 1e-9), dtype=np.float64)


def _has_hue(rim: FloatArray) -> bool:
    return float(np.hypot(*rim)) > FACES.least_chroma
