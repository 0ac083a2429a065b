"""Faces that lie a little beside the place where a disk was found: its rim was taken for another edge, or it leans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.art_pose import ArtPose, art_poses
from vision.closeups import CloseUps
from vision.face_index import FaceIndex
from vision.face_match import Fits
from vision.face_patch import cut_patch
from vision.face_polar import observe, observe_bare
from vision.faces import Matching, Verdict, candidates_of, likeness_of, named, verdicts_of
from vision.sighting import DiskSighting, FaceReading

WORTH_ANOTHER_LOOK = 0.02  # how sure the best reading of a face must be
MOST_LOOKED_AT = 6
RING_MM, PLACES = 3.0, 6
_ANGLES = np.arange(PLACES) * (2 * np.pi / PLACES)
BESIDE_MM = np.vstack([np.zeros((1, 2)), RING_MM * np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])])
BEST_PLACES = 3  # where any face is likeliest
SLIDE_MM = 1.5  # from such a place to where art fits
KEPT, LAID = 4, 5  # faces it may be, at one place and of all
JUDGED = 2  # of these, whose art explains most
LEAST_LIKE = 0.2  # of what is seen, that such a face must explain
SAME_TURN_DEG, SAME_PLACE_MM = 15.0, 2.0
FARTHEST_MM = 8.0
# More tries, more chances to err: a face beside must be clearer than one that is where it should be.
NAMED_FROM, AHEAD_BY, LEAST_EVIDENCE = 0.79, 0.15, 70.0


def found_beside(
    close: CloseUps, disks: Sequence[DiskSighting], fresh: Sequence[int], index: FaceIndex
) -> list[DiskSighting]:
    """The disks, of which fresh ones with an unclear face are moved to where their art is clear, and named by it."""
    unclear = [i for i in fresh if _unclear(disks[i].face)]
    looked_at = sorted(unclear, key=lambda i: -disks[i].face.confidence)[:MOST_LOOKED_AT]
    told = [
        replace(disk, face=replace(disk.face, sought=True)) if i in looked_at else disk for i, disk in enumerate(disks)
    ]
    tried = [one for i in looked_at for one in _tried(close, disks[i], i, index)]
    pictures = [picture for _, one in tried if (picture := index.picture_of(one.face.profile)) is not None]
    covers = [close.patches[i].covers for i, _ in tried]
    poses = art_poses(close.bgr, close.view, [one for _, one in tried], covers, pictures)
    fitting = [
        (i, pose) for (i, _), pose in zip(tried, poses, strict=True) if pose is not None and _near(pose.disk, disks[i])
    ]
    found = [(i, pose.disk) for i in looked_at for pose in _best([pose for k, pose in fitting if k == i])]
    patches = [cut_patch(close.bgr, close.view, one, close.patches[i].covers) for i, one in found]
    faces = observe(patches, [one.diameter_mm for _, one in found], close.tone)
    verdicts = verdicts_of(faces, [one for _, one in found], Matching(index, close.tone))
    for (i, one), verdict in zip(found, verdicts, strict=True):
        if verdict is not None and _clear(verdict) and verdict.confidence > told[i].face.confidence:
            told[i] = replace(one, face=replace(named(verdict, index), read=True), face_normal=disks[i].face_normal)
    return told


def _unclear(face: FaceReading) -> bool:
    return face.side == "unknown" and face.confidence > WORTH_ANOTHER_LOOK and not face.sought


def _best(poses: Sequence[ArtPose]) -> list[ArtPose]:
    return sorted(poses, key=lambda pose: -pose.explained)[:JUDGED]


def _clear(verdict: Verdict) -> bool:
    return verdict.confidence > NAMED_FROM and verdict.margin > AHEAD_BY and verdict.evidence > LEAST_EVIDENCE


def _tried(close: CloseUps, disk: DiskSighting, i: int, index: FaceIndex) -> list[tuple[int, DiskSighting]]:
    """The likeliest faces that lie near a disk's place, where each would lie; with the disk's number."""
    covers = close.patches[i].covers
    places = [replace(disk, x_mm=disk.x_mm + x_mm, y_mm=disk.y_mm + y_mm) for x_mm, y_mm in BESIDE_MM.tolist()]
    seen = [observe_bare(cut_patch(close.bgr, close.view, place, covers)) for place in places]
    likeness = likeness_of(seen, index)
    best = sorted(range(len(places)), key=lambda place: -likeness[place])[:BEST_PLACES]
    places, faces = [places[place] for place in best], [seen[place] for place in best]
    fits = candidates_of(faces, places, Matching(index, close.tone, SLIDE_MM, KEPT))
    likely = _likeliest([one for pair in zip(places, fits, strict=True) for one in _candidates(*pair, index)])
    return [(i, one) for one in likely]


def _candidates(place: DiskSighting, fits: Fits | None, index: FaceIndex) -> list[tuple[float, DiskSighting]]:
    """A disk as each face that it may show says that it lies, with the share of what is seen that the face explains."""
    if fits is None:
        return []
    allowed = index.fitting(place.diameter_mm)[fits.templates]
    shifts = fits.shifts * (place.diameter_mm / 2)
    return [
        (
            float(fits.scores[k]),
            replace(
                place,
                x_mm=place.x_mm + float(shifts[k, 0]),
                y_mm=place.y_mm + float(shifts[k, 1]),
                face=replace(
                    place.face,
                    profile=index.profiles[fits.templates[k]].id,
                    rotation_deg=float(np.degrees(fits.turns_rad[k])),
                ),
            ),
        )
        for k in np.flatnonzero(allowed & (fits.scores > LEAST_LIKE)).tolist()
    ]


def _likeliest(candidates: Sequence[tuple[float, DiskSighting]]) -> list[DiskSighting]:
    """The best of them, each once."""
    kept: list[DiskSighting] = []
    for _, one in sorted(candidates, key=lambda pair: -pair[0]):
        if len(kept) < LAID and not any(_same(one, other) for other in kept):
            kept.append(one)
    return kept


def _same(one: DiskSighting, other: DiskSighting) -> bool:
    turned = (one.face.rotation_deg - other.face.rotation_deg + 180) % 360 - 180
    apart = float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm))
    return one.face.profile == other.face.profile and abs(turned) < SAME_TURN_DEG and apart < SAME_PLACE_MM


def _near(one: DiskSighting, other: DiskSighting) -> bool:
    return float(np.hypot(one.x_mm - other.x_mm, one.y_mm - other.y_mm)) < FARTHEST_MM
